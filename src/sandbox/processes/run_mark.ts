/**
 * A number that everything a run starts carries from its birth, so that what is left of a run that was killed can be told from all
 * else on the machine. It is the limit of file locks (RLIMIT_LOCKS), which the kernel keeps and no longer looks at: children
 * inherit it, into a session of their own and without an environment, too; none can raise it again; everybody can read it in
 * `/proc/PID/limits`; and inside the sandbox none can set it for another process.
 *
 * The hard limit says whose a process is. The soft one says, in seconds since boot, until when its command may run.
 */
import type { Libc } from "../kernel/libc.ts";
import { held_limit, type HeldLimit, set_limit } from "../kernel/prlimit.ts";
import { read_text } from "../kernel/proc_fs.ts";

/** The hard limits that belong to one run, the first and the last of them. */
export interface RunMark {
  readonly first: bigint;
  readonly last: bigint;
}

/** asm-generic/resource.h */
const RLIMIT_LOCKS = 10;
/** Marks lie between this and twice this: beyond any limit that a person would set, below "unlimited". */
const LEAST = 1n << 61n;
/** A run has this many numbers: its own is the last, a hamr inside it takes one of the others. The 31 bits above are random. */
const SPAN = 1n << 30n;

/** The soft limit of a command that may take as long as it likes: beyond any deadline, below any mark. */
export const NO_DEADLINE = 1n << 60n;
/** The soft limit of what hamr itself starts beside the commands, to end them. */
export const REAPER = 0n;

let own: RunMark | null | undefined;

/** Marks this process and all it will start, once. Null if that can't be: three runs nested, an administrator's limit, no real Linux. */
export function mark_run(libc: Libc): RunMark | null {
  own ??= take_mark(libc);
  return own;
}

/** The mark with this hard limit; null if it is not one. */
export function mark_of(hard: bigint): RunMark | null {
  if (hard < LEAST || hard >= 2n * LEAST) return null;
  return { first: is_outermost(hard) ? hard - SPAN + 1n : hard, last: hard };
}

/** What `/proc/PID/limits` says of a process; null if there is none, or it has no such limit. */
export function process_limit(libc: Libc, pid: number): HeldLimit | null {
  const text = read_text(libc, `/proc/${pid}/limits`) ?? "";
  const [, soft, hard] = /^Max file locks +(\d+) +(\d+) /m.exec(text) ?? [];
  return soft === undefined || hard === undefined
    ? null
    : { soft: BigInt(soft), hard: BigInt(hard) };
}

/** The shell command that sets, before a command on its line, the time until when it may run, for a marked process. 0 is no limit. */
export function deadline_command(libc: Libc, timeout_s: number): string {
  const limit = held_limit(libc, RLIMIT_LOCKS);
  if (limit === null) return "";
  const uptime = Number.parseFloat(read_text(libc, "/proc/uptime") ?? "");
  const asked = timeout_s === 0 || Number.isNaN(uptime)
    ? NO_DEADLINE
    : BigInt(Math.ceil(uptime + timeout_s));
  // A hamr that is itself a command has a deadline, too.
  return `ulimit -Sx ${asked < limit.soft ? asked : limit.soft}; `;
}

function take_mark(libc: Libc): RunMark | null {
  const now = held_limit(libc, RLIMIT_LOCKS);
  if (now === null) return null;
  const outer = mark_of(now.hard);
  let hard: bigint;
  if (now.hard >= 2n * LEAST) hard = LEAST + SPAN * random(LEAST / SPAN) + SPAN - 1n;
  else if (outer !== null && is_outermost(now.hard)) hard = outer.first + random(SPAN - 1n);
  else return null;
  const limit = { soft: now.soft < hard ? now.soft : hard, hard };
  return set_limit(libc, RLIMIT_LOCKS, limit) ? mark_of(hard) : null;
}

function is_outermost(hard: bigint): boolean {
  return hard % SPAN === SPAN - 1n;
}

/** Below `limit`, which is at most 2^31. */
function random(limit: bigint): bigint {
  const [value = 0] = crypto.getRandomValues(new Uint32Array(1));
  return BigInt(value) % limit;
}
