/** Holds this thread for so many milliseconds. */
export function stand_still(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** What work comes to, or null where it takes longer than so many milliseconds; then nobody hears what it comes to. */
export async function within<T>(ms: number, work: T | Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const timer = setTimeout(late.resolve, ms, null);
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** On a busy machine this process may be the one that comes too late: between two pieces it looks at what it was told. */
const PIECES = 6;

/** A limit for who is asked: `late` fires after so many milliseconds, unless it is `over` before. */
export function patience(ms: number): { readonly late: AbortSignal; over(): void } {
  const late = new AbortController();
  let left = PIECES;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    if (left-- === 0) late.abort();
    else timer = setTimeout(wait, ms / PIECES);
  };
  wait();
  return { late: late.signal, over: () => clearTimeout(timer) };
}
