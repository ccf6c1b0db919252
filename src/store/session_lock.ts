/** Lets one process work on a session, by SQLite's lock on an empty file: every system has it, and none can be left behind. */
import { attempt } from "../config/attempt.ts";
import { DatabaseSync } from "node:sqlite";
import { why } from "../config/paths.ts";
import { message_of } from "../config/text.ts";

function lock_folder(data_dir: string): string {
  return `${data_dir}/locks`;
}

/** A session that is ours until this is released, or the process ends. */
export class SessionLock {
  constructor(private readonly db: DatabaseSync) {}

  /** Null if another process has the session. Throws if the folder cannot be written, or the disk is full. */
  static take(data_dir: string, uuid: string): SessionLock | null {
    const file = `${lock_folder(data_dir)}/${uuid}`;
    for (;;) {
      try {
        Deno.mkdirSync(lock_folder(data_dir), { recursive: true, mode: 0o700 });
        Deno.openSync(file, { write: true, create: true, mode: 0o600 }).close();
      } catch (error) {
        throw new Error(`${file} can't be written: ${why(error)}`, { cause: error });
      }
      const inode = file_inode(file);
      const lock = locked(file);
      if (lock === null) return null;
      // Taken away between the two: nobody else would see this lock.
      if (inode !== null && inode === file_inode(file)) return lock;
      lock.release();
    }
  }

  /** Lets go. The file stays: by then this thread may take none away. */
  release(): void {
    this.db.close();
  }
}

export function is_running(data_dir: string, uuid: string): boolean {
  const file = `${lock_folder(data_dir)}/${uuid}`;
  if (file_inode(file) === null) return false;
  // Nobody is known to be; whoever wants it will hear why it can't be had.
  return attempt(() => {
    const lock = locked(file);
    lock?.release();
    return lock === null;
  }, false);
}

/** Removes lock files that nobody holds, unless `clear`, which gets a session's id while it is locked, says that not all is cleared. */
export function clear_locks(data_dir: string, clear: (uuid: string) => boolean = () => true): void {
  // No folder, or another process was quicker.
  attempt(() => {
    for (const { name } of Deno.readDirSync(lock_folder(data_dir))) {
      const file = `${lock_folder(data_dir)}/${name}`;
      const lock = locked(file);
      if (lock === null) continue;
      if (clear(name)) Deno.removeSync(file);
      lock.release();
    }
  });
}

/** A lock is a file beside the other: there may be no room for it. Node's SQLite tells no numbers. */
const NO_ROOM = /disk is full|disk I\/O error/;

/** Null also if the file is closed to us, as one that `sudo hamr` has left: who knows who has it. */
function locked(file: string): SessionLock | null {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file);
    db.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
    return new SessionLock(db);
  } catch (error) {
    db?.close();
    if (NO_ROOM.test(message_of(error))) throw error;
    return null;
  }
}

export function file_inode(file: string): number | null {
  return attempt(() => Deno.lstatSync(file).ino, null);
}
