import { is_inside } from "../config/paths.ts";
import { look } from "./paths.ts";

/** As many links as the kernel follows (MAXSYMLINKS of linux/namei.h). */
const MOST_LINKS = 40;

/** Where a path leads by links of the person's own. */
export interface Way {
  /** Without links; nothing need be there. Where `link` is not null, that link. */
  readonly place: string;
  /** The first link that lies where commands may write: who put it there is not known. */
  readonly link:
    | { readonly name: string; readonly folder: string; readonly is_last: boolean }
    | null;
}

/**
 * Follows a path from the current folder to the first link in one of the folders that commands may `write`, real paths.
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
    if (is_device(next) || look(next)?.isSymlink !== true) {
      folder = next;
      continue;
    }
    const theirs = written.find((place) => is_inside(folder || "/", place));
    if (theirs !== undefined) {
      return { place: next, link: { name, folder: theirs, is_last: left.length === 0 } };
    }
    if (++links > MOST_LINKS) throw new Error("too many symbolic links");
    const to = Deno.readLinkSync(next);
    left.unshift(...to.split("/"));
    if (to.startsWith("/")) folder = "";
  }
  return { place: folder || "/", link: null };
}

/** What the system names by itself, such as a descriptor: others write there, too. */
export function is_device(path: string): boolean {
  return /^\/(?:dev|proc)\//.test(path);
}
