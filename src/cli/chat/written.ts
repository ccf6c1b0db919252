/** Tasks that are written down in files, as commands of a chat. */
import { custom_commands, expand_command } from "../../app/custom_commands.ts";
import { own_folder, type RunSettings } from "../../app/settings.ts";
import { message_of } from "../../config/text.ts";
import type { ChatCommandName } from "../../ui/chat/complete.ts";
import type { ChatState } from "./commands.ts";

/** Those of the workspace and the user's own. */
export function written_commands(place: RunSettings): readonly ChatCommandName[] {
  const { workspace } = place;
  return custom_commands(places(place)).map(({ name, file }) => ({
    name,
    help: file.startsWith(`${workspace}/`) ? file.slice(workspace.length + 1) : file,
  }));
}

/** The task that `/NAME ARGUMENTS` stands for; null where it is none of these, or said why not. */
export async function written_task(text: string, chat: ChatState): Promise<string | null> {
  const [, name = "", rest = ""] = /^\/([\w.:-]+)(?:\s+(.*))?$/s.exec(text) ?? [];
  try {
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

function places(place: RunSettings) {
  return { workspace: place.workspace, own_folder: own_folder(place) };
}
