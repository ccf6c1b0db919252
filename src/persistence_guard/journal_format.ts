/** The journal as bytes: a JSON line with its owner, before anything starts; then one with what was found. */
import { attempt } from "../config/attempt.ts";
import { is_record } from "../config/json.ts";
import { mark_of, type RunMark } from "../sandbox/processes/run_mark.ts";
import { type Baseline, type NamedBefore, ROLES } from "./saved.ts";

export interface Writer {
  readonly pid: number;
  /** When the process began, in clock ticks since boot; null if the system does not say. */
  readonly started: number | null;
  readonly workspace: string;
  /** Inode of the workspace's folder; null if the system has none. */
  readonly inode: number | null;
  /** What its processes carry; null if they carry nothing. */
  readonly mark: RunMark | null;
}

export interface ReadJournal {
  readonly writer: Writer;
  /** Milliseconds since 1970. */
  readonly written: number;
  /** `none`: the run had not come to that. */
  readonly saved: Baseline | "none" | "broken";
  readonly saved_at: number;
}

const VERSION = 3;
const NEWLINE = 10;
/** 5,000 files that run later, with the longest names of people. */
const MOST_NAMED_BYTES = 16 * 1024 * 1024;
const NOTHING_NAMED: NamedBefore = { files: new Map(), replaced: new Map(), led_out: new Map() };

export function encode_writer({ mark, ...writer }: Writer): Uint8Array {
  const line = { ...writer, mark: mark === null ? null : String(mark.last) };
  return encode_line({ version: VERSION, writer: line, written: Date.now() });
}

/** What follows. */
export function encode_saved(saved: Baseline): Uint8Array<ArrayBuffer> {
  // Names of a hostile repository may not keep the rest from being read: then all that runs later counts as changed.
  const is_too_long = encode_line(saved.named ?? null).length > MOST_NAMED_BYTES;
  return encode_line(is_too_long ? { ...saved, named: NOTHING_NAMED } : saved);
}

function encode_line(value: unknown): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify(
    value,
    (_key, one: unknown) =>
      one instanceof Map
        ? { map: [...one] }
        : one instanceof Uint8Array
        ? { base64: one.toBase64() }
        : one,
  );
  return new TextEncoder().encode(`${text}\n`);
}

/** Null for anything that does not begin as a journal. */
export function decode_journal(bytes: Uint8Array<ArrayBuffer>): ReadJournal | null {
  const end = bytes.indexOf(NEWLINE);
  const head = end < 0 ? null : decode_line(bytes.subarray(0, end));
  if (!is_record(head) || head.version !== VERSION) return null;
  const writer = writer_of(head.writer);
  const { written } = head;
  if (writer === null || typeof written !== "number") return null;
  const rest = bytes.subarray(end + 1);
  const saved = rest.length === 0 ? "none" : saved_of(rest);
  return { writer, written, saved, saved_at: end + 1 };
}

function saved_of(bytes: Uint8Array<ArrayBuffer>): Baseline | "broken" {
  const saved = bytes.at(-1) === NEWLINE ? decode_line(bytes) : null;
  const is_sound = is_record(saved) && is_record(saved.scope) && saved.things instanceof Map &&
    [...saved.things].every(([path, place]) =>
      is_record(place) && `${path}`.startsWith("/") && is_record(place.thing) &&
      ROLES.some((role) => role === place.role)
    );
  return is_sound ? saved as unknown as Baseline : "broken";
}

function decode_line(bytes: Uint8Array): unknown {
  return attempt(() =>
    JSON.parse(new TextDecoder().decode(bytes), (_key, one: unknown) => {
      if (!is_record(one)) return one;
      if (Array.isArray(one.map)) return new Map(one.map);
      return typeof one.base64 === "string" ? Uint8Array.fromBase64(one.base64) : one;
    }), null);
}

function is_count(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function writer_of(value: unknown): Writer | null {
  if (!is_record(value)) return null;
  const { pid, started, workspace, inode, mark } = value;
  if (!is_count(pid) || typeof workspace !== "string") return null;
  if (started !== null && !is_count(started)) return null;
  if (inode !== null && typeof inode !== "number") return null;
  if (mark === null) return { pid, started, workspace, inode, mark };
  // A number that is not ours would be that of other processes.
  const known = typeof mark === "string" && /^\d{1,20}$/.test(mark) ? mark_of(BigInt(mark)) : null;
  return known === null ? null : { pid, started, workspace, inode, mark: known };
}
