/**
 * Limits that hold for each program by itself (setrlimit(2)). They belong to a process, not to a thread, so it is the shell that
 * takes them on before a command; none of its children can raise them again, as root's right to do so was dropped.
 */
import { buffer_of, type Libc, linux_libc } from "./libc.ts";
import { read_text } from "./proc_fs.ts";

/**
 * How large one file may get. No build or test makes a larger one, a model's weights or a disk image may be; and a loop that
 * writes without end is stopped before it has filled a usual disk.
 */
export const MOST_FILE_GIB = 10;
/**
 * How many processes and threads may come on top of all that the machine has when the run starts. A parallel build with a
 * browser test beside it has one to two thousand; as many forks of a shell take about 2 GB. The kernel counts all of a user, the
 * desktop and, by number, the users of other containers included: a fixed limit would stop the first fork where these are many.
 */
export const MORE_TASKS = 4096;

/** linux/include/uapi/asm-generic/resource.h */
const RLIMIT_FSIZE = 1, RLIMIT_CORE = 4, RLIMIT_NPROC = 6;
/** bash counts the size of a file in these. */
const BLOCK_BYTES = 1024;
const GIB_BLOCKS = 2 ** 30 / BLOCK_BYTES;

/** The shell's own commands that lower the limits, in front of a command on its line; never above what holds already. */
export function limit_commands(): string {
  const libc = linux_libc();
  // Where nobody can be asked, a limit that is lower already stays: bash does not get its way.
  if (libc === null) {
    return `{ ulimit -c 0; ulimit -f ${MOST_FILE_GIB * GIB_BLOCKS}; } 2>/dev/null; `;
  }
  return lower(libc, { resource: RLIMIT_CORE, flag: "c", most: 0, unit: BLOCK_BYTES }) +
    lower(libc, {
      resource: RLIMIT_FSIZE,
      flag: "f",
      most: MOST_FILE_GIB * GIB_BLOCKS,
      unit: BLOCK_BYTES,
    }) + tasks(libc);
}

/** The kernel does not hold root to it, but whoever root becomes. */
function tasks(libc: Libc): string {
  const now = /^\S+ \S+ \S+ \d+\/(\d+) /.exec(read_text(libc, "/proc/loadavg") ?? "")?.[1];
  if (now === undefined) return "";
  const most = Number(now) + MORE_TASKS;
  return lower(libc, { resource: RLIMIT_NPROC, flag: "u", most, unit: 1 });
}

/** Both limits are lowered, the one that holds and the one up to which it may be raised. */
function lower(
  libc: Libc,
  limit: {
    readonly resource: number;
    readonly flag: "c" | "f" | "u";
    /** In units. */
    readonly most: number;
    readonly unit: number;
  },
): string {
  const { resource, flag, most, unit } = limit;
  // struct rlimit64 { u64 soft; u64 hard; }; no limit is the highest number.
  const buffer = buffer_of(16);
  if (libc.call("prlimit64", [0, resource, 0, buffer]) !== 0) return "";
  const [soft = 0n, hard = 0n] = new BigUint64Array(buffer.buffer);
  const wanted = BigInt(most * unit);
  if (hard <= wanted) return "";
  return `ulimit -${soft > wanted ? "" : "H"}${flag} ${most}; `;
}
