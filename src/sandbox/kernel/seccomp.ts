import { errno_of } from "./errno.ts";
import { SandboxError } from "./error.ts";
import { compile_filter } from "./filter.ts";
import { buffer_of, type Libc } from "./libc.ts";
import { type RuleInput, rules_for } from "./rules.ts";

/** linux/include/uapi/linux/seccomp.h */
const SET_MODE_FILTER = 1;
/** Without this flag, kernels before 5.16 disable speculative store bypass for every child: a third of their speed, and no protection here. */
const FLAG_SPEC_ALLOW = 4;
/** The call returns a file descriptor on which a supervisor answers what the filter asks. */
const FLAG_NEW_LISTENER = 8;
/** A call that is being answered is only given up when its process is killed (Linux 5.19): Go's scheduler signals all the time. */
const FLAG_WAIT_KILLABLE = 0x20;
/** `struct sock_fprog`: u16 len, padding, pointer. */
const PROGRAM_BYTES = 16;
const INSTRUCTION_BYTES = 8;

export interface FilterListener {
  /** Marked close-on-exec. */
  readonly fd: number;
  /** As the filter takes it ({@link RuleInput}). */
  readonly takes_sockets: boolean;
}

export interface Filter {
  readonly instructions: number;
  /** Null if the filter asks nobody. */
  readonly listener: FilterListener | null;
}

/**
 * Puts the filter for `input` on the calling thread and on all it will start. It can't be taken off.
 * `PR_SET_NO_NEW_PRIVS` must be set. Gives null, and changes nothing, where a supervisor is wanted and another one answers
 * this process already (the kernel allows one).
 * @throws {SandboxError} where the kernel refuses.
 */
export function restrict_calls(libc: Libc, input: RuleInput): Filter | null {
  const filter = compile_filter(rules_for(input), libc.arch);
  const length = filter.length / INSTRUCTION_BYTES;
  const program = buffer_of(PROGRAM_BYTES);
  const view = new DataView(program.buffer);
  view.setUint16(0, length, true);
  view.setBigUint64(8, libc.address(filter), true);
  // `filter` is named again below, so it lives as long as its address is used.
  const listening = input.supervised ? FLAG_NEW_LISTENER : 0;
  const set = (flags: number) => libc.call("seccomp", [SET_MODE_FILTER, flags, program, filter]);
  const flags = FLAG_SPEC_ALLOW | listening;
  let result = set(flags | (input.supervised ? FLAG_WAIT_KILLABLE : 0));
  if (result < 0 && input.supervised && libc.errno() === errno_of("EINVAL")) result = set(flags);
  if (result < 0 && input.supervised && libc.errno() === errno_of("EBUSY")) return null;
  if (result < 0) throw new SandboxError("seccomp", { errno: libc.errno() });
  const { supervised, takes_sockets } = input;
  return { instructions: length, listener: supervised ? { fd: result, takes_sockets } : null };
}
