import { buffer_of, linux_libc } from "./libc.ts";

const FIONREAD = 0x541b; // asm-generic/ioctls.h

/** Bytes that wait on standard input, a terminal; 0 where that can't be known. */
export function typed_ahead(): number {
  const count = buffer_of(4);
  if (linux_libc()?.call("ioctl", [0, FIONREAD, count]) !== 0) return 0;
  return new DataView(count.buffer).getInt32(0, true);
}
