/** How something gets its name on the disk in one step, so that the name never leads to half of it. */
import fs from "node:fs";
import path from "node:path";
import { is_denied } from "./file_faults.ts";

const MADE = ".hamr-";
const HALF = ".half-";
const OURS = /^\.hamr-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** What is longer leads nowhere (PATH_MAX). */
const LONGEST_PATH = 4096;
/** Where this thread notes what is about to get its name. */
let notes: string | null = null;

/** From now on a file in `folder` names what has no name of its own yet: should the process be killed, it can be found. */
export function note_halves_in(folder: string): void {
  notes = folder;
}

/**
 * Lets `make` put it under another name beside `full`, and renames it.
 * @throws as `make` and the system do; then nothing is left beside it.
 */
export function put_beside(full: string, make: (made: string) => void): void {
  const id = crypto.randomUUID();
  const made = path.join(path.dirname(full), `${MADE}${id}`);
  const note = notes === null ? null : noted(made, path.join(notes, `${HALF}${id}`));
  try {
    make(made);
    fs.renameSync(made, full);
  } catch (error) {
    fs.rmSync(made, { force: true });
    throw error;
  } finally {
    if (note !== null) fs.rmSync(note, { force: true });
  }
}

/** Null where it cannot be made: that is no reason not to write. No link: making one takes the right to write everywhere. */
function noted(made: string, note: string): string | null {
  try {
    fs.writeFileSync(note, made, { flag: "wx" });
    return note;
  } catch {
    return null;
  }
}

/** Takes away what a process that was killed had not given its name yet, by its notes. A command may have written those, too. */
export function clear_halves(folder: string): void {
  for (const name of entries(folder).filter((name) => name.startsWith(HALF))) {
    try {
      const note = path.join(folder, name);
      const found = fs.lstatSync(note);
      if (!found.isFile() || found.size > LONGEST_PATH) continue;
      const made = fs.readFileSync(note, "utf8");
      if (OURS.test(path.basename(made)) && fs.lstatSync(made).isFile()) fs.rmSync(made);
    } catch {
      // It has got its name, or cannot be taken away.
    }
  }
}

function entries(folder: string): readonly string[] {
  try {
    return fs.readdirSync(folder);
  } catch {
    return [];
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
