/**
 * Ending everything inside the sandbox in one step.
 *
 * `kill(-1)` signals every process that the caller may signal, under the kernel's lock, so that nothing can fork away from it. On a thread
 * inside a Landlock domain with the signal scope these are the processes of that domain. On any other thread they are everything the
 * person runs. So it is done only by the thread that was restricted, only with the key that its filter asks for, and only after
 * the scope was seen to hold.
 */
import { attempt } from "../../config/attempt.ts";
import { errno_of } from "../kernel/errno.ts";
import type { Libc } from "../kernel/libc.ts";
import { sleep_sync } from "../../config/within.ts";
import { is_at_rest, woken_later } from "./at_rest.ts";
import { scan_below } from "./process_tree.ts";

/** One for this isolate, hence for this thread: the main thread never has it. */
let armed: { readonly key: bigint; readonly tid: number } | null = null;

const SIGKILL = 9, SIGCONT = 18, SIGSTOP = 19;
/** Sends nothing; only asks whether it could. */
const NO_SIGNAL = 0;

interface Witness {
  readonly pid: number;
  let_go(): void;
}

/**
 * A process outside the sandbox that may be signaled now: hamr's parent, or, where that is another user's (`sudo -u`, a container), a child that
 * waits for the end of its input. Null if there is none, so that nothing would be proven.
 */
export function find_witness(libc: Libc): Witness | null {
  const parent = libc.call("getppid", []);
  if (parent > 0 && libc.call("kill", [parent, NO_SIGNAL]) === 0) {
    return { pid: parent, let_go: () => {} };
  }
  return attempt(() => {
    const child = new Deno.Command("/bin/sh", {
      args: ["-c", "read _"],
      stdin: "piped",
      stdout: "null",
      stderr: "null",
      clearEnv: true,
    }).spawn();
    // Its end is waited for by Deno; it can't be signaled any more.
    return { pid: child.pid, let_go: () => void child.stdin.close().catch(() => {}) };
  }, null);
}

/** Whether a process that could be signaled before is out of reach now. To be asked after Landlock and before the filter. */
export function scope_holds(libc: Libc, witness: number): boolean {
  return libc.call("kill", [witness, NO_SIGNAL]) === -1 && libc.errno() === errno_of("EPERM");
}

/** Allows the calling thread to sweep with this key. */
export function arm_sweep(libc: Libc, key: bigint): void {
  armed = { key, tid: libc.call("gettid", []) };
}

/** Ends every process in the domain of the calling thread but its own, or has it stand still or go on. Does nothing on a thread that `apply` did not restrict. */
export function sweep(libc: Libc, key: bigint, to: "end" | "stop" | "go on" = "end"): void {
  if (armed === null || armed.key !== key || armed.tid !== libc.call("gettid", [])) return;
  if (to === "stop") return stop_all(libc, key);
  libc.call("kill", [-1, to === "end" ? SIGKILL : SIGCONT, key]);
}

/** The next pass finds what was woken in between, such as by an end that this one waited for. */
const CLEAN_PASSES = 2;
/** A disk that does not answer keeps the person from the prompt for this long. */
const MOST_MS = 60_000;
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 20;

/** Until nothing moves, and nothing will by itself: the person's prompt is back for longer than any of it takes. */
function stop_all(libc: Libc, key: bigint): void {
  const until = performance.now() + MOST_MS;
  let pause = SHORTEST_PAUSE_MS;
  for (let clean = 0; clean < CLEAN_PASSES && performance.now() < until;) {
    libc.call("kill", [-1, SIGSTOP, key]);
    const below = scan_below(libc, Deno.pid);
    const ended = woken_later(libc, below).filter((pid) => libc.call("kill", [pid, SIGKILL]) === 0);
    // What is not in this domain can't be signaled, and is not meant.
    const moves = below.some(({ pid }) =>
      !is_at_rest(libc, pid) && libc.call("kill", [pid, NO_SIGNAL]) === 0
    );
    clean = ended.length === 0 && !moves ? clean + 1 : 0;
    if (clean > 0) continue;
    sleep_sync(pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }
}
