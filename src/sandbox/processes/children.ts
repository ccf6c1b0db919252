/** Whether this process is notified when one of its children ends. */

/** Bit of SIGCHLD in the mask of ignored signals (proc_pid_status(5)). */
const SIGCHLD_BIT = 16n;

/** Programs that ignore SIGCHLD hand that on, and the kernel forgets exit codes. A handler that does nothing helps; no child inherits it. */
export function hear_of_children(): void {
  if (Deno.build.os !== "linux" || !ignored()) return;
  Deno.addSignalListener("SIGCHLD", () => {});
}

function ignored(): boolean {
  try {
    const [, mask = "0"] =
      /^SigIgn:\s*([0-9a-f]+)/m.exec(Deno.readTextFileSync("/proc/self/status")) ?? [];
    return (BigInt(`0x${mask}`) >> SIGCHLD_BIT & 1n) === 1n;
  } catch {
    return false;
  }
}
