import type { Policy } from "../sandbox/policy.ts";
import { folder_at_end, may_be_masked, only_reads, resolved } from "./command_words.ts";

/** Only the end of a long output is looked at: there the error stands. */
const LOOKED_AT = 8000;
/** More than these are repetitions. */
const MOST_HINTS = 3;
/** Lines around a refusal that names no file, in which it may stand. */
const AROUND = 4;

/**
 * What Landlock's refusal (EACCES) is called. Not EROFS and EPERM: those are never its words, so no flag of
 * `hamr` would change them.
 */
const DENIED = /permission denied|\bEACCES\b|PermissionDenied/i;

/** What programs say whose sockets the sandbox refuses; each with the program whose words they are. */
const NETWORK = [
  /could not resolve host/i, // curl, git, ssh, cargo
  /unable to resolve host address/, // wget
  /temporary failure (?:in name resolution|resolving)/i, // glibc; apt
  /name or service not known/i, // python
  /\bgetaddrinfo (?:EAI_AGAIN|ENOTFOUND)\b/, // node, npm
  /\bquery\w+ ECONNREFUSED\b/, // node's own resolver, c-ares
  /\b(?:connect|listen|bind) EACCES\b/, // node
  /\bfailed to connect to \S+ port \d+/i, // curl
  /^connecting to .+ failed: permission denied/i, // wget
  /\berrno=permission denied/i, // git
  /\b(?:socket|connect|bind|listen)(?:\(\d?\))?: permission denied/i, // bash, psql, go
  /\bdial (?:tcp|udp)\b.*permission denied/, // go
  /\btcp connect error\b.*permission denied/i, // programs in Rust
  /failed to establish a new connection/i, // python requests, pip
  /\burlopen error \[Errno 13\]/, // python
  /\bSocketException: permission denied/i, // java
  /\bIO::Socket\S*: permission denied/i, // perl
  /permission denied - (?:socket|connect|bind)\(2\)/i, // ruby
  /can't create TCP\/IP socket \(13\)/i, // mysql
  /netlink socket: address family not supported/i, // ip
];
/** A traceback of Python ends in a refusal without a name; the lines above say where. */
const PYTHON_SOCKET = /^\s+File ".*\b(?:socket|socketserver|selector_events)\.py", line \d+/;
const PYTHON_BARE = /^PermissionError: \[Errno 13\] Permission denied$/;
/** Programs in Rust name neither file nor address. */
const RUST_BARE = /\bOs \{ code: 13, kind: PermissionDenied\b/;
/** A part of an error that node has told in words already. */
const NODE_PROPERTY = /^\s+code: 'EACCES',?$/;

/** Sockets with a path: docker, databases, agents. */
const UNIX_SOCKET =
  /\bunix:\/\/|\bdial unix\b|on socket "\/|\bconnect EACCES \/|\bconnect\w*\b.*\.sock\b/;
/** Calls that are closed whatever the flags say. */
const NEVER =
  /\b(?:ptrace|PTRACE_\w+|unshare|mount|chroot|setns|clone)\b.*: operation not permitted/i;

/** A path in quotes of any kind, as the coreutils write them in UTF-8 too. */
const QUOTED = /(['"`‘“])(\/[^'"`’”]+)['"`’”]/g;
const BARE = /(?<=^|[\s(=[])\/[^\s'"`‘’“”:;,()<>[\]]+/g;
const RELATIVE_QUOTED = /['"`‘“]([^'"`’”/][^'"`’”]*)['"`’”]:? (?:[\w ]+: )?permission denied/i;
const RELATIVE_BARE = /(?:^|[\s:])(?!\/)([\w.@~+-]+(?:\/[\w.@~+-]+)*): permission denied/i;
/** What programs put before the refusal that is not the name of a file. */
const NO_NAMES = /^(?:cannot|open|failed|error|fatal|stat|lstat|access|warning|\d+|line \d+)$/i;
/** `/bin/sh: 1: cannot create …`: the program that speaks, not what it speaks of. */
const SPEAKER = /^\/[^\s:]+: (?!permission denied)/i;

/** A command that has ended. */
export interface Ended {
  readonly command: string;
  /** Null where a signal or a time limit ended it. */
  readonly exit_code: number | null;
  readonly output: string;
}

/**
 * What a command ran into, if it was the policy: which flag the person could give. Empty where nothing in the
 * output points to a refusal, or where the words may only have been read in a file.
 */
export function hints(ended: Ended, policy: Policy): string[] {
  if (policy.sandbox === "off" || only_reads(ended.command)) return [];
  if (ended.exit_code === 0 && !may_be_masked(ended.command)) return [];
  const lines = ended.output.slice(-LOOKED_AT).split("\n");
  const folder = folder_at_end(ended.command, policy.workspace);
  // One hint for each flag: the first file in a folder stands for the others.
  const found = new Map<string, string>();
  for (const [at, line] of lines.entries()) {
    const hint = hint_for(line, { lines, at, policy, folder });
    if (hint !== null && !found.has(flag_in(hint))) found.set(flag_in(hint), hint);
  }
  return [...found.values()].slice(0, MOST_HINTS);
}

function flag_in(hint: string): string {
  return /--\S+$/.exec(hint)?.[0] ?? hint;
}

interface Context {
  readonly lines: readonly string[];
  readonly at: number;
  readonly policy: Policy;
  /** Where relative names begin. */
  readonly folder: string;
}

function hint_for(line: string, context: Context): string | null {
  const { lines, at, policy } = context;
  if (NEVER.test(line)) {
    return "the sandbox allows no tracing, namespaces or mounts; no flag but --sandbox off does";
  }
  const denied = DENIED.test(line) && !NODE_PROPERTY.test(line);
  if (denied && UNIX_SOCKET.test(line) && !/\blisten\b/.test(line)) {
    return "the sandbox allows no connection to unix sockets (docker, databases, agents)" +
      (policy.net === "none" ? "; the person can allow TCP with --allow-net" : "; use TCP");
  }
  if (policy.net === "none" && is_network(line, context)) {
    return "the sandbox allows no network; the person can allow it with --allow-net";
  }
  if (!denied || policy.write === "all") return null;
  const named = [
    ...relative_names(line).map((name) => resolved(context.folder, name)),
    ...paths_in(line),
  ];
  const near = named.length > 0 ? [] : lines.slice(Math.max(0, at - AROUND), at + AROUND + 1)
    .filter((other) => !/^\s+(?:at|File) /.test(other)).flatMap(paths_in);
  const refused = [...named, ...near].filter((path) => is_refused(path, policy)).at(-1);
  if (refused !== undefined) return write_hint(refused, policy);
  return RUST_BARE.test(line)
    ? "the sandbox allows writing only in the workspace and $TMPDIR" +
      (policy.net === "none" ? ", and no network" : "") +
      "; if it was that, the person can allow more with --allow-write=FOLDER or --allow-net"
    : null;
}

function is_network(line: string, { lines, at }: Context): boolean {
  if (NETWORK.some((words) => words.test(line))) return !/\bEACCES\b.* \//.test(line);
  return PYTHON_BARE.test(line) &&
    lines.slice(Math.max(0, at - AROUND), at).some((other) => PYTHON_SOCKET.test(other));
}

function write_hint(path: string, policy: Policy): string {
  const folder = path.slice(0, Math.max(1, path.lastIndexOf("/")));
  // Never the whole disk or the whole home: a person may do as they are told.
  const wide = folder === "/" || folder === policy.env["HOME"];
  return `the sandbox does not allow writing ${path}; use $TMPDIR or the workspace, ` +
    `or the person can allow it with --allow-write=${wide ? path : folder}`;
}

/** Absolute paths that a line speaks of. */
function paths_in(line: string): string[] {
  const speaker = SPEAKER.exec(line)?.[0].length ?? 0;
  const text = line.slice(speaker);
  const quoted = [...text.matchAll(QUOTED)].map((match) => match[2] ?? "");
  const bare = [...text.matchAll(BARE)].map((match) => match[0].replace(/[.]+$/, ""));
  return quoted.length > 0 ? quoted : bare;
}

/** `./x: Permission denied`, `cannot touch 'x': Permission denied` */
function relative_names(line: string): string[] {
  const names = [RELATIVE_QUOTED, RELATIVE_BARE].map((pattern) => pattern.exec(line)?.[1])
    .filter((name) => name !== undefined && !NO_NAMES.test(name));
  return names as string[];
}

/** Whether the sandbox is what refuses a path: it lies outside, and the system itself would let this user write it. */
function is_refused(path: string, policy: Policy): boolean {
  const own = policy.write === "all" ? [] : policy.write;
  const allowed = [policy.workspace, policy.tmp, policy.spill, ...own, "/dev", "/proc", "/sys"];
  if (allowed.some((root) => path === root || path.startsWith(`${root}/`))) return false;
  return system_allows(path, policy.tmp);
}

/** By the mode alone of the file, or of the folder in which it would be made. */
function system_allows(path: string, ours: string): boolean {
  const uid = look(ours)?.uid ?? 0;
  if (uid === 0) return true;
  for (let at = path;; at = at.slice(0, at.lastIndexOf("/"))) {
    const stat = look(at === "" ? "/" : at);
    if (stat === null && at !== "") continue;
    const writable = (of: Deno.FileInfo | null) =>
      of !== null && ((of.mode ?? 0) & (of.uid === uid ? 0o200 : 0o022)) !== 0;
    // Removing and renaming take the right to the folder, not to the file.
    return writable(stat) ||
      (at === path && writable(look(at.slice(0, at.lastIndexOf("/")) || "/")));
  }
}

function look(path: string): Deno.FileInfo | null {
  try {
    return Deno.statSync(path);
  } catch {
    return null;
  }
}
