/** Reads saved sessions. */
import type { DatabaseSync } from "./database.ts";
import { unpacked_text } from "./body.ts";
import { type SessionTable, TASK_CHARS } from "./session_schema.ts";
import { ids_of, row_id } from "./ids.ts";

export interface SessionInfo {
  readonly id: number;
  readonly uuid: string;
  /** Real path. */
  readonly workspace: string;
  /** The name that the user has given it; else the beginning of their first words. */
  readonly task: string;
  /** Milliseconds since 1970. */
  readonly began_ms: number;
  readonly saved_ms: number;
  readonly model: string;
  readonly provider: string;
  /** How many parts it has: one more with each compaction. */
  readonly part: number;
  /** Of all its invocations. */
  readonly steps: number;
  readonly calls: number;
  readonly cost_usd: number | null;
  /** Null if it goes on, or was cut off. */
  readonly stop_reason: string | null;
  readonly imported: boolean;
  readonly bytes: number;
}

export interface StoredRow {
  /** From 1, in its table. */
  readonly nth: number;
  readonly step: number;
  /** JSON. */
  readonly body: string;
}

/** A session by its id, or the beginning of it; "several" where that is not enough to tell. Null: there is none. */
export function find_session(db: DatabaseSync, id: string): SessionInfo | "several" | null {
  // macOS' uuidgen, and some programs that show ids, write capitals.
  return find_spelled(db, id) ?? find_spelled(db, id.toLowerCase());
}

/** The session that is meant by an id, or by the beginning of it; null if there is none, or more than one. */
export function session_of_id(db: DatabaseSync, id: string): SessionInfo | null {
  const found = find_session(db, id);
  return found === "several" ? null : found;
}

function find_spelled(db: DatabaseSync, id: string): SessionInfo | "several" | null {
  const found = db.prepare(`SELECT ${COLUMNS} FROM sessions WHERE uuid >= ? AND uuid < ? LIMIT 2`)
    .all(id, `${id}\u{10ffff}`).map(info);
  const [first, second] = found;
  if (id === "" || first === undefined) return null;
  return second === undefined || first.uuid === id ? first : "several";
}

/**
 * Sessions that have come to a step, what was saved last first; of one workspace or of all. `bundles`: with those of bug reports, which
 * can only be replayed.
 */
export function list_sessions(db: DatabaseSync, { workspace, limit = -1, bundles = false }: {
  workspace: string | null;
  limit?: number;
  bundles?: boolean;
}): readonly SessionInfo[] {
  const which = `(state <> ''${bundles ? " OR imported > 0" : ""})`;
  const order = "ORDER BY saved_ms DESC, id DESC LIMIT ?";
  const rows = workspace === null
    ? db.prepare(`SELECT ${COLUMNS} FROM sessions WHERE ${which} ${order}`).all(limit)
    : db.prepare(`SELECT ${COLUMNS} FROM sessions WHERE workspace = ? AND ${which} ${order}`)
      .all(workspace, limit);
  return rows.map(info);
}

/** Names a session, for lists; gives the name as it is kept: one line, of which the beginning. */
export function rename_session(db: DatabaseSync, uuid: string, name: string): string {
  const kept = name.replace(/\s+/g, " ").trim().slice(0, TASK_CHARS).toWellFormed();
  db.prepare("UPDATE sessions SET task = ? WHERE uuid = ?").run(kept, uuid);
  return kept;
}

/** The state that a session continues from; empty if it never came to a step. JSON. */
export function saved_state_of(db: DatabaseSync, session: number): string {
  const row = db.prepare("SELECT state FROM sessions WHERE id = ?").get(BigInt(session));
  return String(row?.["state"] ?? "");
}

/** The number of the first message of the last part. */
export function part_from(db: DatabaseSync, session: number): number {
  const row = db.prepare("SELECT part_from FROM sessions WHERE id = ?").get(BigInt(session));
  return Number(row?.["part_from"] ?? 1);
}

/** The rows of a session in one table, in their order, from the nth on; `last`: only so many at the end. */
export async function session_rows(db: DatabaseSync, { session, table, from = 1, last }: {
  session: number;
  table: SessionTable;
  from?: number;
  last?: number;
}): Promise<readonly StoredRow[]> {
  const range = ids_of(session);
  const select = `SELECT id, step, body FROM ${table} WHERE id BETWEEN ? AND ?`;
  const rows = last === undefined
    ? db.prepare(`${select} ORDER BY id`).all(row_id(session, from), range.last)
    : db.prepare(`${select} ORDER BY id DESC LIMIT ?`)
      .all(row_id(session, from), range.last, BigInt(last)).reverse();
  const found: StoredRow[] = [];
  for (const { id, step, body } of rows) {
    found.push({
      nth: Number(id) - Number(range.first),
      step: Number(step),
      // Most are plain: waiting for each would take longer than reading them.
      body: typeof body === "string" ? body : await unpacked_text(body),
    });
  }
  return found;
}

const COLUMNS = "id, uuid, workspace, task, began_ms, saved_ms, model, provider, part, steps, " +
  "calls, cost_usd, stop_reason, imported, bytes";

/** The table is strict: each column has the type that it says. */
function info(row: Record<string, unknown>): SessionInfo {
  return { ...row, imported: Number(row["imported"]) > 0 } as unknown as SessionInfo;
}
