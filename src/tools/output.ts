import { createHash } from "node:crypto";
import fs from "node:fs";
import type { OutputLimits } from "./limits.ts";

/** A spill file larger than this would fill a disk before anybody reads it: 1 GiB. */
const SPILL_BYTES = 1024 ** 3;

/**
 * Output of a command, of any length, in bounded memory: its head, its tail, and once it is too long for the
 * model, all of it in a file.
 */
export class Output {
  readonly #half: number;
  readonly #head: Uint8Array[] = [];
  #head_bytes = 0;
  readonly #tail: Uint8Array[] = [];
  #tail_bytes = 0;
  #lines = 0;
  #total = 0;
  readonly #hash = createHash("sha256");
  #spill: { readonly fd: number; written: number; failed: string } | null = null;

  constructor(private readonly limits: OutputLimits, private readonly spill_path: string) {
    this.#half = Math.max(1, Math.floor(limits.bytes / 2));
  }

  /** Takes the next bytes. They must not be changed afterwards. */
  push(bytes: Uint8Array): void {
    this.#total += bytes.length;
    this.#hash.update(bytes);
    for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) this.#lines++;
    if (this.#spill === null && this.#too_long()) this.#start_spill();
    if (this.#spill !== null) this.#write_spill(bytes);
    const room = Math.max(0, this.#half - this.#head_bytes);
    if (room > 0) {
      this.#head.push(bytes.slice(0, room));
      this.#head_bytes += Math.min(room, bytes.length);
    }
    if (bytes.length > room) this.#push_tail(bytes.slice(room));
  }

  /** The text for the model, the hash of everything, and closes the spill file. */
  finish(): { readonly text: string; readonly hash: string } {
    const hash = this.#hash.digest("hex");
    if (this.#spill === null) {
      return { text: decode([...this.#head, ...this.#tail]), hash };
    }
    fs.closeSync(this.#spill.fd);
    const half = Math.max(1, Math.floor(this.limits.lines / 2));
    const head = decode(this.#head).split("\n").slice(0, half);
    const tail = decode(this.#tail).split("\n").slice(-half);
    // A cut line at the seam would look whole.
    if (head.length > 1) head.pop();
    if (tail.length > 1) tail.shift();
    const left_out = Math.max(0, this.#lines + 1 - head.length - tail.length);
    const where = this.#spill.failed === ""
      ? this.#spill.written < this.#total
        ? `its first ${this.#spill.written} bytes are in ${this.spill_path}`
        : `all of it is in ${this.spill_path}`
      : `it could not be kept in full: ${this.#spill.failed}`;
    const seam =
      `[… ${left_out} lines left out of ${this.#lines} (${this.#total} bytes); ${where} …]`;
    return { text: `${head.join("\n")}\n${seam}\n${tail.join("\n")}`, hash };
  }

  #too_long(): boolean {
    return this.#total > this.limits.bytes || this.#lines > this.limits.lines;
  }

  #push_tail(bytes: Uint8Array): void {
    this.#tail.push(bytes);
    this.#tail_bytes += bytes.length;
    while (this.#tail_bytes - (this.#tail[0]?.length ?? 0) >= this.#half && this.#tail.length > 1) {
      // Until the limit is passed, head and tail together are everything.
      if (this.#spill === null) return;
      this.#tail_bytes -= this.#tail.shift()?.length ?? 0;
    }
    const first = this.#tail[0];
    if (this.#spill !== null && this.#tail.length === 1 && first && first.length > this.#half) {
      this.#tail[0] = first.slice(-this.#half);
      this.#tail_bytes = this.#half;
    }
  }

  #start_spill(): void {
    try {
      const fd = fs.openSync(this.spill_path, "wx", 0o600);
      this.#spill = { fd, written: 0, failed: "" };
    } catch (error) {
      const null_fd = fs.openSync("/dev/null", "w");
      this.#spill = { fd: null_fd, written: 0, failed: String(error) };
      return;
    }
    for (const bytes of [...this.#head, ...this.#tail]) this.#write_spill(bytes);
  }

  #write_spill(bytes: Uint8Array): void {
    const spill = this.#spill;
    if (spill === null || spill.failed !== "" || spill.written >= SPILL_BYTES) return;
    try {
      let at = 0;
      const end = Math.min(bytes.length, SPILL_BYTES - spill.written);
      while (at < end) at += fs.writeSync(spill.fd, bytes, at, end - at);
      spill.written += end;
    } catch (error) {
      spill.failed = error instanceof Error ? error.message : String(error);
    }
  }
}

function decode(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder();
  const text = pieces.map((piece) => decoder.decode(piece, { stream: true })).join("");
  return text + decoder.decode();
}
