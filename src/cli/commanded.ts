/** `hamr run --command NAME ARGUMENTS`: runs a custom command. */
import type { Override } from "../config/load.ts";
import {
  type CommandPlaces,
  custom_command,
  custom_commands,
  expand_command,
} from "../app/custom_commands.ts";
import { paths, workspace_dir } from "../config/paths.ts";
import { load_settings } from "../app/settings.ts";
import { is_prompt, prompt_task } from "./servers/mcp_prompts.ts";
import type { Parsed } from "./args/args.ts";
import type { Io } from "./base/io.ts";
import { read_more } from "./task.ts";
import { UsageError } from "../config/error.ts";

/** The task, and the arguments with what its file says of the run; flags win over that. Throws `UsageError` and `ConfigError`. */
export async function commanded(
  parsed: Parsed,
  io: Pick<Io, "environ" | "err">,
): Promise<{ readonly parsed: Parsed; readonly task: string }> {
  const { flags: { command = "", directory, steer, quiet }, operands } = parsed;
  const given = operands.filter((word) => word !== "-");
  const places = places_of(directory, io);
  let task: string, overrides: readonly Override[] = [];
  if (is_prompt(command) && custom_command(command, places) === undefined) {
    const at = { running: null, place: await load_settings(parsed, io), flags: parsed.flags, io };
    // What the shell has divided stays so.
    const words = given.map((word) => /\s/.test(word) ? `"${word.replaceAll('"', "'")}"` : word);
    task = await prompt_task(command, words.join(" "), at);
  } else ({ task, overrides } = await expand_command(command, given, places));
  if (steer && operands.includes("-")) {
    throw new UsageError("--steer needs standard input for itself");
  }
  const piped = operands.includes("-") ? `\n\n${await read_more(["-"], { steer, quiet, io })}` : "";
  const said = new Set(parsed.overrides.map(({ key }) => key));
  // A verify command brings its mode along.
  const own = overrides.filter(({ key }) => !said.has(key));
  return {
    parsed: { ...parsed, overrides: [...own, ...parsed.overrides] },
    task: `${task}${piped}`,
  };
}

export function command_names(
  directory: string | undefined,
  io: Pick<Io, "environ">,
): readonly string[] {
  return custom_commands(places_of(directory, io)).map(({ name }) => name);
}

function places_of(directory: string | undefined, io: Pick<Io, "environ">): CommandPlaces {
  const { config_file } = paths(io.environ());
  return {
    workspace: workspace_dir(directory),
    own_folder: config_file?.replace(/\/[^/]*$/, "") ?? null,
  };
}
