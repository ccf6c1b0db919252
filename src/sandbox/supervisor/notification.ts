/**
 * The kernel's side of a supervised call: what was asked, and how it is answered.
 *
 * Source: linux/include/uapi/linux/seccomp.h (`struct seccomp_notif`, `struct seccomp_notif_resp`).
 */
import { O_CLOEXEC } from "../kernel/fcntl.ts";
import { errno_of } from "../kernel/errno.ts";
import { buffer_of, type Libc } from "../kernel/libc.ts";
import { type Syscall, syscall_number } from "../kernel/syscalls.ts";

/** A call that a filtered thread has made, and in which it waits. */
export interface Notification {
  readonly id: bigint;
  readonly tid: number;
  readonly call: number;
  readonly args: readonly [bigint, bigint, bigint, bigint, bigint];
}

export function is_syscall({ arch }: Libc, { call }: Notification, name: Syscall): boolean {
  return syscall_number(name, arch) === call;
}

const IOCTL = {
  receive: 0xc0502100,
  answer: 0xc0182101,
  is_valid: 0x40082102,
  add_file: 0x40182103,
} as const;
const NOTIFICATION_BYTES = 80;
const RESPONSE_BYTES = 24;
/** `id, pid, flags, nr, arch, instruction_pointer, args[6]`. */
const AT = { id: 0, tid: 8, call: 16, args: 32 } as const;

/** Takes the next call that waits; null if it was given up in the meantime. Blocks where none waits: poll first. */
export function receive(libc: Libc, listener: number): Notification | null {
  // The kernel wants it zeroed.
  const bytes = buffer_of(NOTIFICATION_BYTES);
  if (libc.call("ioctl", [listener, IOCTL.receive, bytes]) !== 0) return null;
  const view = new DataView(bytes.buffer);
  const arg = (nth: number) => view.getBigUint64(AT.args + 8 * nth, true);
  return {
    id: view.getBigUint64(AT.id, true),
    tid: view.getInt32(AT.tid, true),
    call: view.getInt32(AT.call, true),
    args: [arg(0), arg(1), arg(2), arg(3), arg(4)],
  };
}

/** Whether the thread still waits: only then is what was learned of its process about it, and not about a successor. */
export function is_waiting(libc: Libc, listener: number, id: bigint): boolean {
  const bytes = buffer_of(8);
  new DataView(bytes.buffer).setBigUint64(0, id, true);
  return ioctl(libc, listener, { request: IOCTL.is_valid, bytes });
}

/** What a call is answered with: an error number, or 0 and what it gives. */
interface CallReply {
  readonly id: bigint;
  readonly errno: number;
  /** Default: 0. */
  readonly value?: number;
  /** The kernel continues with the call. Only if all its meaning is in its arguments: another thread may change memory after the look. */
  readonly go_on?: true;
}

/** `SECCOMP_USER_NOTIF_FLAG_CONTINUE` */
const CONTINUE = 1;

/** Ends a call. Whether its caller was still there. */
export function answer_notification(
  libc: Libc,
  listener: number,
  { id, errno, value = 0, go_on }: CallReply,
): boolean {
  const bytes = buffer_of(RESPONSE_BYTES);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, id, true);
  view.setBigInt64(8, BigInt(value), true);
  view.setInt32(16, -errno, true);
  view.setUint32(20, go_on ? CONTINUE : 0, true);
  return ioctl(libc, listener, { request: IOCTL.answer, bytes });
}

/** SECCOMP_ADDFD_FLAG_SEND, from Linux 5.14 on. */
const AND_ANSWER = 2;

/** Ends a call with a copy of an open file of ours as its result. Whether that was done. */
export function answer_with_file(
  libc: Libc,
  listener: number,
  { id, fd, cloexec }: { id: bigint; fd: number; cloexec: boolean },
): boolean {
  const bytes = buffer_of(24);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, id, true);
  view.setUint32(8, AND_ANSWER, true);
  view.setUint32(12, fd, true);
  view.setUint32(20, cloexec ? O_CLOEXEC : 0, true);
  return ioctl(libc, listener, { request: IOCTL.add_file, bytes });
}

/** Whether the kernel took it. On a signal (each child that ends) it says EINTR without having looked: the answer must be given again. */
function ioctl(
  libc: Libc,
  listener: number,
  { request, bytes }: { request: number; bytes: Uint8Array<ArrayBuffer> },
): boolean {
  for (;;) {
    if (libc.call("ioctl", [listener, request, bytes]) >= 0) return true;
    if (libc.errno() !== errno_of("EINTR")) return false;
  }
}
