import type { Policy } from "./policy.ts";
import type { Support } from "./probe.ts";

/** One thing a policy says, and who sees to it. */
export interface PolicyLine {
  readonly line: string;
  /** The kernel's layers that enforce it here; null: nothing does. */
  readonly enforced_by: string | null;
}

/** From these Landlock versions on, it covers TCP, and abstract sockets and signals. */
const NET_ABI = 4;
const SCOPE_ABI = 6;

/**
 * Says in plain lines what the tools, and all that they start, may do here; which layer of the kernel enforces each line, and
 * what nothing enforces. For `doctor` and the start of a session.
 */
export function describe(policy: Policy, support: Support): PolicyLine[] {
  if (policy.sandbox === "off") {
    return unenforced("the sandbox is switched off: commands may do whatever you may do");
  }
  if (support.kind === "none") return unenforced(`no sandbox here: ${support.reason}`);
  const { abi } = support;
  return [
    ...write_lines(policy, abi),
    ...net_lines(policy, abi),
    {
      line: `variables passed to commands: ${Object.keys(policy.env).sort().join(" ") || "none"}`,
      enforced_by: "a new environment for each command",
    },
    {
      line: "hamr itself can't be traced, read (memory, environment, open files) or signalled",
      enforced_by: "dumpable 0, capabilities, Landlock, seccomp, close-on-exec",
    },
    {
      line:
        "other programs of yours can't be traced or their memory read (nor can gdb and strace be used)",
      enforced_by: "Landlock, seccomp, capabilities",
    },
    {
      line: abi >= SCOPE_ABI
        ? "other programs of yours can't be signalled"
        : "other programs of yours can be signalled (stopped, ended)",
      enforced_by: abi >= SCOPE_ABI ? "Landlock (signal scope)" : null,
    },
    {
      line: "no namespaces, mounts, devices, kernel modules, io_uring, 32-bit programs; sudo and " +
        "the like gain nothing",
      enforced_by: "seccomp, no_new_privs, capabilities",
    },
    {
      line: "what commands leave behind is ended with the run",
      enforced_by: "child subreaper" + (abi >= SCOPE_ABI ? ", Landlock (signal scope)" : ""),
    },
    ...gap_lines(policy),
  ];
}

function unenforced(line: string): PolicyLine[] {
  return [{ line, enforced_by: null }];
}

function write_lines(policy: Policy, abi: number): PolicyLine[] {
  if (policy.write === "all") {
    return [{ line: "may write: everywhere that you may (--allow-write)", enforced_by: null }];
  }
  const paths = [policy.workspace, policy.tmp, policy.spill, ...policy.write];
  return [
    {
      line: `may write: ${paths.join(" ")}, /dev/null and the like, shared memory in /dev/shm`,
      enforced_by: `Landlock ABI ${abi}${abi < 3 ? ", seccomp (truncation)" : ""}`,
    },
    {
      line: "extended attributes, access lists and inode flags can't be changed anywhere",
      enforced_by: "seccomp",
    },
    {
      line: "no terminals of their own: programs that need a pty (script, expect) fail",
      enforced_by: `Landlock ABI ${abi}`,
    },
  ];
}

function net_lines(policy: Policy, abi: number): PolicyLine[] {
  if (policy.net === "all") {
    return [
      { line: "network: every address (--allow-net)", enforced_by: null },
      { line: "unix sockets: none but pairs", enforced_by: "seccomp" },
    ];
  }
  return [
    {
      line: "network: none, not even this machine",
      enforced_by: `seccomp${abi >= NET_ABI ? ", Landlock (TCP)" : ""}`,
    },
    { line: "unix sockets: may be opened, not connected to", enforced_by: "seccomp" },
  ];
}

function gap_lines(policy: Policy): PolicyLine[] {
  const lines = ["reading files is not limited in this version"];
  if (policy.write !== "all") {
    lines.push("mode, owner and times of your files elsewhere can be changed (not their contents)");
  }
  lines.push(
    "System V and POSIX message queues, semaphores and shared memory are shared with your other programs",
    "processor time, memory, disk space and the number of processes are not limited",
  );
  return lines.map((line) => ({ line, enforced_by: null }));
}
