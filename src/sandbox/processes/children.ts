/** Whether this process is notified when one of its children ends. */

/** Of SIGCHLD, in the mask of ignored signals (proc_pid_status(5)). */
const SIGCHLD_BIT = 16n;

/**
 * Some programs ignore SIGCHLD and hand that on to what they start. Then the kernel forgets a child as it ends: no exit code is ever
 * known, neither a command's nor git's. A handler that does nothing is enough, and no child inherits that.
 */
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
