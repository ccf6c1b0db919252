export function concat(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

export function same_bytes(
  a: Uint8Array | readonly number[],
  b: Uint8Array | readonly number[],
): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
