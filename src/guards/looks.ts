/** Which commands only look, and which wait, by their words and without a shell's grammar. In doubt a command is taken to do something. */

/** Programs that print what is there and change nothing, unless one of their options below says otherwise. */
const LOOK = new Set(
  ("awk basename cat cksum cmp column comm curl cut date df diff dig dirname du egrep env fgrep file find free getent git " +
    "grep groups head hexdump host hostname id jobs jq less ls lsof lscpu md5sum nl nproc od pgrep ping printenv ps pwd " +
    "readlink realpath rg sed sha1sum sha256sum sort ss stat strings tac tail tr tree type uname uniq uptime wc which whoami xxd yq")
    .split(" "),
);
/** What may be beside them, and sees nothing by itself. */
const BESIDE = new Set("cd echo false printf seq sleep test true wait".split(" "));
/** What makes one of these write, run or send something. */
const DOES_MORE: Readonly<Record<string, RegExp>> = {
  awk: /\bsystem\b|[|]/,
  curl: /\s-(?:[a-zA-Z]*[XdFoOTK]|-(?:request|data|form|output|remote-name|upload|json|config))/,
  date: /\s(?:-s|--set)/,
  env: /\s\S/,
  find: /\s-(?:delete|exec|ok|fprint|fls)/,
  hostname: /\s[^-\s]/,
  rg: /\s--pre\b/,
  sed: /\s(?:-[a-zA-Z]*i|--in-place)|\bw\s/,
  sort: /\s(?:-[a-zA-Z]*o|--output)/,
  tree: /\s-o/,
  yq: /\s(?:-i|--inplace)/,
};
const GIT =
  /^git(?:\s+-C\s+\S+|\s+--no-pager)*\s+(?:status|diff|log|show|blame|rev-parse|ls-files|ls-tree|cat-file|describe|grep|shortlog|reflog|merge-base|rev-list|name-rev|stash\s+list|worktree\s+list|bisect\s+log)(?:\s(?!.*--output)|$)|^git\s+(?:branch|remote|tag)(?:\s+-(?:[avrl]+|-show-current|-list))*$/;

/** Whether a command line only looks: `git status && tail -n 5 log`. */
export function only_looks(command: string): boolean {
  const line = command.replaceAll(/\d?>&\d|&?\d?>{1,2}\s*\/dev\/null/g, " ").trim();
  if (line === "" || /[`<>]|\$\(|(?<!&)&(?!&)/.test(line)) return false;
  const parts = line.split(/\|\||&&|[;|\n]/).map((part) => part.trim())
    .filter((part) => part !== "");
  return parts.every((part) => looks(part) || BESIDE.has(name_of(part))) && parts.some(looks);
}

function looks(part: string): boolean {
  const name = name_of(part);
  if (name === "git") return GIT.test(part);
  return LOOK.has(name) && !(DOES_MORE[name]?.test(part) ?? false);
}

function name_of(part: string): string {
  return part.split(/\s/, 1)[0] ?? "";
}

/** Whether a command line waits: for some time, or until something happens. */
export function waits(command: string): boolean {
  return /(?:^|[\s;&|(])(?:sleep\s+[\d.$]|wait\b|inotifywait\b)|--wait\b/.test(command);
}
