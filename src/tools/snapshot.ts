import { createHash } from "node:crypto";
import fs from "node:fs";
import { look } from "../permission/paths.ts";
import type { Baseline, Content } from "./baseline.ts";
import type { Kept, Pack } from "./pack.ts";

/** A file as its folder knows it. */
export interface Looks {
  /** Size, times, inode and mode: while these are the same, so is the content. `ctime` cannot be set back. */
  readonly looks: string;
  /** With its type: a link and a file of the same content are not the same. */
  readonly mode: number;
  /** Bytes. */
  readonly size: number;
  /** Milliseconds, of a whole second. */
  readonly ctime: number;
}

// Copies of files at the start: the limits of the undo store in the issue on sessions, so that both agree.
/** A larger file is not kept, only hashed. */
export const KEEP_FILE_BYTES = 10 * 1024 * 1024;
/** All files that are kept; besides, as much of what git has. */
const KEEP_ALL_BYTES = 200 * 1024 * 1024;
/** What is not kept is hashed, up to this much more in all, and no larger file ever: half a second of work. */
const HASH_BYTES = 512 * 1024 * 1024;
/** Read at once. */
const CHUNK_BYTES = 1024 * 1024;

/**
 * Deno tells `ctime` in whole seconds (measured with 2.6.10 and 2.9.6), and Linux's own clock for it has ticks of up to
 * 10 ms: what changed within this time could change once more and look the same.
 */
export const TICK_MS = 1020;

const TYPE_AND_MODE = 0o170777;
const FILE_TYPE = 0o170000;
const LINK = 0o120000;

/** What has to be known of a file to read it. */
export type SizeAndMode = Pick<Looks, "size" | "mode">;

/** Whether it is the mode of a symbolic link. */
export function is_link(mode: number): boolean {
  return (mode & FILE_TYPE) === LINK;
}

/** How a path looks; null where there is nothing, or nothing that has content (a pipe, a device). */
export function looks_of(full: string): Looks | null {
  const stat = look(full);
  if (stat === null || (!stat.isFile && !stat.isSymlink)) return null;
  const ctime = stat.ctime?.getTime() ?? 0;
  const mode = (stat.mode ?? 0) & TYPE_AND_MODE;
  const looks = `${stat.size}:${stat.mtime?.getTime()}:${ctime}:${stat.ino}:${mode}`;
  return { looks, mode, size: stat.size, ctime };
}

/** Whether a path certainly leads to nothing any more, rather than being closed to us. */
export function is_gone(full: string): boolean {
  try {
    const stat = Deno.lstatSync(full);
    return !stat.isFile && !stat.isSymlink;
  } catch (error) {
    return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
  }
}

/** Content of a file, target of a link, as long as it looked; null where it is too long to be kept, gone or not to be read. */
export function content_of(full: string, looks: SizeAndMode): Uint8Array | null {
  const { size } = looks;
  if (size > KEEP_FILE_BYTES) return null;
  const bytes = new Uint8Array(size);
  let at = 0;
  const whole = read_through(full, looks, (piece) => {
    bytes.set(piece, at);
    at += piece.length;
  });
  return whole ? bytes.subarray(0, at) : null;
}

/** Hash of a file's content or a link's target, as long as it looked; null where it is too long, gone or not to be read. */
export function hash_of(full: string, looks: SizeAndMode): string | null {
  if (looks.size > HASH_BYTES) return null;
  const hash = createHash("sha256");
  return read_through(full, looks, (piece) => void hash.update(piece)) ? hash.digest("hex") : null;
}

/** What is known of a file's content at the start. */
export type First =
  | { readonly kind: "kept"; readonly at: Kept }
  | { readonly kind: "hashed"; readonly hash: string }
  | { readonly kind: "unknown" };

/** Takes files into a pack while there is room, and hashes the others while that takes no time to speak of. */
export class Keeper {
  #read_bytes = 0;
  /** What git has, too, leaves the room of what only we have. */
  readonly #room = { in_git: KEEP_ALL_BYTES, ours: KEEP_ALL_BYTES };

  /** `baseline`: who lists what is there; null where nobody does. */
  constructor(private readonly pack: Pack, private readonly baseline: Baseline | null = null) {}

  /** Takes the file at `full`; `path` is what it is called in the workspace. */
  keep(path: string, full: string, looks: SizeAndMode): First {
    const { first, ...listed } = this.#take(path, full, looks);
    this.baseline?.add(path, looks.mode, listed);
    return first;
  }

  #take(path: string, full: string, looks: SizeAndMode): Content & { readonly first: First } {
    const { size } = looks;
    this.#read_bytes += size;
    if (this.#read_bytes > KEEP_ALL_BYTES + HASH_BYTES) return UNKNOWN;
    if (size > KEEP_FILE_BYTES) return hashed(hash_of(full, looks));
    const bytes = content_of(full, looks);
    if (bytes === null) return UNKNOWN;
    const git = this.baseline?.git_id(path, bytes) ?? null;
    const at = this.#add(bytes, git === null ? "ours" : "in_git");
    if (at === null) return { ...hashed(sha256(bytes)), git };
    const hash = this.baseline === null ? null : sha256(bytes);
    return { first: { kind: "kept", at }, hash, git, at };
  }

  #add(bytes: Uint8Array, room: "ours" | "in_git"): Kept | null {
    if (this.#room[room] < bytes.length) return null;
    const at = this.pack.add(bytes);
    if (at !== null) this.#room[room] -= bytes.length;
    return at;
  }
}

const UNKNOWN = { first: { kind: "unknown" }, hash: null } as const;

function hashed(hash: string | null): Content & { readonly first: First } {
  return hash === null ? UNKNOWN : { first: { kind: "hashed", hash }, hash };
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** Read into, one file after the other; nothing holds on to it. */
const chunk = new Uint8Array(CHUNK_BYTES);

/** Hands over what a path holds, piece by piece; false where it cannot be read. Never waits, never goes on for ever. */
function read_through(
  full: string,
  { size, mode }: SizeAndMode,
  take: (piece: Uint8Array) => void,
): boolean {
  const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = fs.constants;
  try {
    // Asked first: Deno follows a link before it opens it wherever its own rights are limited, O_NOFOLLOW or not.
    const fd = is_link(mode) ? null : open_file(full, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    if (fd === null) {
      take(new TextEncoder().encode(fs.readlinkSync(full)).subarray(0, size));
      return true;
    }
    try {
      for (let left = size; left > 0;) {
        const got = fs.readSync(fd, chunk, 0, Math.min(left, CHUNK_BYTES), null);
        if (got === 0) break;
        take(chunk.subarray(0, got));
        left -= got;
      }
      return true;
    } finally {
      fs.closeSync(fd);
    }
  } catch {
    return false;
  }
}

/** Null where the path is a link. */
function open_file(full: string, flags: number): number | null {
  try {
    return fs.openSync(full, flags);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ELOOP") return null;
    throw error;
  }
}
