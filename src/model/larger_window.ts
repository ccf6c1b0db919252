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
  switch (server) {
    case "ollama":
      return "let hamr ask Ollama for what it needs: --api-mode ollama_chat";
    case "llama.cpp":
      return `start the server with a larger window: llama-server … -c ${most}`;
    case "lmstudio":
      return `load the model with a larger window: lms load ${model} --context-length ${most}`;
    case "vllm":
      return `start the server with a larger window: vllm serve ${model} --max-model-len ${most}`;
    case "openai-compatible":
    case undefined:
      return `load the model with a larger window, or say that it has one: --context-window ${most}`;
  }
}

/** What is said once where nobody tells how large the window is. */
export function assumed_window({ model, context_window }: Endpoint): string {
  return `nobody says how many tokens ${model} can hold: ${context_window} are assumed, ` +
    "and everything is sized by that; say how many it is with --context-window N";
}
