/** The version of this program, as in deno.json (a test compares them). */
export const VERSION = "0.1.0";

/** The commands, for the parser, the help pages and the completions. */

/** Shells that completions exist for. */
export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

/** One command, as it stands in the table. */
interface Row {
  /** With its second word where it has one. */
  readonly name: string;
  /** One line for people. */
  readonly help: string;
  /** What follows the flags, as help shows it; absent: nothing. */
  readonly operands?: string;
  /** How many operands there may be; absent: as many as are shown, and any number with `...`. */
  readonly max_operands?: number;
  /** What an operand may be, where it is one of a few words. */
  readonly values?: readonly string[];
  /** What completes an operand. */
  readonly completes?: "file" | "session" | "topic" | "server";
  /** Flags that it takes, by their names, besides those that name it themselves (`flags.ts` and beside it). */
  readonly flags?: readonly string[];
}

/** Flags of what works in a workspace with its settings, and of what can answer in JSON. */
const PLACE = ["directory", "config"], RESULT = ["output", "json"];

/** Every command, in the order of the help page. */
const TABLE = [
  {
    name: "run",
    help: "do one task in the workspace, then exit with a verdict",
    operands: '"TASK" [-]',
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "chat",
    help: "have a conversation, one task after another; in a terminal, hamr alone does the same",
    operands: '["TASK"]',
    flags: PLACE,
  },
  {
    name: "acp",
    help: "serve editors over stdin and stdout (Agent Client Protocol); see hamr help editors",
  },
  {
    name: "resume",
    help: "continue a saved session; without an ID, the newest of this workspace",
    operands: '[ID] ["MORE"] [-]',
    completes: "session",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "review",
    help: "report what is wrong with the changes since BASE; without one, since the default branch",
    operands: "[BASE]",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "diff",
    help: "show what a session changed; without an ID, the newest of this workspace",
    operands: "[ID]",
    completes: "session",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "undo",
    help: "restore the files that a session changed, and name those that can't be",
    operands: "[ID]",
    completes: "session",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "replay",
    help: "run a saved session again, offline, and show the first byte that would differ",
    operands: "[ID]",
    completes: "session",
    flags: PLACE,
  },
  {
    name: "report",
    help: "make one page out of results (json, jsonl) or sessions",
    operands: "[FILE...|ID]",
    completes: "file",
    flags: PLACE,
  },
  {
    name: "demo",
    help: "watch a whole run on a small broken project with a scripted model; needs no setup",
    flags: RESULT,
  },
  {
    name: "sandbox",
    help: "try a command under the policy",
    operands: "-- CMD...",
    flags: PLACE,
  },
  {
    name: "doctor",
    help: "check the model, sandbox and folders, one line each",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "context",
    help: "show how large the model's window is, and how that was found",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "models",
    help: "list the model servers found, their models and windows, and the one in use",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "memory list",
    help: "list the facts for this workspace and for all workspaces, newest first",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "memory search",
    help: "search the facts by words, best match first",
    operands: "WORDS...",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "memory add",
    help: "keep a fact",
    operands: '"FACT"',
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "memory rm",
    help: "remove facts by the ids that list shows",
    operands: "ID...",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "sessions list",
    help: "list the sessions of this workspace, newest first",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "sessions show",
    help: "show the transcript of a session; without an ID, the newest",
    operands: "[ID]",
    completes: "session",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "sessions export",
    help: "print everything saved about a session as JSONL, to import elsewhere",
    operands: "[ID]",
    completes: "session",
    flags: PLACE,
  },
  {
    name: "sessions rename",
    help: "name a session, for lists, instead of its first task",
    operands: "ID NAME...",
    completes: "session",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "sessions rm",
    help: "remove sessions and everything saved about them; the start of an ID is enough",
    operands: "ID...",
    completes: "session",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "sessions import",
    help: "import an exported session; - reads standard input",
    operands: "FILE|-",
    completes: "file",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "mcp list",
    help: "list the MCP servers, and where each comes from",
    flags: [...PLACE, ...RESULT, "allow-net", "deny-net"],
  },
  {
    name: "mcp test",
    help: "start an MCP server in the sandbox, and list its tools",
    operands: "NAME",
    completes: "server",
    flags: [...PLACE, ...RESULT],
  },
  {
    name: "config path",
    help: "show which settings files are read, and where data is kept",
    flags: PLACE,
  },
  {
    name: "config show",
    help: "show every setting, its value and where it came from",
    flags: PLACE,
  },
  { name: "config init", help: "write a commented settings file to edit" },
  {
    name: "config trust",
    help: "trust the workspace's settings file until it changes",
    flags: PLACE,
  },
  {
    name: "config import",
    help: "import MCP servers, models and instructions from another agent; shows a diff first",
    operands: "NAME",
    values: ["codex", "claude", "opencode"],
    flags: PLACE,
  },
  {
    name: "completions",
    help: "print a completion script for your shell",
    operands: "SHELL",
    values: SHELLS,
  },
  { name: "version", help: "show the version", flags: RESULT },
  {
    name: "help",
    help: "show the help of a command, or a page of the manual",
    operands: "[COMMAND|TOPIC]",
    max_operands: 2,
    completes: "topic",
  },
] as const satisfies readonly Row[];

/** The name of a command, with its second word where it has one. */
export type CommandName = (typeof TABLE)[number]["name"];

export interface Command extends Row {
  readonly name: CommandName;
  readonly operands: string;
  readonly max_operands: number;
}

/** Every command, in the order of the help page. */
export const COMMANDS: readonly Command[] = TABLE.map((row: Row & Pick<Command, "name">) => {
  const { operands = "" } = row;
  const shown = operands.includes("...") ? Infinity : operands.match(/\S+/g)?.length ?? 0;
  return { ...row, operands, max_operands: row.max_operands ?? shown };
});

export const FIRST_WORDS: readonly string[] = [
  ...new Set(COMMANDS.map((command) => command.name.split(" ")[0] ?? "")),
];

/** What commands with a second word are about, and the one that is meant without. */
const GROUPED: Readonly<Record<string, { readonly help: string; readonly usual: CommandName }>> = {
  config: { help: "show the settings and where they come from", usual: "config show" },
  mcp: { help: "list and try MCP servers", usual: "mcp list" },
  memory: { help: "manage the facts remembered across sessions", usual: "memory list" },
  sessions: { help: "list, show, move and remove saved sessions", usual: "sessions list" },
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
