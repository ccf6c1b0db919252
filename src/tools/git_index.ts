/**
 * What git lists of the workspace: `index`, read by ourselves, because a repository's settings can make git run programs. It is
 * a stranger's file, so what it says is only believed of contents whose id was computed here.
 */
import { createHash } from "node:crypto";
import { look, text_of } from "../permission/paths.ts";
import type { Policy } from "../sandbox/policy.ts";

// gitformat-index(5)
const SIGNATURE = 0x44495243; // DIRC
const HEADER_BYTES = 12;
/** What `stat` told of a file, before its id. */
const STAT_BYTES = 40;
const ID_BYTES = 20;
const EXTENDED = 0x4000;
const STAGE = 0x3000;
/** `git add -N`: listed, but git has no content for it. */
const INTENT_TO_ADD = 0x2000;

/** Listings of 200,000 files; what is larger is not read, and contents are copied. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Linux takes no longer path (PATH_MAX); here each begins with the one before. */
const PATH_BYTES = 4096;

/** The ids of the contents that git has, by path relative to the workspace. */
export class GitIndex {
  private constructor(
    private readonly bytes: Uint8Array,
    /** Where each id begins. */
    private readonly ids: ReadonlyMap<string, number>,
  ) {}

  /** Reads the one of a workspace; null where there is none, or none that can be read. */
  static of(policy: Pick<Policy, "workspace" | "git">): GitIndex | null {
    const place = place_of(policy);
    if (place === null) return null;
    try {
      const stat = Deno.lstatSync(place.file);
      if (!stat.isFile || stat.size > MOST_BYTES) return null;
      return GitIndex.read(Deno.readFileSync(place.file), place.below);
    } catch {
      return null;
    }
  }

  /** Takes one apart. `below`: only paths that begin with it, without it. Null where it is none, or of a newer kind. */
  static read(bytes: Uint8Array, below: string): GitIndex | null {
    try {
      return new GitIndex(bytes, entries_of(bytes, below));
    } catch (error) {
      if (error instanceof RangeError) return null;
      throw error;
    }
  }

  /** The id under which git has this content of a file; null where it has another one, or none. */
  id_of(path: string, content: Uint8Array): string | null {
    const at = this.ids.get(path);
    // An empty file is quicker stored than looked for.
    if (at === undefined || content.length === 0) return null;
    const listed = this.bytes.subarray(at, at + ID_BYTES);
    const id = createHash("sha1").update(`blob ${content.length}\0`).update(content).digest();
    return listed.every((byte, i) => byte === id[i]) ? id.toString("hex") : null;
  }
}

/** Throws a `RangeError` where the bytes are no index that is known here. */
function entries_of(bytes: Uint8Array, below: string): Map<string, number> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const version = view.getUint32(4);
  if (view.getUint32(0) !== SIGNATURE || version < 2 || version > 4) throw new RangeError("kind");
  const ids = new Map<string, number>();
  const decoder = new TextDecoder();
  let at = HEADER_BYTES;
  let path: Uint8Array = new Uint8Array();
  for (let left = view.getUint32(8); left > 0; left--) {
    const id = at + STAT_BYTES;
    const flags = view.getUint16(id + ID_BYTES);
    const more = (flags & EXTENDED) === 0 ? 0 : view.getUint16(id + ID_BYTES + 2);
    const name = id + ID_BYTES + (flags & EXTENDED ? 4 : 2);
    const next = version === 4 ? packed_name(bytes, name, path) : plain_name(bytes, name, at);
    ({ path, end: at } = next);
    // Of a conflict git lists several.
    if ((flags & STAGE) !== 0 || (more & INTENT_TO_ADD) !== 0) continue;
    const text = decoder.decode(path);
    if (text.startsWith(below)) ids.set(text.slice(below.length), id);
  }
  return ids;
}

interface Name {
  readonly path: Uint8Array;
  /** Where the next entry begins. */
  readonly end: number;
}

function plain_name(bytes: Uint8Array, from: number, entry: number): Name {
  const end = bytes.indexOf(0, from);
  if (end < 0) throw new RangeError("a path has no end");
  // One to eight zeros, so that the next one begins at a multiple of eight.
  return { path: bytes.subarray(from, end), end: end + 8 - ((end - entry) % 8) };
}

/** Version 4: how much of the path before is left out, and what follows instead. */
function packed_name(bytes: Uint8Array, from: number, before: Uint8Array): Name {
  let at = from;
  let byte = bytes[at++] ?? 0;
  let cut = byte & 127;
  while (byte & 128) {
    byte = bytes[at++] ?? 0;
    cut = ((cut + 1) << 7) + (byte & 127);
  }
  const end = bytes.indexOf(0, at);
  if (before.length > PATH_BYTES) throw new RangeError("no path is that long");
  if (end < 0 || cut < 0 || cut > before.length) throw new RangeError("a path has no beginning");
  const path = new Uint8Array(before.length - cut + end - at);
  path.set(before.subarray(0, before.length - cut));
  path.set(bytes.subarray(at, end), before.length - cut);
  return { path, end: end + 1 };
}

/** Where it is, and where the workspace lies in it, `/` at the end. */
function place_of(
  { workspace, git }: Pick<Policy, "workspace" | "git">,
): { readonly file: string; readonly below: string } | null {
  const dotgit = `${workspace}/.git`;
  const own = look(dotgit);
  if (own?.isDirectory) return { file: `${dotgit}/index`, below: "" };
  // Whether what a file says may be believed has been found out.
  if (git === null) return null;
  if (own?.isFile) {
    const named = /^gitdir: (.+)$/m.exec(text_of(dotgit))?.[1];
    if (named === undefined) return null;
    const folder = named.startsWith("/") ? named : `${workspace}/${named}`;
    return { file: `${folder}/index`, below: "" };
  }
  const top = git.slice(0, git.lastIndexOf("/"));
  return { file: `${git}/index`, below: `${workspace.slice(top.length + 1)}/` };
}
