import { named_models, type Server } from "./inquiry.ts";
import { is_loopback } from "../http/http.ts";

/** What a server is asked for that serves one model and ignores its name. */
export const WHICHEVER = "default";

/** The model that is meant where none is named, or why that can't be told. */
export function default_model({ base_url, name, server, hosted }: {
  base_url: string;
  /** Name of the provider; empty if it is known by its address only. */
  name: string;
  server: Server | null;
  hosted: boolean;
}): { readonly model: string } | { readonly problem: string } {
  const { models, name: kind } = server ?? { models: [], name: "" };
  // Somewhere in the net the first of many is anybody's, and may be dear.
  if (kind === "openai-compatible" && models.length > 1 && !is_loopback(base_url)) {
    const named = named_models(models);
    return { problem: `which model at ${base_url}? choose one with --model NAME: ${named}` };
  }
  if (models[0] !== undefined) return { model: models[0] };
  if (kind === "ollama") {
    return { problem: `Ollama at ${base_url} has no model yet: ollama pull qwen2.5-coder:7b` };
  }
  if (hosted) {
    return { problem: `which model at ${name || base_url}? choose one with --model NAME` };
  }
  // A server that lists nothing serves one model and ignores the name (llama.cpp does).
  return { model: WHICHEVER };
}
