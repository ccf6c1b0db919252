/** Whether a stopped process does nothing more, and stays stopped: the kernel may still be at work for it, or wake it later. */
import type { Libc } from "../kernel/libc.ts";
import { link_of, list_ids, read_text } from "../kernel/proc_fs.ts";
import { type Process, read_process } from "./process_tree.ts";

/** A timer of a process (proc_pid_timers(5)) with SIGKILL or SIGCONT, which act on what stands still: it goes on, or ends, and then others may go on. */
const WAKES = /^signal: (?:9|18)\//m;
/** Waits for a child that has not started its program yet, or for the supervisor's answer: both stand still as well. */
const WAITS_FOR_STOPPED = /^(?:kernel_clone|_?do_fork|wait_for_vfork_done|_*seccomp_)/;
const PTMX = /^\/dev\/(?:pts\/)?ptmx$/;

/**
 * Whether all threads of a process are stopped, or gone. One that ends, writes a file to the disk or waits for a folder that another call holds
 * takes the stop only afterwards: its call is carried out, and its end wakes others (PR_SET_PDEATHSIG, orphaned process groups).
 */
export function is_at_rest(libc: Libc, pid: number): boolean {
  return list_ids(libc, `/proc/${pid}/task`).every((tid) => {
    const line = read_text(libc, `/proc/${pid}/task/${tid}/stat`) ?? "";
    const state = line.slice(line.lastIndexOf(")") + 2)[0] ?? "X";
    return "TtZX".includes(state) ||
      WAITS_FOR_STOPPED.test(read_text(libc, `/proc/${pid}/task/${tid}/wchan`) ?? "");
  });
}

/** Which of these processes a timer, or a terminal's end, may wake. */
export function woken_later(libc: Libc, below: readonly Process[]): number[] {
  const leaders = below.filter(({ pid, session, terminal }) => pid === session && terminal !== 0);
  const held = leaders.length === 0 ? null : held_terminals(libc, below);
  return below.filter(({ pid, session, terminal }) =>
    WAKES.test(read_text(libc, `/proc/${pid}/timers`) ?? "") ||
    held !== null && pid === session && terminal !== 0 && !held.has(index_of(terminal)) &&
      // It is still so, and not only on its way to another process.
      read_process(libc, pid)?.terminal === terminal
  ).map(({ pid }) => pid);
}

/**
 * The terminals whose other end some process has open. One that is only on its way in a socket, which nobody has open either, is closed as soon
 * as any program on the machine closes a socket; then the kernel wakes who is controlled by that terminal. Null where it can't be known.
 */
function held_terminals(libc: Libc, below: readonly Process[]): ReadonlySet<number> | null {
  const held = new Set<number>();
  for (const { pid } of below) {
    const files = list_ids(libc, `/proc/${pid}/fd`);
    if (files.length === 0 && read_text(libc, `/proc/${pid}/environ`) === null) return null;
    for (const fd of files) {
      if (!PTMX.test(link_of(libc, `/proc/${pid}/fd/${fd}`) ?? "")) continue;
      const info = read_text(libc, `/proc/${pid}/fdinfo/${fd}`) ?? "";
      held.add(Number(/^tty-index:\s*(\d+)$/m.exec(info)?.[1] ?? NaN));
    }
  }
  return held;
}

/** The minor number in a device number as the kernel writes it (new_encode_dev of linux/kdev_t.h). */
function index_of(terminal: number): number {
  return terminal & 0xff | terminal >> 12 & 0xfff00;
}
