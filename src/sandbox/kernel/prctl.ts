import { must_call } from "./error.ts";
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
type PrctlOption = keyof typeof OPTIONS;

/** The kernel looks at no third argument of SET_DUMPABLE; the filter of an outer sandbox knows a hamr inside by it, and lets it hide. */
export const REALLY = 0x68616d72;

/** Calls prctl(2) for the calling thread (or process, as the option has it); -1 on failure. */
export function prctl(libc: Libc, option: PrctlOption, value = 0): number {
  return libc.call("prctl", args_of(option, value));
}

/**
 * As {@link prctl}, but a failure is an error.
 * @throws {SandboxError} naming the option.
 */
export function must_prctl(libc: Libc, option: PrctlOption, value = 0): void {
  must_call(libc, ["prctl", ...args_of(option, value)], `prctl PR_${option}`);
}

function args_of(option: PrctlOption, value: number): number[] {
  return [OPTIONS[option], value, option === "SET_DUMPABLE" ? REALLY : 0, 0, 0];
}
