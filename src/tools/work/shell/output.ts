import { concat } from "../../../config/bytes.ts";
import { path } from "../../../config/path.ts";
import { is_full } from "../../../permission/file_faults.ts";
import { message_of } from "../../../config/text.ts";
import { entries_in, lstat_or_null } from "../../../permission/paths.ts";
import type { OutputLimits } from "../../limits.ts";
import { TerminalText } from "./terminal_text.ts";

/** What is kept of one output, and in a session: a model reads 50 KB at a time, a large build logs 30 MB, an endless loop that in a second. */
const SPILL_MIB = 64, SESSION_MIB = 256;
const MIB = 1024 ** 2;
/** Without a limit set (0 in the settings), a text still has to fit into memory, a few times over. */
const MOST_BYTES = 64 * 1024 * 1024;
/** Names that are tried for a spill file; a session that is gone on with has some already. */
const MOST_NAMES = 10_000;

/** What is shown of a long output: a fifth of it from its beginning, the rest from its end, where errors and sums stand (issue 12). */
const HEAD_SHARE = 5;

const NEWLINE = 10;

/** A command's output in bounded memory: its head, its tail and, once it is too long for the model, all of it in a file. */
export class Output {
  readonly #most: number;
  /** Everything, until that is more than is shown; then the beginning. */
  readonly #head: Uint8Array[] = [];
  #head_bytes = 0;
  /** What came after the head, its end only. */
  readonly #tail: Ring;
  #lines = 0;
  #total = 0;
  #open_line = false;
  #spill: Spill | null = null;

  readonly #terminal: TerminalText | null;

  /** `spill_path` is the spill file's path without its ending. `printed`: it is for a terminal, and kept as it looks there. */
  constructor(
    private readonly limits: OutputLimits,
    private readonly spill_path: string,
    { printed = false }: { printed?: boolean } = {},
  ) {
    this.#terminal = printed ? new TerminalText((bytes) => this.#add(bytes)) : null;
    this.#most = Math.min(limits.bytes, MOST_BYTES);
    this.#tail = new Ring(rest_of(this.#most));
  }

  /** Takes the next bytes; they may be changed afterwards. */
  push(bytes: Uint8Array): void {
    if (this.#terminal === null) this.#add(bytes);
    else this.#terminal.push(bytes);
  }

  get had_codes(): boolean {
    return this.#terminal?.had_codes ?? false;
  }

  #add(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#total += bytes.length;
    this.#lines += newlines_in(bytes);
    this.#open_line = bytes[bytes.length - 1] !== NEWLINE;
    if (this.#spill === null && this.#too_long()) this.#start_spill();
    this.#spill?.write(bytes);
    const room = this.#most - this.#head_bytes;
    const part = bytes.subarray(0, room);
    if (part.length > 0) {
      this.#head.push(part.slice());
      this.#head_bytes += part.length;
    }
    if (bytes.length > room) this.#tail.push(bytes.subarray(Math.max(0, room)));
  }

  /** The text for the model. Closes the spill file. */
  finish(): string {
    this.#terminal?.end();
    const kept = concat([...this.#head, ...this.#tail.pieces()]);
    if (this.#spill === null) return text_of(kept);
    const where = this.#spill.close(this.#total);
    const { lines: most_lines } = this.limits;
    const head = first_lines(kept.subarray(0, head_of(this.#most)), head_of(most_lines));
    const rest = kept.subarray(head.length);
    const end = rest.subarray(Math.max(0, rest.length - rest_of(this.#most)));
    const tail = last_lines(end, rest_of(most_lines));
    const bytes = this.#total - head.length - tail.length;
    const all = this.#lines + (this.#open_line ? 1 : 0);
    const lines = all - lines_in(head) - lines_in(tail);
    const left_out = lines > 0
      ? `${lines} of ${all} lines (${bytes} bytes)`
      : `${bytes} of ${this.#total} bytes`;
    const seam = `[… ${left_out} left out; ${where} …]`;
    const before = text_of(head, "end");
    const line_end = before.endsWith("\n") ? "" : "\n";
    return `${before}${line_end}${seam}\n${text_of(tail, "start")}`;
  }

  #too_long(): boolean {
    const lines = this.#lines + (this.#open_line ? 1 : 0);
    return this.#total > this.#most || lines > this.limits.lines;
  }

  #start_spill(): void {
    this.#spill = Spill.open(this.spill_path);
    for (const bytes of this.#head) this.#spill.write(bytes);
  }
}

class Spill {
  #written = 0;

  private constructor(
    private readonly path: string,
    private file: Deno.FsFile | null,
    private failed: string,
    /** How many bytes may be written. */
    private readonly room = 0,
  ) {}

  static open(base: string): Spill {
    const folder = path.dirname(base);
    const used = entries_in(folder).reduce(
      (sum, { name }) => sum + (lstat_or_null(`${folder}/${name}`)?.size ?? 0),
      0,
    );
    const room = Math.min(SPILL_MIB * MIB, SESSION_MIB * MIB - used);
    if (room <= 0) return new Spill(base, null, `this session's outputs take ${SESSION_MIB} MiB`);
    for (let n = 1; n <= MOST_NAMES; n++) {
      const name = n === 1 ? `${base}.txt` : `${base}-${n}.txt`;
      try {
        const file = Deno.openSync(name, { write: true, createNew: true, mode: 0o600 });
        return new Spill(name, file, "", room);
      } catch (error) {
        if (!(error instanceof Deno.errors.AlreadyExists)) {
          return new Spill(name, null, words_of(error));
        }
      }
    }
    return new Spill(base, null, "too many outputs");
  }

  write(bytes: Uint8Array): void {
    if (this.file === null) return;
    try {
      const kept = bytes.subarray(0, this.room - this.#written);
      for (let at = 0; at < kept.length;) at += this.file.writeSync(kept.subarray(at));
      this.#written += kept.length;
    } catch (error) {
      this.failed = words_of(error);
      // A disk that is full stays so for everybody else while this file is there.
      this.file.close();
      Deno.removeSync(this.path);
      this.file = null;
    }
  }

  close(total: number): string {
    if (this.file === null) return `all of it could not be kept: ${this.failed}`;
    this.file.close();
    return this.#written < total
      ? `its first ${this.#written} bytes are in ${this.path}, and no more is kept`
      : `all of it is in ${this.path}`;
  }
}

/** The last bytes of all that was pushed. */
class Ring {
  #bytes: Uint8Array | null = null;
  #at = 0;
  #filled = false;

  constructor(private readonly length: number) {}

  push(bytes: Uint8Array): void {
    const ring = this.#bytes ??= new Uint8Array(this.length);
    let rest = bytes.length > this.length ? bytes.subarray(bytes.length - this.length) : bytes;
    while (rest.length > 0) {
      const part = rest.subarray(0, this.length - this.#at);
      ring.set(part, this.#at);
      rest = rest.subarray(part.length);
      this.#at += part.length;
      if (this.#at === this.length) {
        this.#at = 0;
        this.#filled = true;
      }
    }
  }

  pieces(): Uint8Array[] {
    if (this.#bytes === null) return [];
    const newest = this.#bytes.subarray(0, this.#at);
    return this.#filled ? [this.#bytes.subarray(this.#at), newest] : [newest];
  }
}

function head_of(limit: number): number {
  return Math.max(1, Math.floor(limit / HEAD_SHARE));
}

function rest_of(limit: number): number {
  return Math.max(1, limit - head_of(limit));
}

/** A plain loop: for short lines, calls of `indexOf` take thirty times as long. */
function newlines_in(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] === NEWLINE) count++;
  return count;
}

function lines_in(bytes: Uint8Array): number {
  const open = bytes.length > 0 && bytes[bytes.length - 1] !== NEWLINE;
  return newlines_in(bytes) + (open ? 1 : 0);
}

/** Whole lines from the beginning, at most `most`; all of it where not even one is whole. */
function first_lines(bytes: Uint8Array, most: number): Uint8Array {
  let end = 0;
  for (let n = 0; n < most; n++) {
    const newline = bytes.indexOf(NEWLINE, end);
    if (newline < 0) break;
    end = newline + 1;
  }
  return end > 0 ? bytes.subarray(0, end) : bytes;
}

/** Whole lines up to the end, at most `most`; all of it where not even one is whole. */
function last_lines(bytes: Uint8Array, most: number): Uint8Array {
  const ends_open = bytes[bytes.length - 1] !== NEWLINE;
  let start = bytes.length;
  let from = bytes.length - (ends_open ? 1 : 2);
  for (let n = 0; n < most && from >= 0; n++) {
    const newline = bytes.lastIndexOf(NEWLINE, from);
    if (newline < 0) break;
    start = newline + 1;
    from = newline - 1;
  }
  return start < bytes.length ? bytes.subarray(start) : bytes;
}

/** Text of bytes that may have been cut within a character. A NUL would end it for what counts in C strings. */
function text_of(bytes: Uint8Array, cut?: "start" | "end"): string {
  let start = 0;
  // At most three bytes can be left of the character that was cut.
  while (cut === "start" && start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++;
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return decoder.decode(bytes.subarray(start), { stream: cut === "end" }).replaceAll("\0", "␀");
}

function words_of(error: unknown): string {
  return is_full(error) ? "the disk is full" : message_of(error);
}
