/** `hamr context`: how large the model's window is, how that was found, and how it is used. Costs no tokens. */
import { attempt } from "../config/attempt.ts";
import { json_line } from "../config/json.ts";
import type { Settings } from "../config/keys.ts";
import { budget_of } from "../context/budget.ts";
import type { Endpoint, Sampling } from "../model/server/endpoint.ts";
import { family_of, sampling_for } from "../model/server/families.ts";
import { assumed_window } from "../model/server/larger_window.ts";
import { reach } from "../model/server/reach.ts";
import type { SavedState } from "../agent/saving/saved_state.ts";
import type { Usage } from "../model/message.ts";
import { open_database } from "../store/database.ts";
import { database_file } from "../store/memory_index.ts";
import { list_sessions, saved_state_of } from "../store/sessions.ts";
import { percent, plural } from "../ui/text.ts";
import type { Parsed } from "./args/args.ts";
import { endpoint_of } from "../app/endpoint.ts";
import type { Io } from "./base/io.ts";
import { load_settings, type RunSettings } from "../app/settings.ts";
import { StartError } from "../config/error.ts";

/** What `--output json` prints. Null: nobody says. */
interface ContextReport extends
  Pick<
    Endpoint,
    "model" | "provider" | "api_mode" | "context_window" | "window_known" | "window_source"
  > {
  /** Tokens that the model could hold. */
  readonly model_window: number | null;
  readonly capabilities: readonly string[] | null;
  /** The model is of a known family; null: it is not. */
  readonly family: Known | null;
  /** Tokens for prompt, tools and history. */
  readonly budget: number;
  /** Tokens that a reply may take; 0 leaves it to the server. */
  readonly max_output_tokens: number;
  /** Tokens of the newest session of the workspace, in its last run; null: there is none, or none were counted. */
  readonly last_session: Last | null;
}

interface Known {
  readonly name: string;
  /** Null: nothing is sent. */
  readonly sampling: Sampling | null;
  /** Why not; empty if it is. */
  readonly why: string;
  readonly source: string;
  readonly note: string | null;
}

function known(
  endpoint: Endpoint,
  { temperature, model_defaults }: Settings["agent"],
): Known | null {
  const family = family_of(endpoint.model);
  if (family === undefined) return null;
  const { name, source, note = null } = family;
  const sent = temperature !== undefined
    ? "a temperature is set"
    : !model_defaults
    ? "agent.model_defaults is off"
    : sampling_for(endpoint);
  return typeof sent === "string"
    ? { name, sampling: null, why: sent, source, note }
    : { name, sampling: sent, why: "", source, note };
}

type Last = Pick<Usage, "input_tokens" | "cached_tokens" | "cache_lost_tokens">;

/** Prints the window of the model that a run would use. Throws `StartError` if there is none, or where nobody answers who knows it. */
export async function context(parsed: Parsed, io: Io): Promise<number> {
  const settings = await load_settings(parsed, io);
  const { agent } = settings.settings;
  const endpoint = await endpoint_of(settings);
  if (!endpoint.window_known) {
    const { ok, words, reason } = await reach(endpoint);
    if (!ok) throw new StartError(words, reason);
  }
  const { model, provider, api_mode, context_window, window_known, window_source } = endpoint;
  const { max_output_tokens, context_budget_tokens: most } = agent;
  const shown: ContextReport = {
    ...{ model, provider, api_mode, context_window, window_known, window_source },
    model_window: endpoint.model_window ?? null,
    capabilities: endpoint.capabilities ?? null,
    family: known(endpoint, agent),
    budget: budget_of({ window: context_window, max_output_tokens, most }),
    max_output_tokens: Math.min(max_output_tokens, Math.floor(context_window / 4)),
    last_session: last_session(settings),
  };
  const text = parsed.flags.output === "text";
  io.out(text ? lines(shown, endpoint) : json_line({ type: "context", ...shown }));
  return 0;
}

/** Whatever is wrong with what is saved is said by other commands. */
function last_session({ paths: { data_dir }, workspace }: RunSettings): Last | null {
  return attempt(() => {
    Deno.statSync(database_file(data_dir ?? ""));
    using db = open_database(data_dir ?? "");
    const [newest] = list_sessions(db, { workspace, limit: 1 });
    const { usage }: Partial<SavedState> = JSON.parse(saved_state_of(db, newest?.id ?? 0));
    if (usage === undefined || usage.input_tokens === 0) return null;
    const { input_tokens, cached_tokens, cache_lost_tokens = 0 } = usage;
    return { input_tokens, cached_tokens, cache_lost_tokens };
  }, null);
}

function lines(shown: ContextReport, endpoint: Endpoint): string {
  const { model_window: more, capabilities, family, budget, last_session } = shown;
  const reply = shown.max_output_tokens > 0 ? `, ${shown.max_output_tokens} for a reply` : "";
  const rows: [string, string | null][] = [
    ["model", `${shown.model} (${shown.provider}, ${shown.api_mode})`],
    ["window", plural(shown.context_window, "token")],
    ["source", shown.window_source],
    ["could be", more === null || more === shown.context_window ? null : plural(more, "token")],
    ["can do", capabilities?.join(", ") ?? null],
    ["family", family && family_words(family)],
    ["", family?.note ?? null],
    ["budget", `${plural(budget, "token")} for prompt, tools and history${reply}`],
    ["last run", last_session && share_of(last_session)],
    ["note", shown.window_known ? null : assumed_window(endpoint)],
  ];
  return rows.filter(([, words]) => words !== null)
    .map(([name, words]) => `${(name && `${name}:`).padEnd(10)}${words}\n`).join("");
}

function family_words({ name, sampling, why, source }: Known): string {
  const values = Object.entries(sampling ?? {}).map(([key, value]) => `${key} ${value}`).join(", ");
  return `${name}; ${sampling === null ? `no sampling is sent (${why})` : `${values} (${source})`}`;
}

function share_of({ input_tokens, cached_tokens, cache_lost_tokens = 0 }: Last): string {
  const share = `${percent(cached_tokens, input_tokens)} of ${plural(input_tokens, "token")}`;
  const lost = cache_lost_tokens > 0 ? `, ${cache_lost_tokens} were read again` : "";
  return `${share} came from the cache${lost}`;
}
