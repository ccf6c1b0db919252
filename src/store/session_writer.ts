/** Writes what a run does into the database, one transaction per step. Rows are only ever added. */
import type { StatementSync } from "node:sqlite";
import { type DatabaseSync, transaction } from "./database.ts";
import { type Body, packed_text, PLAIN_CHARS } from "./body.ts";
import { Patience } from "./patience.ts";
import { ids_of, row_id } from "./ids.ts";
import { file_inode } from "./session_lock.ts";
import type { SessionInfo } from "./sessions.ts";
import { type SessionTable, TASK_CHARS } from "./session_schema.ts";
import { word_index } from "./session_words.ts";

export interface NewRow {
  readonly table: Exclude<SessionTable, "parts">;
  readonly step: number;
  /** JSON. A long one is packed by the first attempt to save it, here: it may be as long as all of a reply. */
  body: Body;
  /** Of a message: what the user or the model says in it, to find the session by. */
  readonly said?: string;
}

/** How far a session has come: what its own row says. */
export interface SessionProgress
  extends Pick<SessionInfo, "model" | "provider" | "steps" | "calls" | "cost_usd" | "stop_reason"> {
  /** JSON, to go on from. */
  readonly state: string;
}

/** What is new since the last time. */
export interface NewSteps {
  readonly rows: readonly NewRow[];
  /** A part begins here: the messages of this batch take the place of all before. JSON that says why; null: none does. */
  readonly part: { readonly step: number; readonly body: string } | null;
  readonly progress: SessionProgress;
}

/** `task`: the beginning of the user's first words. */
export type NewSession = Pick<SessionInfo, "uuid" | "workspace" | "task">;

/** Adds to one session. What it cannot do throws as SQLite says it, and then nothing of it was done. */
export class SessionWriter {
  readonly #next = new Map<SessionTable, number>();
  readonly #inserts = new Map<SessionTable, StatementSync>();
  readonly #add_words: ReturnType<typeof word_index>;
  readonly #update: StatementSync;
  readonly #grow: StatementSync;
  /** Of all that writes on this database in its run. */
  readonly patience: Patience;
  /** Saved after every session that is there: a clock may have gone back since, as that of a machine that starts without one does. */
  readonly #floor_ms: number;
  /** The file that SQLite has open; null where the system does not say. */
  readonly #inode: number | null;

  private constructor(
    private readonly db: DatabaseSync,
    readonly session: number,
    private part: number,
  ) {
    this.#update = db.prepare(
      `UPDATE sessions SET saved_ms = ?, model = ?, provider = ?, steps = ?, calls = ?, cost_usd = ?, stop_reason = ?,
        state = ?, bytes = bytes + ?, part = ?, part_from = coalesce(?, part_from) WHERE id = ?`,
    );
    this.#floor_ms = newest_other(db, session) + 1;
    this.#grow = db.prepare("UPDATE sessions SET bytes = bytes + ? WHERE id = ?");
    this.#add_words = word_index(db, session);
    this.patience = new Patience(db);
    this.#inode = file_inode(this.#file);
  }

  get #file(): string {
    return this.db.location() ?? "";
  }

  /** The file of the database, where that is no longer the one that is written: SQLite goes on without a word. */
  get lost_file(): string | null {
    return file_inode(this.#file) === this.#inode ? null : this.#file;
  }

  static begin(db: DatabaseSync, { uuid, workspace, task }: NewSession): SessionWriter {
    const now = Date.now();
    const { lastInsertRowid } = db.prepare(
      `INSERT INTO sessions (uuid, workspace, task, began_ms, saved_ms, model, provider, part, part_from, steps, calls,
        imported, bytes, state) VALUES (?, ?, ?, ?, ?, '', '', 1, 1, 0, 0, 0, 0, '')`,
    ).run(uuid, workspace, task.slice(0, TASK_CHARS).toWellFormed(), BigInt(now), BigInt(now));
    return new SessionWriter(db, Number(lastInsertRowid), 1);
  }

  /** `workspace`: where it goes on, which is another place after a move. */
  static resume(
    db: DatabaseSync,
    { id, part }: { id: number; part: number },
    workspace?: string,
  ): SessionWriter {
    if (workspace !== undefined) {
      db.prepare("UPDATE sessions SET workspace = ?1 WHERE id = ?2 AND workspace <> ?1")
        .run(workspace, BigInt(id));
    }
    return new SessionWriter(db, id, part);
  }

  /** Adds all of a batch, or nothing. */
  async save({ rows, part, progress }: NewSteps): Promise<void> {
    // Most are short: waiting for each would take longer than writing it.
    for (const row of rows) {
      const { body } = row;
      if (typeof body === "string" && body.length >= PLAIN_CHARS) {
        row.body = await packed_text(body);
      }
    }
    const begins = part === null ? null : await packed_text(part.body);
    const counters = new Map(this.#next);
    const before = this.part;
    try {
      transaction(this.db, () => {
        let bytes = 0;
        let from: number | null = null;
        if (part !== null && begins !== null) {
          this.part++;
          this.#add("parts", part.step, begins);
          from = this.#nth("messages");
          bytes += begins.length;
        }
        for (const row of rows) {
          const nth = this.#add(row.table, row.step, row.body);
          this.#add_words(nth, row.said ?? "");
          bytes += row.body.length;
        }
        this.#progress(progress, { bytes, from });
      });
    } catch (error) {
      this.part = before;
      this.#next.clear();
      for (const [table, next] of counters) this.#next.set(table, next);
      throw error;
    }
  }

  /** Adds one row at once; gives its number. */
  async add({ table, step, body }: NewRow): Promise<number> {
    const stored = typeof body === "string" ? await packed_text(body) : body;
    return transaction(this.db, () => {
      // Where the locks are gone another process may have added some, such as an undo.
      this.#next.delete(table);
      const nth = this.#add(table, step, stored);
      this.#grow.run(BigInt(stored.length), BigInt(this.session));
      return nth;
    });
  }

  #progress(
    { model, provider, steps, calls, cost_usd, stop_reason, state }: SessionProgress,
    { bytes, from }: { bytes: number; from: number | null },
  ): void {
    this.#update.run(
      BigInt(Math.max(Date.now(), this.#floor_ms)),
      model,
      provider,
      BigInt(steps),
      BigInt(calls),
      cost_usd,
      stop_reason,
      state,
      BigInt(bytes),
      BigInt(this.part),
      from === null ? null : BigInt(from),
      BigInt(this.session),
    );
  }

  #add(table: SessionTable, step: number, body: Body): number {
    const nth = this.#nth(table);
    this.#insert(table).run(row_id(this.session, nth), BigInt(step), body);
    this.#next.set(table, nth + 1);
    return nth;
  }

  #insert(table: SessionTable): StatementSync {
    let insert = this.#inserts.get(table);
    if (insert === undefined) {
      insert = this.db.prepare(`INSERT INTO ${table} (id, step, body) VALUES (?, ?, ?)`);
      this.#inserts.set(table, insert);
    }
    return insert;
  }

  #nth(table: SessionTable): number {
    let next = this.#next.get(table);
    if (next === undefined) {
      const { first, last } = ids_of(this.session);
      const row = this.db.prepare(`SELECT max(id) AS id FROM ${table} WHERE id BETWEEN ? AND ?`)
        .get(first, last);
      const id = row?.["id"];
      next = id === null || id === undefined ? 1 : Number(BigInt(Number(id)) - first) + 1;
      this.#next.set(table, next);
    }
    return next;
  }
}

/** When one of the last sessions of the same workspace was saved, the newest of them; 0: there is no other. */
function newest_other(db: DatabaseSync, session: number): number {
  const row = db.prepare(
    `SELECT max(saved_ms) AS ms FROM (SELECT saved_ms FROM sessions WHERE id <> ?1
      AND workspace = (SELECT workspace FROM sessions WHERE id = ?1) ORDER BY id DESC LIMIT 100)`,
  ).get(BigInt(session));
  return Number(row?.["ms"] ?? 0);
}
