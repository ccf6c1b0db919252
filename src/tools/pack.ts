import fs from "node:fs";

/** Where something lies in a pack. */
export interface Kept {
  readonly offset: number;
  readonly length: number;
}

/** Gathered before it is written: thousands of small files are thousands of calls otherwise. */
const STAGED_BYTES = 1024 * 1024;

/**
 * A nameless file to which bytes are added and in which none are changed, only moved together. No child can reach
 * it; it is gone with the process. Where the disk has no room it stays as it is.
 */
export class Pack {
  #staged: Uint8Array | null = new Uint8Array(STAGED_BYTES);
  #staged_bytes = 0;
  #written = 0;
  #full = false;

  private constructor(private fd: number | null) {}

  /** Opens one. `folder` is where a file can be made for a moment; where that fails, nothing is ever kept. */
  static open(folder: string): Pack {
    const name = `${folder}/pack-${crypto.randomUUID()}`;
    try {
      const fd = fs.openSync(name, "wx+", 0o600);
      fs.unlinkSync(name);
      return new Pack(fd);
    } catch {
      return new Pack(null);
    }
  }

  /** Bytes kept so far. */
  get length(): number {
    return this.#written + this.#staged_bytes;
  }

  /** Adds bytes; null where there is no room for them. */
  add(bytes: Uint8Array): Kept | null {
    if (this.fd === null || this.#full || this.#staged === null) return null;
    if (this.#staged_bytes + bytes.length > STAGED_BYTES && !this.#flush()) return null;
    const kept = { offset: this.length, length: bytes.length };
    if (bytes.length > STAGED_BYTES) return this.#write(bytes) ? kept : null;
    this.#staged.set(bytes, this.#staged_bytes);
    this.#staged_bytes += bytes.length;
    return kept;
  }

  /** Writes what is gathered; nothing can be added after it. */
  finish(): void {
    this.#flush();
    this.#staged = null;
  }

  /**
   * Moves `kept` together, given in the order in which they were added, and lets go of the rest. Gives where each
   * lies now; null where it could not be moved.
   */
  keep_only(kept: readonly Kept[]): (Kept | null)[] {
    this.#flush();
    let end = 0;
    const moved = kept.map((one) => {
      const bytes = this.read(one);
      // Never over what is still to be moved: that lies further on.
      if (bytes === null || !this.#write_at(end, bytes)) return null;
      const at = { offset: end, length: bytes.length };
      end += bytes.length;
      return at;
    });
    this.#written = end;
    return moved;
  }

  /** Lets go of everything. */
  close(): void {
    if (this.fd !== null) fs.closeSync(this.fd);
    this.fd = null;
  }

  /** What was added; null where the disk had no room for it after all. `into`: takes it, if there is room. */
  read(kept: Kept, into?: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> | null {
    if (this.fd === null || kept.offset + kept.length > this.length) return null;
    const bytes = into !== undefined && into.length >= kept.length
      ? into.subarray(0, kept.length)
      : new Uint8Array(kept.length);
    if (this.#staged !== null && kept.offset >= this.#written) {
      const at = kept.offset - this.#written;
      bytes.set(this.#staged.subarray(at, at + kept.length));
      return bytes;
    }
    let at = 0;
    while (at < bytes.length) {
      const got = fs.readSync(this.fd, bytes, at, bytes.length - at, kept.offset + at);
      if (got === 0) return null;
      at += got;
    }
    return bytes;
  }

  #flush(): boolean {
    if (this.#staged === null || this.#staged_bytes === 0) return !this.#full;
    const bytes = this.#staged.subarray(0, this.#staged_bytes);
    this.#staged_bytes = 0;
    return this.#write(bytes);
  }

  #write(bytes: Uint8Array): boolean {
    if (!this.#write_at(this.#written, bytes)) return false;
    this.#written += bytes.length;
    return true;
  }

  #write_at(offset: number, bytes: Uint8Array): boolean {
    if (this.fd === null) return false;
    try {
      let at = 0;
      while (at < bytes.length) {
        at += fs.writeSync(this.fd, bytes, at, bytes.length - at, offset + at);
      }
      return true;
    } catch {
      this.#full = true;
      return false;
    }
  }
}
