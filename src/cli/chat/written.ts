/** Tasks that are written down in files, as commands of a chat. */
import { servers_of } from "../../app/agent.ts";
import { custom_command, expand_command } from "../../app/custom_commands.ts";
import { message_of } from "../../config/text.ts";
import { is_prompt, prompt_task } from "../servers/mcp_prompts.ts";
import { named_resources, names_resource } from "../servers/mcp_resources.ts";
import type { ChatState } from "./state.ts";
import { places } from "./names.ts";

/** The task that `/NAME ARGUMENTS` stands for; null where it is none of these, or said why not. */
export async function written_task(text: string, chat: ChatState): Promise<string | null> {
  const [, name = "", rest = ""] = /^\/([\w.:-]+)(?:\s+(.*))?$/s.exec(text) ?? [];
  try {
    if (is_prompt(name) && custom_command(name, places(chat.settings)) === undefined) {
      return await prompt_task(name, rest, servers_at(chat));
    }
    const given = rest.trim() === "" ? [] : [rest.trim()];
    const { task, overrides } = await expand_command(name, given, places(chat.settings));
    const wanted = (key: string) => overrides.find((one) => one.key === key)?.value;
    const mode = wanted("agent.mode");
    if (mode !== undefined && mode !== chat.mode) {
      chat.note(`/${name} is for mode ${mode}: /mode ${mode} first`);
      return null;
    }
    const model = wanted("provider.model");
    if (typeof model === "string") chat.agent.setModel(model);
    return task;
  } catch (error) {
    chat.note(message_of(error));
    return null;
  }
}

/** What the resources of MCP servers hold that a task names. */
export async function resources_of(task: string, chat: ChatState): Promise<readonly string[]> {
  if (!names_resource(task)) return [];
  const warn = (words: string) => chat.note(words);
  const text = await named_resources(task, { ...servers_at(chat), warn });
  return text === "" ? [] : [text];
}

function servers_at({ agent, settings, setup: { opened: { flags }, io } }: ChatState) {
  return { running: servers_of(agent), place: settings, flags, io };
}
