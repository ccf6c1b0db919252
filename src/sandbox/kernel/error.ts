import { errno_text } from "./errno.ts";
import type { Argument, Libc } from "./libc.ts";
import type { Syscall } from "./syscalls.ts";

/** The sandbox is not in force, so the run must not go on. Says where, why, and the flag that goes on without it. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";

  /**
   * @param step what was asked of the kernel, such as `landlock_add_rule for /data`
   * @param errno the kernel's error number, where a call failed
   * @param advice what the user can do about it besides giving up the sandbox
   */
  constructor(step: string, { errno, advice }: { errno?: number; advice?: string } = {}) {
    const reason = errno === undefined ? "" : ` failed with ${errno_text(errno)}`;
    super(
      `sandbox: ${step}${reason}.${
        advice === undefined ? "" : ` ${advice}`
      } To go on without a sandbox: --sandbox off`,
    );
  }
}

/**
 * Makes a call without which the sandbox is not in force.
 * @throws {SandboxError} naming the call, or the `step`.
 */
export function must_call(
  libc: Libc,
  call: readonly [name: Syscall, ...args: Argument[]],
  step: string = call[0],
): number {
  const [name, ...args] = call;
  const result = libc.call(name, args);
  if (result < 0) throw new SandboxError(step, { errno: libc.errno() });
  return result;
}
