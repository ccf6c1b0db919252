/** Opens a saved session to continue it. */
import { load_session, restore, type SavedSession } from "../agent/saving/restore.ts";
import { without_internal } from "../agent/history.ts";
import { real_or } from "../config/paths.ts";
import { one_line } from "../config/text.ts";
import { end_killed_runs } from "../persistence_guard/other_journals.ts";
import type { DatabaseSync } from "../store/database.ts";
import type { SessionLock } from "../store/session_lock.ts";
import type { SessionInfo } from "../store/sessions.ts";
import { changed_paths } from "../tools/ledger.ts";
import { after_plan, after_review, type AskedRun, rights_kept, with_saved } from "./saved_flags.ts";
import {
  as_locked,
  type BegunRun,
  lock_session,
  may_be_in,
  named_session,
  not_in,
  opened,
  runs_of,
  sound,
  workspace_there,
} from "./saved_sessions.ts";
import type { Environment } from "./settings.ts";
import type { Resumed } from "./run_options.ts";
import { StartError } from "../config/error.ts";

export interface Fork {
  /** All before the user's message of this number, from 0. Absent: all. */
  readonly before?: number;
}

interface Reopening extends AskedRun {
  readonly resumed: Resumed;
  /** Lets go of it, where no run has begun that would. Gives what there was to say of it. */
  give_up(): readonly string[];
}

const CUT_OFF = "the last run of this session was killed, or its end could not be saved";
const NOTHING = { messages: [], ledger: [] };

/** Opens the session whose id begins so, or the newest of the workspace, and ends what killed runs left running. Throws `StartError`, `ConfigError`. */
export async function reopen(asked: AskedRun, io: Environment, { id, said, tell, fork = null }: {
  id: string | null;
  /** What the user says to it; empty for nothing. */
  said?: string;
  tell: (line: string) => void;
  /** Goes on as another session, which begins with what was said there. Null: as the same one. */
  fork?: Fork | null;
}): Promise<Reopening> {
  const saved_here = await opened(asked, io);
  const { db, data_dir, workspace } = saved_here;
  let lock: SessionLock | null = null;
  let ended: readonly string[] = [];
  try {
    const found = named_session(saved_here, id ?? undefined, said);
    const copied = `; --fork ${found.uuid} goes on with a copy`;
    if (fork === null) lock = lock_session(data_dir, found, copied);
    const info = as_locked(db, found);
    const saved = await sound(info, () => load_session(db, info));
    if (saved === null) {
      throw new StartError(
        `session ${info.uuid} was cut off before its first step: there is nothing to continue`,
      );
    }
    const now = await sound(info, () => as_then(asked, { db, info, said, tell }));
    const directory = asked.flags.directory ?? own_workspace(info, workspace);
    if (fork === null) stay(info, directory);
    // Nothing else may be at work there, nor in the run's own folders.
    ended = [
      ...(info.stop_reason === null && fork === null ? [CUT_OFF] : []),
      ...end_killed_runs({ data_dir, workspace: real_or(directory) }),
      ...(info.imported && fork === null
        ? [
          "what changes from here on can't be undone, as the session was imported: " +
          `hamr run --fork ${info.uuid} goes on in one that is your own`,
        ]
        : []),
    ];
    const kept = fork === null ? saved : forked(saved, fork, await runs_of(db, info.id));
    const held = lock;
    if (held === null) db.close();
    // A copy is a session that has nothing saved yet.
    const there = held === null ? NOTHING : kept;
    return {
      flags: { ...now.flags, directory },
      overrides: now.overrides,
      resumed: {
        reopened: held && { db, lock: held, info },
        written: changed_paths(held === null ? [] : saved.ledger),
        warnings: ended,
        saved: { messages: there.messages.length, ledger: there.ledger.length },
        restore: (session) => restore(session, kept, info),
      },
      give_up() {
        held?.release();
        return ended;
      },
    };
  } catch (error) {
    ended.forEach(tell);
    lock?.release();
    throw error;
  }
}

/** What is asked for, and where nothing is said now, what the session was started with; a plan is carried out, and what a review found is worked on. */
async function as_then(
  asked: AskedRun,
  { db, info, said, tell }: {
    db: DatabaseSync;
    info: SessionInfo;
    said: string | undefined;
    tell: (line: string) => void;
  },
): Promise<AskedRun> {
  // What a file of someone else's says about permissions is not asked for.
  if (info.imported) return asked;
  const [last] = await runs_of(db, info.id, { last: 1 });
  if (last === undefined) return asked;
  const then = said === "" ? last : after_review(last) ?? last;
  if (then !== last && !asked.flags.quiet) {
    tell("goes on after the review, with the rights of any other session");
  }
  const now = with_saved({ ...asked, overrides: after_plan(asked.overrides, then) }, then);
  const rights = rights_kept(asked, now, then);
  if (rights.length > 0 && !asked.flags.quiet) {
    tell(`continues with ${rights.join(" ")}, as the session was started`);
  }
  return now;
}

/** The part of a session that another one begins with. Throws `StartError` if the message is gone. */
function forked(saved: SavedSession, { before }: Fork, runs: readonly BegunRun[]): SavedSession {
  if (before === undefined) return saved;
  const said = all_said(saved, runs);
  const at = place_of_message(saved, before, said);
  if (at === null) {
    throw new StartError("that message is part of a summary now: rewind to a later one");
  }
  const step = said[before]?.step ?? Infinity;
  return {
    ...saved,
    messages: saved.messages.slice(0, at),
    ledger: saved.ledger.filter((row) => row.step <= step),
    actions: [],
  };
}

/** What the user said, and after how many steps. */
interface SaidThere extends Pick<BegunRun, "task" | "step"> {
  /** Milliseconds since 1970; null: in the session that this one was copied from. */
  readonly at_ms: number | null;
}

/** All that the user said in a session, also in one that it was copied from: that has no runs of its own there. */
export function all_said(saved: SavedSession, runs: readonly BegunRun[]): readonly SaidThere[] {
  const begin = place_of_message(saved, 0, runs) ?? 0;
  let step = 0;
  const copied: SaidThere[] = [];
  for (const message of saved.messages.slice(0, begin)) {
    if (message.role === "assistant") step++;
    if (message.role !== "user" || message.internal) continue;
    const task = without_internal(message.content);
    if (task !== "") copied.push({ task, step, at_ms: null });
  }
  return [...copied, ...runs];
}

/** Where among the messages of a session the user's of this number stands; null where it is part of a summary. */
export function place_of_message(
  saved: SavedSession,
  before: number,
  said: readonly Pick<SaidThere, "task">[],
): number | null {
  // From the last one back: what was said twice is told apart by its place.
  let at = saved.messages.length;
  for (const { task } of said.slice(before).toReversed()) {
    if (task === "") continue;
    at = saved.messages.findLastIndex((message, place) =>
      place < at && message.role === "user" && message.content.startsWith(task)
    );
    if (at < 0) break;
  }
  return at <= saved.opening.length - 1 ? null : at;
}

/** The session's workspace. One that a file of someone else's names is only taken where the user is in it. */
function own_workspace(info: SessionInfo, current: string): string {
  const { uuid, imported, workspace } = info;
  if (!imported || workspace === current) return workspace_there(info);
  throw new StartError(
    one_line(
      `session ${uuid} was imported, and says that its workspace is ${workspace}: ` +
        "give the folder to continue in with -C",
    ),
  );
}

/** Refuses another folder, unless the session's is gone, or a link to it, as after a move: undo goes by paths, and would take files of one for those of the other. */
function stay(info: SessionInfo, directory: string): void {
  if (info.imported || may_be_in(info, directory)) return;
  throw new StartError(
    `${not_in(info, directory)}: hamr run --fork ${info.uuid} goes on with a copy of it here`,
  );
}
