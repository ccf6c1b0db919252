/** Gives something its name on the disk in one step, so that the name never leads to half of it. */
import { at_end, attempt } from "../config/attempt.ts";
import { node_fs } from "../config/node.ts";
import { path } from "../config/path.ts";
import { code_of, is_denied } from "./file_faults.ts";
import { HALF, MADE } from "./unfinished_files.ts";
import { exists } from "./paths.ts";

/** Where this thread notes what is about to get its name. */
let notes: string | null = null;

/** From now on a file in `folder` names what has no name of its own yet: should the process be killed, it can be found. */
export function note_halves_in(folder: string): void {
  notes = folder;
}

/**
 * Lets `make` put it under another name beside `full`, and renames it, or has `take` do so.
 * @throws as `make`, `take` and the system do; then nothing is left beside it.
 */
export function put_beside(
  full: string,
  make: (made: string) => void,
  take = (made: string) => Deno.renameSync(made, full),
): void {
  const id = crypto.randomUUID();
  const made = path.join(path.dirname(full), `${MADE}${id}`);
  const note = notes === null ? null : noted(made, path.join(notes, `${HALF}${id}`));
  try {
    make(made);
    take(made);
  } catch (error) {
    if (exists(made)) Deno.removeSync(made);
    throw error;
  } finally {
    if (note !== null && exists(note)) Deno.removeSync(note);
  }
}

/** Null if it cannot be made, which is no reason not to write. No link: making one takes the right to write everywhere. */
function noted(made: string, note: string): string | null {
  return attempt(() => {
    Deno.writeTextFileSync(note, made, { createNew: true });
    return note;
  }, null);
}

/** Where bytes go: a file that is open, or a stream of the process. */
export interface Sink {
  writeSync(bytes: Uint8Array): number;
}

/** Writes all of the bytes where the file is at. */
export function write_on(file: Sink, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
}

/** Writes all of the bytes, from `position` in the file on. */
export function write_all(fd: number, bytes: Uint8Array, position = 0): void {
  let at = 0;
  while (at < bytes.length) {
    at += node_fs().writeSync(fd, bytes, at, bytes.length - at, position + at);
  }
}

/** The file itself is mounted there, as containers do it; or its file system renames nothing, as those of object stores. */
const NOT_RENAMED = ["EBUSY", "ENOSYS", "ENOTSUP", "EOPNOTSUPP", "EXDEV"];

/** Whether a file can only be written in place: its folder can't be written, or a new file can't get its owner or all its names. */
export function is_for_its_place(error: unknown): boolean {
  return is_denied(error) || NOT_RENAMED.includes(code_of(error));
}

/** Writes into a file itself, if `may` agrees once it is open. Growth is written first: if the disk is full, the old content is whole. */
export function overwrite(
  real: string,
  bytes: Uint8Array,
  may: (fd: number) => void = () => {},
): void {
  const fs = node_fs();
  const fd = fs.openSync(real, fs.constants.O_RDWR | (fs.constants.O_NOFOLLOW ?? 0));
  using _ = at_end(() => fs.closeSync(fd));
  may(fd);
  const { size } = fs.fstatSync(fd);
  try {
    if (bytes.length > size) write_all(fd, bytes.subarray(size), size);
  } catch (error) {
    fs.ftruncateSync(fd, size);
    throw error;
  }
  write_all(fd, bytes.subarray(0, size));
  if (bytes.length < size) fs.ftruncateSync(fd, bytes.length);
}

/** Gives an open file to its owner. Only root can give a file away; for anyone else it stays theirs. */
export function give(fd: number, { uid, gid }: { uid: number; gid: number }): void {
  try {
    node_fs().fchownSync(fd, uid, gid);
  } catch (error) {
    if (!is_denied(error)) throw error;
  }
}
