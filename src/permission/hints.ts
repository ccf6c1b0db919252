import { flag_with } from "../config/text.ts";
import type { Policy } from "../sandbox/policy.ts";
import {
  is_file_limit_ours,
  is_task_limit_ours,
  MORE_TASKS,
  MOST_FILE_GIB,
} from "../sandbox/processes/rlimits.ts";
import {
  changes_with,
  command_only_reads,
  folder_at_end,
  may_be_masked,
  tail_of_last,
} from "./command_words.ts";
import {
  ALWAYS,
  ATTRIBUTES,
  ATTRIBUTES_READ,
  is_end_of_denial,
  is_writing,
  MODE_REFUSED,
  network_refusal,
  NPM_TOKENS,
  OWNER,
  paths_in,
  relative_names,
  reports_denial,
  ROOT_ONLY,
  RUST_BARE,
  SET_ID,
  SHARED_REPOSITORY,
  SIGNING,
  SOCAT_PAIR,
  TOO_LARGE,
  TOO_MANY,
  unfilled_folder,
  UNIX_SOCKET,
  UNSUPPORTED,
} from "./hint_words.ts";
import { is_key_place } from "../sandbox/scope/read_scope.ts";
import { resolved, stat_or_null } from "./paths.ts";
import {
  type Hint,
  list_refusal,
  program_refusal,
  read_refusal,
  run_refusal,
  write_refusal,
} from "./refused_path.ts";

/** Only the end of a long output is looked at: there the error stands. */
const LOOKED_AT = 8000;
/** More than these are repetitions. */
const MOST_HINTS = 3;
/** Lines around a refusal that names no file, in which it may stand. */
const AROUND = 4;
/** Exit code of timeout(1). */
const TIMED_OUT = 124;
/** What shells add to the number of a signal. */
const BY_SIGNAL = 128;
/** What was refused is not a file, though one may be named beside it. */
const CONNECTS = /\bconnect(?:ion|ing)?\b/i;
/** What a program that only reads says itself; anything else it prints is in the files it shows. */
const READER_SPEAKS = /^(?:(?:\/\S*\/)?[\w.-]+|error): /;

interface EndedCommand {
  readonly command: string;
  /** Null if a signal or a time limit ended it. */
  readonly exit_code: number | null;
  readonly signal?: string | null;
  readonly output: string;
  readonly not_started?: true;
}

/** Which flag of the user would allow what a command was refused. Empty if the output shows no refusal, or may quote a file. */
export function hints(ended: EndedCommand, policy: Policy): string[] {
  // What is said of a shell that did not start is hamr's own: no flag is known to change it.
  if (policy.sandbox === "off" || ended.not_started) return [];
  const reads = command_only_reads(ended.command);
  const is_well = !reads && ended.exit_code === 0 && !may_be_masked(ended.command);
  const lines = ended.output.slice(-LOOKED_AT).trimEnd().split("\n");
  const masked_from = lines.length - tail_of_last(ended.command);
  const { command } = ended;
  const context = { command, lines, policy, folder: folder_of(command, policy) };
  // One hint for each flag: the first file in a folder stands for the others.
  const found = new Map<string, string>();
  const add = (hint: Hint | null) => {
    if (hint !== null && !found.has(hint.key)) found.set(hint.key, hint.text);
  };
  if (ended.signal === "SIGXFSZ") add(too_large());
  const code = ended.exit_code ?? TIMED_OUT;
  if (code === TIMED_OUT || code > BY_SIGNAL) add(display_hint(context));
  for (const [at, line] of lines.entries()) {
    if (is_well && at < masked_from && !is_own_message(line, ended.command)) continue;
    add(reads ? reader_hint(line, { ...context, at }) : hint_for(line, { ...context, at }));
  }
  return [...found.values()].slice(0, MOST_HINTS);
}

/** The word of a program of this very command, or the shell's about where the command sends its output: no text out of a file. */
function is_own_message(line: string, command: string): boolean {
  const [, program = "", path] =
    /^(?:\/\S*\/)?([\w.-]+)(?::| error| ERR!) (?:line \d+: (.+): [^:]+$)?/.exec(line) ?? [];
  return changes_with(command, program) || path !== undefined &&
      command.split(/>>?[|&]?\s*/).slice(1).some((part) =>
        part.replace(/^["']/, "").startsWith(path)
      );
}

interface Context {
  readonly command: string;
  readonly lines: readonly string[];
  readonly at: number;
  readonly policy: Policy;
  /** Where relative names begin. */
  readonly folder: string;
}

function hint_for(line: string, context: Context): Hint | null {
  const { policy } = context;
  if (TOO_LARGE.test(line)) return too_large();
  if (TOO_MANY.test(line)) return too_many();
  if (SOCAT_PAIR.test(line) && /\bsocat\b/.test(context.command)) {
    return hint(
      "the sandbox allows no unix sockets for datagrams, which socat needs to listen; " +
        "nc -l does without",
    );
  }
  const always = ALWAYS.find(([words]) => words.test(line));
  if (always !== undefined) return hint(always[1]);
  if (NPM_TOKENS.test(line)) return npm_hint(policy);
  if (OWNER.test(line)) return owner_hint(policy);
  const as_root = ROOT_ONLY.find(([words]) => words.test(line));
  if (as_root !== undefined) return is_root(policy) ? hint(as_root[1]) : null;
  if (SHARED_REPOSITORY.test(line) || (MODE_REFUSED.test(line) && SET_ID.test(context.command))) {
    return hint(
      "the sandbox can't set set-user-id or set-group-id bits: git init without --shared and other " +
        "modes work; only --sandbox off allows it",
    );
  }
  if (SIGNING.test(line)) return signing_hint(context);
  const attribute = UNSUPPORTED.test(line) &&
    [context.command, line, ...around(context)].find((text) => ATTRIBUTES.test(text));
  if (attribute) {
    if (ATTRIBUTES_READ.test(attribute)) return attribute_hint(policy);
    return policy.write === "all" ? null : hint(
      "the sandbox can't set extended attributes; the user can allow it with --allow-write, " +
        "which is everywhere",
    );
  }
  const denied = reports_denial(line) || is_end_of_denial(context.lines, context.at);
  if (denied && UNIX_SOCKET.test(line) && !/\blisten\b/.test(line)) return unix_hint(policy);
  const { lines, at, command } = context;
  const [before, after] = [
    lines.slice(Math.max(0, at - AROUND), at),
    lines.slice(at + 1, at + AROUND + 1),
  ];
  const network = network_refusal(line, { before, after, command });
  if (network !== null) return network_hint(network, policy);
  return denied ? file_hint(line, context) : glob_hint(line, context);
}

/** The words of a program that only reads about what it could not read. */
function reader_hint(line: string, context: Context): Hint | null {
  if (!READER_SPEAKS.test(line)) return null;
  if (!reports_denial(line)) return glob_hint(line, context);
  const { policy } = context;
  return first_of(
    files_named(line, context),
    (path) => run_refusal(path, policy) ?? read_refusal(path, policy),
  );
}

function file_hint(line: string, context: Context): Hint | null {
  const { policy } = context;
  const writing = is_writing(line);
  const judge = (path: string) =>
    (writing ? null : run_refusal(path, policy) ?? read_refusal(path, policy)) ??
      write_refusal(path, policy);
  const named = files_named(line, context);
  const found = first_of(named, judge) ??
    first_of(relative_names(line), (name) => program_refusal(name, policy)) ??
    (named.length > 0 || CONNECTS.test(line) ? null : first_of(files_near(context), judge));
  if (found !== null) return found;
  return RUST_BARE.test(line) && policy.write !== "all"
    ? hint(
      "the sandbox allows writing only in the workspace and $TMPDIR" +
        (policy.net === "none" ? ", and no network" : "") +
        "; if it was that, the user can allow more with --allow-write=FOLDER or --allow-net",
    )
    : null;
}

/** `ls ~/*.md` in a home that can't be listed finds nothing. */
function glob_hint(line: string, { policy }: Context): Hint | null {
  const folder = unfilled_folder(line);
  return folder === null ? null : list_refusal(folder, policy);
}

/** The last of what a line names is what it is about; the others are where it came from. */
function first_of(names: readonly string[], judge: (name: string) => Hint | null): Hint | null {
  for (const name of names.toReversed()) {
    const found = judge(name);
    if (found !== null) return found;
  }
  return null;
}

function files_named(line: string, { folder }: Context): string[] {
  return [...relative_names(line).map((name) => resolved(folder, name)), ...paths_in(line)];
}

function files_near(context: Context): string[] {
  return around(context).filter((other) => !/^\s+(?:at|File) /.test(other)).flatMap(paths_in);
}

function around({ lines, at }: Context): readonly string[] {
  return lines.slice(Math.max(0, at - AROUND), at + AROUND + 1);
}

function attribute_hint({ read, deny_read }: Policy): Hint | null {
  return read === "all" && deny_read.length === 0 ? null : hint(
    "the sandbox can read extended attributes of open files only (fgetxattr), not by path; the user can allow it with " +
      "--allow-read, which is everything",
  );
}

/** Connections that the sandbox's own supervisor refused it tells itself, with the address and the flag. */
function network_hint(
  what: NonNullable<ReturnType<typeof network_refusal>>,
  { net }: Policy,
): Hint | null {
  if (what === "pair") {
    return hint(
      "the sandbox allows no unix sockets for datagrams, as each can carry an address of its own; " +
        "streams and SOCK_SEQPACKET work; only --sandbox off allows more",
    );
  }
  switch (net) {
    case "all":
      return null;
    case "none":
      return hint("the sandbox allows no network; the user can allow it with --allow-net");
    case "own":
    case "loopback":
      return what === "connection" || what === "netlink" ? null : hint(
        "the sandbox allows TCP only to servers on this machine, so " +
          (what === "name" ? "names can't be looked up; " : "datagrams can't be sent (UDP); ") +
          "the user can allow all networks with --allow-net",
      );
  }
}

/** Without a word, Xvfb tries again and again to make its lock. */
function display_hint({ command }: { command: string }): Hint | null {
  return !/\b(?:xvfb-run|Xvfb)\b/.test(command) ? null : hint(
    "Xvfb does not start in the sandbox, where it can't make its lock; only --sandbox off allows it. " +
      "Browsers do without: headless",
  );
}

/** npm has a copy of its settings, without tokens. */
function npm_hint(policy: Policy): Hint | null {
  const file = `${policy.env["HOME"]}/.npmrc`;
  if (policy.net !== "all" || stat_or_null(file) === null || !is_key_place(policy, file)) {
    return null;
  }
  return hint(
    "the sandbox keeps npm's tokens from commands; the user can allow them with " +
      flag_with("--allow-read", file),
  );
}

/** Only root could give files away; anybody else hears that from the system. */
function owner_hint(policy: Policy): Hint | null {
  return !is_root(policy) ? null : hint(
    "the sandbox can't give files to another user: tar --no-same-owner, rsync --no-owner --no-group and " +
      "cp without -a or -p do without that; only --sandbox off allows it",
  );
}

function is_root({ tmp }: Policy): boolean {
  return stat_or_null(tmp)?.uid === 0;
}

/** Not of a key that the run has made itself. */
function signing_hint({ command, policy }: Context): Hint | null {
  const kept = [".gnupg", ".ssh"].map((name) => `${policy.env["HOME"]}/${name}`)
    .some((folder) => stat_or_null(folder) !== null && is_key_place(policy, folder));
  return !kept || command.includes("GNUPGHOME") ? null : hint(
    "the sandbox keeps the user's signing keys from commands: git commit --no-gpg-sign and " +
      "git tag --no-sign work; leave the signature to the user",
  );
}

function unix_hint({ net }: Policy): Hint | null {
  if (net !== "none") return null;
  return hint(
    "the sandbox allows no connection to unix sockets (docker, databases, agents); " +
      "the user can allow TCP with --allow-net",
  );
}

/** A lower limit is the user's own, and no flag changes it. */
function too_large(): Hint | null {
  return !is_file_limit_ours() ? null : hint(
    `the sandbox ends programs that make a file larger than ${MOST_FILE_GIB} GiB; only --sandbox off allows it`,
  );
}

function too_many(): Hint | null {
  return !is_task_limit_ours() ? null : hint(
    `the sandbox allows ${MORE_TASKS} processes and threads beyond what ran at the start; ` +
      "only --sandbox off allows more",
  );
}

function hint(text: string): Hint {
  return { key: text, text };
}

function folder_of(command: string, { workspace, env }: Policy): string {
  const home = env["HOME"] ?? "";
  const spelled = command.replace(
    /(^|[\s"'])(?:~|\$HOME|\$\{HOME\})(?=[\s"'/;&|)]|$)/g,
    `$1${home}`,
  );
  return folder_at_end(spelled, workspace);
}
