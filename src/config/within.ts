import { at_end } from "./attempt.ts";
import { after_waiting } from "./timer.ts";

export function stand_still(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** What work comes to, or null where it takes longer than so many milliseconds; then nobody hears what it comes to. */
export async function within<T>(ms: number, work: T | Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const stop = after_waiting(ms, () => late.resolve(null));
  using _ = at_end(stop);
  return await Promise.race([work, late.promise]);
}

/** A limit for who is asked: `late` fires after so many milliseconds, unless it is `over` before that. */
export function patience(ms: number): { readonly late: AbortSignal; over(): void } {
  const late = new AbortController();
  return { late: late.signal, over: after_waiting(ms, () => late.abort()) };
}
