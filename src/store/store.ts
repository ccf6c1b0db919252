/** The database as one run uses it: opened once, for what outlasts the run and for the run itself. */
import { why } from "../config/paths.ts";
import { later } from "../config/timer.ts";
import { type DatabaseSync, hurry, open_database, patiently, StoreError } from "./database.ts";
import { type Memory, open_memory } from "./memory.ts";
import { lacking } from "./memory_index.ts";
import { Recorder, type RecorderOptions } from "./recorder.ts";
import { clear_locks, SessionLock } from "./session_lock.ts";
import { type NewSession, SessionWriter } from "./session_writer.ts";
import type { SessionInfo } from "./sessions.ts";

export interface Store {
  readonly db: DatabaseSync;
  /** Real path. */
  readonly workspace: string;
  /** Null if it is switched off. */
  readonly memory: Pick<Memory, "search" | "save" | "list"> | null;
  /** Null if the run is not saved. */
  readonly session: SessionWriter | null;
  /** Where the run writes down what it changes; null if it is not saved. */
  readonly recorder: Recorder | null;
  close(): void;
}

/** A session that was opened to continue with it. */
export interface Reopened {
  readonly db: DatabaseSync;
  readonly lock: SessionLock;
  readonly info: SessionInfo;
}

interface Opening {
  readonly data_dir: string;
  readonly workspace: string;
  readonly memory: boolean;
  /** The session that the run is saved as; null: it is not. */
  readonly session: NewSession | Reopened | null;
  readonly step: () => number;
  /** Clears what a session that nobody works on has left; whether that is all. Absent: nothing is looked for. */
  readonly clear?: (uuid: string) => boolean;
}

/** Opens what a run needs; null if none of it opens, and `warn` hears why. Waits for another process. */
export async function open_store(
  options: Opening,
  warn: (message: string) => void,
): Promise<Store | null> {
  const waits = `another process holds the database of ${options.data_dir}: waiting for it, ` +
    `${OPEN_MS / 1000} s at most`;
  const over = later(SAID_MS, () => warn(waits));
  try {
    return await patiently(OPEN_MS, () => opened_store(options, warn));
  } catch (error) {
    const { session } = options;
    if (session !== null && "db" in session) {
      session.db.close();
      session.lock.release();
    }
    const off = lacking({ memory: options.memory, save: session !== null });
    warn(`${off}: ${error instanceof StoreError ? error.message : why(error)}`);
    return null;
  } finally {
    over();
  }
}

/** The database of a run that has ended, for the next run of its session in the same process. */
export function reopened(store: Store, options: RecorderOptions): Store {
  const { db, session } = store;
  return session === null ? store : { ...store, recorder: new Recorder(db, session, options) };
}

/** Milliseconds that a run waits at its start for another process; what is not open by then is not saved. */
const OPEN_MS = 30_000;
/** After this long it says what it waits for. */
const SAID_MS = 3000;

function opened_store(options: Opening, warn: (message: string) => void): Store {
  const { data_dir, session, clear } = options;
  let fresh: { db: DatabaseSync; lock: SessionLock | null } | null = null;
  try {
    const { db, lock } = session !== null && "db" in session
      ? session
      : fresh = { db: open_database(data_dir, 0), lock: lock_of(data_dir, { session, clear }) };
    hurry(db);
    const memory = options.memory ? open_memory(options, warn, db) : null;
    const writer = session === null
      ? null
      : "db" in session
      ? SessionWriter.resume(db, session.info, options.workspace)
      : SessionWriter.begin(db, session);
    return {
      db,
      workspace: options.workspace,
      memory,
      session: writer,
      recorder: writer === null ? null : new Recorder(db, writer, { step: options.step, warn }),
      close() {
        memory?.close();
        db.close();
        lock?.release();
      },
    };
  } catch (error) {
    fresh?.db.close();
    fresh?.lock?.release();
    throw error;
  }
}

function lock_of(
  data_dir: string,
  { session, clear }: { session: NewSession | null; clear: Opening["clear"] },
): SessionLock | null {
  if (session === null) return null;
  clear_locks(data_dir, clear);
  return SessionLock.take(data_dir, session.uuid);
}
