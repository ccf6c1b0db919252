/**
 * Linux error numbers: the ones the filter answers with and the ones the set-up can meet. The same on
 * x86_64 and aarch64.
 *
 * Source: linux/include/uapi/asm-generic/errno-base.h and errno.h.
 */
const ERRNO = {
  EPERM: [1, "operation not permitted"],
  ENOENT: [2, "no such file or folder"],
  ESRCH: [3, "no such process"],
  EINTR: [4, "interrupted by a signal"],
  E2BIG: [7, "too many Landlock layers are stacked already (16 is the kernel's limit)"],
  EBADF: [9, "bad file descriptor"],
  EAGAIN: [11, "try again"],
  ENOMEM: [12, "out of memory, or too many seccomp filters are stacked already"],
  EACCES: [13, "permission denied"],
  EFAULT: [14, "bad address"],
  EBUSY: [16, "in use already"],
  EEXIST: [17, "there already"],
  ENOTDIR: [20, "a part of the path is not a folder"],
  EINVAL: [22, "invalid argument"],
  ENFILE: [23, "the machine has too many open files"],
  EMFILE: [24, "this process has too many open files"],
  EPIPE: [32, "nothing can be sent"],
  ENAMETOOLONG: [36, "the path is too long"],
  ENOSYS: [38, "this kernel does not have the call"],
  ELOOP: [40, "too many symbolic links"],
  ENOTSOCK: [88, "not a socket"],
  ENOPROTOOPT: [92, "protocol option not available"],
  EPROTONOSUPPORT: [93, "protocol not supported"],
  EOPNOTSUPP: [95, "built into this kernel but switched off at boot"],
  EAFNOSUPPORT: [97, "address family not supported"],
  EADDRINUSE: [98, "the address is in use"],
  EISCONN: [106, "connected already"],
  ECONNREFUSED: [111, "connection refused"],
  EINPROGRESS: [115, "in progress"],
} as const;

export type ErrnoName = keyof typeof ERRNO;

export function errno_of(name: ErrnoName): number {
  return ERRNO[name][0];
}

/** `ENOENT (2): no such file or folder`, or only the number where it is not in the table. */
export function errno_text(errno: number): string {
  const name = name_of(errno);
  return name === undefined ? `errno ${errno}` : `${name} (${errno}): ${ERRNO[name][1]}`;
}

/** As Deno and Node have them: with its name as `code`. */
export function errno_error(errno: number): Error {
  return Object.assign(new Error(errno_text(errno)), { code: name_of(errno) });
}

function name_of(errno: number): ErrnoName | undefined {
  return (Object.keys(ERRNO) as ErrnoName[]).find((name) => ERRNO[name][0] === errno);
}
