/** How something gets its name on the disk in one step, so that the name never leads to half of it. */
import fs from "node:fs";
import path from "node:path";
import { is_denied } from "./file_faults.ts";

/**
 * Lets `make` put it under another name beside `full`, and renames it.
 * @throws as `make` and the system do; then nothing is left beside it.
 */
export function put_beside(full: string, make: (made: string) => void): void {
  const made = path.join(path.dirname(full), `.hamr-${crypto.randomUUID()}`);
  try {
    make(made);
    fs.renameSync(made, full);
  } catch (error) {
    fs.rmSync(made, { force: true });
    throw error;
  }
}

/** Writes all of the bytes, from `position` in the file on. */
export function write_all(fd: number, bytes: Uint8Array, position = 0): void {
  let at = 0;
  while (at < bytes.length) at += fs.writeSync(fd, bytes, at, bytes.length - at, position + at);
}

/** Gives an open file to its owner. Only root can give a file away; for anyone else it stays theirs. */
export function give(
  fd: number,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): void {
  try {
    fs.fchownSync(fd, uid, gid);
  } catch (error) {
    if (!is_denied(error)) throw error;
  }
}
