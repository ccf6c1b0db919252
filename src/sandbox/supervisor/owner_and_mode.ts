/** Changes the owner or mode of a file for a program, where it may write, through an open descriptor, so that no path can be swapped. */
import { at_end } from "../../config/attempt.ts";
import { AT_EMPTY_PATH, AT_FDCWD, AT_SYMLINK_NOFOLLOW } from "../kernel/fcntl.ts";
import { flag_with } from "../../config/text.ts";
import { errno_of } from "../kernel/errno.ts";
import type { Libc } from "../kernel/libc.ts";
import { is_syscall, type Notification } from "./notification.ts";
import { text_of_memory } from "./other_process.ts";
import { may_write, type Policy } from "../policy.ts";
import { read_text, status_line } from "../kernel/proc_fs.ts";
import { type FileLook, look_at } from "../kernel/statx.ts";
import type { Syscall } from "../kernel/syscalls.ts";
import { shown_name } from "./socket_address.ts";
import { is_nameless, open_as, open_descriptor, path_of_fd } from "./callers_path.ts";

const S_IFMT = 0xf000, S_IFLNK = 0xa000, S_IFDIR = 0x4000; // linux/stat.h
const SET_ID = 0o6000, S_ISGID = 0o2000;
const UNCHANGED = 0xffffffff;

type Change =
  | { readonly kind: "mode"; readonly mode: number }
  | { readonly kind: "owner"; readonly uid: number; readonly gid: number };

interface ModeCall {
  readonly change: Change;
  /** A descriptor, or where a path is in memory. */
  readonly file: { readonly fd: number } | {
    readonly address: bigint;
    readonly folder: number;
    readonly no_follow: boolean;
    readonly empty: boolean;
  };
}

/** The outcome; `refused`: what the policy refused, with the flag that would allow it. */
export interface Changed {
  readonly errno: number;
  readonly refused?: string;
}

/** How to know whether the caller still waits, and which process this is. */
interface Terms {
  readonly policy: Policy;
  readonly is_waiting: () => boolean;
  /** `hamr`'s own process: its tools worker keeps the owner of what it writes. */
  readonly pid: number;
}

/** Makes the change that a call asks for; null if it is not a call of this kind. */
export function change_owner_or_mode(
  libc: Libc,
  notification: Notification,
  terms: Terms,
): Changed | null {
  const asked = read_call(libc, notification);
  if (asked === null) return null;
  const { tid } = notification;
  const fd = open_asked(libc, asked, tid);
  if (fd < 0) return { errno: libc.errno() };
  using _ = at_end(() => libc.call("close", [fd]));
  const status = read_text(libc, `/proc/${tid}/status`) ?? "";
  if (!terms.is_waiting()) return { errno: errno_of("EPERM") };
  return change(libc, fd, { change: asked.change, status, terms });
}

function read_call(libc: Libc, asked: Notification): ModeCall | null {
  const { args } = asked;
  const int = (nth: number) => Number(BigInt.asIntN(32, args[nth] ?? 0n));
  const id = (nth: number) => Number(BigInt.asUintN(32, args[nth] ?? 0n));
  const mode = (nth: number): Change => ({ kind: "mode", mode: id(nth) & 0o7777 });
  const owner = (nth: number): Change => ({ kind: "owner", uid: id(nth), gid: id(nth + 1) });
  const path = (nth: number, { folder = AT_FDCWD, flags = 0 }) => ({
    address: args[nth] ?? 0n,
    folder,
    no_follow: (flags & AT_SYMLINK_NOFOLLOW) !== 0,
    empty: (flags & AT_EMPTY_PATH) !== 0,
  });
  const is = (name: Syscall) => is_syscall(libc, asked, name);
  if (is("fchmod")) return { file: { fd: int(0) }, change: mode(1) };
  if (is("chmod")) return { file: path(0, {}), change: mode(1) };
  if (is("fchmodat")) return { file: path(1, { folder: int(0) }), change: mode(2) };
  if (is("fchmodat2")) return { file: path(1, { folder: int(0), flags: int(3) }), change: mode(2) };
  if (is("fchown")) return { file: { fd: int(0) }, change: owner(1) };
  if (is("chown")) return { file: path(0, {}), change: owner(1) };
  if (is("lchown")) return { file: path(0, { flags: AT_SYMLINK_NOFOLLOW }), change: owner(1) };
  if (is("fchownat")) return { file: path(1, { folder: int(0), flags: int(4) }), change: owner(2) };
  return null;
}

function open_asked(libc: Libc, { file }: ModeCall, tid: number): number {
  if ("fd" in file) return open_descriptor(libc, tid, file.fd);
  const path = text_of_memory(libc, tid, file.address);
  if (path === null) return -1;
  const folder = file.folder === AT_FDCWD ? {} : { folder: file.folder };
  if (path.length === 0 && file.empty) return open_descriptor(libc, tid, file.folder);
  return open_as(libc, { path, tid, ...folder, no_follow: file.no_follow });
}

function change(
  libc: Libc,
  fd: number,
  { change, status, terms }: { change: Change; status: string; terms: Terms },
): Changed {
  const look = look_at(libc, fd);
  if (look === null) return { errno: libc.errno() };
  // As it is already: programs that copy modes ask for that, wherever the file lies.
  if (is_so(change, look)) return { errno: 0 };
  const real = path_of_fd(libc, fd);
  const allowed = real === null
    ? is_nameless(libc, fd, look)
    // Shared with the user's other programs, and only their owner's to change.
    : may_write(terms.policy, real) || real.startsWith("/dev/shm/");
  if (!allowed) return { errno: errno_of("EPERM"), ...refusal(change, real) };
  const own = Number(status_line(status, "Tgid") ?? NaN) === terms.pid;
  if (!own && !is_allowed(libc, { change, look, status, terms })) {
    return { errno: errno_of("EPERM") };
  }
  if (change.kind === "owner") {
    const args = [fd, "", change.uid, change.gid, AT_EMPTY_PATH];
    return { errno: libc.call("fchownat", args) === 0 ? 0 : libc.errno() };
  }
  // A link has no mode of its own.
  if ((look.mode & S_IFMT) === S_IFLNK) return { errno: errno_of("EOPNOTSUPP") };
  const link = `/proc/self/fd/${fd}`;
  return { errno: libc.call("fchmodat", [AT_FDCWD, link, change.mode]) === 0 ? 0 : libc.errno() };
}

function is_so(change: Change, { mode, uid, gid }: FileLook): boolean {
  return change.kind === "mode"
    ? change.mode === (mode & 0o7777)
    : [UNCHANGED, uid].includes(change.uid) && [UNCHANGED, gid].includes(change.gid);
}

/** What the kernel would ask of the program, which may have given up rights that hamr has; and that nothing changes hands. */
function is_allowed(
  libc: Libc,
  { change, look, status, terms }: { change: Change; look: FileLook; status: string; terms: Terms },
): boolean {
  // Real, effective, saved, and for files.
  const id = (name: string) => Number(status_line(status, name)?.split("\t")[3] ?? NaN);
  const uid = id("Uid");
  if (uid !== 0 && uid !== look.uid) return false;
  if (change.kind === "mode") {
    // A folder may hand its group on, as `git init --shared` and watchman have it. What is set already may stay: programs copy modes.
    const kept = (look.mode & S_IFMT) === S_IFDIR ? S_ISGID : 0;
    return (change.mode & SET_ID & ~look.mode & ~kept) === 0;
  }
  const { workspace } = terms.policy;
  const home = look_at(libc, workspace, { follow: true });
  const gid = id("Gid");
  const listed = status_line(status, "Groups")?.trim() ?? "";
  const groups = listed === "" ? [] : listed.split(" ").map(Number);
  return [UNCHANGED, look.uid, uid, home?.uid].includes(change.uid) &&
    [UNCHANGED, look.gid, gid, home?.gid, ...groups].includes(change.gid);
}

function refusal(change: Change, real: string | null): { readonly refused?: string } {
  if (real === null) return {};
  if (real.startsWith("/dev/pts/")) {
    return {
      refused: `the sandbox refused to change the ${change.kind} of a terminal; ` +
        "script, openpty and tmux do without that, screen does not",
    };
  }
  return {
    refused: `the sandbox refused to change the ${change.kind} of ${shown_name(real)}; ` +
      `the user can allow it with ${flag_with("--allow-write", shown_name(real))}`,
  };
}
