/** Filter rules for files: what Landlock does not cover, or not yet. */
import type { Policy } from "../policy.ts";
import { type FilterRule, ioctl_rules } from "./filter.ts";
import type { Syscall } from "./syscalls.ts";

/** Constants of the kernel's interface, each from the header named. */
const O_ACCMODE = 3, O_TRUNC = 0x200, O_PATH = 0x200000; // asm-generic/fcntl.h

/** Each changes a file that was opened for reading only, or makes one, which Landlock does not see (linux/fs.h, msdos_fs.h, ocfs2_ioctl.h). */
const FILE_IOCTLS = {
  FS_IOC_SETVERSION: 0x40087602,
  FS_IOC_FSSETXATTR: 0x401c5820,
  FAT_IOCTL_SET_ATTRIBUTES: 0x40047211,
  OCFS2_IOC_REFLINK: 0x40186f04,
};

/**
 * The same, by the type bytes of file systems: ext4, fscrypt and fsverity (which lock a folder of the user's, or make a file one that
 * nobody writes), ZFS, btrfs, Ceph, bcachefs, CIFS, F2FS.
 */
const FILE_SYSTEM_IOCTL_TYPES = [0x6600, 0x8300, 0x9400, 0x9700, 0xbc00, 0xcf00, 0xf500];
const IOCTL_TYPE_MASK = 0xff00;
/** In these ranges, and harmless. */
const HARMLESS_FILE_IOCTLS = [
  // FICLONE, FICLONERANGE, FIDEDUPERANGE want a file open for writing.
  ...[0x40049409, 0x4020940d, 0xc0189436],
  // FS_IOC_GETFLAGS, its 32-bit twin, FS_IOC_FIEMAP (linux/fs.h, fiemap.h).
  ...[0x80086601, 0x80046601, 0xc020660b],
  // FS_IOC_GET_ENCRYPTION_POLICY, _POLICY_EX, _KEY_STATUS, _NONCE (linux/fscrypt.h).
  ...[0x400c6615, 0xc0096616, 0xc080661a, 0x8010661b],
  // FS_IOC_MEASURE_VERITY, FS_IOC_READ_VERITY_METADATA (linux/fsverity.h).
  ...[0xc0046686, 0xc0286687],
];

/** `abi`: Landlock's version. */
export function file_rules(
  { policy, abi }: { policy: Pick<Policy, "read" | "deny_read" | "write">; abi: number },
): FilterRule[] {
  return [
    ...unread_rules(),
    ...(policy.write === "all" ? [] : metadata_rules()),
    ...(policy.read === "all" && policy.deny_read.length === 0 ? [] : attribute_rules()),
    ...(policy.write !== "all" && abi < 3 ? truncate_rules() : []),
  ];
}

/** What Landlock leaves to a filter: extended attributes, access lists, inode flags. Refused as by a file system without them. */
function metadata_rules(): FilterRule[] {
  return [
    {
      calls: [
        ...["setxattr", "lsetxattr", "fsetxattr", "setxattrat"] as const,
        ...["removexattr", "lremovexattr", "fremovexattr", "removexattrat"] as const,
        "file_setattr",
      ],
      then: "EOPNOTSUPP",
    },
    ...ioctl_rules(Object.values(FILE_IOCTLS), "EOPNOTSUPP"),
    ...ioctl_rules(HARMLESS_FILE_IOCTLS, "allow"),
    ...FILE_SYSTEM_IOCTL_TYPES.map((type): FilterRule => ({
      calls: ["ioctl"],
      when: [{ kind: "low", arg: 1, mask: IOCTL_TYPE_MASK, is: type }],
      then: "EOPNOTSUPP",
    })),
  ];
}

/** Landlock does not protect extended attributes of files that may not be opened: download addresses with keys. Open files are allowed. */
function attribute_rules(): FilterRule[] {
  const calls: Syscall[] = ["getxattr", "lgetxattr", "getxattrat"];
  return [
    { calls: [...calls, "listxattr", "llistxattr", "listxattrat"], then: "EOPNOTSUPP" },
  ];
}

/** Access mode 3 (open(2)) needs no Landlock right, but allows `fgetxattr`, `ioctl` before ABI 5 and O_TRUNC before ABI 3. */
function unread_rules(): FilterRule[] {
  const neither = (call: Syscall, arg: number): FilterRule => ({
    calls: [call],
    when: [{ kind: "low", arg, mask: O_ACCMODE | O_PATH, is: O_ACCMODE }],
    then: "EACCES",
  });
  return [neither("open", 1), neither("openat", 2)];
}

/** Before ABI 3 Landlock lets a file be emptied that may not be written. */
function truncate_rules(): FilterRule[] {
  const emptied_by_reading = (call: Syscall, arg: number): FilterRule => ({
    calls: [call],
    when: [{ kind: "low", arg, mask: O_ACCMODE | O_TRUNC, is: O_TRUNC }],
    then: "EACCES",
  });
  return [
    { calls: ["truncate"], then: "EACCES" },
    emptied_by_reading("open", 1),
    emptied_by_reading("openat", 2),
  ];
}
