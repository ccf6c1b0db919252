/** The names of tasks that are written down in files, for lists of commands. */
import { servers_of } from "../../app/agent.ts";
import { command_help, custom_command, custom_commands } from "../../app/custom_commands.ts";
import { own_folder, type RunSettings } from "../../app/settings.ts";
import { prompt_help } from "../../tools/mcp/prompts.ts";
import { is_prompt } from "../servers/mcp_prompts.ts";
import type { ChatState } from "./state.ts";
import type { ChatCommandName } from "../../ui/chat/complete.ts";

/** Those of the workspace and the user's own, and the prompts of MCP servers that are running. */
export function written_commands(
  { settings, agent }: Pick<ChatState, "settings" | "agent">,
): readonly ChatCommandName[] {
  const at = places(settings);
  const files = custom_commands(at).map((one) => {
    const { help, takes } = command_help(one, at);
    return { name: one.name, help: takes === null ? help : `${takes}  ${help}` };
  });
  const prompts = servers_of(agent)?.prompts ?? [];
  return [...files, ...prompts.map((one) => ({ name: one.name, help: prompt_help(one) }))];
}

/** Whether a name is one of these, or of a server that is still to be started. */
export function is_written(name: string, { settings }: Pick<ChatState, "settings">): boolean {
  return is_prompt(name) || custom_command(name, places(settings)) !== undefined;
}

/** Where such files are. */
export function places(place: RunSettings) {
  return { workspace: place.workspace, own_folder: own_folder(place) };
}
