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
  const signal = { "end": SIGKILL, "stop": SIGSTOP, "go on": SIGCONT }[to];
  libc.call("kill", [-1, signal, key]);
}
