/** The time limit of a call to an MCP server. */

/** The longest time that a timer has. */
export const NO_LIMIT_MS = 2 ** 31 - 1;

export interface CallLimit {
  /** Of the run's end, and of the time's. */
  readonly signal: AbortSignal;
  /** There was a sign of progress: the time starts over. */
  renew(): void;
  passed(): boolean;
  end(): void;
}

/** Seconds without a sign of progress; 0 is no limit. They do not pass while `is_held`: the person is asked for it. */
export function call_limit(
  seconds: number,
  { signal, is_held }: { signal: AbortSignal; is_held: () => boolean },
): CallLimit {
  const over = new AbortController();
  let passed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const renew = () => {
    clearTimeout(timer);
    if (seconds === 0) return;
    timer = setTimeout(() => {
      if (is_held()) return renew();
      passed = true;
      over.abort();
    }, seconds * 1000);
  };
  renew();
  return {
    signal: AbortSignal.any([signal, over.signal]),
    renew,
    passed: () => passed,
    end: () => clearTimeout(timer),
  };
}
