/** What the supervisor takes from a process that waits for its answer: a piece of memory, a file, its folder. */
import { buffer_of, type Libc } from "./libc.ts";
import { read_text } from "./proc_fs.ts";

/** The process of a thread; null where it is gone. `pidfd_open` wants the process. */
export function process_of(libc: Libc, tid: number): number | null {
  const status = read_text(libc, `/proc/${tid}/status`);
  const tgid = status === null ? undefined : /^Tgid:\t(\d+)$/m.exec(status)?.[1];
  return tgid === undefined ? null : Number(tgid);
}

/** A copy of another process's memory; null where it can't be read in full. */
export function memory_of(
  libc: Libc,
  pid: number,
  { address, length }: { readonly address: bigint; readonly length: number },
): Uint8Array<ArrayBuffer> | null {
  const bytes = buffer_of(length);
  const own = vector(libc.address(bytes), length);
  const other = vector(address, length);
  const got = libc.call("process_vm_readv", [pid, own, 1, other, 1, 0]);
  return got === length ? bytes : null;
}

/** A file of another process as one of ours, close-on-exec; negative where it can't be had. */
export function file_of(libc: Libc, pid: number, fd: bigint): number {
  const process = libc.call("pidfd_open", [pid, 0]);
  if (process < 0) return process;
  try {
    return libc.call("pidfd_getfd", [process, BigInt.asIntN(32, fd), 0]);
  } finally {
    libc.call("close", [process]);
  }
}

/** `struct iovec`. */
function vector(address: bigint, length: number): Uint8Array<ArrayBuffer> {
  const bytes = buffer_of(16);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(0, address, true);
  view.setBigUint64(8, BigInt(length), true);
  return bytes;
}
