/** `hamr resume`, and `run` with --continue or --resume: a saved session goes on. */
import { load_session, restore } from "../agent/saving/restore.ts";
import { real_or } from "../config/paths.ts";
import { one_line } from "../config/text.ts";
import type { SessionLock } from "../store/session_lock.ts";
import { end_killed_runs } from "../persistence_guard/other_journals.ts";
import { rows_in, type SessionInfo } from "../store/sessions.ts";
import type { Parsed } from "./args/args.ts";
import { StartError } from "../app/start_error.ts";
import type { Io } from "./base/io.ts";
import { after_plan, type SavedRun, with_saved } from "../app/saved_flags.ts";
import { as_locked, named, opened, sound, taken } from "./sessions/saved_sessions.ts";
import type { Resumed } from "../app/start_options.ts";

/** A word that can only be an id, or the beginning of one. */
const ID = /^(?=.*\d)[0-9a-f][0-9a-f-]{3,35}$/i;

/** Which session is to go on, and what the user says more; empty for nothing. */
export interface WantedSession {
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

/** Which session the operands of `resume` mean, null for the newest, and what they say more; `-` is standard input. */
export function wanted_of(
  operands: readonly string[],
): { readonly id: string | null; readonly words: readonly string[] } {
  const [first = "", second = "-"] = operands;
  return ID.test(first) || second !== "-"
    ? { id: first, words: operands.slice(1) }
    : { id: null, words: operands };
}

/** Goes on with a session; returns the exit code. Throws `StartError`, `UsageError` and `ConfigError`. */
export async function resume(
  parsed: Parsed,
  io: Io,
  { id, more, perform }: WantedSession & { readonly perform: Perform },
): Promise<number> {
  const saved_here = await opened(parsed, io);
  const { db, data_dir, workspace } = saved_here;
  let lock: SessionLock | null = null;
  let ended: readonly string[] = [];
  try {
    const found = named(saved_here, id ?? undefined);
    lock = taken(data_dir, found);
    const info = as_locked(db, found);
    const saved = await sound(info, () => load_session(db, info));
    if (saved === null) {
      throw new StartError(
        `session ${info.uuid} was cut off before its first step: there is nothing to continue`,
      );
    }
    // What a file of someone else's says about permissions is not asked for.
    const now = info.imported ? parsed : await sound(info, async () => {
      const [run] = await rows_in(db, { session: info.id, table: "runs", last: 1 });
      if (run === undefined) return parsed;
      const then = JSON.parse(run.body) as SavedRun;
      const overrides = after_plan(parsed.overrides, then);
      return { ...parsed, ...with_saved({ ...parsed, overrides }, then) };
    });
    const directory = parsed.flags.directory ?? own_workspace(info, workspace);
    // Nothing else may be at work there, nor in the run's own folders.
    ended = end_killed_runs({ data_dir, workspace: real_or(directory) });
    if (info.stop_reason === null) {
      ended = ["the last run of this session was killed: it has no result", ...ended];
    }
    const resumed: Resumed = {
      reopened: { db, lock, info },
      warnings: ended,
      saved: { messages: saved.messages.length, ledger: saved.ledger.length },
      restore: (session) => restore(session, saved, info),
    };
    return await perform({ ...now, flags: { ...now.flags, directory } }, io, {
      task: more,
      resumed,
    });
  } catch (error) {
    // No run has begun that could say it.
    for (const line of ended) io.err(`hamr: ${line}\n`);
    lock?.release();
    throw error;
  }
}

/** The session's workspace. One that a file of someone else's names is only taken where the user is in it. */
function own_workspace({ uuid, imported, workspace }: SessionInfo, current: string): string {
  if (!imported || workspace === current) return workspace;
  throw new StartError(
    one_line(
      `session ${uuid} was imported, and says that its workspace is ${workspace}: ` +
        "give the folder to continue in with -C",
    ),
  );
}
