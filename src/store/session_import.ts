/** Reads an exported session. The file may be cut, damaged or someone else's: all of it is checked before any of it is kept. */
import * as v from "valibot";
import { is_record, json } from "../config/json.ts";
import { type Body, inflated, packed } from "./body.ts";
import { type DatabaseSync, transaction } from "./database.ts";
import { LineError } from "./lines.ts";
import { FORMAT, HEADER_COLUMNS, untold } from "./session_format.ts";
import { SESSION_TABLES, type SessionTable } from "./session_schema.ts";
import { row_id, TASK_CHARS } from "./session_writer.ts";
import { WordIndex } from "./session_words.ts";

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

interface Content {
  readonly hash: Uint8Array;
  readonly size: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A file that was read to its end and found sound. */
export interface Imported {
  readonly header: v.InferOutput<typeof HEADER>;
  readonly state: string;
  readonly rows: readonly ImportRow[];
  readonly contents: readonly Content[];
}

/** What the user or the model says in a message, as it was parsed; empty if that is nothing. */
export type SaidIn = (message: unknown) => string;

/** Takes a file apart. Rejects with `ImportError`. */
export async function read_session(
  lines: AsyncIterable<string>,
  said_in: SaidIn,
): Promise<Imported> {
  const reader = new ImportReader(said_in);
  let number = 0;
  try {
    for await (const line of lines) {
      number++;
      const fault = line === "" && reader.ended ? null : await reader.take(line);
      if (fault !== null) throw new ImportError(`line ${number}: ${fault}`);
    }
  } catch (error) {
    if (!(error instanceof LineError)) throw error;
    throw new ImportError(`line ${number + 1}: ${error.message}`);
  }
  const whole = reader.whole();
  if (whole === null) {
    throw new ImportError(
      number === 0 ? "line 1: it is empty" : `line ${number}: it is cut off after this line`,
    );
  }
  return whole;
}

/** Reads one line after the other, each in its place. */
class ImportReader {
  #header: Imported["header"] | null = null;
  #state: string | null = null;
  readonly #rows: ImportRow[] = [];
  readonly #contents: Content[] = [];
  readonly #last = new Map<SessionTable, number>();
  ended = false;

  constructor(private readonly said_in: SaidIn) {}

  /** What is wrong with the next line; null if nothing is. */
  async take(line: string): Promise<string | null> {
    const value = json(line);
    if (!is_record(value)) return "not a line of an exported session: it is not a JSON object";
    if (this.ended) return "the session has ended before this line";
    if (this.#header === null) return this.#take_header(value);
    if (this.#state === null) return this.#take_state(value);
    if (value["type"] === "end") return this.#take_end(value);
    return "content" in value ? await this.#take_content(value) : await this.#take_row(value);
  }

  whole(): Imported | null {
    if (!this.ended || this.#header === null || this.#state === null) return null;
    return {
      header: this.#header,
      state: this.#state,
      rows: this.#rows,
      contents: this.#contents,
    };
  }

  #take_header(value: Readonly<Record<string, unknown>>): string | null {
    if (value["type"] !== "session") {
      return "not an exported session: it does not begin with a header";
    }
    const { schema } = value;
    if (typeof schema === "number" && schema > FORMAT) {
      return `written by a newer hamr (schema ${schema}, this one knows ${FORMAT}): update hamr`;
    }
    const header = v.safeParse(HEADER, value);
    if (!header.success) return fault_of(header.issues);
    this.#header = header.output;
    return null;
  }

  #take_state(value: Readonly<Record<string, unknown>>): string | null {
    if (value["type"] !== "state") return "the state of the session is missing";
    this.#state = untold(value);
    return this.#state === null ? "it has no body" : null;
  }

  async #take_row(value: Readonly<Record<string, unknown>>): Promise<string | null> {
    const known = v.safeParse(ROW, value);
    if (!known.success) return fault_of(known.issues);
    const { table, nth, step } = known.output;
    if (this.#contents.length > 0) return "a row after the contents";
    if (nth <= (this.#last.get(table) ?? 0)) return `row ${nth} of ${table} is out of order`;
    const text = untold(value);
    if (text === null) return "it has no body";
    this.#last.set(table, nth);
    const said = table === "messages" ? this.said_in(value["body"]) : "";
    this.#rows.push({ table, nth, step, body: await packed(text), said });
    return null;
  }

  async #take_content(value: Readonly<Record<string, unknown>>): Promise<string | null> {
    const known = v.safeParse(CONTENT, value);
    if (!known.success) return fault_of(known.issues);
    const { content, size, base64 } = known.output;
    const body = Uint8Array.fromBase64(base64);
    // Other sessions would take it for what it says it is.
    if (await hash_of(body, size) !== content) {
      return "the content does not match its hash";
    }
    this.#contents.push({ hash: Uint8Array.fromHex(content), size, body });
    return null;
  }

  #take_end(value: Readonly<Record<string, unknown>>): string | null {
    const known = v.safeParse(END, value);
    if (!known.success) return fault_of(known.issues);
    const { rows, contents } = known.output;
    if (rows !== this.#rows.length || contents !== this.#contents.length) {
      const here = `${this.#rows.length} rows and ${this.#contents.length} contents`;
      return `the session has ${rows} rows and ${contents} contents, but the file has ${here}`;
    }
    const parts = this.#rows.filter(({ table }) => table === "parts").length + 1;
    const { part, part_from } = this.#header ?? {};
    if (part !== parts || part_from === undefined || !this.#begins(part_from)) {
      return `its header says that it has ${part} parts, and the last begins at message ${part_from}: that is wrong`;
    }
    this.ended = true;
    return null;
  }

  /** Whether there is a message from which a part can begin. */
  #begins(nth: number): boolean {
    return nth === 1 || nth <= (this.#last.get("messages") ?? 0);
  }
}

/** Adds a session that was read, as a whole. Throws `ImportError` if it is there already. */
export function add_session(
  db: DatabaseSync,
  imported: Imported,
  now_ms: number,
): void {
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
      ...HEADER_COLUMNS.map((column) => bindable(column, then[column])),
      BigInt(now_ms),
      BigInt(bytes),
      state,
    );
    const session = Number(lastInsertRowid);
    add_rows(db, session, rows);
    add_contents(db, session, contents);
  });
}

function add_rows(db: DatabaseSync, session: number, rows: readonly ImportRow[]): void {
  const words = new WordIndex(db, session);
  for (const table of SESSION_TABLES) {
    const insert = db.prepare(
      `INSERT INTO ${table} (id, step, body) VALUES (?, ?, ?)`,
    );
    for (const { nth, step, body, said } of rows.filter((row) => row.table === table)) {
      insert.run(row_id(session, nth), BigInt(step), body);
      if (said !== "") words.add(nth, said);
    }
  }
}

function add_contents(db: DatabaseSync, session: number, contents: readonly Content[]): void {
  const add = db.prepare("INSERT OR IGNORE INTO contents (hash, size, body) VALUES (?, ?, ?)");
  const use = db.prepare(
    "INSERT OR IGNORE INTO content_uses SELECT ?, id FROM contents WHERE hash = ?",
  );
  for (const { hash, size, body } of contents) {
    add.run(hash, BigInt(size), body);
    use.run(BigInt(session), hash);
  }
}

/** SHA-256 of a content of so many bytes, in hex; null if it is none. It is deflated where that is shorter. */
async function hash_of(body: Uint8Array<ArrayBuffer>, size: number): Promise<string | null> {
  try {
    const bytes = body.length === size ? body : await inflated(body, size);
    if (bytes.length !== size) return null;
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
  } catch {
    return null;
  }
}

/** A whole number as SQLite takes one into a column of whole numbers. */
function bindable(column: string, value: string | number | null): string | number | bigint | null {
  return typeof value === "number" && column !== "cost_usd" ? BigInt(value) : value;
}

function fault_of([issue]: readonly v.BaseIssue<unknown>[]): string {
  const path = issue?.path?.map(({ key }) => String(key)).join(".") ?? "";
  const at = path === "" ? "" : `${path}: `;
  return `${at}${issue?.message ?? "it cannot be used"}`;
}
