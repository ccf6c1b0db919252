import type { Endpoint } from "./endpoint.ts";
import type { Server } from "./inquiry.ts";

/** Windows are set in steps of this many tokens, as people write them. */
const STEP = 4096;

const START = "start the server with a larger window:";

/** What to type for a window of so many tokens, where the server is known. */
const HOW: Readonly<Record<Server["name"], (model: string, tokens: number) => string>> = {
  "ollama": () => "let hamr ask Ollama for what it needs: --api-mode ollama_chat",
  "llama.cpp": (_, most) => `${START} llama-server … -c ${most}`,
  "llama-swap": (model, most) => `give ${model} a larger window in llama-swap's file: -c ${most}`,
  "lmstudio": (model, most) =>
    `load the model with a larger window: lms load ${model} --context-length ${most}`,
  "vllm": (model, most) => `${START} vllm serve ${model} --max-model-len ${most}`,
  "sglang": (model, most) => `${START} sglang serve --model-path ${model} --context-length ${most}`,
  "koboldcpp": (_, most) => `${START} koboldcpp … --contextsize ${most}`,
  "tgi": (_, most) => `${START} text-generation-launcher … --max-total-tokens ${most}`,
  "localai": (_, most) => `give the model a larger window in its file, context_size: ${most}`,
  "openai-compatible": (_, most) =>
    `load the model with a larger window, or say that it has one: --context-window ${most}`,
};

/** What to type for a window of `needed` tokens; follows what is wrong, in the same line. */
export function larger_window(endpoint: Endpoint, needed: number): string {
  const { api_mode, model, model_window, server } = endpoint;
  const tokens = Math.ceil(needed / STEP) * STEP;
  if (model_window !== undefined && model_window < needed) {
    return `${model} can hold ${model_window} at most: take a model with a larger window`;
  }
  const most = Math.min(tokens, model_window ?? Infinity);
  if (api_mode === "ollama_chat") return `ask Ollama for more: --context-window ${most}`;
  return HOW[server ?? "openai-compatible"](model, most);
}

export function assumed_window({ model, context_window }: Endpoint): string {
  return `the window of ${model} is not known: ${context_window} tokens are assumed, ` +
    "and everything is sized by that; set it with --context-window N";
}
