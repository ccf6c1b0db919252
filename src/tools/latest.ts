import type { Kept, Pack } from "./pack.ts";

/** All contents that are kept, and those that newer ones have replaced, until they are cleared out. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * The last known content of each file that has changed in this run, so that the next change can be shown beside
 * it. Takes a nameless file of at most 64 MB and next to no memory; where that is full, half of it is kept:
 * what changed last.
 */
export class Latest {
  /** What was put last comes last. Null: the file has changed, but its content is not kept. */
  readonly #at = new Map<string, Kept | null>();

  constructor(
    private readonly pack: Pack,
    private readonly most_bytes: number = MOST_BYTES,
  ) {}

  /** Whether the file has changed before, whether or not its content was kept. */
  has(path: string): boolean {
    return this.#at.has(path);
  }

  /** Null where it is not kept. */
  get(path: string): Uint8Array | null {
    const at = this.#at.get(path);
    return at === undefined || at === null ? null : this.pack.read(at);
  }

  /** Takes the content that a file has now; null where it is not known. */
  put(path: string, bytes: Uint8Array | null): void {
    this.#at.delete(path);
    if (bytes !== null && this.pack.length + bytes.length > this.most_bytes) this.#clear_out();
    this.#at.set(path, bytes === null ? null : this.pack.add(bytes));
  }

  /** The file is gone. */
  drop(path: string): void {
    this.#at.delete(path);
  }

  /** Lets go of everything. */
  close(): void {
    this.pack.close();
  }

  #clear_out(): void {
    const kept: [string, Kept][] = [];
    let room = this.most_bytes / 2;
    for (const [path, at] of [...this.#at].reverse()) {
      if (at === null) continue;
      room -= at.length;
      if (room >= 0) kept.push([path, at]);
      else this.#at.set(path, null);
    }
    kept.reverse();
    const moved = this.pack.keep_only(kept.map(([, at]) => at));
    for (const [nth, [path]] of kept.entries()) this.#at.set(path, moved[nth] ?? null);
  }
}
