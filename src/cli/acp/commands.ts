/** Tasks that are written down, as commands of a client. */
import { type AvailableCommand, RequestError } from "@agentclientprotocol/sdk";
import { type CommandPlaces, custom_commands, expand_command } from "../../app/custom_commands.ts";
import { own_folder, type RunSettings } from "../../app/settings.ts";
import type { Mode } from "../../guards/rule.ts";

/** What a command makes of a prompt. */
interface CommandedPrompt {
  readonly task: string;
  /** The command wants this one for its task; null: it does not say. */
  readonly model: string | null;
}

/** Those of the workspace and the user's own. */
export function commands_of(place: RunSettings): AvailableCommand[] {
  return custom_commands(places(place)).map(({ name, file }) => ({
    name,
    description: file.startsWith(`${place.workspace}/`)
      ? file.slice(place.workspace.length + 1)
      : file,
    input: { hint: "arguments" },
  }));
}

/** A prompt that begins with `/NAME` is that command's task; any other is the task itself. */
export async function commanded_prompt(
  text: string,
  { place, mode }: { readonly place: RunSettings; readonly mode: Mode },
): Promise<CommandedPrompt> {
  const [, name = "", rest = ""] = /^\/([\w.:-]+)(?:\s+(.*))?$/s.exec(text) ?? [];
  const at = places(place);
  // A path at the beginning is none.
  if (!custom_commands(at).some((command) => command.name === name)) {
    return { task: text, model: null };
  }
  const { task, overrides } = await expand_command(name, rest === "" ? [] : [rest], at);
  const wanted = (key: string) => overrides.find((one) => one.key === key)?.value;
  const mode_wanted = wanted("agent.mode");
  if (mode_wanted !== undefined && mode_wanted !== mode) {
    throw RequestError.invalidRequest(
      undefined,
      `/${name} is for mode ${mode_wanted}: switch to it first`,
    );
  }
  const model = wanted("provider.model");
  return { task, model: typeof model === "string" ? model : null };
}

function places(place: RunSettings): CommandPlaces {
  return { workspace: place.workspace, own_folder: own_folder(place) };
}
