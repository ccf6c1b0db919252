/** Ctrl-Z: the person's prompt is back, and asks git, before all that a run has started has ended. */
import { buffer_of, linux_libc } from "../../sandbox/kernel/libc.ts";

const SIGTSTP = 20;
/** The kernel's `struct sigaction` with nothing in it: what a signal does by default. */
export const DEFAULT_ACTION = new Uint8Array(new ArrayBuffer(32));
export const SIGNAL_SET_BYTES = 8;

/** What gives the terminal back while the process sleeps. */
interface Sleeping {
  sleep(): void | Promise<void>;
  awake(): void;
}

/** Has all that was started stand still, with nothing planted, or go on. */
export type StandStill = (on: boolean) => Promise<void>;

/** Stops this process as Ctrl-Z does, once all stands still, and returns when it is awake, or at once if no shell could wake it. Null where impossible. */
export function sleeper(stand_still: StandStill): ((screen?: Sleeping) => Promise<void>) | null {
  const libc = linux_libc();
  if (libc === null) return null;
  const before = buffer_of(DEFAULT_ACTION.length);
  let sleeps = false;
  return async (screen) => {
    if (sleeps) return;
    sleeps = true;
    await stand_still(true);
    await screen?.sleep();
    // Whoever listens to the signal is left out: this is not the moment to be told.
    libc.call("rt_sigaction", [SIGTSTP, DEFAULT_ACTION, before, SIGNAL_SET_BYTES]);
    libc.call("kill", [Deno.pid, SIGTSTP]);
    libc.call("rt_sigaction", [SIGTSTP, before, 0, SIGNAL_SET_BYTES]);
    screen?.awake();
    sleeps = false;
    await stand_still(false);
  };
}
