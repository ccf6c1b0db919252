/** A model loads for minutes: five, where `max_wait_s` is 60. */
const LOADING_WAITS = 5;

/** Milliseconds that a model which is being loaded is waited for in all; Infinity: no limit. */
export function loading_ms({ max_wait_s }: { readonly max_wait_s: number }): number {
  return max_wait_s > 0 ? max_wait_s * 1000 * LOADING_WAITS : Infinity;
}
