import { SandboxError } from "./error.ts";
import type { Libc } from "./libc.ts";

/** Source: linux/include/uapi/linux/prctl.h */
const OPTIONS = {
  GET_DUMPABLE: 3,
  SET_DUMPABLE: 4,
  GET_SECCOMP: 21,
  CAPBSET_READ: 23,
  CAPBSET_DROP: 24,
  SET_CHILD_SUBREAPER: 36,
  SET_NO_NEW_PRIVS: 38,
  GET_NO_NEW_PRIVS: 39,
  CAP_AMBIENT: 47,
} as const;

/** An option of prctl(2), without its `PR_`. */
export type PrctlOption = keyof typeof OPTIONS;

/** The kernel looks at no third argument of SET_DUMPABLE; the filter of an outer sandbox knows a hamr inside by it, and lets it hide. */
export const REALLY = 0x68616d72;

/** Calls prctl(2) for the calling thread (or process, as the option has it); -1 on failure. */
export function prctl(libc: Libc, options: { option: PrctlOption; value?: number }): number {
  const { option, value = 0 } = options;
  const third = option === "SET_DUMPABLE" ? REALLY : 0;
  return libc.call("prctl", [OPTIONS[option], value, third, 0, 0]);
}

/**
 * As {@link prctl}, but a failure is an error.
 * @throws {SandboxError} naming the option.
 */
export function must_prctl(libc: Libc, options: { option: PrctlOption; value?: number }): number {
  const result = prctl(libc, options);
  if (result < 0) {
    throw new SandboxError({ step: `prctl PR_${options.option}`, errno: libc.errno() });
  }
  return result;
}
