import { named_models, small_json } from "./inquiry.ts";
import { field, from_status } from "../errors.ts";
import { no_answer, safe_url } from "../http/http.ts";
import { origin_of } from "./address.ts";
import { is_loading } from "./loading.ts";
import { PROTOCOLS } from "../protocols/protocols.ts";
import type { Endpoint } from "./provider.ts";
import { key_hint } from "./credentials.ts";
import { redact } from "../secrets.ts";

/** Whether a model server answers, and what it says of the model. */
export interface Reach {
  readonly ok: boolean;
  readonly words: string;
  /** The key is missing, or was refused. */
  readonly reason?: "auth_error";
  /** The models that it has, where this one is not among them. */
  readonly others?: string;
}

/** A person waits for this answer. */
const PATIENCE_MS = 5000;

/** Asks the server for its list of models: cheap, and refused where the key is wrong. */
export async function reach(endpoint: Endpoint): Promise<Reach> {
  const url = list_of_models(endpoint);
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const { headers, client, proxied } = endpoint;
  try {
    const response = await fetch(url, { headers, redirect: "manual", signal, client });
    const body = await small_json(response, signal);
    return judge(endpoint, { status: response.status, body });
  } catch (error) {
    const late = `no answer from ${safe_url(url)} within ${PATIENCE_MS / 1000} s`;
    return {
      ok: false,
      words: signal.aborted ? late : redact(no_answer(error, { url, proxied }), endpoint),
    };
  }
}

/** Ollama has this list beside its own protocol. */
function list_of_models({ api_mode, base_url }: Endpoint): string {
  return PROTOCOLS[api_mode].versioned_base ? `${base_url}/models` : `${base_url}/v1/models`;
}

function judge(endpoint: Endpoint, { status, body }: { status: number; body: unknown }): Reach {
  const shown = safe_url(list_of_models(endpoint));
  // Not every server has a list of models.
  if (status === 404 || status === 405) return { ok: true, words: `${shown} answers` };
  if (status >= 300) {
    const text = body === undefined ? "" : JSON.stringify(body);
    const error = from_status(status, text, { url: shown, key_hint: key_hint(endpoint) });
    if (is_loading(error)) {
      return { ok: false, words: `${origin_of(endpoint.base_url)} is loading its model` };
    }
    const words = redact(error.message, endpoint);
    return { ok: false, words, ...(error.kind === "auth" ? { reason: "auth_error" } : {}) };
  }
  // Together's list is not wrapped.
  const list = Array.isArray(body) ? body : field(body, "data");
  if (!Array.isArray(list)) {
    return {
      ok: false,
      words: `${shown} answers, but not like a model server; is the base URL right?`,
    };
  }
  const ids = list.map((model) => String(field(model, "id")));
  // llama.cpp serves what is loaded, whatever it is called.
  const known = endpoint.provider === "llama.cpp" || ids.length === 0 ||
    ids.includes(endpoint.model) || ids.includes(`${endpoint.model}:latest`);
  if (known) return { ok: true, words: `${shown} answers` };
  const others = named_models(ids);
  const words = `${shown} has no model ${endpoint.model}; it has: ${others}`;
  return { ok: false, words, others };
}
