import type { Endpoint } from "./endpoint.ts";

/** Windows are set in steps of this many tokens, as people write them. */
const STEP = 4096;

/** What to type for a window of `needed` tokens; follows what is wrong, in the same line. */
export function larger_window(endpoint: Endpoint, needed: number): string {
  const { api_mode, model, model_window, server } = endpoint;
  const tokens = Math.ceil(needed / STEP) * STEP;
  if (model_window !== undefined && model_window < needed) {
    return `${model} can hold ${model_window} at most: take a model with a larger window`;
  }
  const most = Math.min(tokens, model_window ?? Infinity);
  if (api_mode === "ollama_chat") return `ask Ollama for more: --context-window ${most}`;
  const start = "start the server with a larger window:";
  switch (server) {
    case "ollama":
      return "let hamr ask Ollama for what it needs: --api-mode ollama_chat";
    case "llama.cpp":
      return `${start} llama-server … -c ${most}`;
    case "lmstudio":
      return `load the model with a larger window: lms load ${model} --context-length ${most}`;
    case "vllm":
      return `${start} vllm serve ${model} --max-model-len ${most}`;
    case "sglang":
      return `${start} sglang serve --model-path ${model} --context-length ${most}`;
    case "koboldcpp":
      return `${start} koboldcpp … --contextsize ${most}`;
    case "tgi":
      return `${start} text-generation-launcher … --max-total-tokens ${most}`;
    case "localai":
      return `give the model a larger window in its file, context_size: ${most}`;
    case "openai-compatible":
    case undefined:
      return `load the model with a larger window, or say that it has one: --context-window ${most}`;
  }
}

/** What is said once where nobody tells how large the window is. */
export function assumed_window({ model, context_window }: Endpoint): string {
  return `the window of ${model} is not known: ${context_window} tokens are assumed, ` +
    "and everything is sized by that; set it with --context-window N";
}
