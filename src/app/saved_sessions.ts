/** Finds saved sessions, and the one that is meant. */
import { or_throw } from "../config/attempt.ts";
import { OutputError, StartError } from "../config/error.ts";
import { real_or, real_or_null, why } from "../config/paths.ts";
import { one_line, quote } from "../config/text.ts";
import {
  type DatabaseSync,
  is_busy,
  open_database,
  read_database,
  StoreError,
} from "../store/database.ts";
import { SessionLock } from "../store/session_lock.ts";
import {
  find_session,
  list_sessions,
  session_of_id,
  session_rows,
  type SessionInfo,
} from "../store/sessions.ts";
import type { SavedRun } from "./saved_flags.ts";
import { type Environment, load_settings } from "./settings.ts";

/** What the commands work on; disposing of it closes the database. */
export interface SavedSessions extends Disposable {
  readonly db: DatabaseSync;
  readonly data_dir: string;
  /** Real path. */
  readonly workspace: string;
}

/** Opens the database. Throws `StartError` or `ConfigError`. */
export async function opened(
  asked: Parameters<typeof load_settings>[0],
  io: Environment,
): Promise<SavedSessions> {
  const { paths: { data_dir }, workspace } = await load_settings(asked, io);
  if (data_dir === null) throw new StartError("no place for sessions: set HOME or HAMR_HOME");
  const db = database(data_dir);
  return { db, data_dir, workspace, [Symbol.dispose]: () => db.close() };
}

/** One that can't be written can be read: a folder of another machine's, a backup. */
function database(data_dir: string): DatabaseSync {
  try {
    return open_database(data_dir);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const db = is_busy(error) ? null : read_database(data_dir);
    if (db === null) throw error;
    return db;
  }
}

/** The session whose id begins so; without one, the newest of the workspace, for what is `said` to it. Throws `StartError`. */
export function named_session(
  { db, workspace }: SavedSessions,
  id: string | undefined,
  said = "",
): SessionInfo {
  if (id === undefined) {
    const [newest] = list_sessions(db, { workspace, limit: 1 });
    if (newest !== undefined) return newest;
    // It may have been meant as an ID.
    const for_that = said === "" ? "" : ` to continue with ${quote(said)}`;
    throw new StartError(`this workspace has no saved session${for_that}; see hamr sessions --all`);
  }
  const found = find_session(db, id);
  if (found === null) throw new StartError(`there is no session ${quote(id)}; see "hamr sessions"`);
  if (found !== "several") return found;
  throw new StartError(`several sessions begin with ${quote(id)}; see "hamr sessions"`);
}

/** A run of a session as it began, after so many steps. */
export type BegunRun = SavedRun & { readonly step: number };

/** The runs of a session, in their order; with `last`, so many of the last. Rejects where a row is damaged. */
export async function runs_of(
  db: DatabaseSync,
  session: number,
  how: { readonly last?: number } = {},
): Promise<readonly BegunRun[]> {
  const rows = await session_rows(db, { session, table: "runs", ...how });
  return rows.map(({ step, body }) => ({ ...JSON.parse(body) as SavedRun, step }));
}

/** Where a session works. Throws `StartError` if that folder is not there. */
export function workspace_there({ uuid, workspace }: SessionInfo): string {
  if (real_or_null(workspace) !== null) return workspace;
  const gone = one_line(`${workspace}, where session ${uuid} works, is not there`);
  throw new StartError(`${gone}: if it was moved, name the folder with -C`);
}

/** Whether a session's files may be in a folder: its own, or any if that is gone, or a link to it, as after a move. */
export function may_be_in({ workspace }: SessionInfo, directory: string): boolean {
  const real = real_or(directory);
  return real === workspace ||
    (directory !== workspace && [null, real].includes(real_or_null(workspace)));
}

export function not_in({ uuid, workspace }: SessionInfo, directory: string): string {
  return one_line(`session ${uuid} works in ${workspace}, not in ${real_or(directory)}`);
}

/** A session as it is now that nobody else can work on it: someone may have, or removed it, since it was found. */
export function as_locked(db: DatabaseSync, { uuid }: SessionInfo): SessionInfo {
  const found = session_of_id(db, uuid);
  if (found !== null) return found;
  throw new StartError(`session ${uuid} was removed by another process`);
}

/** Takes a session for this process. Throws `StartError` if another one has it, which says what can be done `besides`. */
export function lock_session(data_dir: string, { uuid }: SessionInfo, besides = ""): SessionLock {
  const lock = or_throw(
    () => SessionLock.take(data_dir, uuid),
    (error) => new StartError(`session ${uuid} can't be locked: ${one_line(why(error))}`),
  );
  if (lock !== null) return lock;
  throw new StartError(
    `session ${uuid} is open in another process, a run, a chat or an editor: end it there first${besides}`,
  );
}

/** What is read of a session. Throws `StartError` if that fails: it may be damaged, or imported from any file. */
export async function sound<T>(
  { uuid }: Pick<SessionInfo, "uuid">,
  read: () => T | Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const says_nothing_of_it = error instanceof StartError || error instanceof OutputError;
    if (says_nothing_of_it || is_busy(error)) throw error;
    throw new StartError(`session ${uuid} is damaged, and can't be read: ${one_line(why(error))}`);
  }
}
