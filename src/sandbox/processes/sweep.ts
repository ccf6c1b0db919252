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
import { list_ids, read_text, status_line } from "../kernel/proc_fs.ts";

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

/** A timer of a process (proc_pid_timers(5)) whose signal acts on what stands still: it goes on, or ends, and then others may go on. */
const WAKES = new RegExp(`^signal: (?:${SIGKILL}|${SIGCONT})/`, "m");
/** Who wakes another in between is seen in the second of them. */
const CLEAN_PASSES = 2;
const MOST_PASSES = 50;
const MOST_WAITS = 200;

/** Whoever has such a timer is ended: the person's prompt is back for longer than that takes. */
function stop_all(libc: Libc, key: bigint): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let clean = 0, pass = 0; clean < CLEAN_PASSES && pass < MOST_PASSES; pass++) {
    libc.call("kill", [-1, SIGSTOP, key]);
    const ended = list_ids(libc, "/proc").filter((pid) =>
      WAKES.test(read_text(libc, `/proc/${pid}/timers`) ?? "") &&
      libc.call("kill", [pid, SIGKILL]) === 0
    );
    clean = ended.length === 0 ? clean + 1 : 0;
    // By then the kernel has woken whom it wakes for that: the parent, or a group that nobody is left to wake.
    const is_alive = (pid: number) =>
      !/^(?:[ZX]|$)/.test(
        status_line(read_text(libc, `/proc/${pid}/status`) ?? "", "State")?.trim() ?? "",
      );
    for (let waits = 0; waits < MOST_WAITS && ended.some(is_alive); waits++) {
      Atomics.wait(pause, 0, 0, 1);
    }
  }
}
