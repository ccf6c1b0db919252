/** `hamr config`: the settings, where they come from, and a file to begin with. */
import { claims_of } from "../config/claims.ts";
import { ConfigError } from "../config/error.ts";
import { read_document, setting_entries } from "../config/file.ts";
import {
  is_gone,
  is_same_place,
  paths,
  why,
  workspace_dir,
  workspace_file,
} from "../config/paths.ts";
import {
  render_entries,
  render_settings,
  render_template,
  variables_in,
} from "../config/render.ts";
import { one_line } from "../config/text.ts";
import { trust, trust_in, type TrustPlace } from "../config/trust.ts";
import type { Parsed } from "./args/args.ts";
import type { Io } from "./base/io.ts";
import { load_settings, read_settings } from "../app/settings.ts";
import { key_variables } from "../model/server/credentials.ts";

/** Runs `config path`, `show`, `init`, `trust` or `import`. Throws `ConfigError` and `UsageError`. */
export async function config(parsed: Parsed, io: Io): Promise<number> {
  switch (parsed.command) {
    case "config path":
      return await path(parsed, io);
    case "config init":
      return init(parsed, io);
    case "config trust":
      return await trust_workspace(parsed, io);
    case "config import":
      return await (await import("./config_import.ts")).config_import(parsed, io);
    default:
      return await show(parsed, io);
  }
}

/** Each file of settings with whether it exists, in the order in which they count, and the data folder. */
async function path(parsed: Parsed, io: Io): Promise<number> {
  const { system_files, config_file, data_dir } = paths(io.environ());
  const user = parsed.flags.config ?? config_file;
  const workspace = workspace_dir(parsed.flags.directory);
  const file = workspace_file(workspace);
  const rows: [string, string | null, string?][] = [
    ...system_files.map((file): [string, string] => ["system", file]),
    ["user", user],
    ["workspace", file, await trust_words({ data_dir, workspace, file })],
    ["data", data_dir],
  ];
  for (const [name, file, more = ""] of rows) {
    const text = file === null
      ? "none: neither HOME nor HAMR_HOME is set"
      : `${one_line(file)}  (${state(file)}${more})`;
    io.out(`${name.padEnd(10)} ${text}\n`);
  }
  return 0;
}

async function show(parsed: Parsed, io: Io): Promise<number> {
  const loaded = await load_settings(parsed, io);
  for (const warning of loaded.warnings) io.err(`hamr: warning: ${warning}\n`);
  io.out(render_settings(loaded, Deno.stdout.isTerminal()));
  const named = Object.values(loaded.settings.providers)
    .flatMap((provider) => provider?.api_key_env ? [provider.api_key_env] : []);
  const names = [...new Set([...key_variables(), ...named])];
  const width = Math.max(...names.map((name) => name.length));
  for (const { source, path, exists, trusted } of loaded.files) {
    if (source !== "workspace" || !exists) continue;
    const words = trusted === null ? "not trusted (hamr config trust)" : `trusted since ${trusted}`;
    io.out(`\n# ${one_line(path)}: ${words}.\n`);
  }
  io.out("\n# Keys in the environment; their values are never shown.\n");
  for (const name of names) {
    io.out(`# ${name.padEnd(width)}  ${io.env(name) === undefined ? "not set" : "set (***)"}\n`);
  }
  return 0;
}

function init(parsed: Parsed, io: Io): number {
  const { system_files, config_file } = paths(io.environ());
  const file = parsed.flags.config ?? config_file;
  if (file === null) {
    throw new ConfigError(
      "config init: nowhere to write the file: set HOME or HAMR_HOME, or give --config",
    );
  }
  try {
    const folder = file.replace(/[\\/]?[^\\/]*$/, "");
    if (folder !== "") Deno.mkdirSync(folder, { recursive: true, mode: 0o700 });
    // createNew also refuses a symbolic link, even one that leads nowhere.
    Deno.writeTextFileSync(file, render_template(), { createNew: true, mode: 0o600 });
    if (system_files.includes(file)) {
      // For all users, whatever umask an administrator has.
      Deno.chmodSync(folder, 0o755);
      Deno.chmodSync(file, 0o644);
    }
  } catch (error) {
    const reason = state(file) === "exists"
      ? "already exists; edit it, or move it away first"
      : `can't be written: ${why(error)}`;
    throw new ConfigError(`${file}: ${reason}`);
  }
  io.out(`${one_line(file)}\n`);
  return 0;
}

/** Shows what the workspace's files would change and do not, and trusts them as they are now. */
async function trust_workspace(parsed: Parsed, io: Io): Promise<number> {
  const { config_file, data_dir } = paths(io.environ());
  const workspace = workspace_dir(parsed.flags.directory);
  const file = workspace_file(workspace);
  const document = await read_document(file, { named: false, read_regular: read_settings });
  const servers = `${workspace}/.mcp.json`;
  const has_servers = state(servers) === "exists";
  if (document === null && !has_servers) {
    throw new ConfigError(`config trust: ${file} does not exist, and neither does ${servers}`);
  }
  if (has_servers) await trust_servers({ data_dir, workspace, file: servers }, io);
  if (document === null) return 0;
  const own = parsed.flags.config ?? config_file;
  if (own !== null && is_same_place(file, own)) {
    throw new ConfigError(
      `config trust: ${file} is your own settings file, which is always trusted`,
    );
  }
  await setting_entries(document);
  const claims = claims_of(document);
  await trust_file(document.bytes, {
    io,
    place: { data_dir, workspace, file },
    claims: claims.length === 0
      ? "has nothing that needs trust.\n"
      : `sets what needs your trust:\n\n${render_entries(claims)}\n`,
  });
  return 0;
}

/** The workspace's list of MCP servers: programs that would be started. */
async function trust_servers(place: TrustPlace, io: Io): Promise<void> {
  const { listed_servers, workspace_list } = await import("../app/mcp_json.ts");
  const bytes = workspace_list(place.file);
  const { servers, faults } = listed_servers(place.file, new TextDecoder().decode(bytes));
  const lines = servers.map(
    ({ name, url, command, args, cwd, env, headers }) => {
      const what = url === "" ? [command, ...args].join(" ") : url;
      const given = [env, headers].flatMap((table) =>
        Object.entries(table).map(([name, value]) => {
          const variables = variables_in(value);
          return variables.length === 0 ? name : `${name} from ${variables.join(" and ")}`;
        })
      );
      const with_words = given.length === 0 ? "" : ` (sets ${given.join(", ")})`;
      const there = cwd === "" ? "" : ` (in ${cwd})`;
      return `${name}: ${one_line(`${what}${there}${with_words}`)}\n`;
    },
  );
  const claims = `names MCP servers, which need your trust:\n\n${lines.join("")}\n`;
  for (const fault of faults) io.err(`hamr: warning: ${fault}\n`);
  await trust_file(bytes, { io, place, claims });
}

async function trust_file(bytes: Uint8Array<ArrayBuffer>, { io, place, claims }: {
  io: Io;
  place: TrustPlace;
  claims: string;
}): Promise<void> {
  const known = await trust_in(bytes, place);
  if (known !== null) {
    io.out(`${one_line(place.file)} is already trusted, since ${known.since}.\n`);
    return;
  }
  io.out(`${one_line(place.file)} ${claims}`);
  const { sha256 } = await trust(bytes, place);
  io.out(`Trusted as it is now (SHA-256 ${sha256}); any change to the file revokes that.\n`);
}

/** To follow what is said of the workspace's file; nothing if there is none. */
async function trust_words(place: TrustPlace): Promise<string> {
  try {
    const document = await read_document(place.file, { named: false, read_regular: read_settings });
    if (document === null) return "";
    const known = await trust_in(document.bytes, place);
    return known === null ? ", not trusted" : `, trusted since ${known.since}`;
  } catch (error) {
    if (error instanceof ConfigError) return ", not trusted";
    throw error;
  }
}

function state(file: string): string {
  try {
    Deno.statSync(file);
    return "exists";
  } catch (error) {
    return is_gone(error) ? "does not exist" : why(error);
  }
}
