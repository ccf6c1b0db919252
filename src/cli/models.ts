/** `hamr models`: the servers found, their models and windows, and which one a run would use. Costs no tokens. */
import { json_line } from "../config/json.ts";
import type { Parsed } from "./args/args.ts";
import { endpoint_of } from "../app/endpoint.ts";
import { found_models, type FoundModels } from "../app/found_models.ts";
import { load_settings } from "../app/settings.ts";
import type { Endpoint } from "../model/server/endpoint.ts";
import { line } from "../ui/text.ts";
import { reach } from "../model/server/reach.ts";
import type { Io } from "./base/io.ts";
import { StartError } from "../config/error.ts";

const NAME_CHARS = 100;

/** Prints them. Throws `StartError` where there is neither a server nor a model. */
export async function models(parsed: Parsed, io: Io): Promise<number> {
  const settings = await load_settings(parsed, io);
  let used: Endpoint | null = null;
  let problem: StartError | null = null;
  try {
    used = await endpoint_of(settings);
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    problem = error;
  }
  const servers = await found_models(settings, used);
  const [first] = servers;
  if (used !== null && (first?.answers === false || first?.locked)) {
    const { ok, words, reason } = await reach(used);
    if (!ok) problem = new StartError(words, reason);
  }
  if (problem !== null && !servers.some(({ answers }) => answers)) throw problem;
  if (parsed.flags.output === "text") io.out(servers.map((one) => shown(one)).join("\n"));
  else {
    io.out(json_line({ type: "models", used: used && chosen(used), servers }));
  }
  if (problem === null) return 0;
  throw problem;
}

function chosen({ provider, model, base_url, api_mode, context_window, window_source }: Endpoint) {
  return { provider, model, base_url, api_mode, context_window, window_source };
}

function shown({ provider, url, locked, models }: FoundModels): string {
  const width = Math.max(...models.map(({ name }) => line(name, NAME_CHARS).length), 0);
  const rows = models.map(({ name, window, limit, used, missing }) => {
    const windows = [
      ...(window === null ? [] : [`window ${window}`]),
      ...(limit === null || limit === window ? [] : [`up to ${limit}`]),
    ].join(", ");
    const row = `${used ? "→" : " "} ${line(name, NAME_CHARS).padEnd(width)}  ${windows}`;
    const mark = missing
      ? "a run would use this one, which is not listed there"
      : "a run uses this one";
    return `${row.trimEnd()}${used ? `  (${mark})` : ""}\n`;
  });
  const none = locked ? "  it needs a key\n" : "  it lists no models\n";
  return `${provider} at ${url}\n${rows.length === 0 ? none : rows.join("")}`;
}
