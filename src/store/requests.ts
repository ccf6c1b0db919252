/** Stores requests compactly: how much of an earlier one each begins and ends with, and what is between. Every byte can be restored. */

export interface Packed {
  /** Which of the earlier ones. */
  readonly base: number;
  /** Bytes that are the same at both ends. */
  readonly head: number;
  readonly tail: number;
  /** What is between, in UTF-8. */
  readonly text: string;
}

/** The conversation, and one beside it: a subagent's, or that of a question for a summary. */
const BASES = 2;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Packs requests, or unpacks them in the same order: it knows those before. */
export class Requests {
  /** A buffer each, as much of it as the last request of it took, and when that was. */
  readonly #bases = Array.from({ length: BASES }, () => ({
    bytes: new Uint8Array(0),
    length: 0,
    used: 0,
  }));
  #count = 0;

  /** A request as it is kept. `body` must be UTF-8. */
  pack(body: Uint8Array): Packed {
    const shared = this.#bases.map(({ bytes, length }) =>
      same_ends(bytes.subarray(0, length), body)
    );
    const most = Math.max(...shared.map(({ head, tail }) => head + tail));
    const nearest = shared.findIndex(({ head, tail }) => head + tail === most);
    const oldest = Math.min(...this.#bases.map(({ used }) => used));
    // One that has less than half of either begins a conversation of its own.
    const base = most > this.#base(nearest).length / 2
      ? nearest
      : this.#bases.findIndex(({ used }) => used === oldest);
    const { head, tail } = shared[base] ?? { head: 0, tail: 0 };
    const between = body.subarray(head, body.length - tail);
    this.#keep(base, head, body.subarray(head));
    return { base, head, tail, text: utf8.decode(between) };
  }

  /** The bytes of a request; valid until the next call. Throws a `RangeError` where it cannot follow those before it. */
  unpack({ base, head, tail, text }: Packed): Uint8Array {
    const { bytes, length } = this.#base(base);
    if (head + tail > length) throw new RangeError("a request refers to one that is not there");
    const between = new TextEncoder().encode(text);
    const rest = new Uint8Array(between.length + tail);
    rest.set(between);
    rest.set(bytes.subarray(length - tail, length), between.length);
    this.#keep(base, head, rest);
    const kept = this.#base(base);
    return kept.bytes.subarray(0, kept.length);
  }

  #base(nth: number) {
    const base = this.#bases[nth];
    if (base === undefined) throw new RangeError("a request refers to one that is not there");
    return base;
  }

  /** Puts `rest` behind the first bytes of what was there. */
  #keep(nth: number, head: number, rest: Uint8Array): void {
    const base = this.#base(nth);
    const length = head + rest.length;
    if (length > base.bytes.length) {
      const grown = new Uint8Array(Math.max(length, 2 * base.bytes.length));
      grown.set(base.bytes.subarray(0, head));
      base.bytes = grown;
    }
    base.bytes.set(rest, head);
    base.length = length;
    base.used = ++this.#count;
  }
}

/** How many bytes two texts have in common at their beginning. Four at a time: requests may be long. */
export function same_head(a: Uint8Array, b: Uint8Array): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  if (a.byteOffset % 4 === 0 && b.byteOffset % 4 === 0) {
    const words = most >> 2;
    const [left, right] = [
      new Uint32Array(a.buffer, a.byteOffset, words),
      new Uint32Array(b.buffer, b.byteOffset, words),
    ];
    let word = 0;
    while (word < words && left[word] === right[word]) word++;
    at = word * 4;
  }
  while (at < most && a[at] === b[at]) at++;
  return at;
}

/** How many bytes are the same at both ends: whole characters, and none twice. */
function same_ends(before: Uint8Array, body: Uint8Array): { head: number; tail: number } {
  let head = same_head(before, body), tail = 0;
  while (head > 0 && is_inside(body[head])) head--;
  const most = Math.min(before.length, body.length) - head;
  while (tail < most && before[before.length - 1 - tail] === body[body.length - 1 - tail]) tail++;
  while (tail > 0 && is_inside(body[body.length - tail])) tail--;
  return { head, tail };
}

/** Whether a byte is not the first of its character. */
function is_inside(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
