import { attempt } from "../config/attempt.ts";
import { real_or_null } from "../config/paths.ts";
import { read_regular } from "../sandbox/kernel/read_inside.ts";
import { is_missing } from "../sandbox/kernel/statx.ts";

/** Permissions that cannot be given as asked; the message is one line for the user. Exit 3. */
export class PermissionError extends Error {
  /** `missing`: what of a list of permissions is not there, for whoever knows where the list came from. */
  constructor(message: string, readonly missing: Missing | null = null) {
    super(message);
  }
}

export interface Missing {
  readonly list: "read" | "write" | "run";
  readonly name: string;
  readonly fault: string;
}

export function missing(what: Missing): PermissionError {
  return new PermissionError(`--allow-${what.list}=${what.name}: ${what.fault}`, what);
}

/** The absolute path of one that a person wrote: `~`, or relative to the current folder; null if there is no home to expand. */
export function expanded(path: string, home: string): string | null {
  if (/^~(\/|$)/.test(path)) return home === "" ? null : resolved("/", home + path.slice(1));
  return resolved(path.startsWith("/") ? "/" : Deno.cwd(), path);
}

/** A path relative to a folder made absolute and free of `.` and `..`, by its text alone. */
export function resolved(folder: string, path: string): string {
  // Most are so already, and two hundred are asked for before the first request.
  if (path.startsWith("/") && !/\/\.{0,2}(?:\/|$)/.test(path)) return path;
  const parts: string[] = [];
  for (const part of `${path.startsWith("/") ? "" : folder}/${path}`.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}

/** `lstat`; null if nothing is there, or it may not be looked at. Takes half the time of Node's. */
export function lstat_or_null(path: string): Deno.FileInfo | null {
  return attempt(() => is_missing(path, { follow: false }) ? null : Deno.lstatSync(path), null);
}

/** `stat`; null if the path leads nowhere, or to what may not be looked at. */
export function stat_or_null(path: string): Deno.FileInfo | null {
  return attempt(() => is_missing(path, { follow: true }) ? null : Deno.statSync(path), null);
}

/** Like `real_or_null`, but faster for paths that mostly do not exist. */
export function real_of(path: string): string | null {
  return is_missing(path, { follow: true }) ? null : real_or_null(path);
}

/** The bits of a mode that let somebody run a file. */
export const ANY_EXECUTE = 0o111;

export function is_program(path: string): boolean {
  const stat = stat_or_null(path);
  return stat !== null && stat.isFile && ((stat.mode ?? 0) & ANY_EXECUTE) !== 0;
}

/** Whether anything of that name is there, a dangling link included. */
export function exists(path: string): boolean {
  return lstat_or_null(path) !== null;
}

/** The nearest folder upwards that holds `.git`; null if none does. `git` is never started for it. */
export function repository_root(workspace: string): string | null {
  for (let folder = workspace; folder !== ""; folder = folder.slice(0, folder.lastIndexOf("/"))) {
    if (exists(`${folder}/.git`)) return folder;
  }
  return null;
}

/** What is in a folder, in no order; nothing if there is no such folder or it may not be listed. */
export function entries_in(folder: string): Deno.DirEntry[] {
  return attempt(
    () => is_missing(folder, { follow: true }) ? [] : [...Deno.readDirSync(folder)],
    [],
  );
}

export function names_in(folder: string): string[] {
  return entries_in(folder).map(({ name }) => name);
}

/** A file that says where things are is a page long; what is larger is another kind of file. */
const MOST_BYTES = 16 * 1024 * 1024;

/** The text of a file of the workspace; empty if there is none, and for a pipe or a device, which would never end. */
export function file_text(file: string, most = MOST_BYTES): string {
  return attempt(() => {
    // Looked at first: to open a pipe already wakes the program at its other end.
    if (!stat_or_null(file)?.isFile) return "";
    const bytes = read_regular(file, most, { follow: true });
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  }, "");
}

/** The home folders that the system knows of, and whose they are. */
export function passwd_homes(): { readonly uid: number; readonly home: string }[] {
  return file_text("/etc/passwd").split("\n").flatMap((row) => {
    const [, , uid = "", , , home = ""] = row.split(":");
    return /^\d+$/.test(uid) && home.startsWith("/") ? [{ uid: Number(uid), home }] : [];
  });
}
