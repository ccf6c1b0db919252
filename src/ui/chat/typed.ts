/** Gives what is typed to `take`, piece by piece, until standard input ends or the terminal is gone. */
export async function each_typed(take: (bytes: Uint8Array) => void): Promise<void> {
  const buffer = new Uint8Array(16_384);
  try {
    for (;;) {
      const length = await Deno.stdin.read(buffer);
      if (length === null) return;
      take(buffer.subarray(0, length));
    }
  } catch {
    // The terminal is gone.
  }
}
