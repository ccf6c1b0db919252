/** What files held before the first command of a run, as far as git does not have it: many of them together, so that each costs little. */
import type { Reading } from "./folders.ts";
import type { Kept } from "./kept.ts";
import type { InPack } from "./known.ts";

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
  #bytes = new Uint8Array();
  /** Of the pack that is being filled; 0: none is. */
  #used = 0;

  constructor(private readonly kept: Kept) {}

  /** Takes what `read` reads; gives the number of its place, null where it could not be read. */
  async take(size: number, read: (take: Reading["take"]) => boolean): Promise<number | null> {
    if (this.#used + size > this.#bytes.length) await this.finish();
    if (this.#used === 0) {
      this.#bytes = new Uint8Array(Math.max(PACK_BYTES, HEAD.length + size));
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
    if ((this.#count + 1) * NUMBERS > this.#places.length) {
      const larger = new Uint32Array(2 * this.#places.length);
      larger.set(this.#places);
      this.#places = larger;
    }
    const place = this.#count * NUMBERS;
    this.#places[place] = this.#packs.length;
    this.#places[place + 1] = from;
    this.#places[place + 2] = at - from;
    this.#used = at;
    return this.#count++;
  }

  /** All that was taken is kept, and on the disk where the run is saved. */
  async finish(): Promise<void> {
    if (this.#used === 0) return;
    this.#packs.push(await this.kept.put_pack(this.#bytes.subarray(0, this.#used)));
    this.#bytes = new Uint8Array();
    this.#used = 0;
  }

  /** Where a content lies. */
  place(nth: number): InPack {
    const [pack = 0, from = 0, length = 0] = this.#places.subarray(nth * NUMBERS);
    return [this.#packs[pack] ?? "", from, length];
  }

  /** Null where there was no room for it. */
  read(nth: number): Uint8Array<ArrayBuffer> | null {
    return this.kept.part(this.place(nth));
  }
}
