import { at_end } from "./attempt.ts";
import { after_waiting } from "./timer.ts";

/** Blocks this thread. */
export function sleep_sync(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** The result of `work`, or null if it takes longer than `ms` milliseconds; a later result or error is ignored. */
export async function within<T>(ms: number, work: T | Promise<T>): Promise<T | null> {
  const late = Promise.withResolvers<null>();
  const stop = after_waiting(ms, () => late.resolve(null));
  using _ = at_end(stop);
  return await Promise.race([work, late.promise]);
}

/** A time limit: `late` is aborted after `ms` milliseconds, unless `over` is called before. */
export function patience(ms: number): { readonly late: AbortSignal; over(): void } {
  const late = new AbortController();
  return { late: late.signal, over: after_waiting(ms, () => late.abort()) };
}
