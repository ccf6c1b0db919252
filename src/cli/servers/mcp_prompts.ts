/** Prompts of MCP servers as commands: `/mcp__SERVER__PROMPT arguments`, as other agents have them. */
import { ConfigError } from "../../config/error.ts";
import { message_of, one_line } from "../../config/text.ts";
import { configured_mcp } from "../../app/mcp_configured.ts";
import type { McpServers } from "../../tools/mcp/servers.ts";
import type { AskingPlace } from "./mcp_look.ts";

export interface PromptPlace extends AskingPlace {
  /** Null before the first task. */
  readonly running: McpServers | null;
}

export const PROMPT = "mcp__";

export function is_prompt(name: string): boolean {
  return /^mcp__.+?__./.test(name);
}

/** The task that a server makes of a command. One that is not running is started for it and ended. Throws a `ConfigError` if there is none. */
export async function prompt_task(
  name: string,
  text: string,
  { running, place, flags, io }: PromptPlace,
): Promise<string> {
  const [, server = ""] = /^mcp__(.+?)__/.exec(name) ?? [];
  try {
    if (running !== null) return await running.prompt(server, name, text);
    const { servers, warnings } = await configured_mcp(place, flags);
    const one = servers.find((one) => one.name === server);
    if (one === undefined) {
      const why = warnings.find((line) => line.startsWith(`MCP server ${server} `));
      const known = servers.map((one) => one.name).join(", ") || "none";
      throw new Error(why ?? `there is no MCP server ${server}; known: ${known}`);
    }
    const { ask_apart } = await import("./mcp_look.ts");
    return await ask_apart([one], { place, flags, io }, (all) => all.prompt(server, name, text));
  } catch (error) {
    throw new ConfigError(one_line(`/${name}: ${message_of(error)}`));
  }
}
