/** Resolves a model's path if no file has that name: a place in a file, a pattern, or a name that is nearly right. */
import { attempt } from "../../../config/attempt.ts";
import { is_kernel_view } from "../machine/files.ts";
import { nearest as nearest_word } from "../../../config/text.ts";
import { entries_in } from "../../../permission/paths.ts";
import { NothingToChange } from "../../failure.ts";
import type { Machine } from "../machine/machine.ts";

interface NamedPath {
  readonly full: string;
  readonly offset?: number;
  readonly limit?: number;
}

/** `a.py:12`, `a.py:12:5` (line and column), `a.py:12-20`, `a.py#L12-L20`. */
const WITH_LINES = /^(.+?)(?::|#L)(\d+)(?:-L?(\d+)|:\d+)?:?$/;
const WILD = /[*?{[]/;
/** Entries of folders that are looked at for a name: a moment, in which nothing else can be done. */
const MOST_ENTRIES = 50_000;
/** Files that are named where one was meant. */
const MOST_NAMED = 5;

/** The path that `given` means. A file that is really called so comes before all else. */
export function named_path(given: string, { files }: Pick<Machine, "files">): NamedPath {
  const full = files.locate(given);
  if (is_kernel_view(full) || files.exists(full)) return { full };
  const path = from_url(given);
  if (path !== given) return named_path(path, { files });
  const [, name = "", first = "", last] = WITH_LINES.exec(given) ?? [];
  if (name === "" || !files.exists(files.locate(name))) return { full };
  const offset = Math.max(1, Number(first));
  const lines = last === undefined ? {} : { limit: Math.max(1, Number(last) - offset + 1) };
  return { full: files.locate(name), offset, ...lines };
}

/** The path of a `file://` address; anything else as it is. `node:url` does no more, and takes 4 ms to load. */
export function from_url(given: string): string {
  try {
    // An address would have U+FFFD for half of a character.
    if (!given.startsWith("file:///") || !given.isWellFormed()) return given;
    return decodeURIComponent(new URL(given).pathname).replace(/^\/(?=[A-Za-z]:\/)/, "");
  } catch {
    return given;
  }
}

/** Files that a pattern matches, absolute and in order; null if `given` is not a pattern. */
export function matches_of(given: string, machine: Machine): readonly string[] | null {
  if (!WILD.test(given)) return null;
  const full = machine.files.locate(given);
  const parts = full.split("/");
  const fixed = parts.slice(0, parts.findIndex((part) => WILD.test(part))).join("/") || "/";
  const pattern = pattern_of(full);
  const found: string[] = [];
  for (const path of files_in(fixed, machine)) if (pattern.test(path)) found.push(path);
  return found.sort();
}

/** The failure for a path that is not there: with the nearest that is. */
export function path_not_there(given: string, full: string, machine: Machine): NothingToChange {
  const { files } = machine;
  const name = files.shown(full);
  const matches = matches_of(given, machine) ?? [];
  if (matches.length === 0 && /[*?]/.test(given)) {
    return new NothingToChange(`no file matches ${name}`);
  }
  const near = matches.length > 0 ? matches : nearest_files(full, machine);
  const shown = near.slice(0, MOST_NAMED).map((path) => files.shown(path)).join(", ");
  const more = near.length > MOST_NAMED ? `, … (${near.length})` : "";
  const what = matches.length > 0 ? "it matches" : "there is";
  return new NothingToChange(
    `${name} does not exist${shown === "" ? "" : `; ${what} ${shown}${more}`}`,
  );
}

/** Files of the same name elsewhere in the workspace; else the one that is called most like it. */
function nearest_files(full: string, machine: Machine): readonly string[] {
  const { policy: { workspace }, files } = machine;
  if (!files.shows(full) || is_kernel_view(full)) return [];
  const name = name_of(full);
  const all = [...files_in(workspace, machine)];
  const same = all.filter((path) => name_of(path).toLowerCase() === name.toLowerCase());
  if (same.length > 0) return same.sort((a, b) => a.length - b.length);
  if (files.inside(full) === null) return [];
  const folder = full.slice(0, full.lastIndexOf("/"));
  const beside = entries_in(folder).map((entry) => entry.name);
  const near = nearest_word(name, beside);
  if (near !== null) return [`${folder}/${near}`];
  const other = nearest_word(name, all.map(name_of));
  return other === null ? [] : all.filter((path) => name_of(path) === other).slice(0, 1);
}

/** Which of these files are neither there nor in any folder, by their whole path below it. None where there is more than is looked at. */
export function absent_of(paths: readonly string[], machine: Machine): readonly string[] {
  const { policy: { workspace }, files } = machine;
  const is_missing = (folder: string) => (path: string) =>
    attempt(() => !files.exists(`${folder}/${path}`), false); // A closed folder may have it.
  let missing = paths.filter(is_missing(workspace));
  const folders = [workspace];
  let left = MOST_ENTRIES;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    if (missing.length === 0) break;
    for (const { name, isDirectory } of entries_in(folder)) {
      if (left-- <= 0) return [];
      const path = `${folder}/${name}`;
      if (!isDirectory || !files.shows(path) || name === ".git") continue;
      missing = missing.filter(is_missing(path));
      if (!machine.ignore.ignores(`${files.inside(path)}/`)) folders.push(path);
    }
  }
  return missing;
}

/** Files in a folder and below it, those of each folder before those of its folders; not what ignore rules cover. */
function* files_in(top: string, { files, ignore }: Machine): Generator<string> {
  const folders = [top];
  let left = MOST_ENTRIES;
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const entry of entries_in(folder)) {
      if (left-- <= 0) return;
      const path = folder === "/" ? `/${entry.name}` : `${folder}/${entry.name}`;
      const inside = files.inside(path);
      if (inside !== null && ignore.ignores(entry.isDirectory ? `${inside}/` : inside)) continue;
      if (!files.shows(path)) continue;
      if (entry.isFile) yield path;
      else if (entry.isDirectory && !is_kernel_view(path)) folders.push(path);
    }
  }
}

function name_of(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A shell's pattern as a regular expression for whole paths. */
function pattern_of(glob: string): RegExp {
  let depth = 0;
  const source = glob.replace(/\*\*\/|\*\*|\*|\?|\[!?\]?[^\]/]*\]|[{},]|[^]/g, (part) => {
    switch (part) {
      case "**/":
        return "(?:[^/]+/)*";
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      case "{":
        depth++;
        return "(?:";
      case "}":
        return depth-- > 0 ? ")" : "\\}";
      case ",":
        return depth > 0 ? "|" : ",";
      default:
        return part.length > 1
          ? `[${part.startsWith("[!") ? "^" : ""}${
            part.replace(/^\[!?/, "").slice(0, -1).replace(/[\\\]^]/g, "\\$&")
          }]`
          : RegExp.escape(part);
    }
  });
  // Braces that are never closed match nothing.
  return attempt(() => new RegExp(`^${source}$`, "s"), /(?!)/);
}
