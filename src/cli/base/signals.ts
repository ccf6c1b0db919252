/** SIGINT, SIGTERM and the like: the first ends the run cleanly, a second quits at once. */

/** What a run listens to, from `attach` on. */
export interface Signals {
  /** Fires at the first signal. */
  readonly interrupt: AbortSignal;
  /** Settles at the second. */
  readonly leave: Promise<void>;
  /** Begins to listen, if it does not yet. */
  attach(): void;
  /** Stops listening. */
  release(): void;
}

/** A file of ours came to its limit (`ulimit -f`): heard, that write fails; unheard, it would be the end of the program. */
const too_large = () => {};

/** `say` tells the user what a further signal will do. */
export function signals_of_run(say: (text: string) => void): Signals {
  const interrupt = new AbortController();
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => leave = resolve);
  const heard = () => {
    if (interrupt.signal.aborted) return leave();
    say("\nStopping… Ctrl-C again to quit now\n");
    interrupt.abort();
  };
  // A terminal that is closed sends SIGHUP, its quit key SIGQUIT: nothing may be left running then either.
  const names: readonly Deno.Signal[] = Deno.build.os === "windows"
    ? ["SIGINT"]
    : ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"];
  let attached = false;
  return {
    interrupt: interrupt.signal,
    leave: left,
    attach() {
      if (attached) return;
      attached = true;
      for (const name of names) Deno.addSignalListener(name, heard);
      if (Deno.build.os !== "windows") Deno.addSignalListener("SIGXFSZ", too_large);
    },
    release() {
      if (!attached) return;
      for (const name of names) Deno.removeSignalListener(name, heard);
      if (Deno.build.os !== "windows") Deno.removeSignalListener("SIGXFSZ", too_large);
    },
  };
}
