import { SandboxError } from "./error.ts";
import { compile_filter } from "./filter.ts";
import { buffer_of, type Libc } from "./libc.ts";
import { type RuleInput, rules_for } from "./rules.ts";

/** linux/include/uapi/linux/seccomp.h */
const SET_MODE_FILTER = 1;
/**
 * Not asking for it would switch speculative store bypass off for every child on kernels before 5.16, which costs
 * up to a third of their speed and protects no one but themselves.
 */
const FLAG_SPEC_ALLOW = 4;
/** `struct sock_fprog`: u16 len, padding, pointer. */
const PROGRAM_BYTES = 16;
const INSTRUCTION_BYTES = 8;

/**
 * Puts the filter for `input` on the calling thread and on all it will start. It can't be taken off.
 * `PR_SET_NO_NEW_PRIVS` must be set.
 * @returns the number of instructions.
 * @throws {SandboxError} where the kernel refuses.
 */
export function restrict_calls(libc: Libc, input: RuleInput): number {
  const filter = compile_filter(rules_for(input), libc.arch);
  const length = filter.length / INSTRUCTION_BYTES;
  const program = buffer_of(PROGRAM_BYTES);
  const view = new DataView(program.buffer);
  view.setUint16(0, length, true);
  view.setBigUint64(8, libc.address(filter), true);
  // `filter` is named again below, so it lives as long as its address is used.
  const result = libc.call("seccomp", [SET_MODE_FILTER, FLAG_SPEC_ALLOW, program, filter]);
  if (result !== 0) throw new SandboxError({ step: "seccomp", errno: libc.errno() });
  return length;
}
