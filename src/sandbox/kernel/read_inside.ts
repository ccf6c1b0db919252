/** Reads files where a command may put a link or a pipe at any moment: a key behind a link is never read, and nothing blocks. */
import { at_end, attempt } from "../../config/attempt.ts";
import { AT_FDCWD, O_CLOEXEC, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK } from "./fcntl.ts";
import { concat } from "../../config/bytes.ts";
import { node_fs } from "../../config/node.ts";
import { is_inside, real_or_null } from "../../config/paths.ts";
import { buffer_of, type Libc, linux_libc } from "./libc.ts";
import { link_of } from "./proc_fs.ts";
import { errno_error } from "./errno.ts";
import { look_at, times_at } from "./statx.ts";

/** Read only, without waiting for a pipe's writer, no terminal of ours, and not handed on. */
const READ = O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
const FILE_TYPE = 0o170000, REGULAR = 0o100000, FIFO = 0o010000;

/** The first `most` bytes of a regular file; null if there is none, or what was opened is not in `folder` (a real path). */
export function read_inside(
  path: string,
  { folder, most }: { folder: string; most: number },
): Uint8Array<ArrayBuffer> | null {
  return read_where(path, { most, may: (real) => is_inside(real, folder) });
}

/** The first `most` bytes of a regular file; null if there is none, or the real path of what was opened is not one that `may` be read. */
export function read_where(
  path: string,
  { may, most }: { may: (real: string) => boolean; most: number },
): Uint8Array<ArrayBuffer> | null {
  const libc = linux_libc();
  // Where no descriptor can be asked.
  if (libc === null) {
    const real = real_or_null(path);
    const is_read = real !== null && may(real) && attempt(() => Deno.statSync(real).isFile);
    return is_read ? attempt(() => Deno.readFileSync(real).subarray(0, most), null) : null;
  }
  const fd = libc.call("openat", [AT_FDCWD, path, READ]);
  if (fd < 0) return null;
  using _ = at_end(() => libc.call("close", [fd]));
  const at = link_of(libc, `/proc/self/fd/${fd}`);
  const mode = look_at(libc, fd)?.mode ?? 0;
  if (at === null || (mode & FILE_TYPE) !== REGULAR || !may(at)) return null;
  return read_all(libc, fd, most);
}

function read_all(libc: Libc, fd: number, most: number): Uint8Array<ArrayBuffer> {
  const piece = buffer_of(Math.min(most, 64 * 1024));
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let length = 0;
  while (length < most) {
    const got = libc.call("read", [fd, piece, Math.min(piece.length, most - length)]);
    if (got <= 0) break;
    parts.push(piece.slice(0, got));
    length += got;
  }
  return concat(parts);
}

/** Whether a link in the place of a file is followed. Default: it can't be opened. */
interface Links {
  readonly follow?: true;
}

/**
 * All of a regular file.
 * @throws {Error} where it is none, has more than `most` bytes, or may not be read.
 */
export function read_regular(path: string, most: number, links?: Links): Uint8Array<ArrayBuffer> {
  const file = open_plain(path, links);
  using _ = at_end(() => file.close());
  if (!file.isFile || file.size > most) throw new Error("no regular file of that size");
  const bytes = buffer_of(file.size);
  return bytes.subarray(0, file.read(bytes, 0));
}

/** A file that is open for reading, and what it is by then. */
export interface PlainFile
  extends Pick<Deno.FileInfo, "isFile" | "isFifo" | "size" | "ino" | "mtime" | "ctime"> {
  readonly mode: number;
  /** The same for all names of one file, and for no other file. */
  readonly identity: string;
  /** Bytes from a place; fewer than asked for only at its end. */
  read(into: Uint8Array<ArrayBuffer>, position: number): number;
  close(): void;
}

/**
 * Opens without waiting for a pipe. Without node's way where that can be: to load it takes 45 ms of CPU (Deno 2.9.6).
 * @throws {Error} as the system does
 */
export function open_plain(path: string, { follow }: Links = {}): PlainFile {
  const libc = linux_libc(), links = follow ? 0 : O_NOFOLLOW;
  if (libc === null) return open_elsewhere(path, links);
  const fd = libc.call("openat", [AT_FDCWD, path, READ | links]);
  const look = fd < 0 ? null : times_at(libc, fd);
  if (look === null) throw errno_error(libc.errno());
  const kind = look.mode & FILE_TYPE;
  return {
    ...look,
    ...{ isFile: kind === REGULAR, isFifo: kind === FIFO },
    read: (into, position) =>
      fill(into, (rest, at) => {
        const got = libc.call("pread64", [fd, rest, rest.length, position + at]);
        if (got < 0) throw errno_error(libc.errno());
        return got;
      }),
    close: () => void libc.call("close", [fd]),
  };
}

function open_elsewhere(path: string, links: number): PlainFile {
  const { openSync, fstatSync, readSync, closeSync, constants } = node_fs();
  const no_links = links === 0 ? 0 : constants.O_NOFOLLOW;
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | no_links);
  const stat = fstatSync(fd);
  const { dev, ino, mode, size, mtime, ctime } = stat;
  return {
    ...{ ino, mode, size, mtime, ctime, identity: `${dev}:${ino}` },
    ...{ isFile: stat.isFile(), isFifo: stat.isFIFO() },
    read: (into, position) =>
      fill(into, (rest, at) => readSync(fd, rest, 0, rest.length, position + at)),
    close: () => closeSync(fd),
  };
}

/** Reads until a buffer is full or nothing comes anymore. How many bytes there were. */
function fill(
  into: Uint8Array<ArrayBuffer>,
  read: (rest: Uint8Array<ArrayBuffer>, at: number) => number,
): number {
  let at = 0;
  while (at < into.length) {
    // A part of another is never where the garbage collector moves it.
    const got = read(into.subarray(at), at);
    if (got === 0) break;
    at += got;
  }
  return at;
}
