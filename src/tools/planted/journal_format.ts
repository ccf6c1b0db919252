/** The journal as bytes: a line of JSON, then the contents of all files in its order. */
import { type Found, type Role, ROLES, type Saved } from "./saved.ts";
import type { Thing } from "./thing.ts";

/** Who wrote it, and about what. */
export interface Writer {
  readonly pid: number;
  /** When the process began, in clock ticks since boot; null where the system does not say. */
  readonly started: number | null;
  readonly workspace: string;
  /** Of the workspace's folder; null where the system has none. */
  readonly inode: number | null;
}

/** A journal that was read. */
export interface Read {
  readonly writer: Writer;
  /** Milliseconds since 1970. */
  readonly written: number;
  readonly saved: Saved;
}

const VERSION = 1;
const NEWLINE = 10;

/** A thing as it stands in the line of JSON: of a file, the length instead of the content. */
type Row = readonly [path: string, role: Role, thing: { readonly kind: string }];

/** The pieces to be written one after the other. */
export function encode(writer: Writer, { scope, things }: Saved): Uint8Array[] {
  const contents: Uint8Array[] = [];
  const rows = [...things].map(([path, { role, thing }]): Row => {
    if (thing.kind !== "file") return [path, role, thing];
    contents.push(thing.bytes);
    return [path, role, { ...thing, bytes: thing.bytes.length } as { kind: string }];
  });
  const head = { version: VERSION, writer, written: Date.now(), scope, rows };
  return [new TextEncoder().encode(`${JSON.stringify(head)}\n`), ...contents];
}

/** Null for anything that is not a whole journal. */
export function decode(bytes: Uint8Array<ArrayBuffer>): Read | null {
  const end = bytes.indexOf(NEWLINE);
  let head: unknown;
  try {
    head = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  } catch {
    return null;
  }
  if (!is_record(head) || head.version !== VERSION || !Array.isArray(head.rows)) return null;
  const { writer, written, scope } = head;
  if (!is_writer(writer) || typeof written !== "number" || !is_scope(scope)) return null;
  const contents = { bytes, at: end + 1 };
  const things = new Map<string, Found>();
  for (const row of head.rows) {
    if (!Array.isArray(row)) return null;
    const [path, role, raw] = row;
    const thing = thing_of(raw, contents);
    if (typeof path !== "string" || !path.startsWith("/") || thing === null) return null;
    if (!ROLES.includes(role)) return null;
    things.set(path, { role, thing });
  }
  return contents.at === bytes.length ? { writer, written, saved: { scope, things } } : null;
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

function is_record(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function is_count(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function is_writer(value: unknown): value is Writer {
  return is_record(value) && is_count(value.pid) && typeof value.workspace === "string" &&
    (value.started === null || is_count(value.started)) &&
    (value.inode === null || typeof value.inode === "number");
}

function is_scope(value: unknown): value is Saved["scope"] {
  return is_record(value) && typeof value.own === "string" &&
    [value.dotgits, value.git_dirs, value.skipped].every((list) =>
      Array.isArray(list) && list.every((path) => typeof path === "string" && path.startsWith("/"))
    );
}
