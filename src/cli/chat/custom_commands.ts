/** Custom commands, as commands of a chat. */
import { servers_of } from "../../app/agent.ts";
import { command_help, command_places, custom_commands } from "../../app/custom_commands.ts";
import { message_of } from "../../config/text.ts";
import { prompt_help } from "../../tools/mcp/prompts.ts";
import type { ChatCommandName } from "../../ui/chat/complete.ts";
import { named_resources } from "../servers/mcp_resources.ts";
import { written_task } from "../servers/slash_commands.ts";
import type { ChatState } from "./state.ts";

export function written_commands(
  { settings, agent }: Pick<ChatState, "settings" | "agent">,
): readonly ChatCommandName[] {
  const at = command_places(settings);
  const files = custom_commands(at).map((one) => {
    const { help, takes } = command_help(one, at);
    return { name: one.name, help: takes === null ? help : `${takes}  ${help}` };
  });
  const prompts = servers_of(agent)?.prompts ?? [];
  return [...files, ...prompts.map((one) => ({ name: one.name, help: prompt_help(one) }))];
}

/** The task that `/NAME ARGUMENTS` stands for; null where it is none of these, or said why not. */
export async function custom_task(text: string, chat: ChatState): Promise<string | null> {
  try {
    const written = await written_task(text, servers_at(chat));
    if (written === null) return null;
    const { name, task, mode, model } = written;
    if (mode !== undefined && mode !== chat.chosen.mode) {
      chat.note(`/${name} is for mode ${mode}: /mode ${mode} first`);
      return null;
    }
    if (typeof model === "string") chat.agent.setModel(model);
    return task;
  } catch (error) {
    chat.note(message_of(error));
    return null;
  }
}

export async function resources_of(task: string, chat: ChatState): Promise<readonly string[]> {
  const warn = (words: string) => chat.note(words);
  const text = await named_resources(task, { ...servers_at(chat), warn });
  return text === "" ? [] : [text];
}

function servers_at({ agent, settings, setup: { opened: { flags }, io } }: ChatState) {
  return { running: servers_of(agent), place: settings, flags, io };
}
