import { field, one_line } from "./errors.ts";
import { safe_url } from "./http.ts";
import type { Endpoint } from "./provider.ts";

/** Whether a model server answers, and what it says of the model. */
export interface Reach {
  readonly ok: boolean;
  /** One line for a person. */
  readonly words: string;
}

/** A person waits for this answer. */
const PATIENCE_MS = 5000;

/** Asks the server for its list of models: cheap, and refused where the key is wrong. */
export async function reach(endpoint: Endpoint): Promise<Reach> {
  const url = `${endpoint.base_url}/models`;
  const shown = safe_url(url);
  try {
    const response = await fetch(url, {
      headers: endpoint.headers,
      redirect: "manual",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const body: unknown = await response.json().catch(() => null);
    if (response.status === 401 || response.status === 403) {
      const words =
        `${shown} refused the key (${response.status}); it is read from ${endpoint.key_env}`;
      return { ok: false, words };
    }
    const models = field(body, "data");
    const ids = Array.isArray(models) ? models.map((model) => field(model, "id")) : null;
    const known = ids === null || ids.includes(endpoint.model) ||
      ids.includes(`${endpoint.model}:latest`);
    return known
      ? { ok: true, words: `${shown} answers` }
      : { ok: false, words: `${shown} has no model ${endpoint.model}; it has: ${ids.join(", ")}` };
  } catch (error) {
    const why = error instanceof Error ? one_line(error.message) : String(error);
    return { ok: false, words: `no answer from ${shown}: ${why}` };
  }
}
