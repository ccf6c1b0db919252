/** The files that a session has changed: what `hamr diff` and `hamr undo` both start from. */
import { one_line } from "../config/text.ts";
import { settle } from "../permission/settle.ts";
import { events_of, type Run, runs_of } from "../store/changes.ts";
import { content_of, has_content } from "../store/contents.ts";
import type { DatabaseSync } from "../store/database.ts";
import { type FileState, SOMETHING } from "../store/file_state.ts";
import { type Left, left_by_all, left_by_step } from "../store/left.ts";
import { is_running, type SessionLock } from "../store/session_lock.ts";
import type { SessionInfo } from "../store/sessions.ts";
import { HatchError } from "../tools/failure.ts";
import { Hatch } from "../tools/hatch.ts";
import { NO_RESULTS } from "../tools/limits.ts";
import type { UndoAnswers, UndoRequest } from "../tools/undo_protocol.ts";
import { type Parsed, UsageError } from "./args.ts";
import { StartError } from "./error.ts";
import type { Io } from "./io.ts";
import { enforceable_policy } from "./policy.ts";
import { as_locked, named, opened, sound, taken } from "./saved_sessions.ts";
import { type Place, place } from "./settings.ts";

/** Asks the tools worker, which alone touches the workspace. */
export type Ask = <R extends UndoRequest>(request: R) => Promise<UndoAnswers[R["kind"]]>;

/** A session with what it has left. */
export interface SessionFiles {
  readonly db: DatabaseSync;
  readonly info: SessionInfo;
  readonly runs: readonly Run[];
  readonly left: readonly Left[];
  readonly ask: Ask;
  /** What is not looked at, and so not put back, in words. */
  readonly not_covered: readonly string[];
}

/** Names shown of what is not looked at. */
const MOST_NAMES = 20;

/** Does `work` on the session that the arguments name. Throws `StartError`, `UsageError` and `ConfigError`. */
export async function with_session<T>(
  parsed: Parsed,
  io: Io,
  { lock, work }: {
    /** Nobody else may work on it meanwhile. */
    readonly lock: boolean;
    readonly work: (files: SessionFiles) => Promise<T>;
  },
): Promise<T> {
  const saved = await opened(parsed, io);
  const { db, data_dir } = saved;
  let held: SessionLock | null = null;
  try {
    const info = named(saved, parsed.operands[0]);
    refuse(info, parsed);
    const directory = parsed.flags.directory ?? info.workspace;
    const there = await place({ ...parsed, flags: { ...parsed.flags, directory } }, io);
    if (lock) {
      held = taken(data_dir, info);
      as_locked(db, info);
    }
    const running = !lock && is_running(data_dir, info.uuid);
    const runs = await sound(info, () => runs_of(db, info.id));
    const cut_off = !running && runs.at(-1)?.ended === false;
    return await with_worker({ place: there, parsed, io, cut_off, lock }, async (ask) => {
      const now = cut_off ? await ask({ kind: "survey" }) : null;
      const { step } = parsed.flags;
      const left = await sound(info, () => {
        const events = events_of(runs, now);
        return step === undefined ? left_by_all(events) : left_by_step(events, step);
      });
      const not_covered = passed_by(runs, await ask({ kind: "passed" }));
      return await work({ db, info, runs, left, ask, not_covered });
    });
  } finally {
    db.close();
    held?.release();
  }
}

/** What a state held, if it is kept in the store or in git; null where it is not. */
export async function contents_of(
  { db, runs, ask }: Pick<SessionFiles, "db" | "runs" | "ask">,
  states: readonly (FileState | null)[],
): Promise<readonly (Uint8Array | null)[]> {
  const hashes = states.flatMap((state) => state?.hash ?? []);
  const in_git = new Map<string, string>();
  const missing = new Set(hashes.filter((hash) => !has_content(db, hash)));
  for (const { listing } of missing.size === 0 ? [] : runs) {
    for (const [, , hash, id] of listing.files) {
      if (id !== undefined && hash !== null && missing.has(hash)) in_git.set(hash, id);
    }
  }
  const ids = [...new Set(in_git.values())];
  const blobs = ids.length === 0 ? [] : await ask({ kind: "blobs", ids });
  const found: (Uint8Array | null)[] = [];
  for (const state of states) {
    const hash = state?.hash ?? null;
    const id = hash === null ? undefined : in_git.get(hash);
    if (id !== undefined) found.push(blobs[ids.indexOf(id)] ?? null);
    // One that is damaged is as one that is missing, and the others are there all the same.
    else found.push(hash === null ? null : await content_of(db, hash).catch(() => null));
  }
  return found;
}

/** Why a file is none that can be put back; null where it may be. */
export function beyond_reach({ path }: Left): string | null {
  return path.startsWith("/") ? "it lies outside of the workspace" : null;
}

/** Why there is nothing to put back of a state. */
export function why_missing(
  { db, runs }: Pick<SessionFiles, "db" | "runs">,
  state: FileState | null,
): string {
  if (state?.mode === SOMETHING.mode) return "it may have been there before, where nobody looked";
  if (has_content(db, state?.hash ?? "")) return "what was kept of it is damaged";
  const is_in_git = runs.some(({ listing }) =>
    listing.files.some(([, , hash, id]) => id !== undefined && hash === state?.hash)
  );
  return is_in_git ? "what it held was left to git, which has lost it" : NOT_KEPT;
}

/** What is said of a content that was not kept. */
export const NOT_KEPT = "what it held is not kept: it is larger than 10 MB, or one of too many";

/** A path on a line of its own. */
export function shown(path: string): string {
  return one_line(path);
}

function refuse({ uuid, imported, steps }: SessionInfo, { command, flags }: Parsed): void {
  if (imported) {
    const [work] = command.split(" ");
    throw new StartError(
      `session ${uuid} came out of a file: what it changed is not here, hamr ${work} can't tell`,
    );
  }
  if (flags.step !== undefined && flags.step > steps) {
    throw new UsageError(`--step ${flags.step}: session ${uuid} has ${steps} steps`);
  }
}

/** Reaches the workspace and nothing else, whatever the settings allow to commands. */
async function with_worker<T>(
  { place, parsed, io, cut_off, lock }: {
    readonly place: Place;
    readonly parsed: Parsed;
    readonly io: Io;
    /** The session's last run was killed. */
    readonly cut_off: boolean;
    /** Nobody else may work on the session, nor anything that it has left. */
    readonly lock: boolean;
  },
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  const permissions = { ...place.settings.permissions, write: [], net: "none", env: [] } as const;
  const open = { ...permissions, read: "all", run: "all" } as const;
  const { policy } = await enforceable_policy(
    { ...place, settings: { ...place.settings, permissions: open } },
    { flags: parsed.flags, io, session_id: `${parsed.command}-${crypto.randomUUID()}` },
  );
  const warn = (message: string) => io.err(`hamr: ${message}\n`);
  const hatch = new Hatch(settle({ ...policy, read: [] }), {
    limits: NO_RESULTS,
    bash_timeout_s: 0,
    watch: { data_dir: place.paths.data_dir, warn, cut_off },
    undo: true,
  });
  try {
    if (lock && hatch.survivors > 0 && !parsed.flags.force) {
      throw new StartError(
        `nothing is undone while ${hatch.survivors === 1 ? "it runs" : "they run"}: ` +
          `end ${hatch.survivors === 1 ? "it" : "them"} first, or use --force`,
      );
    }
    return await work((request) => hatch.undo(request));
  } catch (error) {
    throw error instanceof HatchError ? new StartError(error.message) : error;
  } finally {
    await hatch.close(true);
    if (hatch.violation !== null) warn(hatch.violation);
  }
}

function passed_by(
  runs: readonly Run[],
  { ignored, unnamed }: UndoAnswers["passed"],
): readonly string[] {
  if (runs.length === 0) return [];
  const names = ignored.filter((path) => !/(^|\/)\.git\/?$/.test(path));
  const elsewhere = runs.flatMap(({ baseline }) => baseline.elsewhere);
  const lines: string[] = [];
  if (names.length > 0) lines.push(`what commands did to ignored files: ${listed(names)}`);
  if (unnamed.length > 0) {
    lines.push(`what commands did to files whose names are no UTF-8: ${listed(unnamed)}`);
  }
  if (elsewhere.includes("all")) lines.push("what commands did outside of the workspace");
  else if (elsewhere.length > 0) {
    lines.push(`what commands did in ${[...new Set(elsewhere)].map(shown).join(", ")}`);
  }
  if (runs.some(({ baseline }) => baseline.overflow)) {
    lines.push("files of the workspace beyond the number that is watched");
  }
  return lines;
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMES;
  const first = names.toSorted().slice(0, MOST_NAMES).map(shown).join(", ");
  return `${first}${more > 0 ? `, ${more} more` : ""}`;
}
