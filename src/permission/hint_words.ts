/** What programs print when the sandbox refuses them something. Words only; `hints.ts` judges what they mean. */

/** How Landlock's refusal (EACCES) reads. EROFS and EPERM are never its words, so no flag of hamr would change them. */
const DENIED =
  /permission denied|\bEACCES\b|PermissionDenied|^CMake Error: Unable to \(re\)create |^error: remote unpack failed: unable to create |\bneed to grant write permissions for that path\b/i;
/** A property that Node prints after an error whose message says the same, if that was not cut off. */
const NODE_PROPERTY = /^\s+code: 'EACCES',?$/;

export function reports_denial(line: string): boolean {
  return DENIED.test(line) && !NODE_PROPERTY.test(line);
}

/** Whether only the end of Node's error is left, as behind `tail`, and it is one about a file. */
export function is_end_of_denial(lines: readonly string[], at: number): boolean {
  return NODE_PROPERTY.test(lines[at] ?? "") && !lines.slice(0, at).some(reports_denial) &&
    lines.slice(at + 1, at + 3).some((line) => /^\s+path: '/.test(line));
}

/** Rust's debug output of such an error, which names neither file nor address. */
export const RUST_BARE = /\bOs \{ code: 13, kind: PermissionDenied\b/;

/** What is closed whatever the flags say, and what to do instead. */
export const ALWAYS: readonly (readonly [words: RegExp, told: string])[] = [
  // The cache of PHP, which its server does not start without.
  [
    /\bFatal Error Unable to create lock file: Permission denied \(13\)/,
    "PHP locks its cache in /tmp, whatever TMPDIR says: start it with -d opcache.lockfile_path=$TMPDIR",
  ],
  // A node's cookie, which a user has or is given in the home; of Erlang 25.
  [
    /(?:Error when reading|Failed to create cookie file) \S*\.erlang\.cookie\S*: eacces/,
    "an Erlang node needs the user's cookie, which opens their other nodes, or one of its own: " +
    "start it with -setcookie NAME (elixir and iex: --cookie NAME)",
  ],
  // Calls that are closed whatever the flags say.
  [
    /\b(?:ptrace|PTRACE_\w+|unshare|mount|chroot|setns|clone)\b.*: operation not permitted|^(?:mount|losetup): .*: permission denied|permission denied: '\/dev\/fuse'|\/dev\/fuse: permission denied/i,
    "the sandbox allows no namespaces or mounts, and no tracing of processes outside the run; " +
    "only --sandbox off does",
  ],
  // What sudo and its like say where a program gains no rights; root's sudo can't read its rules.
  [
    /^sudo: (?:The "no new privileges" flag is set|effective uid is not 0|unable to open \/etc\/sudoers)|^doas: (?:not installed setuid|Operation not permitted)|^pkexec must be setuid root/,
    "no program gains rights in the sandbox, so sudo does not work; try the command without it, " +
    "or leave that to the user",
  ],
  // A browser that wants a sandbox of its own, or its profile in HOME.
  [
    /No usable sandbox!|Failed to move to new namespace|without --no-sandbox is not supported|Failed to create headless user data/,
    "a browser can't use its own sandbox inside this one or write to HOME: " +
    "start it with --no-sandbox --user-data-dir=$TMPDIR/browser",
  ],
  // Lua's `os.tmpname`, which knows one folder.
  [
    /\bunable to generate a unique filename\b/,
    "Lua creates temporary files only in /tmp, whatever TMPDIR says; the user can allow it with --allow-write=/tmp",
  ],
  // perf, of the kernel's counters.
  [
    /^No permission to enable \S+ event\.|\bperf_event_open\b/,
    "the sandbox allows no performance counters (perf); only --sandbox off does",
  ],
];

/** A file that was to get another owner, in the words of tar, rsync, cp, chown, install, go and node. */
export const OWNER =
  /\b(?:chown\b|ownership\b|changing group of\b).*: operation not permitted|\bEPERM: operation not permitted, l?chown\b/i;

/** A set-user-id or set-group-id bit: what git says of a repository for a group, and how chmod and install are asked for one. */
export const SHARED_REPOSITORY = /^(?:fatal|error): [Cc]ould not make .* writable by group/;
export const MODE_REFUSED = /^(?:chmod|install): .*: Operation not permitted/;
export const SET_ID = /[ ,](?:[ugoa]*[+=][rwxXt]*s|0?[2-7][0-7]{3})(?![\w.\/-])/;

/** What only root could do outside the sandbox. */
export const ROOT_ONLY: readonly (readonly [words: RegExp, told: string])[] = [
  [
    /^mknod: .*: Operation not permitted/,
    "the sandbox can't create devices (named pipes work: mkfifo); leave that to the user",
  ],
  [
    /^(?:chrt|renice|ionice|taskset): .*: Operation not permitted|^nice: cannot set niceness/,
    "the sandbox can't raise a priority or change that of other programs; try without it",
  ],
  [
    /^sysctl: permission denied on key|^(?:user|group)(?:add|del|mod): cannot lock|^(?:passwd|chpasswd|gpasswd): cannot lock|^date: cannot set date|^hostname: you must be root/,
    "the sandbox can't change the system (users, kernel settings, the clock); leave that to the user",
  ],
];

/** git, of a signature that it was told to make. */
export const SIGNING =
  /^error: (?:gpg failed to sign the data|unable to sign the tag|Couldn't load public key)/;

/** Where package managers of whole systems keep what is installed. */
export const SYSTEM_PACKAGES = ["/var/lib/dpkg", "/var/lib/apt", "/var/cache/apt", "/var/lib/rpm"]
  .concat(["/var/lib/dnf", "/var/cache/dnf", "/lib/apk", "/var/cache/apk", "/var/lib/pacman"]);

/** Where the jobs of cron and at are kept. */
export const LATER_JOBS = ["/var/spool/cron", "/var/spool/at", "/var/spool/atjobs"];

/** socat, which wants a pair of datagram sockets to listen, and goes on without. */
export const SOCAT_PAIR = /^\*\*\* bit out of range 0 - FD_SETSIZE on fd_set \*\*\*/;

/** npm and pnpm, where a registry requires a login. */
export const NPM_TOKENS = /^npm (?:error|ERR!) code (?:E401|ENEEDAUTH)$|\bERR_PNPM_FETCH_401\b/;

/** SIGXFSZ and EFBIG, in the words of shells and the C library; bash 5.2 puts no blank behind its own. */
export const TOO_LARGE = /\bFile size limit exceeded|\bEFBIG\b|: File too large$/;
/** EAGAIN of fork(2), in the words of shells, make and the C library. */
export const TOO_MANY = /\bfork\b.*: Resource temporarily unavailable/i;

/** Sockets with a path: docker, databases, agents. */
export const UNIX_SOCKET =
  /\bunix:\/\/|\bdial unix\b|on socket "\/|\bconnect EACCES \/|\bconnect\w*\b.*\.sock\b/;

/** What tells that an extended attribute was to be set, and how that ends. */
export const ATTRIBUTES = /xattr|[gs]etfattr/i;
export const ATTRIBUTES_READ = /getfattr|getxattr|listxattr/i;
export const UNSUPPORTED = /\bOperation not supported\b|\bE(?:OP)?NOTSUPP?\b/;

/** A name that could not be looked up; each with the program whose words they are. */
const NO_NAME = [
  /could not resolve host/i, // curl, git, ssh, cargo
  /unable to resolve host address/, // wget
  /temporary failure (?:in name resolution|resolving)/i, // glibc; apt
  /name or service not known/i, // python
  /\bgetaddrinfo (?:EAI_AGAIN|ENOTFOUND)\b/, // node, npm
  /\bquery\w+ ECONNREFUSED\b/, // node's own resolver, c-ares
  /\bUnknownHostException\b/, // java
  /\blookup \S+.*permission denied/i, // go
  /\bnetwork (?:was|connectivity is) disabled\b/i, // uv, which is told so
  /could not find a version that satisfies the requirement .*\(from versions: none\)/i, // pip
  /\binstall build dependencies did not run successfully/i, // pip, the end of it
];
/** A socket that is not a stream. */
const NO_SOCKET = [
  /\bsocket(?:\(\d?\))?: permission denied/i, // bash, psql, go
  /permission denied - socket\(2\)/i, // ruby
  /can't create TCP\/IP socket \(13\)/i, // mysql
  /\bcould not determine (?:a usable \w+ IP|the IP addresses) for this machine/i, // gradle
];
/** Where something is said about a datagram: Java, Python, C and Ruby, Rust. */
const DATAGRAM = /\bDatagramChannel|\bSOCK_DGRAM\b|\bsendto\b|\bUdpSocket\b/;
/** What ip says without a network. If the run has a network of its own, ss says it, and then reads /proc/net. */
const NO_NETLINK = /netlink socket: address family not supported/i;
/** A connection that was refused. */
const NO_CONNECTION = [
  /\b(?:connect|listen|bind) EACCES\b/, // node
  /\bfailed to connect to \S+ port \d+/i, // curl
  /^connecting to .+ failed: permission denied/i, // wget
  /\berrno=permission denied/i, // git
  /\b(?:connect|bind|listen)(?:\(\d?\))?: permission denied/i, // bash, psql, go
  /\bdial (?:tcp|udp)\b.*permission denied/, // go
  /\btcp connect error\b.*permission denied/i, // programs in Rust
  /failed to establish a new connection/i, // python requests, pip
  /\burlopen error \[Errno 13\]/, // python
  /\bSocketException: permission denied/i, // java
  /\bIO::Socket\S*: permission denied/i, // perl
  /permission denied - (?:connect|bind)\(2\)/i, // ruby
];
/** A traceback of Python ends in a refusal without a name; the lines above say where. */
const PYTHON_SOCKET = /^\s+File ".*\b(?:socket|socketserver|selector_events)\.py", line \d+/;
const PYTHON_NEW_SOCKET = /_socket\.socket\.__init__\(/;
const PYTHON_PAIR = /_socket\.socketpair\(/;
const PYTHON_BARE = /^PermissionError: \[Errno 13\] Permission denied$/;

/** What a line says was refused of the network; `before` and `after` are the lines around it. */
export function network_refusal(line: string, { before, after, command }: {
  before: readonly string[];
  after: readonly string[];
  command: string;
}): "name" | "socket" | "pair" | "connection" | "netlink" | null {
  // A path beside the word is of a file, or of a socket with a path.
  if (/\bEACCES\b.* \//.test(line)) return null;
  if (NO_NAME.some((words) => words.test(line))) return "name";
  if (/\bsocketpair\b.*: permission denied/i.test(line)) return "pair"; // perl, C
  if (NO_SOCKET.some((words) => words.test(line))) return "socket";
  if (NO_NETLINK.test(line)) return "netlink";
  // node names the module in the trace below.
  if (/\bbind EACCES\b/.test(line) && after.some((other) => /\bnode:dgram\b/.test(other))) {
    return "socket";
  }
  const java = /\b(?:Bind|Socket)Exception: permission denied/i.test(line);
  if (java && after.some((other) => /\bDatagramChannel/.test(other))) return "socket";
  // A UDP socket can be made, and sends nothing.
  const broken = /\bbroken ?pipe|\bEPIPE\b/i.test(line);
  if (broken && [...before, line, ...after, command].some((other) => DATAGRAM.test(other))) {
    return "socket";
  }
  // bash, which names what it was to open in the line below.
  if (
    /\bconnect: permission denied/i.test(line) && after.some((other) => /\/dev\/udp\//.test(other))
  ) {
    return "socket";
  }
  if (NO_CONNECTION.some((words) => words.test(line))) return "connection";
  if (!PYTHON_BARE.test(line) || !before.some((other) => PYTHON_SOCKET.test(other))) return null;
  if (before.some((other) => PYTHON_PAIR.test(other))) return "pair";
  return before.some((other) => PYTHON_NEW_SOCKET.test(other)) ? "socket" : "connection";
}

/** A path in quotes of any kind, as the coreutils write them in UTF-8 too. */
const QUOTED = /(['"`‘“])(\/[^'"`’”]*)['"`’”]/g;
const BARE = /(?<=^|[\s(=[])\/[^\s'"`‘’“”:;,()<>[\]]+/g;
const RELATIVE = [
  /['"`‘“]([^'"`’”/][^'"`’”]*)['"`’”]:? (?:[\w ]+: )?permission denied/i,
  /(?:^|[\s:])(?!\/)([\w.@~+-]+(?:\/[\w.@~+-]+)*): permission denied/i,
  /\bspawn(?:Sync)? ([\w.+-]+) EACCES\b/, // node
  /\bPermission denied: '([^'/]+)'$/, // python
];
/** What programs put before the refusal that is not the name of a file. */
const NO_NAMES =
  /^(?:cannot|open|failed|error|fatal|stat|lstat|access|warning|reading|writing|\d+|line \d+)$/i;
/** `/bin/sh: 1: cannot create …`: the program that speaks, not what it speaks of. */
const SPEAKER = /^\/[^\s:]*[^\s:/]: (?!permission denied)/i;

export function paths_in(line: string): string[] {
  const speaker = SPEAKER.exec(line)?.[0].length ?? 0;
  const text = line.slice(speaker);
  const quoted = [...text.matchAll(QUOTED)].map((match) => match[2] ?? "");
  const bare = [...text.matchAll(BARE)].map((match) => match[0].replace(/[.]+$/, ""));
  return quoted.length > 0 ? quoted : bare;
}

/** `./x: Permission denied`, `cannot touch 'x': Permission denied` */
export function relative_names(line: string): string[] {
  const names = RELATIVE.map((pattern) => pattern.exec(line)?.[1])
    .filter((name) => name !== undefined && !NO_NAMES.test(name));
  return [...new Set(names as string[])];
}

const WRITING = new RegExp(
  "cannot (?:touch|create|mkdir|make|move|remove|overwrite|chmod)|can't create|couldn't (?:create|open temp)|" +
    "failed to (?:create|write|make)|\\bmkdir\\b|for writing|output file|lock ?(?:config )?file|grant write permissions|mkstemp|" +
    "\\b(?:unlink|rename|rmdir|symlink|copyfile|mkdtemp)\\b",
  "i",
);

export function is_writing(line: string): boolean {
  return WRITING.test(line);
}

/** A pattern that the shell could not fill in, as the folder can't be listed: the folder. */
export function unfilled_folder(line: string): string | null {
  return /(\/(?:[^'"‘’:*?[\]]*\/)?)[^'"‘’/]*[*?][^:]*: No such file or directory/.exec(line)?.[1] ??
    null;
}
