/** Reads files where a command may put a link or a pipe at any moment: a key behind a link is never read, and nothing blocks. */
import { attempt } from "../../config/attempt.ts";
import { AT_FDCWD, O_CLOEXEC, O_NOCTTY, O_NOFOLLOW, O_NONBLOCK } from "./fcntl.ts";
import { joined } from "../../config/bytes.ts";
import { node_fs } from "../../config/node.ts";
import { is_inside, real_or_null } from "../../config/paths.ts";
import { buffer_of, type Libc, linux_libc } from "./libc.ts";
import { link_of } from "./proc_fs.ts";
import { look_at } from "./statx.ts";

/** Read only, without waiting for a pipe's writer, no terminal of ours, and not handed on. */
const READ = O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
const FILE_TYPE = 0o170000, REGULAR = 0o100000;

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
  try {
    const at = link_of(libc, `/proc/self/fd/${fd}`);
    const mode = look_at(libc, fd)?.mode ?? 0;
    if (at === null || (mode & FILE_TYPE) !== REGULAR || !may(at)) return null;
    return read_all(libc, fd, most);
  } finally {
    libc.call("close", [fd]);
  }
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
  return joined(parts);
}

/**
 * All of a regular file, but not through a link in its place.
 * @throws {Error} where it is none, has more than `most` bytes, or may not be read.
 */
export function read_regular(path: string, most: number): Uint8Array<ArrayBuffer> {
  const libc = linux_libc();
  if (libc === null) return read_elsewhere(path, most);
  const fd = libc.call("openat", [AT_FDCWD, path, READ | O_NOFOLLOW]);
  try {
    const { mode, size } = (fd < 0 ? null : look_at(libc, fd)) ?? { mode: 0, size: 0 };
    if ((mode & FILE_TYPE) !== REGULAR || size > most) throw new Error(NO_FILE);
    const bytes = buffer_of(size);
    for (let at = 0; at < size;) {
      const got = libc.call("read", [fd, bytes.subarray(at), size - at]);
      if (got <= 0) return bytes.slice(0, at);
      at += got;
    }
    return bytes;
  } finally {
    if (fd >= 0) libc.call("close", [fd]);
  }
}

const NO_FILE = "no regular file of that size";

function read_elsewhere(path: string, most: number): Uint8Array<ArrayBuffer> {
  const { openSync, fstatSync, readFileSync, closeSync, constants } = node_fs();
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile() || stat.size > most) throw new Error(NO_FILE);
    return new Uint8Array(readFileSync(fd));
  } finally {
    closeSync(fd);
  }
}
