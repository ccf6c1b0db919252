/** MCP servers and their prompts, as completions of a shell. */
import { configured_mcp } from "../../app/mcp_configured.ts";
import { load_settings } from "../../app/settings.ts";
import { command_policy } from "../../app/command_policy.ts";
import { prompt_help } from "../../tools/mcp/prompts.ts";
import { flags_again, parse } from "../args/args.ts";
import type { WordCompletion } from "../args/completions.ts";
import type { Io } from "../base/io.ts";
import { looked_at } from "./mcp_look.ts";
import { PROMPT } from "./mcp_prompts.ts";

/** Flags that say which servers there are, and what they may do. */
const ASKED = new Set(["directory", "config", "mcp-config", "allow-net", "sandbox"]);

/** Names of the servers. Rejects where the settings can't be read. */
export async function server_names(
  before: readonly string[],
  io: Io,
): Promise<readonly WordCompletion[]> {
  const { servers } = await configured(before, io);
  return servers.map(({ name, by }) => ({
    word: name,
    help: by.kind === "http" ? new URL(by.url).host : [by.command, ...by.args].join(" "),
  }));
}

/** Prompts of the servers that are meant, which are started for it: never for a word that could be anything. */
export async function prompt_names(
  typed: string,
  before: readonly string[],
  io: Io,
): Promise<readonly WordCompletion[]> {
  if (typed === "" || !(PROMPT.startsWith(typed) || typed.startsWith(PROMPT))) return [];
  const { place, parsed: { flags }, servers } = await configured(before, io);
  const meant = servers.filter(({ name }) => {
    const own = `${PROMPT}${name}__`;
    return own.startsWith(typed) || typed.startsWith(own);
  });
  if (meant.length === 0) return [];
  const { policy } = await command_policy("complete", place, { flags, io });
  const { servers: states } = await looked_at(policy, { servers: meant, warn() {} });
  return states.flatMap(({ prompts }) => prompts)
    .map((prompt) => ({ word: prompt.name, help: prompt_help(prompt) }));
}

async function configured(before: readonly string[], io: Io) {
  const parsed = parse(["mcp", "test", ...flags_again(before, ({ name }) => ASKED.has(name))]);
  const place = await load_settings(parsed, io);
  return { parsed, place, servers: (await configured_mcp(place, parsed.flags)).servers };
}
