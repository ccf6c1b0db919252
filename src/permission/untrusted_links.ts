import { is_inside } from "../config/paths.ts";
import { lstat_or_null, stat_or_null } from "./paths.ts";

/** As many links as the kernel follows (MAXSYMLINKS of linux/namei.h). */
const MOST_LINKS = 40;

/** A link that is not the person's own. */
interface FoundLink {
  readonly name: string;
  /** Where commands may write; or, where `is_anothers`, everybody. */
  readonly folder: string;
  readonly is_last: boolean;
  readonly is_anothers: boolean;
}

/** Where a path leads by links of the person's own. */
interface Way {
  /** Without links; nothing need be there. Where `link` is not null, that link. */
  readonly place: string;
  /** The first link that lies where commands may write, as who put it there is not known, or that is another user's. */
  readonly link: FoundLink | null;
}

/**
 * Follows a path from the current folder to the first link in one of the folders that commands may `write`, real paths, or of
 * another user in one where everybody makes files.
 * @throws {Error} where the links never end.
 */
export function way_of(path: string, written: readonly string[]): Way {
  const left = path.split("/");
  let folder = path.startsWith("/") ? "" : Deno.cwd().replace(/\/$/, "");
  for (let links = 0; left.length > 0;) {
    const name = left.shift() ?? "";
    if (name === "" || name === ".") continue;
    if (name === "..") {
      folder = folder.replace(/\/[^/]*$/, "");
      continue;
    }
    const next = `${folder}/${name}`;
    const there = is_device(next) ? null : lstat_or_null(next);
    if (there?.isSymlink !== true) {
      folder = next;
      continue;
    }
    const theirs = written.find((place) => is_inside(folder || "/", place));
    const is_last = left.length === 0;
    if (theirs !== undefined) {
      return { place: next, link: { name, folder: theirs, is_last, is_anothers: false } };
    }
    if (is_anothers(there, folder)) {
      return { place: next, link: { name, folder, is_last, is_anothers: true } };
    }
    if (++links > MOST_LINKS) throw new Error("too many symbolic links");
    const to = Deno.readLinkSync(next);
    left.unshift(...to.split("/"));
    if (to.startsWith("/")) folder = "";
  }
  return { place: folder || "/", link: null };
}

/** A folder in which everybody makes files, and nobody removes another's, as `/tmp`: sticky, and written by all. */
const SHARED = 0o1002;

export function is_shared_folder({ mode }: Deno.FileInfo): boolean {
  return ((mode ?? 0) & SHARED) === SHARED;
}

/** Whether another user's file lies in a shared folder: the kernel refuses such links and files (`protected_symlinks`), and so does hamr. */
export function is_anothers({ uid }: Deno.FileInfo, folder: string): boolean {
  const around = stat_or_null(folder || "/");
  return around !== null && is_shared_folder(around) && uid !== around.uid &&
    uid !== Deno.uid();
}

/** What the system names by itself, such as a descriptor: others write there, too. Shared memory has files of people's own. */
export function is_device(path: string): boolean {
  return /^\/(?:dev\/(?!shm(?:\/|$))|proc\/)/.test(path);
}
