/** `hamr resume`, and `run` with --continue or --resume: a saved session goes on. */
import { load_session, restore } from "../agent/restore.ts";
import { quote } from "../config/text.ts";
import { type DatabaseSync, open_database, StoreError } from "../store/database.ts";
import type { SessionLock } from "../store/session_lock.ts";
import { find_session, list_sessions, rows_in, type SessionInfo } from "../store/sessions.ts";
import { type Parsed, UsageError } from "./args.ts";
import { StartError } from "./error.ts";
import type { Io } from "./io.ts";
import { type SavedRun, with_saved } from "./saved_flags.ts";
import { taken } from "./saved_sessions.ts";
import { place } from "./settings.ts";
import type { Resumed } from "./start_options.ts";

/** A word that can only be an id, or the beginning of one. */
const ID = /^(?=.*\d)[0-9a-f][0-9a-f-]{3,35}$/i;

/** Which session is to go on, and what the person says more; empty for nothing. */
export interface Wanted {
  /** Null: the newest of the workspace. */
  readonly id: string | null;
  readonly more: string;
}

/** Runs with these arguments, from where the session was. */
type Perform = (
  parsed: Parsed,
  io: Io,
  more: { readonly task: string; readonly resumed: Resumed },
) => Promise<number>;

/** What the operands of `resume` mean. Throws a `UsageError`. */
export function wanted_of(operands: readonly string[]): Wanted {
  const [first, second] = operands;
  if (first === undefined) return { id: null, more: "" };
  if (second !== undefined) return { id: first, more: second };
  return ID.test(first) ? { id: first, more: "" } : { id: null, more: first };
}

/** Goes on with a session; returns the exit code. Throws `StartError`, `UsageError` and `ConfigError`. */
export async function resume(
  parsed: Parsed,
  io: Io,
  { id, more, perform }: Wanted & { readonly perform: Perform },
): Promise<number> {
  const { paths: { data_dir }, workspace } = await place(parsed, io);
  if (data_dir === null) throw new StartError("no session is saved: set HOME or HAMR_HOME");
  const db = opened(data_dir);
  let lock: SessionLock | null = null;
  try {
    const info = wanted(id, { found: id === null ? newest(db, workspace) : find_session(db, id) });
    lock = taken(data_dir, info);
    const saved = await load_session(db, info);
    if (saved === null) {
      throw new StartError(
        `session ${info.uuid} was cut off before its first step: nothing of it is there to go on with`,
      );
    }
    // What a file of somebody else's says about permissions is not asked for.
    const [run] = info.imported
      ? []
      : (await rows_in(db, { session: info.id, table: "runs", last: 1 }))
        .map(({ body }) => JSON.parse(body) as SavedRun);
    const now = run === undefined ? parsed : { ...parsed, ...with_saved(parsed, run) };
    const resumed: Resumed = {
      reopened: { db, lock, info },
      saved: { messages: saved.messages.length, ledger: saved.ledger.length },
      restore: (session) => restore(session, saved, info),
    };
    const directory = parsed.flags.directory ?? info.workspace;
    return await perform({ ...now, flags: { ...now.flags, directory } }, io, {
      task: more,
      resumed,
    });
  } catch (error) {
    lock?.release();
    throw error;
  }
}

/** The database of a data folder. Throws `StartError`. */
export function opened(data_dir: string): DatabaseSync {
  try {
    return open_database(data_dir);
  } catch (error) {
    throw error instanceof StoreError ? new StartError(error.message) : error;
  }
}

/** The newest session of a workspace. */
export function newest(db: DatabaseSync, workspace: string): SessionInfo | null {
  return list_sessions(db, { workspace, limit: 1 })[0] ?? null;
}

/** The session that was looked for. Throws `UsageError` or `StartError` where it is not there. */
export function wanted(
  id: string | null,
  { found }: { readonly found: SessionInfo | "several" | null },
): SessionInfo {
  if (found === "several") {
    throw new UsageError(`several sessions begin with ${quote(id)}; see "hamr sessions"`);
  }
  if (found !== null) return found;
  throw new StartError(
    id === null
      ? "no session of this workspace is saved; hamr sessions --all shows those of others"
      : `there is no session ${quote(id)}; see "hamr sessions"`,
  );
}
