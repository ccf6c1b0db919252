/** Commands that print keys. They run outside the sandbox, so their programs must not be where a run's commands can write. */
import { origin } from "../config/load.ts";
import { is_inside, real_or, real_or_null } from "../config/paths.ts";
import type { KeyCommand } from "../model/server/key_command.ts";
import { environment_outside } from "../permission/own_program.ts";
import { resolved } from "../permission/paths.ts";
import { with_other_reach } from "../sandbox/scope/other_reach.ts";
import { places_written, type RunSettings } from "./settings.ts";

const BETWEEN = /[\s"'`;&|()<>=,\\]+/;
const HOME_VARIABLE = /^(?:\$HOME|\$\{HOME\})(?=\/|$)/;

/** A command that gives a key, ready to be run. Throws with words for a person where a run could have changed what it starts. */
export async function ready_command(command: string, place: RunSettings): Promise<KeyCommand> {
  const { KEY_COMMANDS, KeyCommand } = await import("../model/server/key_command.ts");
  const made = KEY_COMMANDS.get(command) ?? new KeyCommand(command, surroundings(command, place));
  KEY_COMMANDS.set(command, made);
  return made;
}

/** The home folder, as `python3 -m keyring` would load a `keyring.py` of the workspace; and programs that no run can have put there. */
function surroundings(
  command: string,
  place: RunSettings,
): ConstructorParameters<typeof KeyCommand>[1] {
  const { environ, workspace } = place;
  const home = environ["HOME"] ?? "";
  const reach = with_other_reach(places_written(place));
  const in_reach = (path: string) => reach.some((folder) => is_inside(path, folder));
  const own = home.startsWith("/") ? real_or_null(home) : null;
  const folder = own === null || in_reach(own) ? "/" : home;
  // What a workspace's own file says was perhaps meant from there.
  const folders = is_of_workspace(command, place) ? [folder, workspace] : [folder];
  for (const word of command.split(BETWEEN)) {
    const path = word.replace(HOME_VARIABLE, "~").replace(/^~(?=\/|$)/, home);
    if (!/[/.]/.test(path)) continue;
    const full = folders.map((folder) => resolved(folder, path));
    if (!full.some((one) => real_or_null(one) !== null && [one, real_or(one)].some(in_reach))) {
      continue;
    }
    throw new Error(
      `${word} is where a run's commands may write, and the command runs outside the sandbox; ` +
        "keep what it needs elsewhere, such as in ~/.local/bin",
    );
  }
  return { folder, env: environment_outside(reach, environ) };
}

function is_of_workspace(command: string, place: RunSettings): boolean {
  return Object.entries(place.settings.providers).some(([name, provider]) =>
    provider?.api_key_cmd === command &&
    origin(place, `providers.${name}.api_key_cmd`).source === "workspace"
  );
}
