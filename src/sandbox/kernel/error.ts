import { errno_text } from "./errno.ts";

/** Where and why the sandbox could not be set up. */
export interface SandboxFailure {
  /** What was asked of the kernel, e.g. `landlock_add_rule for /data`. */
  readonly step: string;
  /** The kernel's error number, or null if no call failed. */
  readonly errno: number | null;
  /** What the user can do about it besides giving up the sandbox. */
  readonly advice?: string;
}

/** The sandbox is not in force, so the run must not go on. Names the step, the error number and the flag that goes on without it. */
export class SandboxError extends Error {
  override readonly name = "SandboxError";
  /** See {@link SandboxFailure.step}. */
  readonly step: string;
  /** See {@link SandboxFailure.errno}. */
  readonly errno: number | null;

  constructor(failure: SandboxFailure) {
    const reason = failure.errno === null ? "" : ` failed with ${errno_text(failure.errno)}`;
    const advice = failure.advice === undefined ? "" : ` ${failure.advice}`;
    super(
      `sandbox: ${failure.step}${reason}.${advice} To go on without a sandbox: --sandbox off`,
    );
    this.step = failure.step;
    this.errno = failure.errno;
  }
}
