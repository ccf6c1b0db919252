/** `hamr resume`, and `run` with --continue or --resume: a saved session goes on. */
import { load_session, restore } from "../agent/restore.ts";
import { real_or } from "../config/paths.ts";
import { one_line } from "../config/text.ts";
import type { SessionLock } from "../store/session_lock.ts";
import { end_killed_runs } from "../tools/planted/other_journals.ts";
import { rows_in, type SessionInfo } from "../store/sessions.ts";
import type { Parsed } from "./args.ts";
import { StartError } from "./error.ts";
import type { Io } from "./io.ts";
import { after_plan, type SavedRun, with_saved } from "./saved_flags.ts";
import { as_locked, named, opened, sound, taken } from "./saved_sessions.ts";
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
  { id, more, perform }: Wanted & { readonly perform: Perform },
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
        `session ${info.uuid} was cut off before its first step: nothing of it is there to go on with`,
      );
    }
    // What a file of somebody else's says about permissions is not asked for.
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

/** The session's workspace. One that a file of somebody else's names is only taken where the person is in it. */
function own_workspace({ uuid, imported, workspace }: SessionInfo, current: string): string {
  if (!imported || workspace === current) return workspace;
  throw new StartError(
    one_line(
      `session ${uuid} came out of a file, which says that its workspace is ${workspace}: ` +
        "say with -C in which folder it is to go on",
    ),
  );
}
