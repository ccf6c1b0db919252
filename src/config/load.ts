/** All settings of a run, each with the place it came from. */
import { environment } from "./environment.ts";
import { ConfigError } from "./error.ts";
import { type Document, entries_of, type Entry, flatten, read_document } from "./file.ts";
import { defaults, fallbacks, PROVIDER_KEYS, type Settings } from "./keys.ts";
import { type Environ, type Paths, paths, workspace_file } from "./paths.ts";
import { one_line } from "./text.ts";

/** Which layer a value came from; later ones win. */
export type Source = "default" | "user" | "workspace" | "env" | "flag";

/** Where a value came from. */
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

/** What `load` looks at. */
export interface LoadOptions {
  /** The folder whose `.hamr/config.toml` is read; `workspace_dir` gives it. */
  readonly workspace: string;
  readonly environ: Environ;
  /** The value of `--config`: this file instead of the user's. It must exist. */
  readonly config_file?: string;
  /** The values of flags. */
  readonly overrides?: readonly Override[];
}

/** A file of settings that was looked for. */
export interface FileState {
  readonly source: "user" | "workspace";
  readonly path: string;
  readonly exists: boolean;
}

/** Settings, complete, with all there is to know about them. */
export interface Loaded {
  readonly settings: Settings;
  /** The place of every value that is not a built-in default, by dotted name. Ask `origin`. */
  readonly origins: ReadonlyMap<string, Origin>;
  /** A line each, for stderr and for `warnings` of the result. */
  readonly warnings: readonly string[];
  readonly files: readonly FileState[];
  readonly paths: Paths;
}

const BUILT_IN: Origin = { source: "default", where: "built in" };

/** Sections that a workspace may not set: it could reach out of itself, or send keys and code elsewhere. */
const NOT_FOR_WORKSPACES: ReadonlySet<string> = new Set([
  "permissions",
  "providers",
  "hooks",
  "mcp",
]);

/** Likewise single settings: whether anybody is asked before a command is not the workspace's to say. */
const KEYS_NOT_FOR_WORKSPACES: ReadonlySet<string> = new Set(["agent.confirm"]);

/** Settings that a warning names before it only counts them: the file is a stranger's. */
const MAX_NAMED = 12;

/**
 * Lays defaults, the user's file, the workspace's file, environment and flags over each other. The
 * workspace's file is somebody else's: what it says about permissions and providers is left out with a
 * warning. Throws a `ConfigError` whose message is one line for anything that can't be used.
 */
export async function load(options: LoadOptions): Promise<Loaded> {
  const where = paths(options.environ);
  const user_path = options.config_file ?? where.config_file;
  const workspace_path = workspace_file(options.workspace);
  const user = user_path === null
    ? null
    : await read_document(user_path, { named: options.config_file !== undefined });
  // The same file twice, as with HAMR_HOME=~/.hamr in the home folder, is the user's.
  const same = user !== null && user_path !== null && is_same(user_path, workspace_path);
  const workspace = same ? null : await read_document(workspace_path, { named: false });

  const warnings: string[] = [];
  const merged = new Merged();
  if (user !== null) merged.add("user", await entries_of(user));
  if (workspace !== null) {
    const kept = trusted_part(workspace, { warnings, user_path });
    merged.add("workspace", await entries_of(kept));
  }
  merged.add("env", environment(options.environ, merged.providers()));
  const overrides = options.overrides ?? [];
  merged.add("flag", overrides.map((flag) => ({ ...flag, path: flag.key.split(".") })));

  const { settings, origins } = merged;
  if (settings.agent.mode === "verify" && settings.verify.command === "") {
    const place = origins.get("agent.mode")?.where ?? "";
    throw new ConfigError(
      `${place}: mode verify needs a command: set verify.command or give --verify "CMD"`,
    );
  }
  const files: FileState[] = [
    ...(user_path === null ? [] : [state("user", { path: user_path, exists: user !== null })]),
    ...(same ? [] : [state("workspace", { path: workspace_path, exists: workspace !== null })]),
  ];
  return { settings, origins, warnings, files, paths: where };
}

/** Where the value of a setting came from. */
export function origin(loaded: Pick<Loaded, "origins">, key: string): Origin {
  return loaded.origins.get(key) ?? BUILT_IN;
}

/** Whether an address leads to this machine and nowhere else. */
export function is_loopback(address: string): boolean {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function state(source: FileState["source"], file: { path: string; exists: boolean }): FileState {
  return { source, ...file };
}

function is_same(a: string, b: string): boolean {
  try {
    return Deno.realPathSync(a) === Deno.realPathSync(b);
  } catch {
    return false;
  }
}

/** The document without what a workspace may not say, and a warning for what was left out. */
function trusted_part(
  document: Document,
  { warnings, user_path }: { warnings: string[]; user_path: string | null },
): Document {
  const warn = (text: string) => warnings.push(one_line(text));
  const ignored = flatten(document).filter(({ path }) => is_not_for_workspaces(path));
  const tables: Record<string, unknown> = Object.fromEntries(
    Object.entries(document.tables).filter(([name]) => !NOT_FOR_WORKSPACES.has(name))
      .map(([name, table]) => [name, without_ignored(name, table)]),
  );
  if (ignored.length > 0) {
    const names = ignored.slice(0, MAX_NAMED).map((entry) => entry.path.join("."));
    if (ignored.length > MAX_NAMED) names.push(`and ${ignored.length - MAX_NAMED} more`);
    const home = user_path === null ? "your own file" : `your own file, ${user_path}`;
    warn(
      `${document.file}: ignored ${names.join(", ")}: a workspace may not set these; ` +
        `put them into ${home}`,
    );
  }
  const provider = tables.provider;
  if (typeof provider === "object" && provider !== null && "base_url" in provider) {
    const { base_url, ...rest } = provider;
    // Not even the empty string: it would undo the user's own address.
    if (typeof base_url !== "string" || !is_loopback(base_url)) {
      tables.provider = rest;
      const place = `${document.file}:${document.line_of(["provider", "base_url"])}`;
      warn(
        `${place}: ignored provider.base_url: a workspace may only name an address on this machine ` +
          "(localhost, 127.0.0.1), or it could send your code and keys elsewhere",
      );
    }
  }
  return { ...document, tables };
}

function is_not_for_workspaces(path: readonly string[]): boolean {
  return NOT_FOR_WORKSPACES.has(path[0] ?? "") || KEYS_NOT_FOR_WORKSPACES.has(path.join("."));
}

/** What is no table is left as it is, for the schema to refuse. */
function without_ignored(section: string, table: unknown): unknown {
  if (typeof table !== "object" || table === null || Array.isArray(table)) return table;
  const kept = Object.entries(table).filter(([name]) => !is_not_for_workspaces([section, name]));
  return kept.length === Object.keys(table).length ? table : Object.fromEntries(kept);
}

/** Values laid over the defaults. */
class Merged {
  readonly origins = new Map<string, Origin>();
  readonly #values: Settings = defaults();

  get settings(): Settings {
    return this.#values;
  }

  providers(): string[] {
    return Object.keys(this.#values.providers);
  }

  /** Every entry has been checked, against the file's schema or by `from_text`. */
  add(source: Source, entries: readonly Entry[]): void {
    for (const { path, value, where } of entries) {
      const [last = "", ...above] = [...path].reverse();
      let table = this.#values as unknown as Record<string, unknown>;
      for (const name of above.reverse()) {
        // Only `[providers.NAME]` is not there yet.
        table[name] ??= fallbacks(PROVIDER_KEYS);
        table = table[name] as Record<string, unknown>;
      }
      table[last] = value;
      this.origins.set(path.join("."), { source, where });
    }
  }
}
