/** The MCP servers of a chat, shown to the person. */
import { servers_of } from "../../app/agent.ts";
import { configured_mcp } from "../../app/mcp_configured.ts";
import { message_of } from "../../config/text.ts";
import { server_rows, server_summary } from "../servers/mcp_look.ts";
import type { ChatState } from "./state.ts";

/** A line a server, with what it has where it runs, and one for each that is not used. */
export async function server_lines(
  { agent, settings, setup: { opened: { flags } } }: ChatState,
): Promise<readonly string[]> {
  try {
    const { servers, warnings } = await configured_mcp(settings, flags);
    const running = servers_of(agent);
    const states = await running?.states() ?? [];
    const lines = server_rows(servers).map((line, nth) => {
      const state = states.find(({ server }) => server.name === servers[nth]?.name);
      return state === undefined ? line : `${line}: ${server_summary(state)}`;
    });
    const later = servers.length > 0 && running === null ? ["they start with the next task"] : [];
    return [...warnings, ...lines, ...later];
  } catch (error) {
    return [message_of(error)];
  }
}
