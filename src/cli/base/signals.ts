/** SIGINT, SIGTERM and the like: the first ends the run cleanly, the second quits at once. */
import { is_ignored } from "../../sandbox/processes/children.ts";
import { sleeper, type StandStill } from "./sleep.ts";

export interface Signals {
  readonly interrupt: AbortSignal;
  readonly leave: Promise<void>;
  attach(): void;
  release(): void;
}

const unheard = () => {};

/**
 * A file of ours that comes to its limit (`ulimit -f`): heard, that write fails; unheard, it would be the end of the program. It is
 * heard to the very end, as something may still be written then.
 */
export function hear_of_full_files(): void {
  if (Deno.build.os === "windows") return;
  // Before anything is listened to.
  ending_signals();
  Deno.addSignalListener("SIGXFSZ", unheard);
}

/** `say` tells the user what a further signal will do. `stand_still`: of what Ctrl-Z would leave at work, if anything. */
export function signals_of_run(
  say: (words: string) => void,
  stand_still?: StandStill,
): Signals {
  const interrupt = new AbortController();
  let leave: () => void = () => {};
  const left = new Promise<void>((resolve) => leave = resolve);
  const heard = (name: Deno.Signal) => {
    if (interrupt.signal.aborted) return leave();
    const how = name === "SIGINT" ? "Ctrl-C again to quit now" : `${name}; another one quits now`;
    say(`Stopping… ${how}`);
    interrupt.abort();
  };
  const listeners = ending_signals().map((name) => [name, () => heard(name)] as const);
  let attached = false;
  return {
    interrupt: interrupt.signal,
    leave: left,
    attach() {
      if (attached) return;
      attached = true;
      for (const listener of listeners) Deno.addSignalListener(...listener);
      const sleep = stand_still === undefined ? null : sleeper(stand_still);
      if (sleep !== null) Deno.addSignalListener("SIGTSTP", () => void sleep());
    },
    release() {
      if (!attached) return;
      for (const listener of listeners) Deno.removeSignalListener(...listener);
    },
  };
}

/** Signals that end a run: also SIGHUP and SIGQUIT of a terminal, unless `nohup`, and what batch systems warn by. Ask before listening to any. */
export function ending_signals(): readonly Deno.Signal[] {
  if (Deno.build.os === "windows") return ["SIGINT"];
  const names: readonly Deno.Signal[] = [
    ...["SIGINT", "SIGTERM", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGXCPU"] as const,
  ];
  if (!(outlives_terminal ??= is_ignored(SIGHUP))) return [...names, "SIGHUP"];
  // Deno, once it listens to any signal, takes none as ignored: unheard, this one would end the program.
  Deno.addSignalListener("SIGHUP", unheard);
  return names;
}

const SIGHUP = 1;
let outlives_terminal: boolean | undefined;
