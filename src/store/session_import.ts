/** Reads an exported session. The file may be cut, damaged or someone else's: all of it is checked before any of it is kept. */
import * as v from "valibot";
import { is_record, json } from "../config/json.ts";
import { type Body, inflated, packed_text } from "./body.ts";
import type { NewContent } from "./content.ts";
import { SessionContents } from "./contents.ts";
import { type DatabaseSync, transaction } from "./database.ts";
import { LineError } from "./lines.ts";
import { decode_text, FORMAT, HEADER_COLUMNS } from "./session_format.ts";
import { SESSION_TABLES, type SessionTable, TASK_CHARS } from "./session_schema.ts";
import { row_id } from "./ids.ts";
import { word_index } from "./session_words.ts";

/** Why a file cannot be imported, in one line that names the line of the file. */
export class ImportError extends Error {
  override readonly name = "ImportError";
}

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const short_text = v.pipe(v.string(), v.maxLength(4096));

const HEADER = v.strictObject({
  type: v.literal("session"),
  schema: v.literal(FORMAT),
  // It becomes the name of a file, where the session is locked.
  uuid: v.pipe(v.string(), v.regex(/^[0-9A-Za-z-]{8,64}$/)),
  workspace: short_text,
  task: v.pipe(v.string(), v.maxLength(TASK_CHARS)),
  began_ms: count,
  saved_ms: count,
  model: short_text,
  provider: short_text,
  part: v.pipe(count, v.minValue(1)),
  part_from: v.pipe(count, v.minValue(1)),
  steps: count,
  calls: count,
  cost_usd: v.nullable(v.pipe(v.number(), v.finite(), v.minValue(0))),
  stop_reason: v.nullable(v.pipe(v.string(), v.regex(/^[a-z_]{1,64}$/))),
});

const ROW = v.looseObject({
  table: v.picklist(SESSION_TABLES),
  nth: v.pipe(count, v.minValue(1), v.maxValue(2 ** 32 - 1)),
  step: count,
});

/** Of a content: files are kept up to 10 MB, and the listing of 200,000 of them takes 40 MB. */
const MOST_BYTES = 256 * 1024 * 1024;

const CONTENT = v.strictObject({
  content: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  size: v.pipe(count, v.maxValue(MOST_BYTES)),
  base64: v.pipe(v.string(), v.base64()),
});

const END = v.strictObject({ type: v.literal("end"), rows: count, contents: count });

interface ImportRow {
  readonly table: SessionTable;
  readonly nth: number;
  readonly step: number;
  readonly body: Body;
  /** What the user or the model says in it; empty if that is nothing. */
  readonly said: string;
}

/** A file that was read to its end and found sound. */
interface ImportedSession {
  readonly header: v.InferOutput<typeof HEADER>;
  readonly state: string;
  readonly rows: readonly ImportRow[];
  readonly contents: readonly NewContent[];
}

/** What the user or the model says in a message, as it was parsed; empty if that is nothing. */
type SaidIn = (message: unknown) => string;

type SessionLine = Readonly<Record<string, unknown>>;

class LineFault extends Error {}

/** Takes a file apart. Rejects with `ImportError`. */
export async function read_session(
  lines: AsyncIterable<string>,
  said_in: SaidIn,
): Promise<ImportedSession> {
  const source = lines[Symbol.asyncIterator]();
  let number = 0;
  const next = async (): Promise<string | null> => {
    number++;
    const { value, done = false } = await source.next();
    return done ? null : value;
  };
  const line = async (): Promise<SessionLine> => {
    const text = await next();
    if (text === null) {
      number--;
      throw number === 0
        ? new ImportError("line 1: it is empty")
        : new LineFault("it is cut off after this line");
    }
    const value = json(text);
    if (is_record(value)) return value;
    throw new LineFault("not a line of an exported session: it is not a JSON object");
  };
  try {
    const whole = await read_lines(line, said_in);
    for (let rest = await next(); rest !== null; rest = await next()) {
      if (rest !== "") throw new LineFault("the session has ended before this line");
    }
    return whole;
  } catch (error) {
    if (!(error instanceof LineFault || error instanceof LineError)) throw error;
    throw new ImportError(`line ${number}: ${error.message}`);
  }
}

async function read_lines(
  line: () => Promise<SessionLine>,
  said_in: SaidIn,
): Promise<ImportedSession> {
  const header = header_of(await line());
  const state = await line();
  if (state["type"] !== "state") throw new LineFault("the state of the session is missing");
  const rows: ImportRow[] = [];
  const contents: NewContent[] = [];
  const last = new Map<SessionTable, number>();
  const imported = { header, state: text_of(state), rows, contents };
  for (;;) {
    const value = await line();
    if (value["type"] === "end") {
      check_end(value, imported, last.get("messages") ?? 0);
      return imported;
    }
    if ("content" in value) {
      contents.push(await content_in(value));
      continue;
    }
    const row = await row_in(value, said_in);
    const { table, nth } = row;
    if (contents.length > 0) throw new LineFault("a row after the contents");
    if (nth <= (last.get(table) ?? 0)) {
      throw new LineFault(`row ${nth} of ${table} is out of order`);
    }
    last.set(table, nth);
    rows.push(row);
  }
}

function header_of(line: SessionLine): ImportedSession["header"] {
  const { type, schema } = line;
  if (type !== "session") {
    throw new LineFault("not an exported session: it does not begin with a header");
  }
  if (typeof schema === "number" && schema > FORMAT) {
    throw new LineFault(
      `written by a newer hamr (schema ${schema}, this one knows ${FORMAT}): update hamr`,
    );
  }
  return checked(HEADER, line);
}

async function row_in(line: SessionLine, said_in: SaidIn): Promise<ImportRow> {
  const { table, nth, step } = checked(ROW, line);
  const body = await packed_text(text_of(line));
  return { table, nth, step, body, said: table === "messages" ? said_in(line["body"]) : "" };
}

async function content_in(line: SessionLine): Promise<NewContent> {
  const { content: hash, size, base64 } = checked(CONTENT, line);
  const body = Uint8Array.fromBase64(base64);
  // Other sessions would take it for what it says it is.
  if (await hash_of(body, size) === hash) return { hash, size, body };
  throw new LineFault("the content does not match its hash");
}

function check_end(
  line: SessionLine,
  { header: { part, part_from }, rows, contents }: ImportedSession,
  last: number,
): void {
  const end = checked(END, line);
  if (end.rows !== rows.length || end.contents !== contents.length) {
    throw new LineFault(
      `the session has ${end.rows} rows and ${end.contents} contents, ` +
        `but the file has ${rows.length} rows and ${contents.length} contents`,
    );
  }
  const parts = rows.filter(({ table }) => table === "parts").length + 1;
  if (part === parts && (part_from === 1 || part_from <= last)) return;
  throw new LineFault(
    `its header says that it has ${part} parts, and the last begins at message ${part_from}: that is wrong`,
  );
}

function text_of(line: SessionLine): string {
  const text = decode_text(line);
  if (text === null) throw new LineFault("it has no body");
  return text;
}

function checked<const S extends v.GenericSchema>(schema: S, line: SessionLine): v.InferOutput<S> {
  const read = v.safeParse(schema, line);
  if (read.success) return read.output;
  const [issue] = read.issues;
  const path = v.getDotPath(issue);
  throw new LineFault(path === null ? issue.message : `${path}: ${issue.message}`);
}

/** Adds a session that was read, as a whole. Throws `ImportError` if it is there already. */
export function add_session(db: DatabaseSync, imported: ImportedSession, now_ms: number): void {
  const { header, state, rows, contents } = imported;
  // One of the future would be the newest forever: what is resumed where nobody says which.
  const past = (ms: number) => Math.min(ms, now_ms);
  const then = { ...header, began_ms: past(header.began_ms), saved_ms: past(header.saved_ms) };
  transaction(db, () => {
    if (db.prepare("SELECT 1 FROM sessions WHERE uuid = ?").get(header.uuid) !== undefined) {
      throw new ImportError(`session ${header.uuid} is already here`);
    }
    const columns = [...HEADER_COLUMNS, "imported", "bytes", "state"];
    const bytes = rows.reduce((sum, { body }) => sum + body.length, 0);
    const { lastInsertRowid } = db.prepare(
      `INSERT INTO sessions (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ).run(
      ...HEADER_COLUMNS.map((column) => {
        const value = then[column];
        // SQLite takes a whole number only so into a column of whole numbers.
        return typeof value === "number" && column !== "cost_usd" ? BigInt(value) : value;
      }),
      BigInt(now_ms),
      BigInt(bytes),
      state,
    );
    const session = Number(lastInsertRowid);
    add_rows(db, session, rows);
    new SessionContents(db, session).insert(contents);
  });
}

function add_rows(db: DatabaseSync, session: number, rows: readonly ImportRow[]): void {
  const add_words = word_index(db, session);
  for (const table of SESSION_TABLES) {
    const insert = db.prepare(
      `INSERT INTO ${table} (id, step, body) VALUES (?, ?, ?)`,
    );
    for (const { nth, step, body, said } of rows.filter((row) => row.table === table)) {
      insert.run(row_id(session, nth), BigInt(step), body);
      add_words(nth, said);
    }
  }
}

/** SHA-256 of a content of so many bytes, in hex; null if it is not one. It is deflated where that is shorter. */
async function hash_of(body: Uint8Array<ArrayBuffer>, size: number): Promise<string | null> {
  try {
    const bytes = body.length === size ? body : await inflated(body, size);
    if (bytes.length !== size) return null;
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  } catch {
    return null;
  }
}
