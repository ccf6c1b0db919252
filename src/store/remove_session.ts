/** Removes sessions, and everything that only they use. */
import { attempt } from "../config/attempt.ts";
import { type DatabaseSync, transaction } from "./database.ts";
import { SESSION_TABLES } from "./session_schema.ts";
import type { SessionInfo } from "./sessions.ts";
import { ids_of } from "./ids.ts";

/** Removes one session as a whole; how many bytes of rows and contents that were. */
export function remove_session(db: DatabaseSync, session: number): number {
  const id = BigInt(session);
  return transaction(db, () => {
    const { first, last } = ids_of(session);
    const row = db.prepare("SELECT bytes FROM sessions WHERE id = ?").get(id);
    for (const table of [...SESSION_TABLES, "session_words"]) {
      db.prepare(`DELETE FROM ${table} WHERE rowid BETWEEN ? AND ?`).run(first, last);
    }
    const only_here = `SELECT content FROM content_uses AS mine WHERE session = ?1 AND NOT EXISTS
      (SELECT 1 FROM content_uses WHERE content = mine.content AND session <> ?1)`;
    const contents = db.prepare(
      `SELECT coalesce(sum(octet_length(body)), 0) AS bytes FROM contents WHERE id IN (${only_here})`,
    ).get(id);
    db.prepare(`DELETE FROM contents WHERE id IN (${only_here})`).run(id);
    db.prepare("DELETE FROM content_uses WHERE session = ?").run(id);
    db.prepare("DELETE FROM sessions WHERE id = ?").run(id);
    return Number(row?.["bytes"] ?? 0) + Number(contents?.["bytes"]);
  });
}

/** Every session there is, also one that never came to a step and is in no list. */
export function every_session(
  db: DatabaseSync,
): readonly Pick<SessionInfo, "id" | "uuid" | "workspace">[] {
  return db.prepare("SELECT id, uuid, workspace FROM sessions ORDER BY id")
    .all() as unknown as ReturnType<typeof every_session>;
}

/** Gives room back to the system, without shrinking files in use. Removed words leave the index, which first only notes them. */
export function give_back(db: DatabaseSync): void {
  // Someone else is at work, or the disk is full: what was removed is, all the same. The next to open the file sets its mode.
  attempt(() => {
    db.exec("INSERT INTO session_words (session_words) VALUES ('optimize')");
    db.exec("PRAGMA wal_checkpoint(TRUNCATE); PRAGMA busy_timeout = 0");
    // Only a process that has the file to itself can leave WAL mode, which tells whether this one does.
    db.exec("PRAGMA journal_mode = DELETE");
    db.exec("VACUUM; PRAGMA journal_mode = WAL");
  });
}
