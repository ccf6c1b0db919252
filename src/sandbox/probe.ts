import { errno_of } from "./errno.ts";
import { buffer_of, type Libc, open_libc } from "./libc.ts";
import type { Arch } from "./syscalls.ts";

/** What this machine's kernel can enforce. Plain data: the main thread asks, the tools worker is told. */
export type Support =
  | {
    readonly kind: "linux";
    readonly arch: Arch;
    /** Landlock's ABI version, at least 1. */
    readonly abi: number;
    /** A filter can hand calls to a supervisor (seccomp user notification). */
    readonly user_notification: boolean;
  }
  | {
    readonly kind: "none";
    /** A sentence without a full stop, for an error message. */
    readonly reason: string;
  };

/** linux/include/uapi/linux/landlock.h */
const CREATE_RULESET_VERSION = 1;
/** linux/include/uapi/linux/prctl.h */
const GET_SECCOMP = 21;
/** linux/include/uapi/linux/seccomp.h */
const GET_ACTION_AVAIL = 2;
const RET_USER_NOTIF = 0x7fc00000;

/** Asks the kernel. Never throws; changes nothing; costs 1 to 2 ms, nearly all of it opening the C library. */
export function probe(): Support {
  if (Deno.build.os !== "linux") {
    return none(`there is no sandbox for ${Deno.build.os} in this version`);
  }
  let libc: Libc;
  try {
    libc = open_libc();
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return none(`the C library could not be opened (${detail})`);
  }
  if (libc.arch !== "x86_64" && libc.arch !== "aarch64") {
    return none(`there is no sandbox for ${Deno.build.arch} processors`);
  }
  const abi = landlock_abi(libc);
  if (abi < 1) return none(no_landlock(libc.errno()));
  if (libc.call("prctl", [GET_SECCOMP, 0, 0, 0, 0]) < 0) {
    return none("this kernel was built without seccomp");
  }
  const action = buffer_of(4);
  new DataView(action.buffer).setUint32(0, RET_USER_NOTIF, true);
  const user_notification = libc.call("seccomp", [GET_ACTION_AVAIL, 0, action]) === 0;
  return { kind: "linux", arch: libc.arch, abi, user_notification };
}

function none(reason: string): Support {
  return { kind: "none", reason };
}

function no_landlock(errno: number): string {
  return errno === errno_of("EOPNOTSUPP")
    ? "Landlock is built into this kernel but switched off (add landlock to the lsm= boot parameter)"
    : "this kernel has no Landlock (Linux 5.13 or newer is needed), or a container's seccomp profile hides it";
}

/** Landlock's version in this kernel; -1 where there is none (`errno` tells why). */
function landlock_abi(libc: Libc): number {
  return libc.call("landlock_create_ruleset", [0, 0, CREATE_RULESET_VERSION]);
}
