/** Loads the settings, with flags applied: the first thing that every command with settings does. */
import { load, type Loaded, origin, type Override } from "../config/load.ts";
import { type Environ, real_or, workspace_dir } from "../config/paths.ts";
import { cut, one_line } from "../config/text.ts";
import type { Confirm } from "../permission/approval.ts";
import { expanded } from "../permission/paths.ts";
import { read_regular } from "../sandbox/kernel/read_inside.ts";
import type { Permissions } from "../permission/policy.ts";
import type { Flags } from "./flags.ts";

export interface RunSettings extends Loaded {
  /** The real path of the workspace. */
  readonly workspace: string;
  /** The environment as it was at the start: later on it may not be read anymore. */
  readonly environ: Environ;
  /** Further folders to work in, as they were given. */
  readonly added?: readonly string[];
}

export interface Environment {
  environ(): Environ;
}

/** What is a regular file no longer, or too large by now, throws. */
export function read_settings(file: string, most: number): Uint8Array<ArrayBuffer> {
  return read_regular(file, most, { follow: true });
}

/** Loads the settings for the workspace that the flags name. Throws a `ConfigError`. */
export async function load_settings(
  asked: {
    readonly flags: Pick<Flags, "directory" | "config"> & Partial<Pick<Flags, "add_dir">>;
    readonly overrides: readonly Override[];
    readonly is_judged?: true;
  },
  io: Environment,
): Promise<RunSettings> {
  const { directory, config, add_dir = [] } = asked.flags;
  const workspace = workspace_dir(directory);
  const environ = io.environ();
  const loaded = await load({
    workspace,
    environ,
    overrides: asked.overrides,
    read_regular: read_settings,
    ...(config === undefined ? {} : { config_file: config }),
    ...(asked.is_judged ? { is_judged: true } : {}),
  });
  return { ...loaded, workspace, environ, added: add_dir };
}

/** Every run's commands may write it (docs/permissions.md). */
const SHARED_MEMORY = "/dev/shm";

/** Where a run's commands may write and a user may keep programs, real paths: out of these `hamr` starts none itself. */
export function places_written(
  { workspace, environ, settings: { permissions: { write } }, added = [] }: RunSettings,
): readonly string[] {
  const home = environ["HOME"] ?? "";
  const named = [...write === "all" ? [] : write, ...added];
  const real = named.map((path) => real_or(expanded(path, home) ?? path));
  return [workspace, ...real, real_or(SHARED_MEMORY)];
}

export function names_model(
  { provider, model, chain }: RunSettings["settings"]["auxiliary"]["vision"],
): boolean {
  return provider !== "" || model !== "" || chain.length > 0;
}

/** Whether other models than the run's own may be asked. */
export function has_other_models({ settings: { fallback, auxiliary } }: RunSettings): boolean {
  return fallback.chain.length > 0 || Object.values(auxiliary).some(names_model);
}

/** The folder of the user's own settings; null if no home folder is known. */
export function own_folder({ paths: { config_file } }: Pick<Loaded, "paths">): string | null {
  return config_file?.replace(/\/[^/]*$/, "") ?? null;
}

export function permissions_of(
  place: RunSettings,
  flags: Pick<Flags, "sandbox" | "deny_read" | "read_only" | "add_dir">,
): Permissions {
  const { sandbox, deny_read, add_dir } = flags;
  const { read, write } = place.settings.permissions;
  const read_only = flags.read_only === true || place.settings.agent.mode === "plan";
  const key_files = Object.values(place.settings.providers)
    .flatMap((provider) => provider?.api_key_file ? [provider.api_key_file] : []);
  const more_denied = [...deny_read, ...key_files];
  return {
    ...place.settings.permissions,
    // Without a list everything may be read.
    read: read === "all" || read.length === 0 ? read : [...read, ...add_dir],
    write: write === "all" ? write : [...write, ...add_dir],
    sandbox,
    more_denied,
    read_only,
  };
}

/** When the user is asked. That commands of the table run unasked is for them to say, never for a workspace. */
export function confirm_of(place: Loaded): Confirm {
  const { confirm } = place.settings.agent;
  const { source } = origin(place, "agent.confirm");
  return confirm === "never" && source === "workspace" ? "refuse" : confirm;
}

const COMMAND_CHARS = 200;

/** Whether the verify command is the workspace's: it is then judged like one of the model's before it runs. */
export function verify_judged(place: Loaded): boolean {
  return origin(place, "verify.command").source === "workspace";
}

/** Names the verify command where the workspace gives it and it is going to run. */
export function verify_warning(place: Loaded, dry_run: boolean): readonly string[] {
  const { agent, verify: { command } } = place.settings;
  if (dry_run || agent.mode !== "verify" || !verify_judged(place)) return [];
  const shown = one_line(cut(command, COMMAND_CHARS));
  return [`the verify command comes from the workspace's settings: ${shown}`];
}
