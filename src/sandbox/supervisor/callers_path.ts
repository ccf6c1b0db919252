/** Files as a program in the sandbox means them, opened here without any effect on them. */
import { AT_FDCWD, O_CLOEXEC, O_NOFOLLOW, O_PATH } from "../kernel/fcntl.ts";
import { buffer_of, type Libc } from "../kernel/libc.ts";
import { openat2, RESOLVE } from "../kernel/openat2.ts";
import { link_of } from "../kernel/proc_fs.ts";
import { type FileLook, look_at } from "../kernel/statx.ts";

/** Means another file to each process, and what follows. */
const ASKERS_OWN = /^\/(?:proc\/(?:self|thread-self)\/(fd\/\d+|cwd|root)|dev\/(fd\/\d+))(?:\/+|$)/;

interface TheirPath {
  /** Without the NUL at its end. */
  readonly path: Uint8Array<ArrayBuffer>;
  readonly tid: number;
  /** The folder it is meant from, a descriptor of theirs; absent: their current folder. */
  readonly folder?: number;
  /** A link at its end stands for itself. */
  readonly no_follow?: boolean;
}

/** Opens what a path means; negative where that fails, with the error number in `libc`. */
export function open_as(libc: Libc, { path, tid, folder, no_follow = false }: TheirPath): number {
  const flags = O_PATH | O_CLOEXEC | (no_follow ? O_NOFOLLOW : 0);
  // Each byte is a character of latin1 and back again, whatever encoding the path has.
  const text = String.fromCharCode(...path);
  const own = ASKERS_OWN.exec(text);
  const rest = own === null ? text : text.slice(own[0].length);
  if (own === null && text.startsWith("/")) return open_plainly(libc, AT_FDCWD, { text, flags });
  const start = own?.[1] ?? own?.[2] ?? (folder === undefined ? "cwd" : `fd/${folder}`);
  const from = open_link(libc, `${tid}/${start}`);
  if (from < 0 || own !== null && rest === "") return from;
  const found = open_plainly(libc, from, { text: rest, flags });
  const errno = found < 0 ? libc.errno() : 0;
  libc.call("close", [from]);
  // Closing well changes no error number; it is asked again by whoever reads it.
  return errno === 0 ? found : -1;
}

function open_plainly(
  libc: Libc,
  folder: number,
  { text, flags }: { text: string; flags: number },
): number {
  const name = buffer_of(text.length + 1);
  // A link of /proc could lead to one of hamr's own files.
  name.set(Array.from(text, (char) => char.charCodeAt(0)));
  return openat2(libc, folder, { path: name, flags, resolve: RESOLVE.no_magic_links });
}

/** Opens a descriptor of theirs once more; negative where that fails. */
export function open_descriptor(libc: Libc, tid: number, fd: number): number {
  return open_link(libc, `${tid}/fd/${fd}`);
}

/** The real path of an open file; null if it has none, none anymore, or one that is too long to be told. */
export function path_of_fd(libc: Libc, fd: number): string | null {
  const path = link_of(libc, `/proc/self/fd/${fd}`);
  if (path === null || !path.startsWith("/")) return null;
  // So the kernel ends the path of what was removed; a file can be called that, too.
  return !path.endsWith(" (deleted)") || is_at(libc, fd, path) ? path : null;
}

function is_at(libc: Libc, fd: number, path: string): boolean {
  const [open, there] = [look_at(libc, fd), look_at(libc, path)];
  return open !== null && open.identity === there?.identity;
}

/** Whether an open file has no name that anybody could open: a pipe, a socket, a memory file, what was removed. */
export function is_nameless(libc: Libc, fd: number, { links }: FileLook): boolean {
  return links === 0 || /^(?:pipe|socket):/.test(link_of(libc, `/proc/self/fd/${fd}`) ?? "");
}

function open_link(libc: Libc, link: string): number {
  return libc.call("openat", [AT_FDCWD, `/proc/${link}`, O_PATH | O_CLOEXEC]);
}
