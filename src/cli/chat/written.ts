/** Tasks that are written down in files, as commands of a chat. */
import { servers_of } from "../../app/agent.ts";
import { custom_commands, expand_command } from "../../app/custom_commands.ts";
import { message_of } from "../../config/text.ts";
import { is_prompt, prompt_task } from "../servers/mcp_prompts.ts";
import type { ChatState } from "./state.ts";
import { places } from "./names.ts";

/** The task that `/NAME ARGUMENTS` stands for; null where it is none of these, or said why not. */
export async function written_task(text: string, chat: ChatState): Promise<string | null> {
  const [, name = "", rest = ""] = /^\/([\w.:-]+)(?:\s+(.*))?$/s.exec(text) ?? [];
  try {
    if (
      is_prompt(name) && !custom_commands(places(chat.settings)).some((one) => one.name === name)
    ) {
      const { opened: { flags }, io } = chat.setup;
      const at = { running: servers_of(chat.agent), place: chat.settings, flags, io };
      return await prompt_task(name, rest, at);
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
