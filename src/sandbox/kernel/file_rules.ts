/** Filter rules for files: what Landlock does not cover, or not yet. */
import type { Policy } from "../policy.ts";
import { TRUNCATE_ABI } from "./abi.ts";
import { O_PATH } from "./fcntl.ts";
import { type FilterRule, ioctl_rules, low, on_call } from "./filter.ts";

/** Constants of the kernel's interface, each from the header named. */
const O_ACCMODE = 3, O_TRUNC = 0x200; // asm-generic/fcntl.h

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
    // Access mode 3 (open(2)) needs no Landlock right, but allows `fgetxattr`, `ioctl` before ABI 5 and O_TRUNC before ABI 3.
    ...opened_with(O_ACCMODE | O_PATH, O_ACCMODE),
    ...(policy.write === "all" ? [] : metadata_rules()),
    // Landlock does not protect extended attributes of files that may not be opened: download addresses with keys. Open files are allowed.
    ...(policy.read === "all" && policy.deny_read.length === 0 ? [] : [
      on_call(["getxattr", "lgetxattr", "getxattrat"], "EOPNOTSUPP"),
      on_call(["listxattr", "llistxattr", "listxattrat"], "EOPNOTSUPP"),
    ]),
    // Before this version Landlock lets a file be emptied that may not be written.
    ...(policy.write === "all" || abi >= TRUNCATE_ABI
      ? []
      : [on_call("truncate", "EACCES"), ...opened_with(O_ACCMODE | O_TRUNC, O_TRUNC)]),
  ];
}

function opened_with(mask: number, flags: number): FilterRule[] {
  return [
    on_call("open", "EACCES", low(1, flags, mask)),
    on_call("openat", "EACCES", low(2, flags, mask)),
  ];
}

/** What Landlock leaves to a filter: extended attributes, access lists, inode flags. Refused as by a file system without them. */
function metadata_rules(): FilterRule[] {
  return [
    on_call(["setxattr", "lsetxattr", "fsetxattr", "setxattrat"], "EOPNOTSUPP"),
    on_call(["removexattr", "lremovexattr", "fremovexattr", "removexattrat"], "EOPNOTSUPP"),
    on_call("file_setattr", "EOPNOTSUPP"),
    ...ioctl_rules(Object.values(FILE_IOCTLS), "EOPNOTSUPP"),
    ...ioctl_rules(HARMLESS_FILE_IOCTLS, "allow"),
    ...FILE_SYSTEM_IOCTL_TYPES.map((type) =>
      on_call("ioctl", "EOPNOTSUPP", low(1, type, IOCTL_TYPE_MASK))
    ),
  ];
}
