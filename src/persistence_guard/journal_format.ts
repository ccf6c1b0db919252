/** The journal as bytes: a JSON line with its owner, before anything starts; then a JSON line with what was found, and all contents. */
import { is_record, json } from "../config/json.ts";
import { mark_of, type RunMark } from "../sandbox/processes/run_mark.ts";
import { type Baseline, type NamedBefore, type Role, ROLES, type WatchedPlace } from "./saved.ts";
import type { Thing } from "./thing.ts";

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

const VERSION = 2;
const NEWLINE = 10;
/** 5,000 files that run later, with the longest names of people. */
const MOST_LINE_BYTES = 16 * 1024 * 1024;

/** A thing as it is in the line of JSON: of a file, the length instead of the content. */
type JournalRow = readonly [path: string, role: Role, thing: { readonly kind: string }];

export function encode_writer({ mark, ...writer }: Writer): Uint8Array {
  const line = { ...writer, mark: mark === null ? null : String(mark.last) };
  return encode_line({ version: VERSION, writer: line, written: Date.now() });
}

/** What follows, in pieces to be written one after the other. */
export function encode_saved({ scope, things, named }: Baseline): Uint8Array[] {
  const contents: Uint8Array[] = [];
  const rows = [...things].map(([path, { role, thing }]): JournalRow => {
    if (thing.kind !== "file") return [path, role, thing];
    contents.push(thing.bytes);
    return [path, role, { ...thing, bytes: thing.bytes.length } as { kind: string }];
  });
  const lists = named &&
    Object.fromEntries(Object.entries(named).map(([name, map]) => [name, [...map]]));
  const line = encode_line({ scope, rows, named: lists });
  // Names of a hostile repository may not keep the rest from being read: then all that runs later counts as changed.
  return [
    line.length > MOST_LINE_BYTES ? encode_line({ scope, rows, named: {} }) : line,
    ...contents,
  ];
}

function encode_line(value: unknown): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify(value)}\n`);
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
  const saved = rest.length === 0 ? "none" : saved_of(rest) ?? "broken";
  return { writer, written, saved, saved_at: end + 1 };
}

function saved_of(bytes: Uint8Array<ArrayBuffer>): Baseline | null {
  const end = bytes.indexOf(NEWLINE);
  const head = end < 0 ? null : decode_line(bytes.subarray(0, end));
  if (!is_record(head) || !Array.isArray(head.rows) || !is_scope(head.scope)) return null;
  const contents = { bytes, at: end + 1 };
  const things = new Map<string, WatchedPlace>();
  for (const row of head.rows) {
    if (!Array.isArray(row)) return null;
    const [path, role, raw] = row;
    const thing = thing_of(raw, contents);
    if (typeof path !== "string" || !path.startsWith("/") || thing === null) return null;
    if (!ROLES.includes(role)) return null;
    things.set(path, { role, thing });
  }
  if (contents.at !== bytes.length) return null;
  const named = named_of(head.named);
  return { scope: head.scope, things, ...named && { named } };
}

/** Only compared and shown. */
function named_of(value: unknown): NamedBefore | null {
  if (!is_record(value)) return null;
  const map = <T>(list: unknown): ReadonlyMap<string, T> =>
    new Map(Array.isArray(list) ? list as [string, T][] : []);
  return { files: map(value.files), replaced: map(value.replaced), led_out: map(value.led_out) };
}

function decode_line(bytes: Uint8Array): unknown {
  return json(new TextDecoder().decode(bytes)) ?? null;
}

function thing_of(
  raw: unknown,
  contents: { readonly bytes: Uint8Array<ArrayBuffer>; at: number },
): Thing | null {
  if (!is_record(raw)) return null;
  const { kind, bytes: length, mode, uid, gid, to, looks } = raw;
  switch (kind) {
    case "file": {
      if (!is_count(length) || !is_count(mode) || !is_count(uid) || !is_count(gid)) return null;
      const bytes = contents.bytes.slice(contents.at, contents.at + length);
      contents.at += length;
      return bytes.length === length ? { kind, bytes, mode, uid, gid } : null;
    }
    case "link":
      return typeof to === "string" ? { kind, to } : null;
    case "folder":
      return is_count(mode) ? { kind, mode } : null;
    case "unkept":
      return typeof looks === "string" ? { kind, looks } : null;
    default:
      return null;
  }
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

function is_scope(value: unknown): value is Baseline["scope"] {
  return is_record(value) && typeof value.own === "string" &&
    [value.dotgits, value.git_dirs, value.skipped].every((list) =>
      Array.isArray(list) && list.every((path) => typeof path === "string" && path.startsWith("/"))
    );
}
