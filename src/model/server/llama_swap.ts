/** llama-swap: starts a server for each model when that is first asked for, and stops the one before. Each is behind a path of its own. */
import { field } from "../errors.ts";
import {
  chat_first,
  get_json,
  ids,
  type Inquiry,
  list_in,
  of_model,
  seeing,
  type Server,
  type ServerAt,
  windows,
} from "./inquiry.ts";

/** Where the server of a model answers; the first question starts it. A name, which a workspace may set, leads nowhere else. */
export function upstream_of(origin: string, model: string): string {
  const parts = model.split("/").filter((part) => !/^\.{0,2}$/.test(part));
  return `${origin}/upstream/${parts.map(encodeURIComponent).join("/")}`;
}

/** What its list of models says; those that are not `ready` are `starting`, `stopping` or `stopped`. */
interface SwapState {
  readonly ready: readonly string[];
  /** One is started or stopped right now: what is asked for waits for that. */
  readonly changes: boolean;
}

export function swap_state(running: unknown): SwapState {
  const rows = list_in(running, "running");
  const state = (row: unknown) => String(field(row, "state"));
  return {
    ready: rows.filter((row) => state(row) === "ready").map((row) => String(field(row, "model"))),
    changes: rows.some((row) => /^(?:starting|stopping)$/.test(state(row))),
  };
}

/** The model that is meant as its own server describes it, if that runs. Null: another server. */
export async function llama_swap(
  models: unknown,
  { origin, inquiry }: ServerAt,
  inspect: (origin: string, inquiry: Inquiry) => Promise<Server | null>,
): Promise<Server | null> {
  if (field(list_in(models, "data")[0], "owned_by") !== "llama-swap") return null;
  const { ready } = swap_state(await get_json(`${origin}/running`, inquiry));
  const listed = ids(models);
  const names = [...chat_first(listed.filter((id) => ready.includes(id))), ...chat_first(listed)];
  const meant = inquiry.model || (names[0] ?? "");
  const at = upstream_of(origin, meant);
  const own = ready.includes(meant)
    ? await inspect(at, { ...inquiry, base_url: `${at}/v1`, model: "" })
    : null;
  const [name = ""] = own?.models ?? [];
  return {
    ...own === null ? { unloaded: true } : own,
    name: "llama-swap",
    router: true,
    models: [...new Set(names)],
    windows: windows([[meant, of_model(own?.windows ?? {}, name)]]),
    window_source: `${own?.window_source ?? "GET /props"} of its server`,
    limits: windows([[meant, of_model(own?.limits ?? {}, name)]]),
    ...seeing([[meant, own?.sees?.[name] ?? own?.sees?.[""]]]),
  };
}
