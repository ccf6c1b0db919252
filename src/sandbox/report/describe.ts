import { own_writable, type Policy } from "../policy.ts";
import { is_supervised, type Support } from "../kernel/probe.ts";

/** One thing a policy says, and who sees to it. */
export interface PolicyLine {
  /** What is allowed, for people. */
  readonly line: string;
  /** The kernel's layers that enforce it here; null: nothing does. */
  readonly enforced_by: string | null;
}

/** From these Landlock versions on, it covers TCP, and abstract sockets and signals. */
const NET_ABI = 4;
const SCOPE_ABI = 6;

/** Says in plain lines what tools may do here, and which layer of the kernel enforces each line. For `doctor` and the start of a session. */
export function describe(policy: Policy, support: Support): PolicyLine[] {
  if (policy.sandbox === "off") {
    return unenforced("the sandbox is switched off: commands can do anything you can");
  }
  if (support.kind === "none") return unenforced(`no sandbox here: ${support.reason}`);
  if (support.kind === "macos") return macos_lines(policy);
  const { abi } = support;
  const supervised = is_supervised(support, policy.net);
  return [
    ...write_lines(policy, { abi, supervised }),
    ...read_lines(policy, abi),
    run_line(policy, abi),
    ...net_lines(policy, support, supervised),
    {
      line: `variables passed to commands: ${Object.keys(policy.env).sort().join(" ") || "none"}`,
      enforced_by: "a new environment for each command",
    },
    {
      line: "hamr itself can't be traced, read (memory, environment, open files) or signaled",
      enforced_by: "dumpable 0, capabilities, Landlock, seccomp, close-on-exec",
    },
    {
      line: "other programs of yours can't be traced or their memory read; those of the run can",
      enforced_by: "Landlock, seccomp, capabilities",
    },
    {
      line: abi >= SCOPE_ABI
        ? "other programs of yours can't be signaled"
        : "other programs of yours can be signaled (stopped, ended)",
      enforced_by: abi >= SCOPE_ABI ? "Landlock (signal scope)" : null,
    },
    {
      line: "no namespaces, mounts, devices, kernel modules, io_uring, 32-bit programs; sudo and " +
        "the like gain nothing",
      enforced_by: "seccomp, no_new_privs, capabilities",
    },
    {
      line: "what commands leave running is ended with the run",
      enforced_by: "child subreaper" + (abi >= SCOPE_ABI ? ", Landlock (signal scope)" : ""),
    },
    ...(policy.write === "all" ? [] : [metadata_line(supervised)]),
    ...gap_lines(),
  ];
}

/** The same words, another enforcer. What only Linux has is left out. */
function macos_lines(policy: Policy): PolicyLine[] {
  const by = "sandbox-exec (untested: no Mac has run it yet)";
  const lines = [
    ...write_lines(policy, { abi: 0, supervised: false }),
    ...read_lines(policy, 0),
    run_line(policy, 0),
  ];
  return [
    ...[...lines, ...net_lines(policy, { abi: 0, no_supervisor: null }, true)].map((
      { line, enforced_by },
    ) => ({
      line,
      enforced_by: enforced_by === null || enforced_by === "hamr" ? enforced_by : by,
    })),
    { line: "hamr's own file tools keep to the same paths", enforced_by: "hamr" },
    { line: "what commands leave running is not ended with the run", enforced_by: null },
  ];
}

function unenforced(line: string): PolicyLine[] {
  return [{ line, enforced_by: null }];
}

function write_lines(
  policy: Policy,
  { abi, supervised }: { abi: number; supervised: boolean },
): PolicyLine[] {
  if (policy.write === "all") {
    return [{ line: "may write: everywhere you may (--allow-write)", enforced_by: null }];
  }
  const paths = [...own_writable(policy), ...policy.write];
  return [
    ...(policy.read_only
      ? [{
        line: `may not write: the workspace ${policy.workspace} (read-only)`,
        enforced_by: `Landlock ABI ${abi}`,
      }]
      : []),
    {
      line: `may write: ${paths.join(" ")}, /dev/null and the like, shared memory in /dev/shm`,
      enforced_by: `Landlock ABI ${abi}${abi < 3 ? ", seccomp (truncation)" : ""}`,
    },
    {
      line: "extended attributes, access lists and inode flags can't be changed anywhere",
      enforced_by: "seccomp",
    },
    supervised
      ? {
        line: "terminals: new ones that a program opens for itself (script, tmux), and no others",
        enforced_by: `supervisor (seccomp user notification), Landlock ABI ${abi}`,
      }
      : {
        line: "no terminals: programs that need a pty (script, expect) fail",
        enforced_by: `Landlock ABI ${abi}`,
      },
  ];
}

function read_lines({ read, deny_read }: Policy, abi: number): PolicyLine[] {
  if (read === "all" && deny_read.length === 0) {
    return [{ line: "may read: everything that you may", enforced_by: null }];
  }
  const what = read === "all"
    ? "everything that you may"
    : `${
      read.join(" ")
    }, the workspace, and what programs need to start (/usr, /etc, PATH and the like)`;
  return [
    {
      line: `may read: ${what}${denied_words(deny_read)}`,
      enforced_by: `Landlock ABI ${abi}`,
    },
    {
      line:
        "folders on the way to what must not be read can't be listed, and what appears in them " +
        "during a run can't be read",
      enforced_by: `Landlock ABI ${abi}`,
    },
    { line: ".env files in the workspace: not shown by the read tool", enforced_by: "hamr" },
    { line: ".env files in the workspace: commands can read them", enforced_by: null },
  ];
}

function run_line({ run }: Policy, abi: number): PolicyLine {
  return run === "all" ? { line: "may run: every program that may be read", enforced_by: null } : {
    line: `may run: ${run.join(" ")} (a program can still load another's code: ld.so PROGRAM)`,
    enforced_by: `Landlock ABI ${abi}`,
  };
}

function net_lines(
  policy: Policy,
  { abi, no_supervisor }: Pick<Extract<Support, { kind: "linux" }>, "abi" | "no_supervisor">,
  supervised: boolean,
): PolicyLine[] {
  const landlock = abi >= NET_ABI ? ", Landlock (TCP)" : "";
  const reason = no_supervisor ?? "under --allow-net it would have to copy sockets (pidfd_getfd)";
  return [
    ...net_of(policy.net, { landlock, supervised }),
    ...(policy.web === undefined
      ? []
      : [{ line: `web_fetch: ${policy.web.join(" ")}`, enforced_by: "hamr" }]),
    supervised
      ? {
        line: "unix sockets: only those in what may be written, and servers of the run",
        enforced_by: "supervisor (seccomp user notification)",
      }
      : {
        line: policy.net === "all"
          ? "unix sockets: none but pairs"
          : "unix sockets: may be opened, not connected to",
        enforced_by: "seccomp",
      },
    ...(supervised ? [] : [{ line: `no supervisor here: ${reason}`, enforced_by: null }]),
  ];
}

function net_of(
  net: Policy["net"],
  { landlock, supervised }: { landlock: string; supervised: boolean },
): PolicyLine[] {
  const by = `supervisor (seccomp user notification)${landlock}`;
  const servers: PolicyLine = {
    line: "servers of the run are reached from this machine only, whatever address they listen on",
    enforced_by: "supervisor (bound to the loopback device)",
  };
  if (net === "all") return [{ line: "network: every address (--allow-net)", enforced_by: null }];
  if (net === "none" || !supervised) {
    return [{ line: "network: none, not even this machine", enforced_by: `seccomp${landlock}` }];
  }
  const line = net === "own"
    ? "network: TCP to servers on this machine that the run itself has started; nothing else, no UDP"
    : "network: TCP to every server on this machine; nothing else, no UDP";
  return [{ line, enforced_by: by }, servers];
}

/** Named where the list is short; the usual one is long. */
const NAMED = 8;

function denied_words(paths: Policy["deny_read"]): string {
  if (paths.length === 0) return "";
  const more = paths.length > NAMED ? " and the rest of permissions.deny_read" : "";
  return `, but not ${paths.slice(0, NAMED).join(" ")}${more}`;
}

function metadata_line(supervised: boolean): PolicyLine {
  return supervised
    ? {
      line: "mode and owner of your files elsewhere can't be changed; their times can",
      enforced_by: "supervisor (seccomp user notification)",
    }
    : {
      line: "mode and times of your files elsewhere can be changed (not their contents)",
      enforced_by: null,
    };
}

function gap_lines(): PolicyLine[] {
  const lines = [
    "shared memory in /dev/shm, and System V objects that your other programs make during a run, can be used",
    "processor time, memory and disk space are not limited (one file is: 10 GiB)",
  ];
  return lines.map((line) => ({ line, enforced_by: null }));
}
