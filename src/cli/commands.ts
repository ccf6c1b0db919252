/** The version of this program, as in deno.json (a test compares them). */
export const VERSION = "0.1.0";

/** The commands, for the parser, the help pages and the completions. */

/** A command, with its second word where it has one. */
export type CommandName =
  | "run"
  | "resume"
  | "diff"
  | "undo"
  | "replay"
  | "demo"
  | "sandbox"
  | "doctor"
  | "context"
  | "memory list"
  | "memory search"
  | "memory add"
  | "memory rm"
  | "sessions list"
  | "sessions show"
  | "sessions export"
  | "sessions rm"
  | "sessions import"
  | "config path"
  | "config show"
  | "config init"
  | "config trust"
  | "completions"
  | "help"
  | "version";

/** Shells that completions exist for. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** One command. */
export interface Command {
  readonly name: CommandName;
  /** One line for people. */
  readonly help: string;
  /** What follows the flags, as help shows it. */
  readonly operands: string;
  /** How many operands there may be. */
  readonly max_operands: number;
  /** What an operand may be, where it is one of a few words. */
  readonly values?: readonly string[];
}

/** Every command, in the order of the help page. */
export const COMMANDS: readonly Command[] = [
  {
    name: "run",
    help: "do one task in the workspace, then exit with a verdict",
    operands: '"TASK" [-]',
    max_operands: 2,
  },
  {
    name: "resume",
    help: "go on with a saved session, the newest of the workspace unless an ID is given",
    operands: '[ID] ["MORE"] [-]',
    max_operands: 3,
  },
  {
    name: "diff",
    help: "show what a session changed, the newest of the workspace unless an ID is given",
    operands: "[ID]",
    max_operands: 1,
  },
  {
    name: "undo",
    help: "put back what a session changed, file by file, and say what can't be",
    operands: "[ID]",
    max_operands: 1,
  },
  {
    name: "replay",
    help: "run a saved session again, offline, and show the first byte that would differ",
    operands: "[ID]",
    max_operands: 1,
  },
  {
    name: "demo",
    help: "watch a whole run on a small broken project; the model is scripted, nothing is needed",
    operands: "",
    max_operands: 0,
  },
  {
    name: "sandbox",
    help: "run a command under the policy, to try it",
    operands: "-- CMD...",
    max_operands: Infinity,
  },
  {
    name: "doctor",
    help: "check model, sandbox and folders, a line each",
    operands: "",
    max_operands: 0,
  },
  {
    name: "context",
    help: "how large the model's window is, and how that was found",
    operands: "",
    max_operands: 0,
  },
  {
    name: "memory list",
    help: "the facts kept for this workspace and for all, the newest first",
    operands: "",
    max_operands: 0,
  },
  {
    name: "memory search",
    help: "the facts that fit some words, the best first",
    operands: "WORDS...",
    max_operands: Infinity,
  },
  {
    name: "memory add",
    help: "keep a fact",
    operands: '"FACT"',
    max_operands: 1,
  },
  {
    name: "memory rm",
    help: "remove facts by their ids, as list shows them",
    operands: "ID...",
    max_operands: Infinity,
  },
  {
    name: "sessions list",
    help: "what was run in this workspace, the newest first",
    operands: "",
    max_operands: 0,
  },
  {
    name: "sessions show",
    help: "what was said and done in a session; without an id, in the newest",
    operands: "[ID]",
    max_operands: 1,
  },
  {
    name: "sessions export",
    help: "print all that is saved of a session as JSONL, to be imported elsewhere",
    operands: "[ID]",
    max_operands: 1,
  },
  {
    name: "sessions rm",
    help: "remove sessions with all that is saved of them, by the beginnings of their ids",
    operands: "ID...",
    max_operands: Infinity,
  },
  {
    name: "sessions import",
    help: "take in a session that was exported; -: from standard input",
    operands: "FILE|-",
    max_operands: 1,
  },
  {
    name: "config path",
    help: "which files of settings are read, and where data is kept",
    operands: "",
    max_operands: 0,
  },
  {
    name: "config show",
    help: "every setting, its value and where that came from",
    operands: "",
    max_operands: 0,
  },
  {
    name: "config init",
    help: "write a commented file of settings, to edit",
    operands: "",
    max_operands: 0,
  },
  {
    name: "config trust",
    help: "let all that the workspace's file of settings says count, until it changes",
    operands: "",
    max_operands: 0,
  },
  {
    name: "completions",
    help: "print a completion script for your shell",
    operands: "SHELL",
    max_operands: 1,
    values: SHELLS,
  },
  { name: "help", help: "show the help of a command", operands: "[COMMAND]", max_operands: 2 },
];

/** The first words of all commands. */
export const WORDS: readonly string[] = [
  ...new Set(COMMANDS.map((command) => command.name.split(" ")[0] ?? "")),
];

/** What commands with a second word are about, and the one that is meant without. */
const GROUPED: Readonly<Record<string, { readonly help: string; readonly usual: CommandName }>> = {
  config: { help: "what the settings are, and where they come from", usual: "config show" },
  memory: { help: "facts kept from one session to the next", usual: "memory list" },
  sessions: { help: "what was run, and what is saved of it", usual: "sessions list" },
};

/** What a first word with second words is about; undefined for others. */
export function group_help(word: string): string | undefined {
  return GROUPED[word]?.help;
}

/** The command that a first word means by itself. */
export function usual_command(word: string): string {
  return GROUPED[word]?.usual ?? word;
}

/** The second words a first word has; empty for most. */
export function second_words(word: string): string[] {
  return COMMANDS.map((command) => command.name.split(" "))
    .flatMap(([first, second]) => first === word && second !== undefined ? [second] : []);
}
