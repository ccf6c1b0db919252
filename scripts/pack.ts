/**
 * Packs bytes as a block of LZ4, and has the WebAssembly that unpacks them: 0.3 ms to compile, and 2 to 3 for a MB. To load
 * `node:zlib` takes more than 20 (Deno 2.9.6), and it unpacks a MB in as much time.
 */

/** What a match has at least, and how far back it can be. */
const [LEAST, FAR] = [4, 65_535];
/** Places that are tried for a match: of 64 the bytecode gets 1 % smaller than of 16. */
const TRIED = 16;
/** A match that is taken as it is, whatever another might be; and how far it is followed. */
const [LONG, LONGEST] = [64, 1024];

/** Four bytes with how many there are, and the block. */
export function pack(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const matches = matches_of(bytes);
  const taken = cheapest(bytes.length, matches);
  const out: number[] = [...new Uint8Array(new Uint32Array([bytes.length]).buffer)];
  const more = (length: number) => {
    if (length < 15) return;
    for (length -= 15; length >= 255; length -= 255) out.push(255);
    out.push(length);
  };
  let literal = 0;
  for (let at = 0; at <= bytes.length; at += Math.max(taken[at] ?? 0, 1)) {
    const length = taken[at] ?? 0;
    if (length === 0 && at < bytes.length) continue;
    const [plain, matched] = [at - literal, Math.max(length - LEAST, 0)];
    out.push((Math.min(plain, 15) << 4) | Math.min(matched, 15));
    more(plain);
    for (let i = literal; i < at; i++) out.push(bytes[i]!);
    if (length === 0) break;
    const back = matches.back[at]!;
    out.push(back & 255, back >> 8);
    more(matched);
    literal = at + length;
  }
  return new Uint8Array(out);
}

/** The longest match of every place: how many bytes, and how far back. */
interface Matches {
  readonly length: Uint32Array;
  readonly back: Uint16Array;
}

function matches_of(bytes: Uint8Array): Matches {
  const [length, back] = [new Uint32Array(bytes.length), new Uint16Array(bytes.length)];
  const before = new Int32Array(bytes.length);
  const last = new Map<number, number>();
  for (let at = 0; at + LEAST <= bytes.length; at++) {
    const four = bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16 | bytes[at + 3]! << 24;
    let other = last.get(four) ?? -1;
    before[at] = other;
    last.set(four, at);
    for (
      let tried = 0;
      other >= 0 && at - other <= FAR && tried < TRIED && length[at]! < LONG;
      tried++
    ) {
      let same = LEAST;
      const most = Math.min(bytes.length - at, LONGEST);
      while (same < most && bytes[other + same] === bytes[at + same]) same++;
      if (same > length[at]!) [length[at], back[at]] = [same, at - other];
      other = before[other]!;
    }
  }
  return { length, back };
}

/** How long a match to take at every place for the fewest bytes; 0: none. */
function cheapest(count: number, { length }: Matches): Uint32Array {
  const taken = new Uint32Array(count);
  const cost = new Uint32Array(count + 1);
  for (let at = count - 1; at >= 0; at--) {
    cost[at] = cost[at + 1]! + 1;
    const most = length[at]!;
    for (let n = most < LONG ? LEAST : most; n <= most; n++) {
      const whole = cost[at + n]! + 3 +
        (n < LEAST + 15 ? 0 : 1 + Math.floor((n - LEAST - 15) / 255));
      if (whole <= cost[at]!) [cost[at], taken[at]] = [whole, n];
    }
  }
  return taken;
}

/** Adds to `n`, the four bits of a length, what follows them. */
const MORE =
  "n #15 same if loop n s load8 =byte byte add =n s #1 add =s byte #255 same again? end end";
/** Copies `n` bytes to `d`, eight at a time: up to seven too many. */
const copy = (from: string) =>
  `d n add =stop loop d ${from} load64 store64 ${from} #8 add =${from} d #8 add =d d stop less again? end stop =d`;
/** From `s` until `last`, to the beginning of the memory. */
const UNPACK = `loop
  s load8 =first s #1 add =s
  first #4 shift =n ${MORE}
  n if s n add =from ${copy("s")} from =s end
  s last less if
    d s load16 sub =from s #2 add =s
    first #15 and =n ${MORE} n #4 add =n
    d from sub #8 less if
      d n add =stop loop d from load8 store8 from #1 add =from d #1 add =d d stop less again? end
    else ${copy("from")} end
    outer
  end
end end`;
const VARIABLES = ["s", "last", "d", "first", "n", "from", "stop", "byte"];
const INSTRUCTIONS: Readonly<Record<string, string>> = {
  ...{ loop: "0340", if: "0440", else: "05", end: "0b", outer: "0c01", "again?": "0d00" },
  ...{ load8: "2d0000", load16: "2f0000", load64: "290000", store8: "3a0000", store64: "370000" },
  ...{ add: "6a", sub: "6b", and: "71", shift: "76", same: "46", less: "49" },
};

/** The WebAssembly that `unpack` takes: `u.u(s, last)`, on the memory `m.m`. */
export function unpacker(): Uint8Array<ArrayBuffer> {
  const part = (id: number, content: readonly number[]) => [id, ...leb(content.length), ...content];
  const code = [1, VARIABLES.length - 2, 0x7f, ...UNPACK.split(/\s+/).flatMap(assembled)];
  return new Uint8Array([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...part(1, [1, 0x60, 2, 0x7f, 0x7f, 0]),
    ...part(2, [1, 1, 0x6d, 1, 0x6d, 2, 0, 1]),
    ...part(3, [1, 0]),
    ...part(7, [1, 1, 0x75, 0, 0]),
    ...part(10, [1, ...leb(code.length), ...code]),
  ]);
}

function assembled(word: string): readonly number[] {
  if (word.startsWith("#")) return [0x41, ...leb(Number(word.slice(1)))];
  if (word.startsWith("=")) return [0x21, VARIABLES.indexOf(word.slice(1))];
  const instruction = INSTRUCTIONS[word];
  return instruction === undefined
    ? [0x20, VARIABLES.indexOf(word)]
    : [...Uint8Array.fromHex(instruction)];
}

function leb(n: number): readonly number[] {
  return n < 128 ? [n] : [n & 127 | 128, n >> 7];
}

/** What was packed; of what was not, nobody knows what, or it throws. Its text is part of the binary's: it takes nothing from around it. */
export function unpack(packed: Uint8Array<ArrayBuffer>, module: WebAssembly.Module): Uint8Array {
  const count = new DataView(packed.buffer).getUint32(0, true);
  // What is not yet unpacked is never caught up with: a byte more than it gives takes 255 bytes.
  const last = count + (packed.length >> 8) + 32;
  const m = new WebAssembly.Memory({ initial: Math.ceil((last + 8) / 65_536) });
  const bytes = new Uint8Array(m.buffer);
  bytes.set(packed.subarray(4), last + 4 - packed.length);
  const { u } = new WebAssembly.Instance(module, { m: { m } }).exports as {
    readonly u: (s: number, last: number) => void;
  };
  u(last + 4 - packed.length, last);
  return bytes.subarray(0, count);
}
