/** All settings of a run, each with the place it came from. */
import { environment, mistyped_variables, usual_address } from "./environment.ts";
import { ConfigError } from "./error.ts";
import {
  read_document,
  type ReadRegular,
  setting_entries,
  type SettingEntry,
  written_entry,
} from "./file.ts";
import { AGENT_KEYS, type Key, MCP_KEYS, PROVIDER_KEYS } from "./key.ts";
import { defaults, depth_of, fallbacks, KEYS, type Settings } from "./keys.ts";
import { type Environ, is_same_place, type Paths, paths, workspace_file } from "./paths.ts";

/** Which layer a value came from; later ones win. */
export type Source = "default" | "system" | "user" | "workspace" | "env" | "flag";

export interface Origin {
  readonly source: Source;
  /** `path:line`, `HAMR_…`, `--flag`, or `built in`. */
  readonly where: string;
}

/** A setting that a flag gives. It has been checked by the parser of flags. */
export interface Override {
  /** The dotted name, such as `agent.timeout_s`. */
  readonly key: string;
  readonly value: unknown;
  /** The flag as people write it. */
  readonly where: string;
}

export interface LoadOptions {
  /** The folder whose `.hamr/config.toml` is read; `workspace_dir` gives it. */
  readonly workspace: string;
  readonly environ: Environ;
  /** The value of `--config`: this file instead of the user's. It must exist. */
  readonly config_file?: string;
  readonly overrides?: readonly Override[];
  /** The workspace's file is what the run judges: unless it is trusted, it does not count. Absent: it does. */
  readonly is_judged?: true;
  /** Reads the workspace's file, in whose place a command may put a pipe. */
  readonly read_regular?: ReadRegular;
}

export interface SettingsFile {
  readonly source: "system" | "user" | "workspace";
  readonly path: string;
  readonly exists: boolean;
  /** Since when all that a workspace says counts (ISO 8601); null if it does not, and for the others. */
  readonly trusted: string | null;
}

export interface Loaded {
  readonly settings: Settings;
  /** The place of every value that is not a built-in default, by dotted name. Ask `origin`. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** A line each, for stderr and for `warnings` of the result. */
  readonly warnings: readonly string[];
  readonly files: readonly SettingsFile[];
  readonly paths: Paths;
}

const BUILT_IN: Origin = { source: "default", where: "built in" };

/** Lays defaults, the machine's files, user's file, workspace's file, environment and flags over each other. Untrusted keys are left out. Throws a `ConfigError`. */
export async function load(options: LoadOptions): Promise<Loaded> {
  const where = paths(options.environ);
  const user_path = options.config_file ?? where.config_file;
  const workspace_path = workspace_file(options.workspace);
  const user = user_path === null
    ? null
    : await read_document(user_path, { named: options.config_file !== undefined });
  // The same file twice, as with HAMR_HOME=~/.hamr in the home folder, is the user's.
  const same = user !== null && user_path !== null && is_same_place(user_path, workspace_path);
  const how = { named: false, read_regular: options.read_regular };
  const workspace = same ? null : await read_document(workspace_path, how);

  const warnings: string[] = [];
  const merged = new Merged();
  const files: SettingsFile[] = [];
  for (const path of where.system_files) {
    const document = await read_document(path, { named: false });
    if (document !== null) merged.add("system", await setting_entries(document));
    files.push({ source: "system", path, exists: document !== null, trusted: null });
  }
  if (user !== null) merged.add("user", await setting_entries(user));
  let trusted: string | null = null;
  if (workspace !== null) {
    const { trust_in } = await import("./trust.ts");
    const { bytes, file } = workspace;
    const found = await trust_in(bytes, {
      data_dir: where.data_dir,
      workspace: options.workspace,
      file,
    });
    trusted = found?.since ?? null;
    const { without_claims } = await import("./claims.ts");
    const kept = found !== null
      ? workspace
      : options.is_judged
      ? null
      : without_claims(workspace, { warnings, user_path, own: (key) => merged.own(key) });
    if (kept !== null) merged.add("workspace", await setting_entries(kept));
  }
  const filed = merged.settings.provider.default;
  const variables = environment(options.environ, merged.settings)
    .map((entry) => entry.written ? written_entry(entry) : entry);
  merged.add("env", await Promise.all(variables));
  warnings.push(...mistyped_variables(options.environ));
  const overrides = options.overrides ?? [];
  merged.add("flag", overrides.map((flag) => ({ ...flag, path: flag.key.split(".") })));

  merged.leave_server(filed);
  const { settings, origins } = merged;
  const address = origins.get("provider.base_url");
  if (address !== undefined && !["env", "flag"].includes(address.source)) {
    const usual = usual_address(options.environ, settings.provider);
    merged.add("env", usual);
    for (const { where } of usual.slice(0, 1)) {
      warnings.push(
        `${where} counts over provider.base_url of ${address.where}; unset it, or give --base-url`,
      );
    }
  }
  if (settings.agent.mode === "verify" && settings.verify.command === "") {
    const place = origins.get("agent.mode")?.where ?? "";
    throw new ConfigError(
      `${place}: mode verify needs a command: set verify.command or give --verify "CMD"`,
    );
  }
  if (user_path !== null) {
    files.push({ source: "user", path: user_path, exists: user !== null, trusted: null });
  }
  if (!same) {
    const exists = workspace !== null;
    files.push({ source: "workspace", path: workspace_path, exists, trusted });
  }
  return { settings, origins, warnings, files, paths: where };
}

export function origin(loaded: Pick<Loaded, "origins">, key: string): Origin {
  return loaded.origins.get(key) ?? BUILT_IN;
}

const NAMED_SECTIONS: Readonly<Record<string, Readonly<Record<string, Key>>>> = {
  mcp: MCP_KEYS,
  agents: AGENT_KEYS,
};

/** A list with what was given before it; an empty one clears that. */
function added(value: unknown, before: unknown): unknown {
  const [more, all] = [value, before] as string[][];
  return more?.length ? [...new Set([...more, ...all ?? []])] : value;
}

/** Values laid over the defaults. */
class Merged {
  readonly origins = new Map<string, Origin>();
  readonly settings: Settings = defaults();

  /** The value that was given for a setting of a section; undefined where none was. */
  own(key: string): unknown {
    if (!this.origins.has(key)) return undefined;
    const [section = "", name = ""] = key.split(".");
    return (this.settings as unknown as Record<string, Record<string, unknown>>)[section]?.[name];
  }

  /** Every entry has been checked, against the file's schema or by `from_text`. */
  add(source: Source, entries: readonly SettingEntry[]): void {
    for (const { path, value, where } of entries) {
      const name = path.join(".");
      const [last = "", ...above] = [...path].reverse();
      // Only `[providers.NAME]`, `[mcp.NAME]` and `[agents.NAME]` are not there yet.
      const fresh = () => fallbacks(NAMED_SECTIONS[path[0] ?? ""] ?? PROVIDER_KEYS);
      let table = this.settings as unknown as Record<string, unknown>;
      for (const part of above.reverse()) {
        table[part] ??= fresh();
        table = table[part] as Record<string, unknown>;
      }
      if (path.length < depth_of(path)) table[last] ??= fresh();
      else table[last] = KEYS.get(name)?.adds ? added(value, table[last]) : value;
      this.origins.set(name, { source, where });
    }
  }

  /** Takes back the server that files describe, where the run itself names a provider with another. `filed`: the one that files name. */
  leave_server(filed: string): void {
    const { provider, providers } = this.settings;
    const of_run = (key: string) =>
      ["env", "flag"].includes(this.origins.get(`provider.${key}`)?.source ?? "");
    const named = provider.default;
    if (!of_run("default") || named === filed || of_run("base_url")) return;
    if (provider.base_url === "" || !(HOSTED.includes(named) || providers[named]?.base_url)) return;
    const left = OF_SERVER.filter((key) => !of_run(key));
    const { provider: unsaid } = defaults();
    Object.assign(provider, Object.fromEntries(left.map((key) => [key, unsaid[key]])));
    for (const key of left) this.origins.delete(`provider.${key}`);
  }
}

/** What is said of one server, and not of another. */
export const OF_SERVER = ["base_url", "model", "api_mode", "context_window"] as const;
/** Built-in providers whose own address is elsewhere, and whose key goes there only. */
const HOSTED: readonly string[] = ["openai", "anthropic", "openrouter"];
