/** The processors the filter knows. Every other one has no sandbox. */
export type Arch = "x86_64" | "aarch64";

/**
 * System call numbers: `[x86_64, aarch64]`; null where the architecture has no such call.
 *
 * Source: linux/arch/x86/entry/syscalls/syscall_64.tbl and linux/include/uapi/asm-generic/unistd.h
 * (aarch64 uses the generic table), Linux 6.18. `syscalls_test.ts` compares them with the headers of the
 * machine where these are installed.
 */
const NUMBERS = {
  // Made by hamr itself.
  bind: [49, 200],
  capget: [125, 90],
  capset: [126, 91],
  close: [3, 57],
  close_range: [436, 436],
  getdents64: [217, 61],
  flock: [73, 32],
  faccessat: [269, 48],
  getpgid: [121, 155],
  getppid: [110, 173],
  getsockname: [51, 204],
  getsockopt: [55, 209],
  gettid: [186, 178],
  landlock_add_rule: [445, 445],
  landlock_create_ruleset: [444, 444],
  landlock_restrict_self: [446, 446],
  openat: [257, 56],
  ppoll: [271, 73],
  prctl: [157, 167],
  read: [0, 63],
  readlinkat: [267, 78],
  seccomp: [317, 277],
  symlinkat: [266, 36],
  statx: [332, 291],
  timer_create: [222, 107],
  timer_settime: [223, 110],
  unlinkat: [263, 35],
  wait4: [61, 260],
  // Judged by the filter.
  acct: [163, 89],
  add_key: [248, 217],
  bpf: [321, 280],
  chroot: [161, 51],
  clock_settime: [227, 112],
  clone: [56, 220],
  clone3: [435, 435],
  connect: [42, 203],
  delete_module: [176, 106],
  fanotify_init: [300, 262],
  fcntl: [72, 25],
  file_setattr: [469, 469],
  finit_module: [313, 273],
  fremovexattr: [199, 16],
  fsconfig: [431, 431],
  fsetxattr: [190, 7],
  fsmount: [432, 432],
  fsopen: [430, 430],
  fspick: [433, 433],
  init_module: [175, 105],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  io_uring_setup: [425, 425],
  ioctl: [16, 29],
  ioperm: [173, null],
  iopl: [172, null],
  kcmp: [312, 272],
  kexec_file_load: [320, 294],
  kexec_load: [246, 104],
  keyctl: [250, 219],
  kill: [62, 129],
  listen: [50, 201],
  lookup_dcookie: [212, 18],
  lremovexattr: [198, 15],
  lsetxattr: [189, 6],
  mknod: [133, null],
  mknodat: [259, 33],
  mount: [165, 40],
  mount_setattr: [442, 442],
  move_mount: [429, 429],
  open: [2, null],
  open_by_handle_at: [304, 265],
  open_tree: [428, 428],
  open_tree_attr: [467, 467],
  openat2: [437, 437],
  perf_event_open: [298, 241],
  pidfd_getfd: [438, 438],
  pidfd_open: [434, 434],
  pidfd_send_signal: [424, 424],
  pivot_root: [155, 41],
  prlimit64: [302, 261],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  ptrace: [101, 117],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  reboot: [169, 142],
  removexattr: [197, 14],
  removexattrat: [466, 466],
  request_key: [249, 218],
  rt_sigqueueinfo: [129, 138],
  rt_tgsigqueueinfo: [297, 240],
  sendmmsg: [307, 269],
  sendmsg: [46, 211],
  sendto: [44, 206],
  setdomainname: [171, 162],
  sethostname: [170, 161],
  setns: [308, 268],
  setsockopt: [54, 208],
  settimeofday: [164, 170],
  setxattr: [188, 5],
  setxattrat: [463, 463],
  socket: [41, 198],
  socketpair: [53, 199],
  swapoff: [168, 225],
  swapon: [167, 224],
  tgkill: [234, 131],
  tkill: [200, 130],
  truncate: [76, 45],
  umount2: [166, 39],
  unshare: [272, 97],
  userfaultfd: [323, 282],
  vhangup: [153, 58],
} as const satisfies Readonly<Record<string, readonly [number, number | null]>>;

/** A call in the table above. */
export type Syscall = keyof typeof NUMBERS;

/**
 * The newest call that was looked at when the filter was written (`file_setattr`, Linux 6.17). What comes
 * after it is answered with ENOSYS, as a kernel of that time would: a call nobody judged can't be a way out.
 */
export const NEWEST_KNOWN_SYSCALL = 469;

/** Every name in the table, for tests. */
export const SYSCALL_NAMES = Object.keys(NUMBERS) as readonly Syscall[];

/** The number of a call, or null where `arch` does not have it. */
export function syscall_number(name: Syscall, arch: Arch): number | null {
  return NUMBERS[name][arch === "x86_64" ? 0 : 1];
}
