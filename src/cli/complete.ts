/** `hamr __complete`: what may stand for the word that is being typed, a line each. Never an error. */
import { endpoint_of } from "../app/endpoint.ts";
import { found_models } from "../app/found_models.ts";
import { load_settings } from "../app/settings.ts";
import { lazy } from "../lazy.ts";
import { is_loopback } from "../model/http/http.ts";
import { open_database } from "../store/database.ts";
import { database_file } from "../store/place.ts";
import { list_sessions } from "../store/sessions.ts";
import { flags_again, parse } from "./args/args.ts";
import { candidates, type Completion } from "./args/completions.ts";
import { documents, question_of, word_for } from "./args/documents.ts";
import type { Io } from "./base/io.ts";
import { whole_line } from "../ui/text.ts";
import { command_names } from "./commanded.ts";
import { agent_names } from "./args/with_agent.ts";

/** Flags that say which server is meant. */
const ASKED = new Set(["base-url", "provider", "directory", "config"]);
/** For servers of this machine to name their models. */
const MODELS_MS = 1000;
/** For MCP servers to start; who types the beginning of a prompt's name waits for it. */
const PROMPTS_MS = 8000;
/** Sessions that are offered: who wants an older one looks for it. */
const SESSIONS = 50;

/** Prints the candidates with their help, or `:file` or `:folder`. `current` has a colon before it. Always 0. */
export async function complete([current = ":", ...before]: readonly string[], io: Io) {
  const found = await candidates(
    current.slice(1),
    before,
    async (kind, typed) => {
      switch (kind) {
        case "session":
          return sessions(before, io);
        case "topic":
          return await topics();
        case "model":
          return await in_time(MODELS_MS, models(before, io));
        case "agent":
          return await agents(before, io);
        case "server":
          return await servers(({ server_names }) => server_names(before, io));
        case "command":
          return [
            ...commands(before, io),
            ...await servers(({ prompt_names }) => prompt_names(typed, before, io)),
          ];
      }
    },
  );
  if (typeof found === "string") io.out(`:${found}\n`);
  else {
    for (const { word, help } of found) {
      io.out(help === "" ? `${word}\n` : `${word}\t${whole_line(help)}\n`);
    }
  }
  return 0;
}

/** Pages of the manual. */
async function topics(): Promise<readonly Completion[]> {
  const pages = [...await documents()];
  return pages.map(([name, page]) => ({ word: word_for(name), help: question_of(page) }));
}

/** Tasks that are written down. */
function commands(before: readonly string[], io: Io): readonly Completion[] {
  try {
    return command_names(workspace_in(before), io).map((word) => ({ word, help: "" }));
  } catch {
    return [];
  }
}

async function agents(before: readonly string[], io: Io): Promise<readonly Completion[]> {
  const directory = workspace_in(before);
  try {
    return await agent_names(
      parse(["run", ...directory === undefined ? [] : ["-C", directory]]),
      io,
    );
  } catch {
    return [];
  }
}

/** Models that settings name, and those of servers on this machine. No other server is asked for what somebody may not choose. */
async function models(before: readonly string[], io: Io): Promise<readonly Completion[]> {
  try {
    // readline cuts words at "=", too.
    const words = before.filter((word, at) => word !== "=" || !before[at - 1]?.startsWith("--"));
    const asked = flags_again(words, ({ name }) => ASKED.has(name));
    const place = await load_settings(parse(["models", ...asked]), io);
    const { provider, providers } = place.settings;
    const named = [provider.model, ...Object.values(providers).map((one) => one?.model ?? "")];
    const used = is_loopback(provider.base_url) ? await endpoint_of(place).catch(() => null) : null;
    const listed = await found_models(place, used);
    const all = [...listed.flatMap(({ models }) => models.map(({ name }) => name)), ...named];
    return [...new Set(all)].filter((name) => name !== "").map((word) => ({ word, help: "" }));
  } catch {
    return [];
  }
}

/** MCP servers, or what they have; nothing where that can't be had. */
async function servers(
  ask: (
    module: typeof import("./servers/mcp_complete.ts"),
  ) => Promise<readonly Completion[]>,
): Promise<readonly Completion[]> {
  const module = await lazy<typeof import("./servers/mcp_complete.ts")>(
    "./servers/mcp_complete.ts",
    import.meta.url,
  );
  return await in_time(PROMPTS_MS, ask(module).catch(() => []));
}

/** Whoever presses a key does not wait for a server. */
async function in_time(
  ms: number,
  found: Promise<readonly Completion[]>,
): Promise<readonly Completion[]> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const none = new Promise<readonly Completion[]>((resolve) => timer = setTimeout(resolve, ms, []));
  const first = await Promise.race([found, none]);
  clearTimeout(timer);
  return first;
}

/** The value of `-C`. */
function workspace_in(before: readonly string[]): string | undefined {
  const at = before.findLastIndex((word) => word === "-C" || word === "--directory");
  return at < 0 ? undefined : before[at + 1];
}

/** The newest sessions of the workspace; none where they can't be read. */
async function sessions(before: readonly string[], io: Io): Promise<readonly Completion[]> {
  const directory = workspace_in(before);
  const flags = directory === undefined ? [] : ["-C", directory];
  try {
    const { paths, workspace } = await load_settings(parse(["sessions", "list", ...flags]), io);
    Deno.statSync(database_file(paths.data_dir ?? ""));
    using db = open_database(paths.data_dir ?? "");
    return list_sessions(db, { workspace, limit: SESSIONS })
      .map(({ uuid, task }) => ({ word: uuid, help: task.replaceAll(/\s+/g, " ") }));
  } catch {
    return [];
  }
}
