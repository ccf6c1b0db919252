/** What is at a path, read without following links and by synchronous calls alone. */
import type { FileLook } from "../sandbox/kernel/statx.ts";
import { attempt } from "../config/attempt.ts";
import { same_bytes } from "../config/bytes.ts";
import { entries_in, lstat_or_null } from "../permission/paths.ts";
import { read_regular } from "../sandbox/kernel/read_inside.ts";
import { type Folders, name_bytes, NO_TEXT } from "../changes/folders.ts";
import { kept_while_same, type KnownThing, looks_of } from "../changes/known_looks.ts";

/** Plain data: it crosses a thread border and is written into the journal. */
export type Thing =
  | {
    readonly kind: "file";
    readonly bytes: Uint8Array<ArrayBuffer>;
  } & Pick<FileLook, "mode" | "uid" | "gid">
  | { readonly kind: "link"; readonly to: string }
  | { readonly kind: "folder"; readonly mode: number }
  /** A pipe, a socket, a device, or a file too large to be kept: known by its looks, and never put back. */
  | { readonly kind: "unkept"; readonly looks: string };

/** A larger hook or configuration is a program or a mistake. */
export const KEEP_BYTES = 1024 * 1024;

const PERMISSIONS = 0o7777;

/** Whether two things are the same, so that nothing has to be put back. */
export function same(a: Thing | null, b: Thing | null): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  switch (a.kind) {
    case "file":
      return b.kind === "file" && a.mode === b.mode && same_bytes(a.bytes, b.bytes);
    case "link":
      return b.kind === "link" && a.to === b.to;
    case "folder":
      return b.kind === "folder" && a.mode === b.mode;
    case "unkept":
      return b.kind === "unkept" && a.looks === b.looks;
  }
}

const NUL = 0, LF = 10, CR = 13;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** A file of one value as git reads it: up to a NUL, without the ends of lines behind it, every other byte counts; null if not UTF-8. */
export function one_value(bytes: Uint8Array<ArrayBuffer>): string | null {
  let end = bytes.length;
  while (bytes[end - 1] === LF || bytes[end - 1] === CR) end--;
  const nul = bytes.indexOf(NUL);
  return attempt(() => utf8.decode(bytes.subarray(0, nul < 0 ? end : Math.min(nul, end))), null);
}

/** The owner of a folder lists and enters it. */
export const OPEN_MODE = 0o500;

interface Entries {
  readonly names: readonly string[];
  readonly links: readonly string[];
  readonly folders: readonly string[];
  /** Some name is not UTF-8, and so nothing is found under it. */
  readonly nameless: boolean;
  /** Others may enter it, and we can't list it. */
  readonly closed: boolean;
}

/** A file with more than one name (hard links). */
export interface SharedFile {
  readonly path: string;
  readonly inode: number;
}

/** Null if it has no other name, or is none. */
export function shared_file(path: string): SharedFile | null {
  const stat = lstat_or_null(path);
  return stat?.isFile && (stat.nlink ?? 1) > 1 ? { path, inode: stat.ino ?? 0 } : null;
}

/** A file as a whole, to be put back. @throws if it is larger than `most`, or can't be read. */
export function file_at(path: string, most: number): Extract<Thing, { kind: "file" }> {
  const { mode, uid, gid } = Deno.lstatSync(path);
  return {
    kind: "file",
    bytes: read_regular(path, most),
    mode: (mode ?? 0) & PERMISSIONS,
    uid: uid ?? 0,
    gid: gid ?? 0,
  };
}

const NOTHING: Entries = { names: [], links: [], folders: [], nameless: false, closed: false };

/** Looks at paths, and reads again only what looks different from the last time. */
export class Lens {
  /** `raw`: tells names that are not UTF-8, which Deno 2.6.10 leaves out, and 2.9.6 does not; null: they do not matter. */
  constructor(private readonly raw: Folders | null = null) {}

  readonly #things = new Map<string, KnownThing<Thing>>();
  readonly #entries = new Map<string, KnownThing<Entries>>();
  readonly #shared = new Map<string, KnownThing<readonly SharedFile[]>>();

  /** What is there; null if nothing does, or where it may not be looked at. */
  thing(path: string): Thing | null {
    const stat = lstat_or_null(path);
    if (stat === null) return null;
    return kept_while_same(this.#things, { path, stat, take: () => thing_of(path, stat) });
  }

  /** Files in a folder that have another name, somewhere. Such a name given to a file that was here before is not seen. */
  shared_in(path: string): readonly SharedFile[] {
    const stat = lstat_or_null(path);
    if (stat === null || !stat.isDirectory) return [];
    const take = () =>
      entries_in(path).filter(({ isFile }) => isFile).map(({ name }) =>
        shared_file(`${path}/${name}`)
      )
        .filter((one) => one !== null);
    return kept_while_same(this.#shared, { path, stat, take });
  }

  /** What kind of thing is there, without reading it; null if nothing does. */
  kind(path: string): "link" | "folder" | "other" | null {
    const stat = lstat_or_null(path);
    if (stat === null) return null;
    return stat.isSymlink ? "link" : stat.isDirectory ? "folder" : "other";
  }

  /** The names in a folder, and which of them are links and folders. */
  entries(path: string): Entries {
    const stat = lstat_or_null(path);
    if (stat === null || !stat.isDirectory) return NOTHING;
    const take = () => {
      const all = entries_in(path);
      const those = (some: readonly Deno.DirEntry[]) => some.map(({ name }) => name).sort();
      return {
        names: those(all),
        links: those(all.filter(({ isSymlink }) => isSymlink)),
        folders: those(all.filter(({ isDirectory }) => isDirectory)),
        nameless: this.raw !== null && has_nameless(this.raw, path),
        closed: ((stat.mode ?? 0) & OPEN_MODE) !== OPEN_MODE,
      };
    };
    return kept_while_same(this.#entries, { path, stat, take });
  }
}

function has_nameless(raw: Folders, path: string): boolean {
  const fd = raw.open(null, name_bytes(path));
  if (fd < 0) return false;
  const listing = raw.list(fd);
  raw.close(fd);
  const decoder = new TextDecoder();
  return listing !== null &&
    [listing.files, listing.folders].some((block) => decoder.decode(block).includes(NO_TEXT));
}

function thing_of(path: string, stat: Deno.FileInfo): Thing {
  const mode = (stat.mode ?? 0) & PERMISSIONS;
  if (stat.isDirectory) return { kind: "folder", mode };
  try {
    if (stat.isSymlink) return { kind: "link", to: Deno.readLinkSync(path) };
    if (stat.isFile && stat.size <= KEEP_BYTES) return file_at(path, KEEP_BYTES);
  } catch {
    // Not to be read, or gone in the meantime.
  }
  return { kind: "unkept", looks: looks_of(stat) };
}

/** In milliseconds; `ctime` cannot be set back. Never, where nothing is there. */
export function path_changed_at(full: string): number {
  return lstat_or_null(full)?.ctime?.getTime() ?? Infinity;
}
