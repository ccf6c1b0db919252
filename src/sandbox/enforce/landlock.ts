import { at_end } from "../../config/attempt.ts";
import { errno_of } from "../kernel/errno.ts";
import { NET_ABI, SCOPE_ABI } from "../kernel/abi.ts";
import { must_call, SandboxError } from "../kernel/error.ts";
import { AT_FDCWD, O_CLOEXEC, O_DIRECTORY, O_NOFOLLOW, O_PATH } from "../kernel/fcntl.ts";
import { buffer_of, type Libc } from "../kernel/libc.ts";
import { openat2, RESOLVE } from "../kernel/openat2.ts";
import { own_writable, type Policy } from "../policy.ts";
import { readable, type ReadScope } from "../scope/read_scope.ts";

/** Rights on files: bit and first Landlock ABI. Source: linux/include/uapi/linux/landlock.h, Documentation/userspace-api/landlock.rst. */
const RIGHTS = {
  EXECUTE: [1 << 0, 1],
  WRITE_FILE: [1 << 1, 1],
  READ_FILE: [1 << 2, 1],
  READ_DIR: [1 << 3, 1],
  REMOVE_DIR: [1 << 4, 1],
  REMOVE_FILE: [1 << 5, 1],
  MAKE_CHAR: [1 << 6, 1],
  MAKE_DIR: [1 << 7, 1],
  MAKE_REG: [1 << 8, 1],
  MAKE_SOCK: [1 << 9, 1],
  MAKE_FIFO: [1 << 10, 1],
  MAKE_BLOCK: [1 << 11, 1],
  MAKE_SYM: [1 << 12, 1],
  REFER: [1 << 13, 2],
  TRUNCATE: [1 << 14, 3],
  IOCTL_DEV: [1 << 15, 5],
} as const;

export type Right = keyof typeof RIGHTS;

interface Grant {
  /** A file or folder; with all that is in it. */
  readonly path: string;
  readonly rights: readonly Right[];
  /** False: nothing happens if the path does not exist. */
  readonly required: boolean;
  /** It was seen to be a file. */
  readonly is_file?: boolean;
  /** hamr has made this folder: a link in its place is another's. */
  readonly is_new?: boolean;
  /** The path was real: a link on the way is new, and someone else's. */
  readonly is_real?: boolean;
}

/** From ABI 4. A supervisor connects for the programs, so that they never may by themselves; servers they may open. */
const BIND_TCP = 0b01, CONNECT_TCP = 0b10;
/** Abstract unix sockets and signals of what is outside, from ABI 6. */
const SCOPES = 0b11;

/** Rights that a rule for something other than a folder may hold; the kernel refuses the rest. */
const FILE_RIGHTS: readonly Right[] = [
  "EXECUTE",
  "WRITE_FILE",
  "READ_FILE",
  "TRUNCATE",
  "IOCTL_DEV",
];
/** Rights that are only taken away where the policy says what may be read or executed. */
const READING: readonly Right[] = ["READ_FILE", "READ_DIR"];
const RUNNING: readonly Right[] = ["EXECUTE"];
/** Everything but making devices, which nothing is ever granted, and talking to them. */
const FOLDER_RIGHTS: readonly Right[] = [
  "WRITE_FILE",
  "REMOVE_DIR",
  "REMOVE_FILE",
  "MAKE_DIR",
  "MAKE_REG",
  "MAKE_SOCK",
  "MAKE_FIFO",
  "MAKE_SYM",
  "REFER",
  "TRUNCATE",
];

/**
 * Devices without which programs break (`2>/dev/null`).
 *
 * /dev/ptmx makes a new terminal; its other end comes from the supervisor. /dev/tty is the terminal of whoever has one. Left out on
 * purpose: /dev/pts, which can't be granted for new terminals only; /dev/fd, /dev/stdout and /dev/stderr, which lead to what is
 * open already, and need no grant.
 */
const DEVICES = ["null", "zero", "full", "random", "urandom", "ptmx", "tty"]
  .map((name) => `/dev/${name}`);

const RULE_PATH_BENEATH = 1;
const RULESET_BYTES = 24;
const RULE_BYTES = 12;
const rule = buffer_of(RULE_BYTES);
const rule_view = new DataView(rule.buffer);

/** What is limited under a policy, and what of it is allowed where. */
interface LandlockScope {
  /** Rights that nobody has but where granted. */
  readonly handled: readonly Right[];
  readonly grants: readonly Grant[];
}

/** The rules for a policy. Looks at the disk where not everything may be read. */
export function landlock_scope(policy: Policy): LandlockScope {
  const reading = readable(policy);
  return [write_scope(policy), read_scope(reading), run_scope(policy)].reduce((one, other) => ({
    handled: [...one.handled, ...other.handled],
    grants: [...one.grants, ...other.grants],
  }));
}

function write_scope(policy: Policy): LandlockScope {
  // A domain that says nothing about REFER forbids every move from folder to folder.
  if (policy.write === "all") {
    return { handled: ["REFER"], grants: [{ path: "/", rights: ["REFER"], required: true }] };
  }
  const rights = (Object.keys(RIGHTS) as Right[]).filter((right) =>
    !READING.includes(right) && !RUNNING.includes(right)
  );
  return { handled: rights, grants: write_grants(policy, policy.write) };
}

function read_scope({ paths, files, lists_all }: ReadScope): LandlockScope {
  // What was listed a moment ago may be gone.
  const grants = paths.map((path): Grant => {
    return { path, rights: READING, required: false, is_file: files.has(path) };
  });
  const all: Grant = { path: "/", rights: ["READ_DIR"], required: false };
  return { handled: READING, grants: lists_all ? [...grants, all] : grants };
}

function run_scope({ run }: Policy): LandlockScope {
  if (run === "all") return { handled: [], grants: [] };
  return {
    handled: RUNNING,
    grants: run.map((path) => ({ path, rights: RUNNING, required: true })),
  };
}

function write_grants(policy: Policy, asked: readonly string[]): readonly Grant[] {
  const own = own_writable(policy);
  return [
    ...own.map((path): Grant => ({
      path,
      rights: FOLDER_RIGHTS,
      // A repository around the workspace was found, not named: it may be gone by now.
      required: path !== policy.git,
      is_new: path === policy.tmp,
      is_real: path === policy.workspace || path === policy.git,
    })),
    // Named by the user: also devices, such as a serial port or a GPU.
    ...asked.map((path): Grant => ({
      path,
      rights: [...FOLDER_RIGHTS, "IOCTL_DEV"],
      required: true,
      is_real: true,
    })),
    ...DEVICES.map((path): Grant => ({
      path,
      rights: ["WRITE_FILE", "TRUNCATE", "IOCTL_DEV"],
      required: false,
    })),
    // Semaphores and shared memory (Python's multiprocessing). Shared with the user's other programs; no
    // folders, sockets or links in it.
    {
      path: "/dev/shm",
      rights: ["WRITE_FILE", "MAKE_REG", "REMOVE_FILE", "REFER", "TRUNCATE"],
      required: false,
    },
  ];
}

/** The bits of these rights that Landlock version `abi` has. */
export function right_bits(rights: readonly Right[], abi: number): number {
  let bits = 0;
  for (const right of rights) {
    const [bit, since] = RIGHTS[right];
    if (abi >= since) bits |= bit;
  }
  return bits;
}

/**
 * Puts the policy's scopes of writing, reading and running on the calling thread and on all it will start. It can't be taken off.
 * `PR_SET_NO_NEW_PRIVS` must be set.
 * @throws {SandboxError} on a path that does not exist (by name), or where the kernel refuses.
 */
export function restrict_files(libc: Libc, options: { policy: Policy; abi: number }): void {
  const { policy, abi } = options;
  const scope = landlock_scope(policy);
  const handled = right_bits(scope.handled, abi);
  const net = abi >= NET_ABI
    ? { none: BIND_TCP | CONNECT_TCP, own: CONNECT_TCP, loopback: CONNECT_TCP, all: 0 }[policy.net]
    : 0;
  const scopes = abi >= SCOPE_ABI ? SCOPES : 0;
  if (handled === 0 && net === 0 && scopes === 0) return;

  const attr = buffer_of(RULESET_BYTES);
  const view = new DataView(attr.buffer);
  [handled, net, scopes].forEach((bits, at) => view.setBigUint64(8 * at, BigInt(bits), true));
  // An older kernel takes a shorter structure.
  const length = abi >= SCOPE_ABI ? 24 : abi >= NET_ABI ? 16 : 8;
  const ruleset = must_call(libc, ["landlock_create_ruleset", attr, length, 0]);
  using _ = at_end(() => libc.call("close", [ruleset]));
  for (const rule of rules_of(scope.grants, abi)) add_rule(libc, ruleset, rule);
  must_call(libc, ["landlock_restrict_self", ruleset, 0]);
}

/** The rule for one path, as the kernel takes it. */
interface PathRule extends Omit<Grant, "rights"> {
  /** For a folder, and for anything else. */
  readonly bits: number;
  readonly file_bits: number;
}

/** Each path once: what is written is read, too. Hundreds of grants have the same few rights. */
function rules_of(grants: readonly Grant[], abi: number): readonly PathRule[] {
  const on_files = right_bits(FILE_RIGHTS, abi);
  const known = new Map<readonly Right[], number>();
  const rules = new Map<string, PathRule>();
  for (const { rights, ...grant } of grants) {
    const own = known.get(rights) ?? right_bits(rights, abi);
    known.set(rights, own);
    const other = rules.get(grant.path);
    const bits = own | (other?.bits ?? 0);
    const required = grant.required || (other?.required ?? false);
    const is_new = (grant.is_new || other?.is_new) ?? false;
    const is_real = (grant.is_real || other?.is_real) ?? false;
    const bits_of = { bits, file_bits: bits & on_files };
    rules.set(grant.path, { ...grant, required, is_new, is_real, ...bits_of });
  }
  return [...rules.values()];
}

function add_rule(libc: Libc, ruleset: number, on: PathRule): void {
  const { path, is_file, required, is_new, is_real } = on;
  // Others may be able to write the folder around it, and put a link to a folder of the user's in its place.
  const flags = O_PATH | O_CLOEXEC | (is_new ? O_NOFOLLOW : 0);
  const open = (flags: number) =>
    is_real
      ? openat2(libc, AT_FDCWD, { path, flags, resolve: RESOLVE.no_links })
      : libc.call("openat", [AT_FDCWD, path, flags]);
  const as_folder = is_file ? -1 : open(flags | O_DIRECTORY);
  const fd = as_folder >= 0 || is_new ? as_folder : open(flags);
  if (fd < 0) {
    const errno = libc.errno();
    if (!required) return;
    throw new SandboxError(`opening ${path}, to allow it,`, {
      errno,
      advice: is_new
        ? "Somebody has put something else there: set TMPDIR to a folder that only you can write."
        : errno === errno_of("ELOOP")
        ? "Somebody has just put a link there."
        : "Make it first, or leave it out.",
    });
  }
  using _ = at_end(() => libc.call("close", [fd]));
  const bits = as_folder >= 0 ? on.bits : on.file_bits;
  // A file without a right of its kind, or a right that this kernel does not know: the kernel takes no empty rule.
  if (bits === 0) return;
  rule_view.setBigUint64(0, BigInt(bits), true);
  rule_view.setInt32(8, fd, true);
  const step = `landlock_add_rule for ${path}`;
  must_call(libc, ["landlock_add_rule", ruleset, RULE_PATH_BENEATH, rule, 0], step);
}
