import { at_end } from "./attempt.ts";

let loaded = false;
/** Turns of the event loop in which a request that was begun gets out: connecting, then writing. */
const TURNS = 3;

/** Longer than this nobody should wait without a word. */
const TELL_AFTER_MS = 3000;

/** Waits for `work`; calls `tell` once if that takes long. */
export async function telling<T>(work: Promise<T>, tell: () => void): Promise<T> {
  const stop = later(TELL_AFTER_MS, tell);
  using _ = at_end(stop);
  return await work;
}

/**
 * Does `work` after `ms` milliseconds, unless the function it gives back is called first.
 *
 * The first `setTimeout` (and `clearTimeout`) of a process makes Deno 2.9 load Node's timers, 6 to 10 ms in which
 * nothing else moves. Before the first request that is a sixth of the start, so the first timers are set a few turns
 * of the event loop later, when the request is on its way.
 *
 * In Deno 2.6 a timer that is cleared in the turn in which it is due fires all the same.
 */
export function later(ms: number, work: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let over = false;
  const set = () => timer = setTimeout(() => over || work(), ms);
  if (loaded) set();
  else {
    turns().then(() => {
      loaded = true;
      if (!over) set();
    });
  }
  return () => {
    over = true;
    if (timer !== undefined) clearTimeout(timer);
  };
}

/** A stop (Ctrl-Z), or a machine that is too busy, takes one of them at most. */
const PIECES = 6;

/**
 * Does `work` once this process has waited for `ms` milliseconds, unless the function it gives back is called first: a limit for others.
 * The time in which it was stopped is not theirs, and what came in that is noticed first.
 */
export function after_waiting(ms: number, work: () => void): () => void {
  let left = PIECES;
  let stop = () => {};
  const wait = () => {
    if (left-- === 0) work();
    else stop = later(ms / PIECES, wait);
  };
  wait();
  return () => stop();
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await Deno.lstat("/").catch(() => {});
}
