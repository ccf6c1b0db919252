/** Contents of files before the first command of a run, as far as Git lacks them: packed together, so that each costs little. */
import { doubled, type ReadPlan } from "./folders.ts";
import type { KeptContents } from "./content_keeper.ts";
import type { InPack } from "./look_types.ts";

/** Written at once; a larger file is a pack of its own. */
const PACK_BYTES = 1024 * 1024;
/** Stands before each, so that none is what a file holds: packs are let go of one day, and what a file held is not. */
const HEAD = new TextEncoder().encode("hamr: contents of files\n");
/** Numbers of a place: its pack, where it begins in it, and how long it is. */
const NUMBERS = 3;

/** Contents by the number of their place. Takes next to no memory. */
export class Stash {
  readonly #packs: string[] = [];
  #places = new Uint32Array(NUMBERS * 1024);
  #count = 0;
  #bytes = new Uint8Array(PACK_BYTES);
  /** Bytes in the pack that is being filled; 0: none is. */
  #used = 0;

  constructor(private readonly kept: KeptContents) {}

  /** Takes what `read` reads; gives the number of its place, null if it could not be read. */
  take(size: number, read: (take: ReadPlan["take"]) => boolean): number | null {
    if (this.#used + size > this.#bytes.length) this.#seal();
    if (HEAD.length + size > this.#bytes.length) this.#bytes = new Uint8Array(HEAD.length + size);
    if (this.#used === 0) {
      this.#bytes.set(HEAD);
      this.#used = HEAD.length;
    }
    const from = this.#used;
    let at = from;
    const whole = read((piece) => {
      this.#bytes.set(piece, at);
      at += piece.length;
    });
    if (!whole) return null;
    if ((this.#count + 1) * NUMBERS > this.#places.length) this.#places = doubled(this.#places);
    this.#places.set([this.#packs.length, from, at - from], this.#count * NUMBERS);
    this.#used = at;
    return this.#count++;
  }

  /** All that was taken is on the disk, where the run is saved. */
  async finish(): Promise<void> {
    this.#seal();
    this.#bytes = new Uint8Array();
    await this.kept.store_packs(this.#packs);
  }

  #seal(): void {
    if (this.#used > 0) this.#packs.push(this.kept.keep(this.#bytes.subarray(0, this.#used)));
    this.#used = 0;
  }

  place(nth: number): InPack {
    const [pack = 0, from = 0, length = 0] = this.#places.subarray(nth * NUMBERS);
    return [this.#packs[pack] ?? "", from, length];
  }

  /** Null if there was no room for it. */
  read(nth: number): Uint8Array<ArrayBuffer> | null {
    return this.kept.get(...this.place(nth));
  }
}
