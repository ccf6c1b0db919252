/** Numbers of the calls on files (linux/fcntl.h, asm-generic/fcntl.h). */

/** The current folder, where a call takes a folder's descriptor. */
export const AT_FDCWD = -100;
export const AT_SYMLINK_NOFOLLOW = 0x100, AT_EMPTY_PATH = 0x1000;
export const O_WRONLY = 1, O_RDWR = 2, O_NOCTTY = 0x100, O_NONBLOCK = 0x800;
export const O_CLOEXEC = 0x80000, O_PATH = 0x200000;

const is_arm = Deno.build.arch === "aarch64";
/** Those here that the processors number differently. */
export const O_DIRECTORY = is_arm ? 0x4000 : 0x10000;
export const O_NOFOLLOW = is_arm ? 0x8000 : 0x20000;
