/**
 * macOS: the policy as a profile of sandbox-exec(1), which is put before every command. The kernel then judges the command and
 * all that it starts. The profile's text is tested; no Mac has run it yet.
 *
 * The later rule wins. Source of the operations: /usr/share/sandbox/*.sb of macOS, and the profiles of Chromium.
 */
import { own_folders, own_writable, type Policy } from "../policy.ts";

const PROGRAM = "/usr/bin/sandbox-exec";
/** Without these the loader, the C library or a shell fail. */
const ALWAYS_WRITABLE = ["/dev/null", "/dev/zero", "/dev/dtracehelper", "/dev/tty"];
/** What programs need to start, where a list says what may be read. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/System", "/Library", "/opt", "/private/etc", "/dev"];

/** What is before a command's own words; empty if this is no Mac, or the user switched the sandbox off. */
export function wrapper(policy: Policy, os: typeof Deno.build.os = Deno.build.os): string[] {
  return os !== "darwin" || policy.sandbox === "off" ? [] : [PROGRAM, "-p", profile(policy)];
}

export function profile(policy: Policy): string {
  return [
    "(version 1)",
    "(deny default)",
    "(allow process-fork)",
    "(allow signal (target same-sandbox))",
    "(allow sysctl-read)",
    "(allow ipc-posix-sem)",
    // Name lookups of users and the like; nothing that starts a program.
    '(allow mach-lookup (global-name "com.apple.system.opendirectoryd.libinfo"))',
    '(allow file-ioctl (literal "/dev/null") (literal "/dev/tty"))',
    ...read_rules(policy),
    policy.run === "all" ? "(allow process-exec)" : rule("allow process-exec", policy.run),
    policy.write === "all"
      ? "(allow file-write*)"
      : rule("allow file-write*", [...own_writable(policy), ...policy.write, ...ALWAYS_WRITABLE]),
    ...net_rules(policy),
  ].join("\n") + "\n";
}

function read_rules({ read, deny_read, ...policy }: Policy): string[] {
  const own = own_folders({ read, deny_read, ...policy });
  const allowed = read === "all"
    ? ["(allow file-read*)"]
    : ["(allow file-read-metadata)", rule("allow file-read*", [...SYSTEM, ...read])];
  return [
    ...allowed,
    ...(deny_read.length === 0 ? [] : [rule("deny file-read*", deny_read)]),
    // Some of them are in a folder that may not be read.
    rule("allow file-read*", own),
  ];
}

/** Which ports are the run's own, macOS can't tell: `"own"` is as `"none"`. */
function net_rules(policy: Policy): string[] {
  switch (policy.net) {
    case "all":
      return ["(allow network*)", "(allow system-socket)"];
    case "loopback":
      return [
        "(allow system-socket)",
        '(allow network-bind network-inbound (local ip "localhost:*"))',
        '(allow network-outbound (remote ip "localhost:*"))',
        ...unix_rules(policy),
      ];
    case "own":
    case "none":
      return unix_rules(policy);
  }
}

function unix_rules(policy: Policy): string[] {
  const paths = [...own_writable(policy), ...(policy.write === "all" ? ["/"] : policy.write)];
  return paths.flatMap((path) => [
    `(allow network-bind network-inbound (local unix-socket (subpath ${quoted(path)})))`,
    `(allow network-outbound (remote unix-socket (subpath ${quoted(path)})))`,
  ]);
}

function rule(operation: string, paths: readonly string[]): string {
  return `(${operation}${paths.map((path) => ` (subpath ${quoted(path)})`).join("")})`;
}

/** A string of the profile's language, which is Scheme. */
function quoted(path: string): string {
  return `"${path.replace(/[\\"]/g, "\\$&")}"`;
}
