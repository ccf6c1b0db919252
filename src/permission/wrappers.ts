/** Programs that run another command or script: finds what is inside. */
import type { ShellCommand, ShellWord } from "./shell_word.ts";

interface Inner {
  readonly commands: readonly ShellCommand[];
  /** Text that a shell reads; `own_shell` is false if the very same shell does, as in `eval`. */
  readonly scripts: readonly { readonly text: string; readonly own_shell: boolean }[];
}

interface Wrapper {
  /** Its options that take the next word for their value. */
  readonly valued: readonly string[];
  /** How many words of its own stand before the command. */
  readonly own: number;
}

/** A row a wrapper, some with their subcommand: its options that take a value, by the manual pages, and how many words of its own follow. */
const TABLE = `
  sudo | -u --user -g --group -p --prompt -C --close-from -h --host -D --chdir -R --chroot -r --role -t --type -T --command-timeout -U --other-user
  doas | -u -C
  runuser | -u --user -g --group -G --supp-group
  systemd-run | -u --unit -p --property -E --setenv --uid --gid -M --machine --slice --description --working-directory
  ssh-agent | -a -t -P
  env | -u --unset -C --chdir
  timeout | -k --kill-after -s --signal | 1
  xargs | -a --arg-file -d --delimiter -E -I -L --max-lines -n --max-args -P --max-procs -s --max-chars
  nice | -n --adjustment
  ionice | -c --class -n --classdata
  time | -f --format -o --output
  exec | -a
  stdbuf | -i --input -o --output -e --error
  flock | -w --timeout -E --conflict-exit-code | 1
  strace | -e -o -s -P -u -E -I
  npx, bunx, yarn dlx | -p --package
  npm exec | -p --package -w --workspace
  pnpm dlx | --package
  uv run | -p --python --with --directory --project --group --extra
  uvx, uv tool run | -p --python --with --from --index
  pipx run | --spec --python --pip-args --index-url
  unbuffer, mise exec, mise x, nohup, command, builtin, setsid, busybox, pnpx, corepack |
  pnpm exec, yarn exec, bundle exec, poetry run, pipenv run, git bisect run |
  gosu, su-exec, direnv exec, chrt, taskset | | 1
`;

const WRAPPERS: ReadonlyMap<string, Wrapper> = new Map(
  TABLE.trim().split("\n").flatMap((row) => {
    const [names = "", valued = "", own = "0"] = row.split("|").map((cell) => cell.trim());
    const wrapper = { valued: valued.split(" "), own: Number(own) };
    return names.split(", ").map((name): [string, Wrapper] => [name, wrapper]);
  }),
);

/** They read a script: after `-c`, or what they are fed. */
const SHELLS = /^(?:sh|bash|dash|zsh|ksh|mksh|ash|rbash)$/;
/** They hand the value of `-c` to a shell, wherever it stands. */
const SHELL_STARTERS = /^(?:su|runuser|script|flock)$/;
const SHELL_VALUED = ["-o", "+o", "-O", "+O", "--rcfile", "--init-file"];
/** Their words together are a script. */
const JOINERS = new Set(["eval", "watch", "git submodule foreach"]);
const NOTHING: Inner = { commands: [], scripts: [] };

/** What a command runs besides itself; `input`: the text it is fed. */
export function inner_of(words: ShellCommand, input: string | null): Inner {
  const name = program(words);
  if (SHELLS.test(name)) return script_of(words, input);
  if (name === "trap") return scripts(words[1]?.text ?? null, false);
  const alias = name === "git" ? git_alias(words) : null;
  if (alias !== null) return alias;
  if (name === "find") return { commands: found_commands(words), scripts: [] };
  if (/^python[\d.]*$/.test(name) && words[1]?.text === "-m") return one(words.slice(2));
  const started = SHELL_STARTERS.test(name) ? script_after_c(words) : null;
  if (started !== null) return scripts(started, true);
  const known = (text: string) => JOINERS.has(text) || WRAPPERS.has(text);
  const names = subcommands(words, name).reverse().find(({ text }) => known(text));
  if (names === undefined) return NOTHING;
  if (JOINERS.has(names.text)) {
    const rest = words.slice(operand_at(words, names.end, ["-n", "--interval"]));
    return scripts(rest.map(({ text }) => text).join(" "), name !== "eval");
  }
  if (name === "env") {
    const split = words.findIndex(({ text }) => /^-\w*S|^--split-string/.test(text));
    if (split > 0) {
      const rest = words.slice(split).map(({ text }) => text).join(" ");
      return scripts(rest.replace(/^(?:-\w*?S|--split-string=?)/, ""), true);
    }
  }
  if (name === "mise") {
    // `mise exec node@22 -- npm publish`
    const end = words.findIndex(({ text }) => text === "--");
    return one(end < 0 ? [] : words.slice(end + 1));
  }
  const { valued, own } = WRAPPERS.get(names.text) as Wrapper;
  let at = operand_at(words, names.end, valued);
  for (let left = own; left > 0; left--) at = operand_at(words, at + 1, valued);
  // `env A=b git push`, `sudo A=b git push`
  while (/^\w+=/.test(words[at]?.text ?? "")) at++;
  return one(words.slice(at));
}

/** The program of a command, without its folder and without the version that `npx` takes. */
export function program(words: ShellCommand): string {
  const text = words[0]?.text ?? "";
  return text.slice(text.lastIndexOf("/") + 1).replace(/(?<=.)@[^]*$/, "");
}

/** Where the first word stands, from `from` on, that is neither an option nor the value of one. */
export function operand_at(words: ShellCommand, from: number, valued: readonly string[]): number {
  let at = from;
  for (; at < words.length; at++) {
    const text = words[at]?.text ?? "";
    if (text === "--") return at + 1;
    if (!/^[-+]./.test(text)) return at;
    if (takes_next(text, valued)) at++;
  }
  return at;
}

/** `-u`, `--user`, and `-nu` where `-u` takes a value. */
function takes_next(option: string, valued: readonly string[]): boolean {
  if (valued.includes(option)) return true;
  return /^-[a-zA-Z]{2,}$/.test(option) && valued.includes(`-${option.at(-1)}`) &&
    ![...option.slice(1, -1)].some((letter) => valued.includes(`-${letter}`));
}

/** The name of a program, and with its first words that are not options: `npm`, `npm exec`, …; and where each ends. */
function subcommands(words: ShellCommand, name: string): { text: string; end: number }[] {
  const names = [{ text: name, end: 1 }];
  let at = 1;
  for (const _ of [1, 2]) {
    at = operand_at(words, at, GLOBAL_VALUED);
    const word = words[at]?.text;
    if (word === undefined) break;
    at++;
    names.push({ text: `${names.at(-1)?.text} ${word}`, end: at });
  }
  return names;
}

/** Options before a subcommand, of any program in the tables, that take a value. */
export const GLOBAL_VALUED: readonly string[] = [
  // git
  ...["-C", "-c", "--git-dir", "--work-tree", "--namespace", "--super-prefix", "--config-env"],
  // npm, pnpm, yarn
  ...["--prefix", "--registry", "--tag", "--access", "--otp", "-w", "--workspace", "--userconfig"],
  ...["--dir", "--filter", "-F", "--cwd"],
  // cargo, docker, helm, poetry
  ...["--manifest-path", "--color", "--config", "--context", "-H", "--host", "-l", "--log-level"],
  ...["--kube-context", "--directory", "-R", "--repo"],
];

function one(command: ShellCommand): Inner {
  return { commands: command.length === 0 ? [] : [command], scripts: [] };
}

function scripts(text: string | null, own_shell: boolean): Inner {
  return text === null || text === "" ? NOTHING : { commands: [], scripts: [{ text, own_shell }] };
}

/** `bash -lc SCRIPT`, `bash <<END`; a file that it is to run stays closed. */
function script_of(words: ShellCommand, input: string | null): Inner {
  const end = operand_at(words, 1, SHELL_VALUED);
  const options = words.slice(1, end).map(({ text }) => text);
  if (options.some((text) => /^-[a-zA-Z]*c/.test(text))) {
    return scripts(words[end]?.text ?? null, true);
  }
  const file = words[end]?.text;
  const fed = file === undefined || file === "-" || file === "/dev/stdin" ||
    options.some((text) => /^-[a-zA-Z]*s/.test(text));
  return scripts(fed ? input : null, true);
}

function script_after_c(words: readonly ShellWord[]): string | null {
  const at = words.findIndex(({ text }) => /^(?:-[a-zA-Z]*c|--command)$/.test(text));
  if (at > 0) return words[at + 1]?.text ?? null;
  const joined = words.find(({ text }) => text.startsWith("--command="))?.text;
  return joined?.slice("--command=".length) ?? null;
}

/** `git -c alias.NAME=… NAME`: another command of git's, or after `!` a script. */
function git_alias(words: ShellCommand): Inner | null {
  const at = operand_at(words, 1, GLOBAL_VALUED);
  const start = `alias.${words[at]?.text}=`;
  const set = words.slice(1, at).findLast(({ text }) => text.startsWith(start));
  if (set === undefined) return null;
  const value = set.text.slice(start.length).trim();
  if (value.startsWith("!")) return scripts(value.slice(1), true);
  const git = words.slice(0, 1);
  const named = value.split(/\s+/).map((text) => ({ text, paths: () => [] }));
  return one([...git, ...named, ...words.slice(at + 1)]);
}

/** `find … -exec CMD ;` */
function found_commands(words: ShellCommand): ShellCommand[] {
  const commands: ShellCommand[] = [];
  for (const [at, { text }] of words.entries()) {
    if (!/^-(?:exec|ok)(?:dir)?$/.test(text)) continue;
    const rest = words.slice(at + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    if (end !== 0) commands.push(rest.slice(0, end < 0 ? rest.length : end));
  }
  return commands;
}
