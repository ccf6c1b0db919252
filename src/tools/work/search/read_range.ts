import { from_bytes } from "../../../config/encoding.ts";
import { plural } from "../../../config/text.ts";
import { ToolFailure } from "../../failure.ts";
import type { OutputLimits } from "../../limits.ts";
import type { Files, Opened } from "../machine/files.ts";
import type { Machine } from "../machine/machine.ts";
import type { WantedRead } from "../machine/read_cache.ts";
import type { Done } from "../../tool.ts";

type OpenFile = Extract<Opened, { kind: "file" }>;

/** A line longer than this is shown cut: minified code would fill the window. */
const LINE_CHARS = 2000;
/** Bytes that surely hold that many characters, of the four that UTF-8 takes at most. */
const LINE_BYTES = 4 * LINE_CHARS;
/** Read at once. */
const CHUNK_BYTES = 256 * 1024;
/** Files up to this size are counted to their end, so that the hint can say how many lines there are. */
const COUNT_BYTES = 8 * 1024 * 1024;
/** No line is looked for further down than this: about two seconds, in which nothing else can be done. */
const SCAN_BYTES = 2 * 1024 ** 3;
/** A file whose beginning has a NUL byte is not text (as git decides it). */
const SNIFF_BYTES = 8000;

const NEWLINE = 10;

/** Lines of an open file, as `N:` and its text; stops at whichever limit comes first. Closes the file. */
export function read_range(opened: OpenFile, want: WantedRead, machine: Machine): Done {
  const name = machine.files.shown(want.full);
  try {
    if (opened.size === 0) {
      machine.files.seen.note(opened.real, opened.looks);
      return { ok: true, text: `${name} is empty`, summary: "empty" };
    }
    const known = machine.read_cache.find(want, opened);
    if (known !== null) {
      machine.files.seen.note(opened.real, opened.looks);
      return known;
    }
    const kind = binary_kind(opened, machine.files);
    if (kind !== null) {
      const what = `${kind}, ${opened.size} bytes`;
      return { ok: true, text: `${name}: ${what}; not shown`, summary: what };
    }
    const range = new Range(want.offset, want);
    const end = scan_lines(opened, range, machine.files);
    if (range.shown.length === 0) {
      throw new ToolFailure(
        end === "end"
          ? `${name} has only ${plural(range.seen, "line")}`
          : `line ${want.offset} of ${name} is more than ${SCAN_BYTES} bytes away: use bash`,
      );
    }
    machine.files.seen.note(opened.real, opened.looks);
    const count = range.shown.length;
    const done = {
      ok: true,
      text: [...range.shown, ...notes(range, want.offset, end)].join("\n"),
      summary: plural(count, "line"),
    };
    machine.read_cache.keep(want, opened, done);
    return done;
  } finally {
    machine.files.close(opened);
  }
}

function notes(range: Range, offset: number, end: "end" | "more"): string[] {
  const next = offset + range.shown.length;
  const total = end === "more" ? "" : ` of ${range.seen}`;
  return [
    ...(range.full || end === "more"
      ? [`[lines ${offset}-${next - 1}${total}; go on with offset=${next}]`]
      : []),
    ...(range.one_byte ? ["[not UTF-8: read as Windows-1252]"] : []),
    ...(range.shown.some((line) => line.includes("\ufffd"))
      ? ["[\ufffd stands for bytes that are not UTF-8]"]
      : []),
  ];
}

/** Collects the lines asked for, and counts the others. */
class Range {
  readonly shown: string[] = [];
  seen = 0;
  /** Whether lines were left out at the end. */
  full = false;
  /** Whether one of them is in an encoding of one byte a character. */
  one_byte = false;
  #bytes = 0;

  constructor(private readonly offset: number, private readonly limits: OutputLimits) {}

  /** How many of the next lines are only counted; 0 if the next one is to be shown. */
  get unseen(): number {
    return this.full ? Infinity : Math.max(0, this.offset - 1 - this.seen);
  }

  /** The next line: its beginning, without line end, and how many bytes it has in all. */
  take(beginning: Uint8Array, length: number): void {
    if (this.unseen > 0) {
      this.seen++;
      return;
    }
    const { text, one_byte } = line_text(beginning, length, this.seen === 0);
    const numbered = `${this.seen + 1}:${text}`;
    const size = new TextEncoder().encode(numbered).length + 1;
    const room = this.shown.length < this.limits.lines &&
      (this.shown.length === 0 || this.#bytes + size <= this.limits.bytes);
    this.seen++;
    if (!room) {
      this.full = true;
      return;
    }
    this.shown.push(numbered);
    this.one_byte ||= one_byte;
    this.#bytes += size;
  }
}

function line_text(
  beginning: Uint8Array,
  length: number,
  first: boolean,
): { readonly text: string; readonly one_byte: boolean } {
  // Only the file's first line can begin with a byte order mark; elsewhere the character is kept.
  const decoder = new TextDecoder("utf-8", { ignoreBOM: !first });
  // Where the beginning ends within a character, the rest of that is not made up.
  const utf8 = decoder.decode(beginning, { stream: beginning.length < length });
  const other = utf8.includes("\ufffd") ? from_bytes(beginning) : null;
  const one_byte = other?.encoding === "Windows-1252";
  // A NUL would end the text for servers and terminals that count in C strings.
  const line = (one_byte ? other.text : utf8).replace(/\r$/, "").replaceAll("\0", "␀");
  const text = line.length > LINE_CHARS
    ? `${
      line.slice(0, LINE_CHARS).replace(/[\ud800-\udbff]$/, "")
    }… [cut: the line has ${length} bytes]`
    : line;
  return { text, one_byte };
}

/** Feeds lines to `range`; tells whether it came to the end of the file or stopped before. */
function scan_lines(opened: OpenFile, range: Range, files: Files): "end" | "more" {
  const to_the_end = opened.size <= COUNT_BYTES;
  const chunk = new Uint8Array(CHUNK_BYTES);
  const line = new PartialLine();
  let at = 0;
  for (;;) {
    const got = files.read_at(opened, chunk, at);
    at += got;
    const bytes = chunk.subarray(0, got);
    for (let from = line.pass(bytes, 0, range); from < got; from = line.pass(bytes, from, range)) {
      const newline = bytes.indexOf(NEWLINE, from);
      const end = newline < 0 ? got : newline;
      line.add(bytes.subarray(from, end));
      if (newline >= 0) line.give(range);
      from = end + 1;
    }
    if (got < chunk.length) break;
    if ((range.full && !to_the_end) || at >= SCAN_BYTES) return "more";
  }
  if (line.length > 0) line.give(range);
  return "end";
}

/** The line under way: no more of it is kept than can be shown, however long it is. */
class PartialLine {
  length = 0;
  readonly #kept = new Uint8Array(LINE_BYTES);
  #kept_bytes = 0;

  /** Goes over lines that are only counted, from `at`; returns where it stopped. A plain loop: most of a file goes by here. */
  pass(bytes: Uint8Array, at: number, range: Range): number {
    const unseen = range.unseen;
    let passed = 0;
    let start = at;
    while (at < bytes.length && passed < unseen) {
      if (bytes[at++] !== NEWLINE) continue;
      passed++;
      start = at;
    }
    if (passed > 0) this.length = 0;
    if (unseen > 0) this.length += at - start;
    range.seen += passed;
    return at;
  }

  add(bytes: Uint8Array): void {
    this.length += bytes.length;
    const part = bytes.subarray(0, LINE_BYTES - this.#kept_bytes);
    this.#kept.set(part, this.#kept_bytes);
    this.#kept_bytes += part.length;
  }

  give(range: Range): void {
    range.take(this.#kept.subarray(0, this.#kept_bytes), this.length);
    this.length = 0;
    this.#kept_bytes = 0;
  }
}

/** What a file is if it is not text, by its first bytes; null for text. */
function binary_kind(opened: OpenFile, files: Files): string | null {
  const head = new Uint8Array(SNIFF_BYTES);
  const bytes = head.subarray(0, files.read_at(opened, head, 0));
  for (const [kind, magic] of MAGIC) {
    if (magic.every((byte, at) => bytes[at] === byte)) return `binary file (${kind})`;
  }
  return bytes.includes(0) ? "binary file" : null;
}

const MAGIC: readonly (readonly [string, readonly number[]])[] = [
  ["PNG image", [0x89, 0x50, 0x4e, 0x47]],
  ["JPEG image", [0xff, 0xd8, 0xff]],
  ["GIF image", [0x47, 0x49, 0x46, 0x38, 0x37, 0x61]],
  ["GIF image", [0x47, 0x49, 0x46, 0x38, 0x39, 0x61]],
  ["PDF document", [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ["ZIP archive", [0x50, 0x4b, 0x03, 0x04]],
  ["gzip archive", [0x1f, 0x8b]],
  ["ELF program", [0x7f, 0x45, 0x4c, 0x46]],
  ["SQLite database", [0x53, 0x51, 0x4c, 0x69, 0x74, 0x65, 0x20, 0x66, 0x6f, 0x72]],
  // Before UTF-16, whose mark begins the same.
  ["UTF-32 text: convert it with iconv", [0xff, 0xfe, 0, 0]],
  ["UTF-32 text: convert it with iconv", [0, 0, 0xfe, 0xff]],
  ["UTF-16 text: convert it with iconv", [0xff, 0xfe]],
  ["UTF-16 text: convert it with iconv", [0xfe, 0xff]],
];
