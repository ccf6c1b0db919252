/** Removes old sessions, and then the oldest until the rest is within its limit. */
import type { Settings } from "../config/keys.ts";
import { at_end, attempt } from "../config/attempt.ts";
import type { DatabaseSync } from "./database.ts";
import { remove_session } from "./remove_session.ts";
import { clear_locks, is_running, SessionLock } from "./session_lock.ts";

export interface Retention extends Pick<Settings["sessions"], "keep_days" | "keep_bytes"> {
  readonly data_dir: string;
  readonly now_ms: number;
  /** The session of this run: it stays. */
  readonly keep?: string;
}

const DAY_MS = 86_400_000;
/** Looked at by one run: each takes some milliseconds of it, and the next run goes on. */
const AT_ONCE = 100;

interface Candidate {
  readonly id: number;
  readonly uuid: string;
  /** When it was saved last, or came out of a file. */
  readonly kept_ms: number;
}

/** Removes sessions that are too old or too many, oldest first, each in its own transaction; how many. One in use stays. */
export async function prune_sessions(db: DatabaseSync, retention: Retention): Promise<number> {
  const { data_dir, keep_days, keep_bytes, now_ms, keep } = retention;
  const oldest = keep_days > 0 ? last_use(db, retention) - keep_days * DAY_MS : -Infinity;
  let over = keep_bytes > 0 ? bytes_over(db, keep_bytes) : 0;
  let removed = 0;
  for (const candidate of over > 0 ? candidates(db, now_ms) : candidates(db, oldest)) {
    if (candidate.kept_ms >= oldest && over <= 0) break;
    if (candidate.uuid === keep) continue;
    const freed = remove_unused(db, data_dir, candidate);
    if (freed === null) continue;
    over -= freed;
    removed++;
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  if (removed > 0) clear_locks(data_dir);
  return removed;
}

/** The last one of any other session, if that is earlier than now: a clock that is ahead once removes nothing. */
function last_use(db: DatabaseSync, { keep = "", now_ms }: Retention): number {
  const before = db.prepare(
    "SELECT max(saved_ms, imported) AS ms FROM sessions WHERE uuid <> ? ORDER BY began_ms DESC LIMIT 1",
  ).get(keep);
  return Math.min(now_ms, Number(before?.["ms"] ?? now_ms));
}

/** Kept since before this moment, the oldest first. The index goes by the beginning of a session: a save touches no index. */
function candidates(db: DatabaseSync, before_ms: number): readonly Candidate[] {
  if (before_ms === -Infinity) return [];
  const before = BigInt(Math.floor(before_ms));
  return db.prepare(
    `SELECT id, uuid, max(saved_ms, imported) AS kept_ms FROM sessions
     WHERE began_ms < ?1 AND max(saved_ms, imported) < ?1 ORDER BY 3 LIMIT ?2`,
  ).all(before, AT_ONCE).map(({ id, uuid, kept_ms }) => ({
    id: Number(id),
    uuid: String(uuid),
    kept_ms: Number(kept_ms),
  }));
}

/** The bytes it took; null if a process works on it. */
function remove_unused(
  db: DatabaseSync,
  data_dir: string,
  { id, uuid, kept_ms }: Candidate,
): number | null {
  // Null also if this thread may make no lock anymore: the next run goes on.
  const lock = attempt(
    () => is_running(data_dir, uuid) ? null : SessionLock.take(data_dir, uuid),
    null,
  );
  if (lock === null) return null;
  using _ = at_end(() => lock.release());
  // Someone may have gone on with it and come to an end in the meantime.
  const row = db.prepare("SELECT saved_ms FROM sessions WHERE id = ?").get(BigInt(id));
  return row === undefined || Number(row["saved_ms"]) > kept_ms ? null : remove_session(db, id);
}

/** By how much the sessions are over their limit; not above 0 if they are within. */
function bytes_over(db: DatabaseSync, keep_bytes: number): number {
  // The sum takes longer with each file that is kept, and the whole database is seldom as large as the limit of a part of it.
  const whole = number_of(
    db,
    `SELECT (page_count - freelist_count) * page_size AS n
     FROM pragma_page_count, pragma_freelist_count, pragma_page_size`,
  );
  if (whole <= keep_bytes) return 0;
  const rows = number_of(db, "SELECT coalesce(sum(bytes), 0) AS n FROM sessions");
  const contents = number_of(db, "SELECT coalesce(sum(octet_length(body)), 0) AS n FROM contents");
  return rows + contents - keep_bytes;
}

function number_of(db: DatabaseSync, query: string): number {
  return Number(db.prepare(query).get()?.["n"]);
}
