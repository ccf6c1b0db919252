/** Custom commands from files and prompts of MCP servers, as `/NAME ARGUMENTS` in a conversation. */
import {
  command_places,
  custom_command,
  expand_command,
  type ExpandedCommand,
} from "../../app/custom_commands.ts";
import type { RunSettings } from "../../app/settings.ts";
import { is_prompt, prompt_task, type PromptPlace } from "./mcp_prompts.ts";

interface WrittenTask {
  readonly name: string;
  readonly task: string;
  /** The mode and the model that it wants; undefined where it does not say. */
  readonly mode: unknown;
  readonly model: unknown;
}

/** Whether a name is one of these, or of a server that is still to be started. */
export function is_written(name: string, place: RunSettings): boolean {
  return is_prompt(name) || custom_command(name, command_places(place)) !== undefined;
}

/** The task that a text stands for; null for one that names none: a path may stand at its beginning. Throws a `ConfigError` where it can't be had. */
export async function written_task(text: string, at: PromptPlace): Promise<WrittenTask | null> {
  const [, name = "", rest = ""] = /^\/([\w.:-]+)(?:\s+(.*))?$/s.exec(text.trimEnd()) ?? [];
  const places = command_places(at.place);
  if (!is_written(name, at.place)) return null;
  const { task, overrides }: ExpandedCommand = custom_command(name, places) === undefined
    ? { task: await prompt_task(name, rest, at), overrides: [] }
    : await expand_command(name, rest === "" ? [] : [rest], places);
  const wanted = (key: string) => overrides.find((one) => one.key === key)?.value;
  return { name, task, mode: wanted("agent.mode"), model: wanted("provider.model") };
}
