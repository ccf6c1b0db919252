/** What is known of the files of one tree: a few numbers for each, and what they stand for. */
import type { FileSlot, Knowledge, Was } from "./look_types.ts";
import { MODE, MODE_BITS, OWN, size_of } from "./folders.ts";

/** From here on a number stands for what is known besides git's entries; an index of git is never so large. */
const OTHERS = 2 ** 31;

/** For files that differ from git's: their hashes, or their places in the stash. */
export class KnownContents {
  readonly #known: (string | number | null)[] = [];
  /** Numbers that nobody needs anymore. */
  readonly #free: number[] = [];

  set({ looks, at }: FileSlot, known: string | number | null): void {
    let own = looks[at + OWN]!;
    if (own < OTHERS) own = this.#free.pop() ?? OTHERS + this.#known.length;
    this.#known[own - OTHERS] = known;
    looks[at + OWN] = own;
  }

  was({ looks, at }: FileSlot): Was {
    const own = looks[at + OWN]!;
    const other = this.#known[own - OTHERS] ?? null;
    const known: Knowledge = typeof other === "number"
      ? { kind: "stashed", nth: other }
      : other !== null
      ? { kind: "hash", hash: other }
      : is_known_in_git(own)
      ? { kind: "git", entry: own }
      : { kind: "nothing" };
    return { mode: looks[at + MODE]! & MODE_BITS, size: size_of(looks, at), known };
  }

  free({ looks, at }: FileSlot): void {
    const own = looks[at + OWN]!;
    if (own >= OTHERS) this.#free.push(own);
  }
}

export function is_known_in_git(own: number): boolean {
  return own !== 0 && own < OTHERS;
}

/** A file has become another: its number stays its own. */
export function unknown(own: number): number {
  return own < OTHERS ? 0 : own;
}
