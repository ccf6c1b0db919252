/** Limits of each process (setrlimit(2)), which the shell sets before a command; its children can't raise them. */
import { type Libc, linux_libc } from "../kernel/libc.ts";
import { held_limit, type HeldLimit, set_limit } from "../kernel/prlimit.ts";
import { read_text } from "../kernel/proc_fs.ts";

/** How large a file may get: more than any build makes, except model weights and disk images, and less than a usual disk. */
export const MOST_FILE_GIB = 10;
/** Processes and threads on top of those at the start: builds with browsers need two thousand. The kernel counts all of the user's. */
export const MORE_TASKS = 4096;

const BLOCK_BYTES = 1024;

interface Limit {
  /** linux/include/uapi/asm-generic/resource.h */
  readonly resource: number;
  /** What bash calls it. */
  readonly flag: "c" | "f" | "u";
  /** In units of as many bytes or tasks. */
  readonly most: number;
  readonly unit: number;
}
/** Too small for a core; at one byte, unlike none, the kernel starts no `core_pattern` handler either (linux/fs/coredump.c). */
const CORE: Limit = { resource: 4, flag: "c", most: 1, unit: 1 };
const FILE_BLOCKS = MOST_FILE_GIB * 2 ** 30 / BLOCK_BYTES;
const FILE: Limit = { resource: 1, flag: "f", most: FILE_BLOCKS, unit: BLOCK_BYTES };

/** The least number of files that hamr must be able to open: with 40 Deno panics, the sandbox fails, or changes are missed. */
const LEAST_FILES = 64;
/** `RLIMIT_NOFILE`. */
const OPEN_FILES = 7;

/** How many processes and threads, of all that the user has: Deno has a dozen itself, and ends in a panic where it gets no more. */
const LEAST_TASKS = 32;
/** `RLIMIT_NPROC`. */
const TASKS = 6;
/** Tasks kept from commands: a loop that forks without end must not end hamr as well. */
const SPARED_TASKS = { least: 8, most: 32 } as const;

/** Why hamr can't work with as few open files or processes; null if it can, or the system does not tell. */
export function too_few(): string | null {
  const libc = linux_libc();
  if (libc === null) return null;
  const { soft: files } = held(libc, OPEN_FILES);
  if (files > 0n && files < LEAST_FILES) {
    return `only ${files} files may be open at once (ulimit -n); hamr needs ${LEAST_FILES}`;
  }
  const { soft: tasks } = held(libc, TASKS);
  // The kernel does not hold root to it.
  return tasks === 0n || tasks >= LEAST_TASKS || Deno.uid() === 0 ? null : (
    `only ${tasks} processes and threads may run at once (ulimit -u); hamr needs ${LEAST_TASKS}`
  );
}

/** Whether it is the limit above that ends what writes too much, and not a lower one that hamr was started with. */
export function is_file_limit_ours(): boolean {
  const libc = linux_libc();
  return libc === null || held(libc, FILE.resource).soft >= wanted(FILE);
}

/** Whether it is the limit above that holds the number of processes and threads, and not a lower one that hamr was started with. */
export function is_task_limit_ours(): boolean {
  const libc = linux_libc();
  const limit = libc && limits_on(libc).find(({ resource }) => resource === TASKS);
  return !libc || !limit || held(libc, limit.resource).soft >= wanted(limit);
}

/** The kernel does not hold root to the number of tasks, but whoever root becomes. */
function limits_on(libc: Libc): Limit[] {
  const now = /^\S+ \S+ \S+ \d+\/(\d+) /.exec(read_text(libc, "/proc/loadavg") ?? "")?.[1];
  if (now === undefined) return [CORE, FILE];
  return [CORE, FILE, { resource: TASKS, flag: "u", most: Number(now) + MORE_TASKS, unit: 1 }];
}

/** The shell's own commands that lower the limits, in front of a command on its line; never above what holds already. */
export function limit_commands(): string {
  const libc = linux_libc();
  // Where nobody can be asked, a limit that is lower already stays: bash does not get its way.
  if (libc === null) return `{ ulimit -c ${CORE.most}; ulimit -f ${FILE.most}; } 2>/dev/null; `;
  return limits_on(libc).map((limit) => spared(libc, limit)).map((limit) => {
    const { soft, hard } = held(libc, limit.resource);
    const { flag, most } = limit;
    // Both are lowered, the one that holds and the one up to which it may be raised.
    return hard <= wanted(limit)
      ? ""
      : `ulimit -${soft > wanted(limit) ? "" : "H"}${flag} ${most}; `;
  }).join("");
}

/** Where hamr itself is held to fewer tasks, or just as many, commands get some less. */
function spared(libc: Libc, limit: Limit): Limit {
  if (limit.resource !== TASKS) return limit;
  const own = Number(held(libc, limit.resource).soft);
  const { least, most } = SPARED_TASKS;
  const kept = Math.max(least, Math.min(most, Math.floor(own / 8)));
  return own === 0 ? limit : { ...limit, most: Math.min(limit.most, own - kept) };
}

/** Lowers the limits of this process, for the one program that it starts without a shell. */
export function limit_self(): void {
  const libc = linux_libc();
  if (libc !== null) limits_on(libc).forEach((limit) => lower(libc, limit));
}

/** No crash of this process, or of what it starts, is handed to anybody: what handles it runs outside. The filter keeps it so. */
export function hand_on_no_crash(libc: Libc): void {
  lower(libc, CORE);
}

function lower(libc: Libc, limit: Limit): void {
  const { soft, hard } = held(libc, limit.resource);
  const most = wanted(limit);
  // For core dumps, a lower limit is not enough.
  const is_core = limit === CORE;
  if (is_core ? soft === most && hard === most : hard <= most) return;
  set_limit(libc, limit.resource, { soft: is_core || soft > most ? most : soft, hard: most });
}

function wanted({ most, unit }: Limit): bigint {
  return BigInt(most * unit);
}

/** What holds now; nothing can be lowered where that is not told. */
function held(libc: Libc, resource: number): HeldLimit {
  return held_limit(libc, resource) ?? { soft: 0n, hard: 0n };
}
