import type { Files, Opened } from "./files.ts";
import type { Machine } from "./machine.ts";
import { ToolFailure } from "./failure.ts";
import type { Done } from "./tool.ts";

type OpenFile = Extract<Opened, { kind: "file" }>;

/** A line longer than this is shown cut: minified code would fill the window. */
const LINE_CHARS = 2000;
/** Read at once. */
const CHUNK_BYTES = 65536;
/** Files up to this size are counted to their end, so that the hint can say how many lines there are. */
const COUNT_BYTES = 8 * 1024 * 1024;
/** A file whose beginning has a NUL byte is not text (as git decides it). */
const SNIFF_BYTES = 8000;

/** Lines of an open file, as `N:` and its text; stops at whichever limit comes first. Closes the file. */
export function read_range(
  opened: OpenFile,
  want: { readonly full: string; readonly offset: number; readonly lines: number },
  machine: Machine,
): Done {
  const name = machine.files.shown(want.full);
  try {
    const kind = binary_kind(opened, machine.files);
    if (kind !== null) {
      const size = opened.size;
      return {
        ok: true,
        text: `${name}: ${kind}, ${size} bytes; not shown`,
        summary: `${kind}, ${size} bytes`,
      };
    }
    const range = new Range(want.offset, want.lines, machine.limits.bytes);
    const more = scan_lines(opened, range, machine.files);
    machine.files.saw(opened.real);
    if (range.shown.length === 0) {
      if (opened.size === 0) return { ok: true, text: `${name} is empty`, summary: "empty" };
      throw new ToolFailure(`${name} has only ${range.seen} lines`);
    }
    const next = want.offset + range.shown.length;
    const total = more ? "" : ` of ${range.seen}`;
    const hint = range.full || more
      ? `\n[lines ${want.offset}-${next - 1}${total}; go on with offset=${next}]`
      : "";
    const count = range.shown.length;
    return {
      ok: true,
      text: range.shown.join("\n") + hint,
      summary: `${count} line${count === 1 ? "" : "s"}`,
    };
  } finally {
    machine.files.close(opened);
  }
}

/** Collects the lines asked for, and counts the others. */
class Range {
  readonly shown: string[] = [];
  /** Lines that have gone by. */
  seen = 0;
  /** Whether lines were left out at the end. */
  full = false;
  #bytes = 0;

  constructor(
    private readonly offset: number,
    private readonly lines: number,
    private readonly bytes: number,
  ) {}

  take(line: string): void {
    this.seen++;
    if (this.seen < this.offset || this.full) return;
    const text = line.endsWith("\r") ? line.slice(0, -1) : line;
    const cut = text.length > LINE_CHARS
      ? `${text.slice(0, LINE_CHARS)}… [${text.length} characters]`
      : text;
    const numbered = `${this.seen}:${cut}`;
    const size = new TextEncoder().encode(numbered).length + 1;
    const room = this.shown.length < this.lines &&
      (this.shown.length === 0 || this.#bytes + size <= this.bytes);
    if (!room) {
      this.full = true;
      return;
    }
    this.shown.push(numbered);
    this.#bytes += size;
  }
}

/** Feeds lines to `range`; true if it stopped before the end of the file. */
function scan_lines(opened: OpenFile, range: Range, files: Files): boolean {
  const to_the_end = opened.size <= COUNT_BYTES;
  const decoder = new TextDecoder();
  const chunk = new Uint8Array(CHUNK_BYTES);
  let rest = "";
  let at = 0;
  for (;;) {
    const got = files.read_at(opened, chunk, at);
    at += got;
    const pieces = (rest + decoder.decode(chunk.subarray(0, got), { stream: got > 0 })).split("\n");
    rest = pieces.pop() ?? "";
    // One endless line must not grow in memory: what is past the cut is never shown.
    if (rest.length > 4 * CHUNK_BYTES) rest = rest.slice(0, 2 * CHUNK_BYTES);
    for (const piece of pieces) range.take(piece);
    if (got === 0) break;
    if (range.full && !to_the_end) return true;
  }
  if (rest !== "") range.take(rest);
  return false;
}

/** What a file is if it is not text, by its first bytes; null for text. */
function binary_kind(opened: OpenFile, files: Files): string | null {
  const head = new Uint8Array(SNIFF_BYTES);
  const bytes = head.subarray(0, files.read_at(opened, head, 0));
  for (const [kind, magic] of MAGIC) {
    if (magic.every((byte, at) => bytes[at] === byte)) return kind;
  }
  return bytes.includes(0) ? "binary file" : null;
}

const MAGIC: readonly (readonly [string, readonly number[]])[] = [
  ["PNG image", [0x89, 0x50, 0x4e, 0x47]],
  ["JPEG image", [0xff, 0xd8, 0xff]],
  ["GIF image", [0x47, 0x49, 0x46, 0x38]],
  ["PDF document", [0x25, 0x50, 0x44, 0x46]],
  ["ZIP archive", [0x50, 0x4b, 0x03, 0x04]],
  ["gzip archive", [0x1f, 0x8b]],
  ["ELF program", [0x7f, 0x45, 0x4c, 0x46]],
  ["SQLite database", [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20]],
  ["UTF-16 text (convert it with iconv)", [0xff, 0xfe]],
  ["UTF-16 text (convert it with iconv)", [0xfe, 0xff]],
];
