/** `hamr __complete`: candidates for the word being typed, one a line. Never an error. */
import { within } from "../config/within.ts";
import { endpoint_of } from "../app/endpoint.ts";
import { found_models } from "../app/found_models.ts";
import { load_settings } from "../app/settings.ts";
import { is_loopback } from "../model/http/http.ts";
import { open_database } from "../store/database.ts";
import { database_file } from "../store/memory_index.ts";
import { list_sessions } from "../store/sessions.ts";
import { flags_again, parse, type Parsed } from "./args/args.ts";
import { candidates, without_help, type WordCompletion } from "./args/completions.ts";
import { documents, question_of, word_for } from "./args/documents.ts";
import type { Io } from "./base/io.ts";
import { whole_line } from "../ui/text.ts";
import { command_names } from "./commanded.ts";
import { agent_names } from "./args/with_agent.ts";

const ASKED = new Set(["base-url", "provider", "directory", "config"]);
/** For servers of this machine to name their models: whoever presses a key does not wait for one. */
const MODELS_MS = 1000;
/** For MCP servers to start; who types the beginning of a prompt's name waits for it. */
const PROMPTS_MS = 8000;
/** Names that no shell takes for more than a word, wherever they come from: bash writes them into the line as they are. */
const NAME = /^[\p{L}\p{N}_.][\p{L}\p{M}\p{N} _.,:@/+=%^[\]-]*$/u;
/** How many sessions are offered; an older one can be looked for. */
const SESSIONS = 50;

/** Prints the candidates with their help, or `:file` or `:folder`. `current` has a colon before it. Always 0. */
export async function print_candidates([current = ":", ...before]: readonly string[], io: Io) {
  // readline cuts words at "=", too.
  const words = before.filter((word, at) => word !== "=" || !before[at - 1]?.startsWith("--"));
  const at = words.findLastIndex((word) => word === "-C" || word === "--directory");
  const directory = at < 0 ? undefined : words[at + 1];
  const place = directory === undefined ? [] : ["-C", directory];
  const known = {
    session: () => sessions(parse(["sessions", "list", ...place]), io),
    topic: async () =>
      [...await documents()].map(([name, page]) => ({
        word: word_for(name),
        help: question_of(page),
      })),
    model: async () => {
      const asked = flags_again(words, ({ name }) => ASKED.has(name));
      return await within(MODELS_MS, models(parse(["models", ...asked]), io)) ?? [];
    },
    agent: () => agent_names(parse(["run", ...place]), io),
    server: () => servers(({ server_names }) => server_names(words, io)),
    command: async (typed: string) => [
      ...without_help(command_names(directory, io)),
      ...await servers(({ prompt_names }) => prompt_names(typed, words, io)),
    ],
  };
  const found = await candidates(current.slice(1), before, async (kind, typed) => {
    try {
      return (await known[kind](typed)).filter(({ word }) => NAME.test(word));
    } catch {
      // What can't be read has no names.
      return [];
    }
  });
  if (typeof found === "string") io.out(`:${found}\n`);
  else {
    for (const { word, help } of found) {
      io.out(help === "" ? `${word}\n` : `${word}\t${whole_line(help)}\n`);
    }
  }
  return 0;
}

/** Models that settings name, and those of servers on this machine. No other server is asked for what somebody may not choose. */
async function models(parsed: Parsed, io: Io): Promise<readonly WordCompletion[]> {
  const place = await load_settings(parsed, io);
  const { provider, providers } = place.settings;
  const named = [provider.model, ...Object.values(providers).map((one) => one?.model ?? "")];
  const used = is_loopback(provider.base_url) ? await endpoint_of(place).catch(() => null) : null;
  const listed = await found_models(place, used);
  const all = [...listed.flatMap(({ models }) => models.map(({ name }) => name)), ...named];
  return without_help([...new Set(all)].filter((name) => name !== ""));
}

/** MCP servers, or what they have; nothing where that fails. */
async function servers(
  ask: (module: typeof import("./servers/mcp_complete.ts")) => Promise<readonly WordCompletion[]>,
): Promise<readonly WordCompletion[]> {
  const module = await import("./servers/mcp_complete.ts");
  return await within(PROMPTS_MS, ask(module).catch(() => [])) ?? [];
}

async function sessions(parsed: Parsed, io: Io): Promise<readonly WordCompletion[]> {
  const { paths, workspace } = await load_settings(parsed, io);
  Deno.statSync(database_file(paths.data_dir ?? ""));
  using db = open_database(paths.data_dir ?? "");
  return list_sessions(db, { workspace, limit: SESSIONS })
    .map(({ uuid, task }) => ({ word: uuid, help: task.replaceAll(/\s+/g, " ") }));
}
