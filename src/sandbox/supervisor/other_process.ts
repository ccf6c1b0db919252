/** What the supervisor takes from a thread that waits for its answer: memory, or a file. */
import { at_end } from "../../config/attempt.ts";
import { AT_FDCWD, O_CLOEXEC } from "../kernel/fcntl.ts";
import { errno_of } from "../kernel/errno.ts";
import { buffer_of, type Libc } from "../kernel/libc.ts";
import { link_of, read_text, status_line } from "../kernel/proc_fs.ts";

/** A thread by itself (Linux 6.9): it may have files of its own, and the first thread of its process may be gone. */
const PIDFD_THREAD = 0x80;
const SOCKET_LINK = /^socket:\[\d+\]$/;

/** What a file of another thread is, as /proc has it; null where that can't be told. */
export function link_of_theirs(libc: Libc, tid: number, fd: bigint): string | null {
  return link_of(libc, `/proc/${tid}/fd/${BigInt.asIntN(32, fd)}`);
}

/** 0 if a file of another thread is a socket, else the error number that says what is wrong; without taking it. */
export function socket_fault(libc: Libc, tid: number, fd: bigint): number {
  const link = link_of_theirs(libc, tid, fd);
  if (link !== null) return SOCKET_LINK.test(link) ? 0 : errno_of("ENOTSOCK");
  const errno = libc.errno() || errno_of("ENOTSOCK");
  return errno === errno_of("ENOENT") ? errno_of("EBADF") : errno;
}

/** A copy of another thread's memory; null if it can't be read in full. */
export function memory_of(
  libc: Libc,
  tid: number,
  { address, length }: { address: bigint; length: number },
): Uint8Array<ArrayBuffer> | null {
  const bytes = buffer_of(length);
  const own = vector(libc.address(bytes), length);
  const other = vector(address, length);
  const got = libc.call("process_vm_readv", [tid, own, 1, other, 1, 0]);
  if (got >= 0 || libc.errno() === errno_of("EFAULT")) return got === length ? bytes : null;
  // Where a container forbids the call, the kernel gives the same by another way, to the same readers.
  const file = libc.call("openat", [AT_FDCWD, `/proc/${tid}/mem`, O_CLOEXEC]);
  if (file < 0) return null;
  const read = libc.call("pread64", [file, bytes, length, BigInt.asIntN(64, address)]);
  libc.call("close", [file]);
  return read === length ? bytes : null;
}

/** PATH_MAX of linux/limits.h, and the smallest page there is: what lies behind its end may not be there. */
const PATH_BYTES = 4096, PAGE_BYTES = 4096;

/** A NUL-terminated path in another thread's memory, without its end; null if it can't be read or has no end. */
export function text_of_memory(
  libc: Libc,
  tid: number,
  address: bigint,
): Uint8Array<ArrayBuffer> | null {
  const bytes = buffer_of(PATH_BYTES);
  for (let length = 0; length < PATH_BYTES;) {
    const at = address + BigInt(length);
    const to_page_end = PAGE_BYTES - Number(at % BigInt(PAGE_BYTES));
    const piece = memory_of(libc, tid, {
      address: at,
      length: Math.min(to_page_end, PATH_BYTES - length),
    });
    if (piece === null) return null;
    const end = piece.indexOf(0);
    bytes.set(end < 0 ? piece : piece.subarray(0, end), length);
    if (end >= 0) return bytes.slice(0, length + end);
    length += piece.length;
  }
  return null;
}

/** The process of a thread; null if it is gone. */
export function process_of(libc: Libc, tid: number): number | null {
  const status = read_text(libc, `/proc/${tid}/status`);
  const tgid = status === null ? null : status_line(status, "Tgid");
  return tgid === null ? null : Number(tgid);
}

/** A file of another thread as one of ours, close-on-exec; negative where that fails. */
export function duplicated_fd(libc: Libc, tid: number, fd: bigint): number {
  const process = open_thread(libc, tid);
  if (process < 0) return process;
  using _ = at_end(() => libc.call("close", [process]));
  return libc.call("pidfd_getfd", [process, BigInt.asIntN(32, fd), 0]);
}

function open_thread(libc: Libc, tid: number): number {
  const thread = libc.call("pidfd_open", [tid, PIDFD_THREAD]);
  if (thread >= 0 || libc.errno() !== errno_of("EINVAL")) return thread;
  return libc.call("pidfd_open", [process_of(libc, tid) ?? tid, 0]);
}

/** `struct iovec`. */
function vector(address: bigint, length: number): Uint8Array<ArrayBuffer> {
  const bytes = buffer_of(16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, address, true);
  view.setBigUint64(8, BigInt(length), true);
  return bytes;
}
