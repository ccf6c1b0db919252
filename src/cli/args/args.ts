/** Arguments of the program → what to do. Strict: nothing is guessed, and nothing unknown is ignored. */
import type { Override } from "../../config/load.ts";
import { did_you_mean, either, nearest, quote } from "../../config/text.ts";
import { from_text } from "../../config/value.ts";
import {
  type Command,
  type CommandName,
  COMMANDS,
  FIRST_WORDS,
  GROUPED,
  second_words,
} from "./commands.ts";
import { FLAG_DEFAULTS, type Flags } from "../../app/flags.ts";
import { type Flag } from "./flag.ts";
import { FLAGS } from "./flags.ts";
import { ELSEWHERE, our_command, OURS, VALUES } from "./other_names.ts";
import { UsageError } from "../../config/error.ts";

const MOST_HOMES = 3;

export interface Parsed {
  readonly command: CommandName;
  /** What follows the command and is not a flag; `-` stands for standard input. */
  readonly operands: readonly string[];
  readonly flags: Flags;
  readonly overrides: readonly Override[];
}

interface Use {
  readonly flag: Flag;
  /** As it was written: `-C` or `--directory`. */
  readonly written: string;
  /** Undefined if it stood alone. */
  readonly text: string | undefined;
}

/** Of arguments that can be parsed the flags that are wanted, as arguments again. */
export function flags_again(
  argv: readonly string[],
  wanted: (flag: Flag) => boolean,
): readonly string[] {
  return take(argv).uses.filter(({ flag }) => wanted(flag))
    .map(({ flag, text }) => `--${flag.name}${text === undefined ? "" : `=${text}`}`);
}

interface Taken {
  readonly uses: Use[];
  readonly words: string[];
  /** How many of the words stood before `--`: only these can be a command. */
  readonly free: number;
}

/**
 * Reads the arguments. `--flag VALUE` and `--flag=VALUE` are the same; `--` ends the flags; flags may stand
 * before and after the command. `-h` anywhere asks for help, even next to a mistake.
 * Throws a `UsageError`. `usual`: what is meant where no command is named; absent: nothing.
 */
export function parse(argv: readonly string[], usual?: CommandName): Parsed {
  try {
    return understand(take(argv), usual);
  } catch (error) {
    const end = argv.indexOf("--");
    const before = end < 0 ? argv : argv.slice(0, end);
    const asks = before.includes("-h") || before.includes("--help");
    if (asks && error instanceof UsageError) return page("help", command_word(argv));
    throw error;
  }
}

/** The JSON format that a task's arguments ask for, even if they can't be parsed: its reader is owed a result. Null for text. */
export function wants_result(argv: readonly string[]): "json" | "jsonl" | null {
  const word = command_word(argv);
  const gives = FLAGS.some((flag) =>
    flag.name === "output" && flag.commands.some((name) => name === word)
  );
  if (!gives) return null;
  let format: "json" | "jsonl" | null = null;
  for (const [at, token] of argv.entries()) {
    if (token === "--") break;
    const value = token === "--output" ? argv[at + 1] : token.replace(/^--output=/, "");
    if (token === "--json") format = "json";
    // A value that is invalid, or contradicts `--json`, is the mistake: it takes nothing back.
    else if (!token.startsWith("--output")) continue;
    else if (value === "json" || value === "jsonl") format = value;
    else if (value === "text" && !argv.includes("--json")) format = null;
  }
  return format;
}

function take(argv: readonly string[]): Taken {
  const uses: Use[] = [];
  const words: string[] = [];
  for (let at = 0; at < argv.length; at++) {
    const token = argv[at] ?? "";
    if (token === "--") {
      return { uses, words: [...words, ...argv.slice(at + 1)], free: words.length };
    }
    if (token === "-" || !token.startsWith("-")) {
      words.push(token);
      continue;
    }
    // Other programs count them; here two say all that there is.
    const again = uses.findIndex(({ written }) => /^-v+$/.test(written));
    const use = /^-v+$/.test(token) && (again >= 0 || token.length > 2)
      ? find("-vv", argv)
      : find(token, argv);
    if (use.written === "-vv" && again >= 0) uses.splice(again, 1);
    const next = argv[at + 1];
    if (use.flag.takes === "value" && use.text === undefined && next !== undefined) {
      if (!is_value(next, use.flag)) throw missing(use, next);
      uses.push({ ...use, text: next });
      at++;
    } else {
      uses.push(use);
    }
  }
  return { uses, words, free: words.length };
}

function find(token: string, argv: readonly string[]): Use {
  const equals = token.indexOf("=");
  const written = equals < 0 ? token : token.slice(0, equals);
  const text = equals < 0 ? undefined : token.slice(equals + 1);
  const named = FLAGS.filter(({ name, short }) =>
    written === `--${name}` || short !== undefined && written === `-${short}`
  );
  // `--junit` is another thing to `run` than to `report`.
  const word = command_word(argv);
  const flag = named.find((one) => word !== undefined && takes(word, one)) ?? named[0];
  if (flag !== undefined) return { flag, written, text };
  const attached = token.startsWith("--")
    ? undefined
    : FLAGS.find(({ short, takes }) => takes === "value" && token[1] === short);
  if (attached !== undefined) {
    return { flag: attached, written: token.slice(0, 2), text: token.slice(2) };
  }
  const ours = OURS.get(written);
  if (ours !== undefined) throw new UsageError(`unknown flag ${written}; in hamr: ${ours}`);
  throw new UsageError(`unknown flag ${written}${hint(written, argv)}`);
}

function hint(written: string, argv: readonly string[]): string {
  // No flag has a blank in it, but a list in Markdown begins so.
  if (/\s/.test(written)) return '; a task that begins with "-" follows --: hamr run -- "- ..."';
  const word = command_word(argv);
  const page = `; see "hamr ${word === undefined ? "" : `${word} `}--help"`;
  const flags = FLAGS.filter((flag) => word === undefined || takes(word, flag));
  const after = word === "sandbox" ? argv[argv.indexOf(word) + 1] ?? "-" : "-";
  if (!after.startsWith("-")) {
    return `; flags of the command follow --: hamr sandbox -- ${after} ${written}`;
  }
  if (written.length === 2) {
    const same = flags.find(({ short }) => short?.toLowerCase() === written[1]?.toLowerCase());
    return same === undefined ? page : `; did you mean -${same.short}?`;
  }
  return did_you_mean(written, flags.map(({ name }) => `--${name}`), page);
}

function takes(word: string, flag: Flag): boolean {
  return flag.commands.some((name) => name.split(" ")[0] === word);
}

/** Whether the token after a flag is its value: `-1` after a number is, `--json` is not. */
function is_value(token: string, flag: Flag): boolean {
  if (!token.startsWith("-") || token === "-") return true;
  const kind = flag.reads?.kind;
  return (kind === "integer" || kind === "number") && /^-[\d.]/.test(token);
}

function missing({ flag, written }: Use, next?: string): UsageError {
  const example = `${written}${flag.takes === "optional" ? "=" : " "}${flag.value}`;
  const joined =
    next === undefined || next === "--" || FLAGS.some(({ name }) => next === `--${name}`)
      ? ""
      : `; for a value that begins with "-" write ${written}=${quote(next).slice(1, -1)}`;
  const picks = flag.name === "resume" ? "; hamr chat /resume picks one" : "";
  return new UsageError(`${written} needs a value: ${example}${joined || picks}`);
}

/** The first word that is a command, for hints and for arguments that can't be parsed. */
function command_word(argv: readonly string[]): string | undefined {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).find((word) => FIRST_WORDS.includes(word));
}

function understand(taken: Taken, usual?: CommandName): Parsed {
  const asked = taken.uses.flatMap(({ flag }) => "page" in flag.into ? [flag.into.page] : []);
  if (asked.includes("help")) return page("help", taken.words[0]);
  if (asked.includes("version")) {
    const shown = taken.uses.filter(({ flag }) => target_of(flag) === "output");
    return { ...page("version"), ...read_flags(shown) };
  }
  const { command, operands } = find_command(taken, usual);
  for (const { flag, written } of taken.uses) {
    if (!flag.commands.includes(command.name)) throw not_here(written, command, flag);
  }
  // To codex it is a setting: anything else would be done with it in another session than was meant.
  const short = taken.uses.find(({ written }) => written === "-c");
  const setting = operands.find((word) => /^[a-z][\w.-]*=\S*$/.test(word));
  if (short !== undefined && setting !== undefined) {
    throw new UsageError(
      `-c is --continue here; for ${
        quote(setting)
      } there is a flag, a HAMR_* variable, or --config`,
    );
  }
  const given = read_flags(taken.uses);
  // What follows the name of a command is its arguments.
  if (given.flags.command === undefined) check_operands(command, operands, taken.uses);
  return { command: command.name, operands, ...given };
}

function page(command: "help" | "version", word?: string): Parsed {
  const operands = word !== undefined && FIRST_WORDS.includes(word) ? [word] : [];
  return { command, operands, flags: FLAG_DEFAULTS, overrides: [] };
}

function find_command(
  { words, free }: Taken,
  usual: CommandName | undefined,
): { command: Command; operands: string[] } {
  const [first, second] = words;
  if (first === undefined && usual !== undefined) {
    return { command: command_named(usual), operands: [] };
  }
  if (first === undefined || free === 0) throw new UsageError(NO_COMMAND);
  if (!FIRST_WORDS.includes(first)) {
    if (usual !== undefined && is_task(first)) {
      return { command: command_named(usual), operands: [...words] };
    }
    const ours = our_command(first);
    if (ours !== undefined) {
      throw new UsageError(`unknown command ${quote(first)}; in hamr: ${ours}`);
    }
    const near = nearest(first, FIRST_WORDS);
    const task = words.join(" ");
    const meant = /\s/.test(task) ? `hamr run ${quote(task)}, or hamr chat` : null;
    const guess = near ?? meant;
    const other = guess === null ? '; see "hamr --help"' : `; did you mean ${guess}?`;
    throw new UsageError(`unknown command ${quote(first)}${other}`);
  }
  const seconds = second_words(first);
  if (seconds.length === 0) return { command: command_named(first), operands: words.slice(1) };
  if (second === undefined) {
    return { command: command_named(GROUPED[first]?.usual ?? first), operands: [] };
  }
  if (seconds.includes(second)) {
    return { command: command_named(`${first} ${second}`), operands: words.slice(2) };
  }
  const known = seconds.map((word) => `${first} ${word}`);
  const ours = our_command(first, second);
  if (ours !== undefined) {
    throw new UsageError(`unknown command ${quote(`${first} ${second}`)}; in hamr: ${ours}`);
  }
  const near = nearest(second, seconds);
  const other = near === null ? `; use ${either(known)}` : `; did you mean ${first} ${near}?`;
  throw new UsageError(`unknown command ${quote(`${first} ${second}`)}${other}`);
}

const NO_COMMAND = 'no command: hamr run "task", or hamr alone in a terminal; see "hamr --help"';

/** Words in quotes; but whoever quotes a command with its arguments means no task. */
function is_task(text: string): boolean {
  const [word = "", ...more] = text.trim().split(/\s+/);
  return more.length > 0 && !FIRST_WORDS.includes(word);
}

function command_named(name: string): Command {
  const command = COMMANDS.find((known) => known.name === name);
  if (command === undefined) throw new TypeError(`no command ${name} in the table`);
  return command;
}

function not_here(written: string, command: Command, flag: Flag): UsageError {
  const has_task = ["run", "chat", "resume"].includes(command.name);
  const ours = has_task ? ELSEWHERE.get(written) : undefined;
  const instead = ours === undefined ? "" : `; in hamr ${command.name}: ${ours}`;
  const homes = flag.commands.slice(0, MOST_HOMES).map((name) => `hamr ${name}`);
  if (flag.commands.length > MOST_HOMES) homes.push("other commands");
  const where = `it belongs to ${either(homes)}${instead}`;
  return new UsageError(`${written} is not a flag of hamr ${command.name}; ${where}`);
}

function check_operands(command: Command, operands: readonly string[], uses: readonly Use[]): void {
  const tasks = operands.filter((operand) => operand !== "-");
  if (command.name === "run" && tasks.length > 1) {
    // Of `--verify npm test "the task"` a word became the command, and another one a task; of `--allow-write /data "the task"` the folder.
    const verify = uses.find(({ flag }) => flag.name === "verify")?.text;
    const bare = uses.find((use) => use.text === undefined && use.written.startsWith("--allow-"));
    const quotes = bare !== undefined
      ? `, and a value of ${bare.written} after a "=": ${bare.written}=${bare.flag.value}`
      : verify === undefined || /\s/.test(verify)
      ? `: hamr run ${quote(tasks.join(" "))}`
      : `, and the command of --verify, too, which is ${quote(verify)} now`;
    throw new UsageError(`run takes one task; put it in quotes${quotes}`);
  }
  const extra = operands[command.max_operands];
  if (extra !== undefined) {
    const most = command.max_operands === 0 ? "nothing" : command.operands;
    throw new UsageError(`${command.name} takes ${most}, not ${quote(extra)}`);
  }
  const { values } = command;
  const [first] = operands;
  if (values === undefined) return;
  if (first === undefined) {
    throw new UsageError(`${command.name} needs a ${command.operands}: ${either(values)}`);
  }
  if (!values.includes(first)) {
    throw new UsageError(`${command.name}: unknown ${quote(first)}; use ${either(values)}`);
  }
}

function read_flags(uses: readonly Use[]): Pick<Parsed, "flags" | "overrides"> {
  const flags: Record<string, unknown> = { ...FLAG_DEFAULTS };
  const overrides = new Map<string, Override>();
  for (const use of uses) {
    const { into } = use.flag;
    const value = value_of(use);
    // Two spellings of one thing, such as --json and --output: nobody can mean both.
    const other = uses.find(({ flag }) =>
      flag !== use.flag && target_of(flag) === target_of(use.flag)
    );
    if (other !== undefined && value_of(other) !== value) {
      const both = `${use.written} and ${other.written}`;
      throw new UsageError(`${both} contradict each other; give only one`);
    }
    if ("flag" in into) {
      const before = flags[into.flag];
      // A list adds all that it holds; a single file name may have commas in it.
      flags[into.flag] = use.flag.repeatable && Array.isArray(before)
        ? before.concat(value)
        : value;
    } else if ("setting" in into) {
      const before = use.flag.repeatable ? overrides.get(into.setting)?.value : undefined;
      const both = [before, value].includes("all")
        ? "all"
        : Array.isArray(before) && Array.isArray(value)
        ? [...before, ...value]
        : value;
      overrides.set(into.setting, { key: into.setting, value: both, where: use.written });
    }
  }
  imply_mode(overrides);
  refuse_two_sessions(uses);
  // Every value was read by the table's own rule for that name.
  return { flags: flags as unknown as Flags, overrides: [...overrides.values()] };
}

/** What a flag changes, by name: no setting is called like one of `Flags`. */
function target_of({ into }: Flag): string {
  if ("setting" in into) return into.setting;
  return "flag" in into ? into.flag : into.page;
}

function value_of(use: Use): unknown {
  const { flag, written, text } = use;
  if (text === undefined) {
    if (flag.takes === "value") throw missing(use);
    return flag.sets;
  }
  if (flag.takes === "none" || flag.reads === undefined) {
    throw new UsageError(`${written} takes no value, but got ${quote(text)}`);
  }
  if (text.trim() === "") throw missing(use);
  const found = from_text(flag.reads, text);
  if (!found.ok) {
    const ours = VALUES.get(`--${flag.name}=${text}`);
    throw new UsageError(
      `${written}: ${ours === undefined ? found.problem : `no ${quote(text)}; in hamr: ${ours}`}`,
    );
  }
  return found.value;
}

/** Only one session can go on: the newest, a named one, or a copy of one. */
function refuse_two_sessions(uses: readonly Use[]): void {
  const which = uses.filter(({ flag }) => ["continue", "resume", "fork"].includes(flag.name));
  const other = which.find(({ flag }) => flag !== which[0]?.flag);
  if (other === undefined) return;
  throw new UsageError(
    `${which[0]?.written} and ${other.written} contradict each other; give only one`,
  );
}

/** `--verify` is a way to end in success, so it brings its mode along; another mode contradicts it. */
function imply_mode(overrides: Map<string, Override>): void {
  const verify = overrides.get("verify.command");
  const mode = overrides.get("agent.mode");
  if (verify === undefined || mode?.value === "verify") return;
  if (mode !== undefined) {
    throw new UsageError(
      `--verify and --mode ${mode.value} contradict each other; --verify means --mode verify`,
    );
  }
  overrides.set("agent.mode", { key: "agent.mode", value: "verify", where: verify.where });
}
