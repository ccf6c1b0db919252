/** The other end of a terminal that a program has opened itself (/dev/ptmx). No path of /dev/pts is opened for anybody. */
import { O_CLOEXEC, O_NOCTTY, O_RDWR } from "../kernel/fcntl.ts";
import { errno_of } from "../kernel/errno.ts";
import type { Libc } from "../kernel/libc.ts";
import { answer_with_file, is_waiting, type Notification } from "./notification.ts";
import { duplicated_fd, link_of_theirs } from "./other_process.ts";
import { look_at } from "../kernel/statx.ts";
import type { Waiting } from "./waiting.ts";

const TIOCGPTPEER = 0x5441; // asm-generic/ioctls.h
/** Without the last the terminal could become hamr's own. */
const OPEN = O_RDWR | O_CLOEXEC | O_NOCTTY;
/** The device of /dev/ptmx (Documentation/admin-guide/devices.txt). */
const PTMX = { major: 5, minor: 2 } as const;
const PTMX_LINK = /^\/dev\/(?:pts\/)?ptmx$/;

/** The outcome: an error number to answer with, null if it is answered. */
interface OpenedTerminal {
  readonly errno: number | null;
  /** It was another file by the time it was taken, and stays open: a close would let go of locks on it. */
  readonly swapped?: true;
}

/** Hands the program the end that belongs to its own. */
export function open_other_end(
  libc: Libc,
  asked: Notification,
  { listener, waiting }: { listener: number; waiting: Waiting },
): OpenedTerminal {
  const [fd, , flags] = asked.args;
  const link = link_of_theirs(libc, asked.tid, fd);
  if (link === null || !PTMX_LINK.test(link)) return { errno: errno_of("EACCES") };
  const end = duplicated_fd(libc, asked.tid, fd);
  if (end < 0) return { errno: libc.errno() };
  const { major, minor } = look_at(libc, end)?.device ?? {};
  if (major !== PTMX.major || minor !== PTMX.minor) {
    return { errno: errno_of("EACCES"), swapped: true };
  }
  let other = -1;
  try {
    if (!is_waiting(libc, listener, asked.id)) return { errno: errno_of("EPERM") };
    other = waiting.briefly(() => libc.call("ioctl", [end, TIOCGPTPEER, OPEN]));
    if (other < 0) return { errno: libc.errno() };
    const cloexec = (Number(BigInt.asUintN(32, flags)) & O_CLOEXEC) !== 0;
    const done = answer_with_file(libc, listener, { id: asked.id, fd: other, cloexec });
    return { errno: done ? null : libc.errno() };
  } finally {
    waiting.briefly(() => {
      for (const file of [other, end]) if (file >= 0) libc.call("close", [file]);
    });
  }
}
