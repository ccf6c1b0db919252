/** Writes a saved session as JSONL: everything another machine needs to have the same. */
import { at_end } from "../config/attempt.ts";
import { json_line } from "../config/json.ts";
import { unpacked_text } from "./body.ts";
import type { DatabaseSync } from "./database.ts";
import { encode_text, FORMAT, HEADER_COLUMNS } from "./session_format.ts";
import { SESSION_TABLES, type SessionTable } from "./session_schema.ts";
import { ids_of } from "./ids.ts";

/** Read at once: a session may be larger than what a process should hold. */
const PAGE = 200;

/** The lines of a session, each with its line break, as it is at this moment, whoever writes in the meantime. */
export async function* export_session(db: DatabaseSync, session: number): AsyncGenerator<string> {
  db.exec("BEGIN");
  using _ = at_end(() => db.exec("COMMIT"));
  yield* own_lines(db, session);
  const counts = { rows: 0, contents: 0 };
  for (const table of SESSION_TABLES) {
    for await (const row of rows(db, { session, table })) {
      counts.rows++;
      yield row;
    }
  }
  for (const content of contents(db, session)) {
    counts.contents++;
    yield content;
  }
  yield json_line({ type: "end", ...counts });
}

function* own_lines(db: DatabaseSync, session: number): Generator<string> {
  const row = db.prepare(`SELECT ${HEADER_COLUMNS.join(", ")}, state FROM sessions WHERE id = ?`)
    .get(BigInt(session));
  const { state, ...header } = row ?? {};
  yield json_line({ type: "session", schema: FORMAT, ...header });
  yield json_line({ type: "state", ...encode_text(String(state)) });
}

async function* rows(
  db: DatabaseSync,
  { session, table }: { session: number; table: SessionTable },
): AsyncGenerator<string> {
  const { first, last } = ids_of(session);
  const select = db.prepare(
    `SELECT id, step, body FROM ${table} WHERE id > ? AND id <= ? ORDER BY id LIMIT ?`,
  );
  for (let after = first;;) {
    const page = select.all(after, last, PAGE);
    for (const { id, step, body } of page) {
      after = BigInt(Number(id));
      const nth = Number(after - first);
      yield json_line({
        table,
        nth,
        step: Number(step),
        ...encode_text(await unpacked_text(body)),
      });
    }
    if (page.length < PAGE) return;
  }
}

function* contents(db: DatabaseSync, session: number): Generator<string> {
  const select = db.prepare(
    `SELECT hash, size, body FROM contents JOIN content_uses ON content = contents.id
     WHERE session = ? ORDER BY hash`,
  );
  for (const { hash, size, body } of select.iterate(BigInt(session))) {
    const hex = (hash as Uint8Array).toHex();
    yield json_line({ content: hex, size, base64: (body as Uint8Array).toBase64() });
  }
}
