/** SIGINT, SIGTERM and the like: the first ends the run in good order, a second leaves at once. */

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

/** `say` tells the person what a further signal will do. */
export function signals_of_run(say: (text: string) => void): Signals {
  const interrupt = new AbortController();
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => leave = resolve);
  const heard = () => {
    if (interrupt.signal.aborted) return leave();
    say("\nInterrupted: ending in good order; once more to leave at once.\n");
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
    },
    release() {
      if (!attached) return;
      for (const name of names) Deno.removeSignalListener(name, heard);
    },
  };
}
