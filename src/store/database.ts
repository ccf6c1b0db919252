/** The database. The main thread opens it before it gives up the right to write; an open file keeps working. */
import { attempt, or_throw } from "../config/attempt.ts";
import { DatabaseSync } from "node:sqlite";
import { StartError } from "../config/error.ts";
import { why } from "../config/paths.ts";
import { stat_or_null } from "../permission/paths.ts";
import { MEMORY_SCHEMA } from "./memory_schema.ts";
import { SESSION_SCHEMA } from "./session_schema.ts";
import { database_file, make_database_file, note_opened } from "./memory_index.ts";
import { sleep_sync } from "../config/within.ts";

export type { DatabaseSync };

/** Why nothing can be kept, in one line for the user. */
export class StoreError extends StartError {
  constructor(message: string, options: ErrorOptions = {}) {
    super(message);
    Object.assign(this, options);
  }
}

/** Each migrates from version N, its index, to N + 1. A released one is never changed: a new step is added at the end. */
const MIGRATIONS: readonly string[] = [MEMORY_SCHEMA, SESSION_SCHEMA];

/** Milliseconds to wait for another process that writes: its transactions take a few. */
const BUSY_MS = 5000;
/** How long a run waits for it, whose thread has more to do than to wait: it tries again. */
const RUN_BUSY_MS = 100;
/** Milliseconds between two tries. */
const AGAIN_MS = 50;

/** Lets a database of a run wait no longer than its thread may stand still; `at_once`: not at all. */
export function hurry(db: DatabaseSync, at_once = false): void {
  db.exec(`PRAGMA busy_timeout = ${at_once ? 0 : RUN_BUSY_MS}`);
}

/** Whether another process has the database: later it may be free. */
export function is_busy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  // SQLite's words for SQLITE_BUSY: Deno 2.9.6 does not give its code.
  return error.message === "database is locked" || is_busy(error.cause);
}

/** SQLite's words for what is the disk's, a limit's (`ulimit -f`) or a right's: another file would meet the same. */
const NOT_DAMAGED =
  /\b(?:disk I\/O error|disk is full|readonly database|unable to open|out of memory)\b/;

/** Does `work`, again and again for at most `ms` while another process has the database. The thread is free in the meantime. */
export async function patiently<T>(ms: number, work: () => T | Promise<T>): Promise<T> {
  const until = performance.now() + ms;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!is_busy(error) || performance.now() >= until) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
  }
}

/**
 * Opens the database of a data folder and brings it up to date; makes it where there is none.
 * @throws {StoreError} where it cannot be written, is damaged, or was written by a newer program.
 */
export function open_database(data_dir: string, busy_ms = BUSY_MS): DatabaseSync {
  const file = database_file(data_dir);
  or_throw(
    () => make_database_file(data_dir),
    (error) => new StoreError(`${file} can't be written: ${why(error)}`),
  );
  let db: DatabaseSync | undefined;
  try {
    note_opened(data_dir);
    db = new DatabaseSync(file);
    // WAL: readers do not wait for a writer. NORMAL: a killed process loses nothing, a power cut the last moments.
    // A file may come from someone else: what its schema says is not trusted to call functions.
    db.exec(`PRAGMA busy_timeout = ${busy_ms}`);
    use_wal(db, busy_ms);
    db.exec("PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF");
    migrate(db, file);
    return db;
  } catch (error) {
    db?.close();
    if (error instanceof StoreError) throw error;
    if (is_busy(error)) {
      // SQLite calls it busy, too, where the system has no locks (ENOLCK): it never gets free.
      if (!has_locks(data_dir)) {
        throw new StoreError(
          `${file} can't be used: the file system of ${data_dir} refuses locks on files; ` +
            "set HAMR_HOME to a folder on a disk of this machine",
        );
      }
      throw new StoreError(`${file} is locked by another process`, { cause: error });
    }
    throw new StoreError(`${file} ${unusable(error)}`, { cause: error });
  }
}

/** The database of a folder in which nothing can be written, to be read; null if there is none, or what was written last still stands beside it. */
export function read_database(data_dir: string): DatabaseSync | null {
  const file = database_file(data_dir);
  if (!stat_or_null(file)?.isFile || (stat_or_null(`${file}-wal`)?.size ?? 0) > 0) return null;
  return attempt(() => {
    const path = encodeURI(file).replace(/[?#]/g, encodeURIComponent);
    const db = new DatabaseSync(`file:${path}?immutable=1`, { readOnly: true });
    if (version_of(db, file) === MIGRATIONS.length) return db;
    db.close();
    return null;
  }, null);
}

/** What SQLite says of a database that was open by then, in words for a person; null of any other error. */
export function sqlite_fault(error: unknown): string | null {
  const is_own = error instanceof Error && "code" in error && error.code === "ERR_SQLITE_ERROR";
  if (!is_own) return null;
  const where = "the database (hamr config path shows its folder)";
  return is_busy(error) ? `${where} is locked by another process` : `${where} ${unusable(error)}`;
}

function unusable(error: unknown): string {
  // Behind SQLite's words stands the statement, which has many lines.
  const reason = why(error).split("\n", 1)[0]!.replace(/ in $/, "");
  const damaged = NOT_DAMAGED.test(reason) ? "" : "; move it away to start a new one";
  // What SQLite calls it where there is no room for the files beside the database, or `sudo hamr` has left one.
  const advice = /disk I\/O error|unable to open/.test(reason)
    ? "; is its disk full, or a file beside it another user's?"
    : damaged;
  return `can't be used: ${reason}${advice}`;
}

/** Folders whose files can be locked, as far as was asked. */
const lockable = new Set<string>();

/** Whether files in this folder can be locked: a new one that nobody else knows of can't be where none can. */
function has_locks(data_dir: string): boolean {
  if (lockable.has(data_dir)) return true;
  const file = `${data_dir}/${crypto.randomUUID()}`;
  let db: DatabaseSync | undefined;
  try {
    Deno.openSync(file, { write: true, createNew: true, mode: 0o600 }).close();
    db = new DatabaseSync(file);
    db.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE; ROLLBACK");
    lockable.add(data_dir);
    return true;
  } catch (error) {
    return !is_busy(error);
  } finally {
    db?.close();
    // It may never have been made.
    attempt(() => Deno.removeSync(file));
  }
}

/** SQLite waits for no other process that is making the same step just now: it says at once that the database is locked. */
function use_wal(db: DatabaseSync, busy_ms: number): void {
  const until = performance.now() + busy_ms;
  for (;;) {
    try {
      return db.exec("PRAGMA journal_mode = WAL");
    } catch (error) {
      if (!is_busy(error) || performance.now() >= until) throw error;
    }
    sleep_sync(AGAIN_MS);
  }
}

/** A database of the same form that is in no file and is gone when it is closed. */
export function open_scratch(): DatabaseSync {
  const db = new DatabaseSync(":memory:");
  migrate(db, "memory");
  return db;
}

/** Does `work` as a whole or not at all, with no other writer in between. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec("BEGIN IMMEDIATE");
  try {
    const value = work();
    db.exec("COMMIT");
    return value;
  } catch (error) {
    // A full disk or a damaged file has ended the transaction already.
    if (db.isTransaction) db.exec("ROLLBACK");
    throw error;
  }
}

function migrate(db: DatabaseSync, file: string): void {
  if (version_of(db, file) === MIGRATIONS.length) return;
  transaction(db, () => {
    // Another process may have done it in the meantime.
    for (const step of MIGRATIONS.slice(version_of(db, file))) db.exec(step);
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`);
  });
}

function version_of(db: DatabaseSync, file: string): number {
  const version = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (version <= MIGRATIONS.length) return version;
  throw new StoreError(
    `${file} was written by a newer hamr (format ${version}, this one knows ${MIGRATIONS.length}): ` +
      "update hamr, or set HAMR_HOME to another folder",
  );
}
