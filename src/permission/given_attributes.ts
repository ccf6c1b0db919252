/** Attributes that somebody gave a file: a new one in its place would lack them, as nothing in the sandbox may set any. */
import { AT_FDCWD, O_CLOEXEC, O_NOFOLLOW, O_NONBLOCK } from "../sandbox/kernel/fcntl.ts";
import { buffer_of, linux_libc } from "../sandbox/kernel/libc.ts";
import { lstat_or_null } from "./paths.ts";
import { is_for_its_place } from "./put_beside.ts";

/** Those of an access list, and what programs note. The system's own come with every file. */
const GIVEN = /(?:^|\0)(?:user\.|system\.posix_acl_access\0)/;

/** Whether a file that has no other name has such. */
function has_attributes(full: string): boolean {
  const libc = linux_libc(), stat = lstat_or_null(full);
  if (libc === null || stat?.isFile !== true || stat.nlink !== 1) return false;
  const fd = libc.call("openat", [AT_FDCWD, full, O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC, 0]);
  if (fd < 0) return false;
  const names = buffer_of(Math.max(0, libc.call("flistxattr", [fd, 0, 0])));
  if (names.length > 0) libc.call("flistxattr", [fd, names, names.length]);
  libc.call("close", [fd]);
  return GIVEN.test(String.fromCharCode(...names));
}

/** Puts a new file in the place of another; where the system does not let it, or `plain`, the file that is there, has more to lose, writes into that. */
export function replace_or_overwrite(
  plain: string | null,
  { replace, overwrite }: { replace: () => void; overwrite: (error?: unknown) => void },
): void {
  const stays = plain !== null && has_attributes(plain);
  const [first, second] = stays ? [overwrite, replace] : [replace, overwrite];
  try {
    first();
  } catch (error) {
    if (!is_for_its_place(error)) throw error;
    second(error);
  }
}
