/** How long to wait for a tools worker to end. */
import { after_waiting } from "../../config/timer.ts";
import { within } from "../../config/within.ts";
import { ToolsError } from "../failure.ts";

/** After a command has been ended the workspace is looked at: 700 MB from a slow disk. */
const GIVE_UP_MS = 120_000;

/** How long it has to end what it started; a worker that hangs does not hold up the end. On a busy machine it is only slow. */
const END_MS = 20_000;
/** How long it has to look at what was left behind: in a workspace of 1,500 repositories that took 7 s. */
const LOOK_MS = 60_000;
/** How long to take its temporary files away: 8,000 folders, one in the other, took a busy disk 10 s. */
export const REMOVE_MS = 60_000;

/** What somebody is told of a look that was not done. */
export const NOT_LOOKED =
  "hamr had no time to check what commands left to run later, outside the sandbox: " +
  "before you use git here, start hamr once more, which checks that first";

/** Waits for a worker that is closing; null without time. `stopped`: nothing can change anything anymore. `closed`: all was looked at. */
export async function wait_for_end(
  { stopped, closed }: { stopped: Promise<void>; closed: Promise<boolean> },
  { end_ms, look_ms } = { end_ms: END_MS, look_ms: LOOK_MS },
): Promise<boolean | null> {
  const either = Promise.race([stopped.then(() => true), closed.then(() => true)]);
  return await within(end_ms, either) === null ? null : await within(look_ms, closed);
}

/** Tells a worker that `signal` gives up what it does; the worker is lost if that is not over long after. Returns what is to be called once it is. */
export function on_giving_up(
  signal: AbortSignal | null,
  { tell, lose }: { tell?: () => void; lose: (why: ToolsError) => void },
  ms = GIVE_UP_MS,
): () => void {
  let stop = () => {};
  const give_up = () => {
    tell?.();
    const words = `a tool was abandoned ${ms / 1000} s ago and is still running; ` +
      "it may be waiting for a disk that does not answer";
    stop = after_waiting(ms, () => lose(new ToolsError(words, "internal_error")));
  };
  if (signal?.aborted) give_up();
  signal?.addEventListener("abort", give_up, { once: true });
  return () => {
    signal?.removeEventListener("abort", give_up);
    stop();
  };
}
