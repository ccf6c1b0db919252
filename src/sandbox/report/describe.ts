import { own_writable, type Policy } from "../policy.ts";
import { NET_ABI, SCOPE_ABI, TRUNCATE_ABI } from "../kernel/abi.ts";
import { is_supervised, type Support } from "../kernel/probe.ts";

/** One thing a policy says, and who sees to it. */
export interface PolicyLine {
  /** What is allowed, for people. */
  readonly line: string;
  /** The kernel's layers that enforce it here; null: nothing does. */
  readonly enforced_by: string | null;
}

const SUPERVISOR = "supervisor (seccomp user notification)";

/** Says in plain lines what tools may do here, and which layer of the kernel enforces each line. For `doctor` and the start of a session. */
export function describe(policy: Policy, support: Support): PolicyLine[] {
  if (policy.sandbox === "off") {
    return [said("the sandbox is switched off: commands can do anything you can", null)];
  }
  if (support.kind === "none") return [said(`no sandbox here: ${support.reason}`, null)];
  if (support.kind === "macos") return macos_lines(policy);
  const { abi } = support;
  const supervised = is_supervised(support, policy.net);
  const passed = Object.keys(policy.env).sort().join(" ") || "none";
  return [
    ...write_lines(policy, { abi, supervised }),
    ...read_lines(policy, abi),
    run_line(policy, abi),
    ...net_lines(policy, support, supervised),
    said(`variables passed to commands: ${passed}`, "a new environment for each command"),
    said(
      "hamr itself can't be traced, read (memory, environment, open files) or signaled",
      "dumpable 0, capabilities, Landlock, seccomp, close-on-exec",
    ),
    said(
      "other programs of yours can't be traced or their memory read; those of the run can",
      "Landlock, seccomp, capabilities",
    ),
    abi >= SCOPE_ABI
      ? said("other programs of yours can't be signaled", "Landlock (signal scope)")
      : said("other programs of yours can be signaled (stopped, ended)", null),
    said(
      "no namespaces, mounts, devices, kernel modules, io_uring, 32-bit programs; sudo and " +
        "the like gain nothing",
      "seccomp, no_new_privs, capabilities",
    ),
    said(
      "what commands leave running is ended with the run",
      "child subreaper" + (abi >= SCOPE_ABI ? ", Landlock (signal scope)" : ""),
    ),
    ...(policy.write === "all" ? [] : [
      supervised
        ? said(
          "mode and owner of your files elsewhere can't be changed; their times can",
          SUPERVISOR,
        )
        : said("mode and times of your files elsewhere can be changed (not their contents)", null),
    ]),
    said(
      "shared memory in /dev/shm, and System V objects that your other programs make during a run, can be used",
      null,
    ),
    said("processor time, memory and disk space are not limited (one file is: 10 GiB)", null),
  ];
}

function said(line: string, enforced_by: string | null): PolicyLine {
  return { line, enforced_by };
}

/** The lines of a policy on macOS: the same words, another enforcer. What only Linux has is left out. */
function macos_lines(policy: Policy): PolicyLine[] {
  const by = "sandbox-exec (untested: no Mac has run it yet)";
  const lines = [
    ...write_lines(policy, { abi: 0, supervised: false }),
    ...read_lines(policy, 0),
    run_line(policy, 0),
    ...net_lines(policy, { abi: 0, no_supervisor: null }, true),
  ];
  return [
    ...lines.map(({ line, enforced_by }) =>
      said(line, enforced_by === null || enforced_by === "hamr" ? enforced_by : by)
    ),
    said("hamr's own file tools keep to the same paths", "hamr"),
    said("what commands leave running is not ended with the run", null),
  ];
}

function write_lines(
  policy: Policy,
  { abi, supervised }: { abi: number; supervised: boolean },
): PolicyLine[] {
  if (policy.write === "all") {
    return [said("may write: everywhere you may (--allow-write)", null)];
  }
  const paths = [...own_writable(policy), ...policy.write].join(" ");
  const landlock = `Landlock ABI ${abi}`;
  return [
    ...(policy.read_only
      ? [said(`may not write: the workspace ${policy.workspace} (read-only)`, landlock)]
      : []),
    said(
      `may write: ${paths}, /dev/null and the like, shared memory in /dev/shm`,
      landlock + (abi < TRUNCATE_ABI ? ", seccomp (truncation)" : ""),
    ),
    said("extended attributes, access lists and inode flags can't be changed anywhere", "seccomp"),
    supervised
      ? said(
        "terminals: new ones that a program opens for itself (script, tmux), and no others",
        `${SUPERVISOR}, ${landlock}`,
      )
      : said("no terminals: programs that need a pty (script, expect) fail", landlock),
  ];
}

function read_lines({ read, deny_read }: Policy, abi: number): PolicyLine[] {
  const everything = "everything that you may";
  if (read === "all" && deny_read.length === 0) return [said(`may read: ${everything}`, null)];
  const what = read === "all"
    ? everything
    : `${
      read.join(" ")
    }, the workspace, and what programs need to start (/usr, /etc, PATH and the like)`;
  return [
    said(`may read: ${what}${denied_words(deny_read)}`, `Landlock ABI ${abi}`),
    said(
      "folders on the way to what must not be read can't be listed, and what appears in them " +
        "during a run can't be read",
      `Landlock ABI ${abi}`,
    ),
    said(".env files in the workspace: not shown by the read tool", "hamr"),
    said(".env files in the workspace: commands can read them", null),
  ];
}

function run_line({ run }: Policy, abi: number): PolicyLine {
  return run === "all" ? said("may run: every program that may be read", null) : said(
    `may run: ${run.join(" ")} (a program can still load another's code: ld.so PROGRAM)`,
    `Landlock ABI ${abi}`,
  );
}

function net_lines(
  policy: Policy,
  { abi, no_supervisor }: Pick<Extract<Support, { kind: "linux" }>, "abi" | "no_supervisor">,
  supervised: boolean,
): PolicyLine[] {
  const reason = no_supervisor ?? "under --allow-net it would have to copy sockets (pidfd_getfd)";
  return [
    ...net_of(policy.net, abi >= NET_ABI ? ", Landlock (TCP)" : "", supervised),
    ...(policy.web === undefined ? [] : [said(`web_fetch: ${policy.web.join(" ")}`, "hamr")]),
    supervised
      ? said("unix sockets: only those in what may be written, and servers of the run", SUPERVISOR)
      : said(
        policy.net === "all"
          ? "unix sockets: none but pairs"
          : "unix sockets: may be opened, not connected to",
        "seccomp",
      ),
    ...(supervised ? [] : [said(`no supervisor here: ${reason}`, null)]),
  ];
}

function net_of(net: Policy["net"], landlock: string, supervised: boolean): PolicyLine[] {
  if (net === "all") return [said("network: every address (--allow-net)", null)];
  if (net === "none" || !supervised) {
    return [said("network: none, not even this machine", `seccomp${landlock}`)];
  }
  const servers = net === "own"
    ? "servers on this machine that the run itself has started"
    : "every server on this machine";
  return [
    said(`network: TCP to ${servers}; nothing else, no UDP`, SUPERVISOR + landlock),
    said(
      "servers of the run are reached from this machine only, whatever address they listen on",
      "supervisor (bound to the loopback device)",
    ),
  ];
}

/** Named where the list is short; the usual one is long. */
const NAMED = 8;

function denied_words(paths: Policy["deny_read"]): string {
  if (paths.length === 0) return "";
  const more = paths.length > NAMED ? " and the rest of permissions.deny_read" : "";
  return `, but not ${paths.slice(0, NAMED).join(" ")}${more}`;
}
