/** Whether this process is notified when one of its children ends. */
import { attempt } from "../../config/attempt.ts";

const SIGCHLD = 17;

/** Programs that ignore SIGCHLD hand that on, and the kernel forgets exit codes. A handler that does nothing helps; no child inherits it. */
export function hear_of_children(): void {
  if (Deno.build.os !== "linux" || !is_ignored(SIGCHLD)) return;
  Deno.addSignalListener("SIGCHLD", () => {});
}

/** Whether this process was started with a signal ignored (proc_pid_status(5)); false where the system does not tell. */
export function is_ignored(signal: number): boolean {
  const status = attempt(() => Deno.readTextFileSync("/proc/self/status"), "");
  const [, mask = "0"] = /^SigIgn:\s*([0-9a-f]+)/m.exec(status) ?? [];
  return (BigInt(`0x${mask}`) >> BigInt(signal - 1) & 1n) === 1n;
}
