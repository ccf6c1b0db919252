/** Opens a path with control over which links on the way may be followed. */
import { errno_of } from "./errno.ts";
import { type Argument, buffer_of, type Libc } from "./libc.ts";

/** Flags of openat2(2): links of /proc to open files lead nowhere; no link leads anywhere. */
export const RESOLVE = { no_magic_links: 2, no_links: 4 } as const;

/** A descriptor; negative where that fails, with the error number in `libc`. `from`: a folder's, or AT_FDCWD. */
export function openat2(
  libc: Libc,
  from: number,
  { path, flags, resolve }: { path: Argument; flags: number; resolve: number },
): number {
  // `struct open_how`: flags, mode, resolve.
  const how = buffer_of(24);
  const view = new DataView(how.buffer);
  view.setBigUint64(0, BigInt(flags), true);
  view.setBigUint64(16, BigInt(resolve), true);
  const found = libc.call("openat2", [from, path, how, how.length]);
  // Landlock's kernels all have it; an outer sandbox of hamr says this, and looks itself.
  return found < 0 && libc.errno() === errno_of("ENOSYS")
    ? libc.call("openat", [from, path, flags])
    : found;
}
