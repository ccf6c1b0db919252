/** Instruction files for agents: the user's own, and those from the root of the repository down to the workspace. */
import { attempt } from "../config/attempt.ts";
import { marked_encoding } from "../config/encoding.ts";
import { is_inside, real_or_null } from "../config/paths.ts";
import { lstat_or_null } from "../permission/paths.ts";
import { read_where } from "../sandbox/kernel/read_inside.ts";

export interface Instructions {
  /** As it is named to the model. */
  readonly file: string;
  readonly text: string;
}

/** Bytes of all of it (issue: at most 8 kB). */
const MOST_BYTES = 8192;
/** Where a folder has its own words: the first that is there. */
export const INSTRUCTION_FILES: readonly string[] = [
  ...["AGENTS.md", "CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"],
];
/** Folders above the workspace that are looked at for the root of its repository. */
const MOST_ABOVE = 16;
/** Files inside files; more is a circle. */
const MOST_DEPTH = 3;
/** `@docs/style.md` on a line of its own. Only what is text to be read: a file of settings may hold keys. */
const INCLUDE = /^@([^\s@][^\s]*\.(?:md|mdc|txt))[ \t]*$/gm;

/** The user's own words, which hold everywhere; null if there are none. `folder` is that of their settings. */
export function own_instructions(folder: string | null): Instructions | null {
  if (folder === null) return null;
  const file = `${folder}/AGENTS.md`;
  // It is the user's own folder: a link in it leads where they want.
  const real = real_or_null(file);
  const text = real === null ? null : head_of(real, { bytes: MOST_BYTES, name: file, root: "/" });
  return text === null ? null : { file, text };
}

/**
 * The words of the repository's folders, the workspace's last, in what room `own` leaves. The nearest get theirs first. `may_read`: whether
 * a file that they name may be read, where it is not in the workspace; `paths`: gets what they are in.
 */
export function instructions(
  workspace: string,
  own: Instructions | null,
  { may_read = () => true, paths = [] }: {
    may_read?: (real: string) => boolean;
    paths?: string[];
  } = {},
): readonly Instructions[] {
  // A command can write what they name, and the next run would tell the model what no command may read.
  const may = (real: string) => is_inside(real, workspace) || may_read(real);
  const root = root_of(workspace);
  let left = MOST_BYTES - bytes_in(own?.text ?? "");
  const found: Instructions[] = [];
  for (const folder of folders_up(workspace, root)) {
    const file = file_in(folder, root);
    if (file === null) continue;
    const name = folder === workspace ? file : `${folder}/${file}`;
    const text = head_of(`${folder}/${file}`, { bytes: Math.max(0, left), name, root, may });
    if (text === null) continue;
    paths.push(`${folder}/${file}`);
    const whole = included(text, { folder, root, bytes: left, depth: 1, paths, may });
    left -= bytes_in(whole);
    found.unshift({ file: name, text: whole });
  }
  return found;
}

/** The files that the model is given, by the names that it has for them; the user's own one first. */
export function instruction_files(workspace: string, folder: string | null): readonly string[] {
  const own = own_instructions(folder);
  return [...own === null ? [] : [own], ...instructions(workspace, own)].map(({ file }) => file);
}

function folders_up(workspace: string, root: string): readonly string[] {
  const folders = [workspace];
  for (let at = workspace; at !== root;) {
    at = at.slice(0, at.lastIndexOf("/")) || "/";
    folders.push(at);
  }
  return folders;
}

/** The folder with git's, or the workspace. Above it files must belong to the user or the workspace's owner: anybody can put some into `/tmp`. */
function root_of(workspace: string): string {
  let at = workspace;
  for (let n = 0; n < MOST_ABOVE && at !== "/" && at !== ""; n++) {
    const git = lstat_or_null(`${at}/.git`);
    if (git !== null) return at === workspace || is_of(git, workspace) ? at : workspace;
    at = at.slice(0, at.lastIndexOf("/"));
  }
  return workspace;
}

function is_of({ uid }: Deno.FileInfo, workspace: string): boolean {
  // Windows has none.
  return uid === null || [Deno.uid(), 0, lstat_or_null(workspace)?.uid].includes(uid);
}

function file_in(folder: string, root: string): string | null {
  return INSTRUCTION_FILES.find((name) => {
    const path = `${folder}/${name}`;
    return lstat_or_null(path)?.isFile === true &&
      (head_of(path, { bytes: 64, name, root }) ?? "") !== "";
  }) ?? null;
}

/** The text with the files in it that it names on lines of their own, as far as they are in the repository and there is room. */
function included(text: string, { folder, root, bytes, depth, paths, may }: {
  folder: string;
  root: string;
  bytes: number;
  depth: number;
  paths: string[];
  may: (real: string) => boolean;
}): string {
  let left = bytes - bytes_in(text);
  return text.replace(INCLUDE, (line, name: string) => {
    const real = real_or_null(name.startsWith("/") ? name : `${folder}/${name}`);
    const inside = real !== null && is_inside(real, root) && !real.includes("/.git/") && may(real);
    if (!inside || left <= 0 || depth > MOST_DEPTH) return line;
    const found = head_of(real, { bytes: left, name, root, may });
    if (found === null) return line;
    paths.push(real);
    const near = real.slice(0, real.lastIndexOf("/"));
    const within = { folder: near, root, bytes: left, depth: depth + 1, paths, may };
    const whole = included(found, within).trim();
    left -= bytes_in(whole);
    return whole;
  });
}

/** The first bytes of a regular file, in whole characters, and how to read on; null if it has no text. */
function head_of(
  path: string,
  { bytes: most, name, root, may = () => true }: {
    bytes: number;
    name: string;
    root: string;
    may?: (real: string) => boolean;
  },
): string | null {
  return attempt(() => {
    // A link could lead anywhere, a pipe could hang: neither is a document of the workspace.
    const stat = Deno.lstatSync(path);
    if (!stat.isFile) return null;
    // By now there may be one: another run's commands may be at work here.
    const is_meant = (at: string) => is_inside(at, root) && (at === path || may(at));
    const bytes = read_where(path, { may: is_meant, most });
    if (bytes === null) return null;
    const text = new TextDecoder(marked_encoding(bytes)).decode(bytes, { stream: true });
    if (stat.size > most) {
      return `${text}\n[${name.slice(name.lastIndexOf("/") + 1)} is longer; read it]`;
    }
    return text.trim() === "" ? null : text;
  }, null);
}

function bytes_in(text: string): number {
  return new TextEncoder().encode(text).length;
}
