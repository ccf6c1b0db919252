import { attempt } from "../../config/attempt.ts";
import { drop_capabilities } from "../kernel/capabilities.ts";
import { NET_ABI, SCOPE_ABI } from "../kernel/abi.ts";
import { must_call, SandboxError } from "../kernel/error.ts";
import { AT_FDCWD, O_CLOEXEC, O_WRONLY } from "../kernel/fcntl.ts";
import { restrict_files } from "./landlock.ts";
import { type Libc, open_libc } from "../kernel/libc.ts";
import { own_writable, type Policy } from "../policy.ts";
import { must_prctl, prctl } from "../kernel/prctl.ts";
import { is_supervised, probe, type Support } from "../kernel/probe.ts";
import { list_ids, read_text } from "../kernel/proc_fs.ts";
import type { IpcKind, RuleInput } from "../kernel/rules.ts";
import { type Filter, type FilterListener, restrict_calls } from "../kernel/seccomp.ts";
import { hand_on_no_crash } from "../processes/rlimits.ts";
import { arm_sweep, find_witness, scope_holds } from "../processes/sweep.ts";

export interface Own {
  /** hamr's process id, `Deno.pid`. */
  readonly pid: number;
  /** What {@link probe} found. Absent: the kernel is asked again. */
  readonly support?: Support;
}

export interface Layer {
  readonly name: string;
  readonly detail: string;
}

export interface Applied {
  /** Empty if the user switched the sandbox off. */
  readonly layers: readonly Layer[];
  /**
   * For `end_descendants`, on this thread only. Null before Landlock ABI 6, and if the parent of hamr belongs to another user or
   * pid namespace, because then it can't be tested that the scope holds.
   */
  readonly sweep_key: bigint | null;
  /** The policy in force: `net` may be narrower than asked for, never wider. */
  readonly policy: Policy;
  /** Where a {@link Supervisor} has to answer, on a thread that is not restricted; null if the kernel asks nothing. */
  readonly listener: FilterListener | null;
}

/** linux/include/uapi/linux/close_range.h (Linux 5.11, before Landlock): marks them, closes nothing now. */
const CLOSE_RANGE_CLOEXEC = 4;
const FIRST_OTHER_FILE = 3;
const LAST_FILE = 0xffffffff;
const AF_UNIX = 1, AF_INET = 2, SOCK_STREAM_CLOEXEC = 0x80001, SOCK_DGRAM_CLOEXEC = 0x80002;
const SECCOMP_MODE_FILTER = 2;

/**
 * Permanently restricts the calling thread, and all that it will start, to the policy. To be called on the tools worker's
 * thread before it starts anything. Two things hold for the whole process: it can no longer be traced or its memory read by
 * its own user, and detached grandchildren become its children.
 *
 * Only *synchronous* file calls of this thread are restricted: Deno runs the others on threads of a pool.
 * @throws {SandboxError} where any part is not in force. The thread may be left partly restricted; end the run.
 */
export function apply(policy: Policy, own: Own): Applied {
  if (policy.sandbox === "off") return off(policy);
  const support = own.support ?? probe();
  if (support.kind === "none") throw new SandboxError(support.reason);
  if (support.kind === "macos") return wrapped(policy);
  const { abi } = support;
  const libc = open_libc();
  must_prctl(libc, "SET_NO_NEW_PRIVS", 1);
  must_prctl(libc, "SET_DUMPABLE", 0);
  must_prctl(libc, "SET_CHILD_SUBREAPER", 1);
  // hamr may have inherited open files and sockets (an editor, `make -j`): every child would get them, and Landlock does not see them.
  must_call(libc, ["close_range", FIRST_OTHER_FILE, LAST_FILE, CLOSE_RANGE_CLOEXEC]);
  hand_on_no_crash(libc);
  const capabilities = drop_capabilities(libc);
  const witness = abi >= SCOPE_ABI ? find_witness(libc) : null;
  restrict_files(libc, { policy, abi });
  const sweep_key = witness === null ? null : proven_key(libc, witness.pid);
  witness?.let_go();
  const filtered = filter_calls(libc, {
    policy,
    abi,
    sweep_key,
    supervised: is_supervised(support, policy.net),
    takes_sockets: support.takes_sockets,
    uid: libc.call("geteuid", []),
    others_ipc: { shm: ipc_ids(libc, "shm"), sem: ipc_ids(libc, "sem"), msg: ipc_ids(libc, "msg") },
    own: {
      pid: own.pid,
      tids: [libc.call("gettid", []), ...list_ids(libc, "/proc/self/task")],
      pgid: Math.max(0, libc.call("getpgid", [0])),
    },
  });
  const in_force = filtered.policy;
  verify(libc, in_force);
  if (sweep_key !== null) arm_sweep(libc, sweep_key);
  return {
    sweep_key,
    policy: in_force,
    listener: filtered.listener,
    layers: [
      { name: "no_new_privs", detail: "set-user-id programs gain nothing" },
      { name: "dumpable", detail: "hamr's memory and environment are closed to its own user" },
      { name: "close_on_exec", detail: "files that hamr was started with are not passed on" },
      { name: "subreaper", detail: "what detaches itself is found and ended with the run" },
      {
        name: "capabilities",
        detail: `${capabilities.bounding ? "bounding set lowered" : "own set lowered"}, ` +
          `0x${capabilities.left.toString(16)} left`,
      },
      { name: "landlock", detail: `ABI ${abi}: ${landlock_detail(policy, abi)}` },
      { name: "seccomp", detail: `${filtered.instructions} instructions, network ${in_force.net}` },
      ...(filtered.listener === null ? [] : [{
        name: "supervisor",
        detail: "connections and servers are judged one by one (seccomp user notification)",
      }]),
    ],
  };
}

/** The System V objects there are: a line each, `KEY ID …`, below a heading. */
function ipc_ids(libc: Libc, kind: IpcKind): number[] {
  const lines = read_text(libc, `/proc/sysvipc/${kind}`)?.trimEnd().split("\n").slice(1) ?? [];
  return lines.map((line) => Number(line.trim().split(/\s+/)[1]));
}

/** Without a supervisor TCP is all or nothing: a setting that can't be met is an error, a default becomes `none`. */
function filter_calls(
  libc: Libc,
  input: RuleInput & { readonly policy: Policy },
): Filter & { readonly policy: Policy } {
  const first = input.supervised ? restrict_calls(libc, input) : null;
  if (first !== null) return { ...first, policy: input.policy };
  const { net } = input.policy;
  if (net === "loopback") {
    throw new SandboxError(
      "--allow-net=loopback needs a supervisor (seccomp user notification), and there is none here",
    );
  }
  const policy: Policy = { ...input.policy, net: net === "own" ? "none" : net };
  const filter = restrict_calls(libc, { ...input, policy, supervised: false });
  if (filter === null) throw new SandboxError("seccomp");
  return { ...filter, policy };
}

/** On macOS each command gets a sandbox of its own when it starts; this thread has none. */
function wrapped(policy: Policy): Applied {
  const detail = "a profile before every command; untested: no Mac has run it yet";
  return { layers: [{ name: "sandbox-exec", detail }], sweep_key: null, policy, listener: null };
}

/** Nothing is enforced, but processes that detach themselves are still found if possible. */
function off(policy: Policy): Applied {
  if (Deno.build.os === "linux") {
    // There may be no C library, or no right to use it. The user asked for no protection.
    attempt(() => prctl(open_libc(), "SET_CHILD_SUBREAPER", 1));
  }
  return { layers: [], sweep_key: null, policy, listener: null };
}

/** Without the signal scope `kill(-1)` would end everything the user runs, so the scope is tested first. */
function proven_key(libc: Libc, witness: number): bigint {
  if (!scope_holds(libc, witness)) {
    throw new SandboxError("verifying: Landlock's signal scope is not in force");
  }
  // 63 bits, because the argument of the system call is signed.
  return crypto.getRandomValues(new BigUint64Array(1))[0]! >> 1n;
}

function landlock_detail(policy: Policy, abi: number): string {
  if (policy.write === "all" && abi < 2) return "nothing to limit";
  const parts = policy.write === "all" ? [] : ["writing"];
  if (policy.net !== "all" && abi >= NET_ABI) parts.push("TCP");
  if (abi >= SCOPE_ABI) parts.push("signals", "abstract sockets");
  return parts.length === 0 ? "tracing only" : parts.join(", ");
}

/** Asks the kernel what is in force, and tries one action of each kind that must fail now. */
function verify(libc: Libc, policy: Policy): void {
  const expect = (holds: boolean, what: string) => {
    if (!holds) throw new SandboxError(`verifying: ${what} is not in force`);
  };
  expect(prctl(libc, "GET_NO_NEW_PRIVS") === 1, "no_new_privs");
  expect(prctl(libc, "GET_DUMPABLE") === 0, "dumpable 0");
  expect(prctl(libc, "GET_SECCOMP") === SECCOMP_MODE_FILTER, "the seccomp filter");
  // Without a network a TCP socket must fail; with one, a Unix datagram socket.
  const [family, type] = policy.net === "none"
    ? [AF_INET, SOCK_STREAM_CLOEXEC]
    : [AF_UNIX, SOCK_DGRAM_CLOEXEC];
  expect(!succeeds(libc, () => libc.call("socket", [family, type, 0])), "network");
  if (proc_is_closed(policy)) {
    const name = "/proc/self/comm";
    const open = () => libc.call("openat", [AT_FDCWD, name, O_WRONLY | O_CLOEXEC]);
    expect(!succeeds(libc, open), "the write scope");
  }
}

function succeeds(libc: Libc, open: () => number): boolean {
  const fd = open();
  if (fd >= 0) libc.call("close", [fd]);
  return fd >= 0;
}

function proc_is_closed(policy: Policy): boolean {
  if (policy.write === "all") return false;
  const paths = [...own_writable(policy), ...policy.write];
  return !paths.some((path) => path === "/" || path === "/proc" || path.startsWith("/proc/"));
}
