/** Puts something back on the disk. Never follows a link: what was planted may be one. */
import { at_end, attempt } from "../config/attempt.ts";
import type { Stats } from "node:fs";
import { node_fs } from "../config/node.ts";
import { path } from "../config/path.ts";
import { is_denied } from "../permission/file_faults.ts";
import { exists } from "../permission/paths.ts";
import { give, put_beside, write_all } from "../permission/put_beside.ts";
import { OPEN_MODE as LISTED_MODE, type Thing } from "./thing.ts";

/** Keeps a copy of a file in this folder, and gives its place; null if it is not a file, or can't be copied. */
export function keep_copy(
  full: string,
  { thing, spill }: { thing: Thing | null; spill: string },
): string | null {
  if (thing?.kind !== "file") return null;
  const copy = `${spill}/${full.slice(1).replaceAll("/", "_").slice(-200)}`;
  // There may be no room, or one of this name, of an earlier round. What was planted goes all the same.
  attempt(() => Deno.writeFileSync(copy, thing.bytes, { createNew: true, mode: 0o600 }));
  return exists(copy) ? copy : null;
}

/** The owner may do all: what was made read-only to stay is opened first. */
const OPEN_MODE = 0o700;

type File = Extract<Thing, { kind: "file" }>;

/**
 * Lets a path be what it was; null: nothing is there. Folders above it are made.
 * @throws if the system refuses.
 */
export function put_back(full: string, thing: Thing | null): void {
  const now = node_fs().lstatSync(full, { throwIfNoEntry: false });
  if (thing === null) {
    if (now !== undefined) remove(full, now);
    return;
  }
  if (thing.kind === "unkept") throw new Error("its content at the start was not kept");
  if (now?.isDirectory() && thing.kind === "folder") {
    node_fs().chmodSync(full, thing.mode);
    if ((thing.mode & LISTED_MODE) === LISTED_MODE) open_all(full, LISTED_MODE);
    return;
  }
  if (now !== undefined && (now.isDirectory() || thing.kind !== "file")) remove(full, now);
  const folder = path.dirname(full);
  node_fs().mkdirSync(folder, { recursive: true });
  opened(folder, () => {
    switch (thing.kind) {
      case "folder":
        node_fs().mkdirSync(full);
        return node_fs().chmodSync(full, thing.mode);
      case "link":
        return node_fs().symlinkSync(thing.to, full);
      case "file":
        return put_file(full, thing);
    }
  });
}

/** Under another name first, so that the name never leads to half a file. */
function put_file(full: string, thing: File): void {
  try {
    put_beside(full, (made) => write(node_fs().openSync(made, "wx", 0o600), thing));
  } catch (error) {
    if (!is_denied(error)) throw error;
    // The folder may not be written, but the file may: then it is the very file of the start.
    const { O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = node_fs().constants;
    write(node_fs().openSync(full, O_WRONLY | O_NOFOLLOW | O_NONBLOCK), thing);
  }
}

function write(fd: number, { bytes, mode, uid, gid }: File): void {
  using _ = at_end(() => node_fs().closeSync(fd));
  const stat = node_fs().fstatSync(fd);
  if (!stat.isFile()) throw new Error("no regular file");
  write_all(fd, bytes);
  node_fs().ftruncateSync(fd, bytes.length);
  if (stat.uid !== uid || stat.gid !== gid) give(fd, { uid, gid });
  if ((stat.mode & 0o7777) !== mode) node_fs().fchmodSync(fd, mode);
}

function remove(full: string, now: Stats): void {
  opened(path.dirname(full), () => {
    if (!now.isDirectory()) return node_fs().unlinkSync(full);
    try {
      Deno.removeSync(full, { recursive: true });
    } catch (error) {
      if (!is_denied(error)) throw error;
      node_fs().chmodSync(full, OPEN_MODE);
      open_all(full, OPEN_MODE);
      Deno.removeSync(full, { recursive: true });
    }
  });
}

/** Whether we may not look at what is in a folder. */
export function is_closed(folder: string): boolean {
  try {
    for (const { name } of Deno.readDirSync(folder)) node_fs().lstatSync(`${folder}/${name}`);
    return false;
  } catch (error) {
    return is_denied(error);
  }
}

/** Tries once more where a folder was closed to its owner. */
function opened(folder: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const mode = node_fs().statSync(folder).mode & 0o7777;
    if (!is_denied(error) || (mode & OPEN_MODE) === OPEN_MODE) throw error;
    node_fs().chmodSync(folder, mode | OPEN_MODE);
    using _ = at_end(() => node_fs().chmodSync(folder, mode));
    work();
  }
}

/** What is closed in a folder that was closed itself is met at the same look. `bits`: what each folder below is to have. */
function open_all(folder: string, bits: number): void {
  for (const { name, isDirectory } of Deno.readDirSync(folder)) {
    if (!isDirectory) continue;
    const full = path.join(folder, name);
    const mode = node_fs().lstatSync(full).mode & 0o7777;
    if ((mode & bits) !== bits) node_fs().chmodSync(full, mode | bits);
    open_all(full, bits);
  }
}
