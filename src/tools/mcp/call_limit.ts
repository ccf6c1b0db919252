/** The time limit of a call to an MCP server. */
import { after_waiting } from "../../config/timer.ts";

/** The longest time that a timer has. */
export const NO_LIMIT_MS = 2 ** 31 - 1;

interface CallLimit {
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
  let stop = () => {};
  const renew = () => {
    stop();
    if (seconds === 0) return;
    stop = after_waiting(seconds * 1000, () => {
      if (is_held()) return renew();
      passed = true;
      over.abort();
    });
  };
  renew();
  return {
    signal: AbortSignal.any([signal, over.signal]),
    renew,
    passed: () => passed,
    end: () => stop(),
  };
}
