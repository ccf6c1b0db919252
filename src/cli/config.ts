/** `hamr config`: where settings come from, what they are, and a file to begin with. */
import { ConfigError } from "../config/error.ts";
import { paths, why, workspace_dir, workspace_file } from "../config/paths.ts";
import { render_settings, render_template } from "../config/render.ts";
import { one_line } from "../config/text.ts";
import type { Parsed } from "./args.ts";
import type { Io } from "./io.ts";
import { place } from "./settings.ts";

/** Variables with a key that every user may have; those of `api_key_env` come on top. */
const KEY_VARIABLES = ["HAMR_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"];

/** Runs `config path`, `config show` or `config init`. Throws a `ConfigError`. */
export async function config(parsed: Parsed, io: Io): Promise<number> {
  switch (parsed.command) {
    case "config path":
      return path(parsed, io);
    case "config init":
      return init(parsed, io);
    default:
      return await show(parsed, io);
  }
}

/** Each file of settings with whether it exists, in the order in which they count, and the data folder. */
function path(parsed: Parsed, io: Io): number {
  const { config_file, data_dir } = paths(io.environ());
  const user = parsed.flags.config ?? config_file;
  const rows: [string, string | null][] = [
    ["user", user],
    ["workspace", workspace_file(workspace_dir(parsed.flags.directory))],
    ["data", data_dir],
  ];
  for (const [name, file] of rows) {
    const text = file === null
      ? "none: neither HOME nor HAMR_HOME is set"
      : `${one_line(file)}  (${state(file)})`;
    io.out(`${name.padEnd(10)} ${text}\n`);
  }
  return 0;
}

async function show(parsed: Parsed, io: Io): Promise<number> {
  const loaded = await place(parsed, io);
  for (const warning of loaded.warnings) io.err(`hamr: warning: ${warning}\n`);
  io.out(render_settings(loaded));
  const named = Object.values(loaded.settings.providers)
    .flatMap((provider) => provider?.api_key_env ? [provider.api_key_env] : []);
  const names = [...new Set([...KEY_VARIABLES, ...named])];
  const width = Math.max(...names.map((name) => name.length));
  io.out("\n# Keys in the environment; their values are never shown.\n");
  for (const name of names) {
    io.out(`# ${name.padEnd(width)}  ${io.env(name) === undefined ? "not set" : "set (***)"}\n`);
  }
  return 0;
}

function init(parsed: Parsed, io: Io): number {
  const file = parsed.flags.config ?? paths(io.environ()).config_file;
  if (file === null) {
    throw new ConfigError(
      "config init: no place for the file: set HOME or HAMR_HOME, or give --config",
    );
  }
  try {
    const folder = file.replace(/[\\/]?[^\\/]*$/, "");
    if (folder !== "") Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    // createNew also refuses a symbolic link, even one that leads nowhere.
    Deno.writeTextFileSync(file, render_template(), { createNew: true, mode: 0o600 });
  } catch (error) {
    const reason = state(file) === "exists"
      ? "exists already; edit it, or move it away first"
      : `can't be written: ${why(error)}`;
    throw new ConfigError(`${file}: ${reason}`);
  }
  io.out(`${one_line(file)}\n`);
  return 0;
}

function state(file: string): string {
  try {
    Deno.statSync(file);
    return "exists";
  } catch (error) {
    const missing = error instanceof Deno.errors.NotFound ||
      error instanceof Deno.errors.NotADirectory;
    return missing ? "does not exist" : why(error);
  }
}
