/** How the bytes of a file come onto the disk, so that at no moment neither the old nor the new content is there. */
import fs from "node:fs";
import path from "node:path";
import { code_of, is_denied } from "../../permission/file_faults.ts";
import { put_beside, write_all } from "../../permission/put_beside.ts";

/** Makes a file that is not there yet, and the folders above it. */
export function put_new(real: string, bytes: Uint8Array): void {
  fs.mkdirSync(path.dirname(real), { recursive: true });
  beside(real, bytes, null);
}

/** Puts `bytes` in place of a file that is there, with its owner and mode. */
export function put_in_place(real: string, bytes: Uint8Array): void {
  try {
    beside(real, bytes, fs.statSync(real));
  } catch (error) {
    // Where a single file may be written, but not its folder; where the owner cannot be given to a new one; or
    // where the file itself is mounted there, as containers do it (EBUSY).
    if (!is_denied(error) && code_of(error) !== "EBUSY") throw error;
    overwrite(real, bytes);
  }
}

/** Writes a new file and gives it the name in one step. */
function beside(real: string, bytes: Uint8Array, old: fs.Stats | null): void {
  put_beside(real, (made) => {
    const fd = fs.openSync(made, "wx", old === null ? 0o666 : old.mode & 0o777);
    try {
      write_all(fd, bytes);
    } finally {
      fs.closeSync(fd);
    }
    if (old !== null) keep_owner_and_mode(made, old);
  });
}

/**
 * Writes into the file itself. What is longer than before comes first: if the disk has no room for that,
 * the old content is still all there.
 */
function overwrite(real: string, bytes: Uint8Array): void {
  const fd = fs.openSync(real, "r+");
  try {
    const { size } = fs.fstatSync(fd);
    try {
      if (bytes.length > size) write_all(fd, bytes.subarray(size), size);
    } catch (error) {
      fs.ftruncateSync(fd, size);
      throw error;
    }
    write_all(fd, bytes.subarray(0, size));
    if (bytes.length < size) fs.ftruncateSync(fd, bytes.length);
  } finally {
    fs.closeSync(fd);
  }
}

function keep_owner_and_mode(file: string, old: fs.Stats): void {
  const now = fs.statSync(file);
  if (now.uid !== old.uid || now.gid !== old.gid) fs.chownSync(file, old.uid, old.gid);
  // Most have the mode that new files get.
  if ((now.mode & 0o7777) !== (old.mode & 0o7777)) fs.chmodSync(file, old.mode & 0o7777);
}
