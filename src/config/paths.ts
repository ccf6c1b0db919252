/** Where `hamr` keeps its files, and how paths relate to each other. */
import { attempt, first_thrown } from "./attempt.ts";
import { ConfigError } from "./error.ts";
import { fnv1a } from "./hash.ts";
import { message_of } from "./text.ts";

/** The environment, as `Deno.env.toObject()` gives it. */
export type Environ = Readonly<Record<string, string | undefined>>;

/** Null if the environment names no home at all. */
export interface Paths {
  /** Settings for all users of this machine, the most important last. */
  readonly system_files: readonly string[];
  readonly config_file: string | null;
  /** Everything `hamr` remembers. */
  readonly data_dir: string | null;
}

/** Where an administrator keeps settings for all users, as the XDG specification has it. */
const SYSTEM = Deno.build.os === "windows" ? "" : "/etc/xdg";

/** `$HAMR_HOME` for all; else the XDG folders (`/etc/xdg`, `~/.config`, `~/.local/share`), where empty and relative values count as not set. */
export function paths(environ: Environ): Paths {
  const own = environ.HAMR_HOME;
  if (own) {
    // Relative to whatever folder one is in, it would make a stranger's `.hamr` one's own.
    if (!is_absolute(own)) throw new ConfigError(`HAMR_HOME must be an absolute path, not ${own}`);
    const home = trim(own);
    return { system_files: [], config_file: `${home}/config.toml`, data_dir: home };
  }
  const home = absolute(environ.HOME) ?? absolute(environ.USERPROFILE);
  const config = absolute(environ.XDG_CONFIG_HOME) ?? (home === null ? null : `${home}/.config`);
  const data = absolute(environ.XDG_DATA_HOME) ?? (home === null ? null : `${home}/.local/share`);
  const system = (environ.XDG_CONFIG_DIRS || SYSTEM).split(":").filter(is_absolute).reverse();
  return {
    system_files: system.map((dir) => `${trim(dir)}/hamr/config.toml`),
    config_file: config === null ? null : `${config}/hamr/config.toml`,
    data_dir: data === null ? null : `${data}/hamr`,
  };
}

export function workspace_file(workspace: string): string {
  return `${trim(workspace)}/.hamr/config.toml`;
}

/** The real path of the workspace: `dir` (`-C`) or the current folder. Throws a `ConfigError` if it can't be used. */
export function workspace_dir(dir?: string): string {
  const subject = dir === undefined ? "the current folder" : `-C ${dir}`;
  try {
    // The kernel says where the current folder lies; by that name another user may have put a link there by now.
    const real = dir === undefined && Deno.build.os === "linux"
      ? Deno.cwd()
      : Deno.realPathSync(dir ?? ".");
    if (Deno.statSync(real).isDirectory) return real;
  } catch (error) {
    throw new ConfigError(`${subject}: ${why(error)}; the workspace must be an existing folder`);
  }
  throw new ConfigError(`${subject}: not a folder; the workspace must be an existing folder`);
}

/** Whether a path is `folder` or below it, by its text alone. */
export function is_inside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

/** The real path; null if there is nothing, or it may not be reached. */
export function real_or_null(path: string): string | null {
  return attempt(() => Deno.realPathSync(path), null);
}

/** The real path, or the path itself where nothing is there. */
export function real_or(path: string): string {
  return real_or_null(path) ?? path;
}

export function is_file(path: string): boolean {
  return attempt(() => Deno.statSync(path).isFile, false);
}

/** Whether two paths lead to the same place; false if one of them leads nowhere. */
export function is_same_place(path: string, other: string): boolean {
  const real = real_or_null(path);
  return real !== null && real === real_or_null(other);
}

/** A short file name for a workspace, unique to it. */
export function short_name(workspace: string): string {
  const last = workspace.slice(workspace.lastIndexOf("/") + 1).replace(/[^\w.-]/g, "_").slice(
    0,
    40,
  );
  return `${last || "root"}-${fnv1a(workspace).toString(16).padStart(16, "0")}`;
}

export function is_gone(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

/** Why the system refused a path, in a few words. */
export function why(thrown: unknown): string {
  const error = first_thrown(thrown);
  if (error instanceof Deno.errors.NotFound) return "no such file or folder";
  if (error instanceof Deno.errors.PermissionDenied) return "permission denied";
  if (error instanceof Deno.errors.NotADirectory) return "a part of the path is not a folder";
  if (error instanceof Deno.errors.FilesystemLoop) return "too many symbolic links";
  // Deno puts the system's number and what it was about to do behind the system's words.
  const [, words] = /^(.+?) \(os error \d+\)/.exec(message_of(error)) ?? [];
  return words === undefined ? message_of(error) : words[0]!.toLowerCase() + words.slice(1);
}

function absolute(path: string | undefined): string | null {
  return path && is_absolute(path) ? trim(path) : null;
}

function is_absolute(path: string): boolean {
  return path.startsWith("/") || /^[A-Za-z]:[\\/]|^\\\\/.test(path);
}

/** Without slashes at the end, so that a name can follow: `/` becomes the empty string. */
function trim(path: string): string {
  return path.replace(/[\\/]+$/, "");
}

/** Makes a test of names against shell patterns, in which `*` and `?` also match `/`. */
export function fits_one(patterns: readonly string[]): (name: string) => boolean {
  const sources = patterns.map((pattern) =>
    pattern.replaceAll(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")
  );
  const form = new RegExp(`^(?:${sources.join("|")})$`, "su");
  return (name) => form.test(name);
}
