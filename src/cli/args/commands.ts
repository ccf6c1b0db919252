/** The version of this program, as in deno.json (a test compares them). */
export const VERSION = "0.1.0";

/** The commands, for the parser, the help pages and the completions. */

export const SHELLS = ["bash", "zsh", "fish", "powershell"] as const;

export interface Command {
  readonly name: CommandName;
  readonly operands: string;
  readonly help: string;
  /** Flags that it takes, by their names, besides those that name it themselves (`flags.ts` and beside it). */
  readonly flags: readonly string[];
  /** How many operands there may be; if the table does not say: as many as are shown, and any number with `...`. */
  readonly max_operands: number;
  /** What an operand may be, where it is one of a few words. */
  readonly values?: readonly string[];
  readonly completes?: "file" | "session" | "topic" | "server";
}

type Row = readonly [
  name: string,
  operands: string,
  help: string,
  flags: readonly string[],
  more?: Partial<Pick<Command, "max_operands" | "values" | "completes">>,
];

/** Flags of what works in a workspace with its settings, and of what can answer in JSON. */
const PLACE = ["directory", "config"], RESULT = ["output", "json"], BOTH = [...PLACE, ...RESULT];

const TABLE = [
  ["run", '"TASK" [-]', "do one task in the workspace, then exit with a verdict", BOTH],
  [
    "chat",
    '["TASK"]',
    "have a conversation, one task after another; in a terminal, hamr alone does the same",
    PLACE,
  ],
  [
    "acp",
    "",
    "serve editors over stdin and stdout (Agent Client Protocol); see hamr help editors",
    [],
  ],
  [
    "resume",
    '[ID] ["MORE"] [-]',
    "continue a saved session; without an ID, the newest of this workspace",
    BOTH,
    { completes: "session" },
  ],
  [
    "review",
    "[BASE]",
    "report what is wrong with the changes since BASE; without one, since the default branch",
    BOTH,
  ],
  [
    "diff",
    "[ID]",
    "show what a session changed; without an ID, the newest of this workspace",
    BOTH,
    { completes: "session" },
  ],
  ["undo", "[ID]", "restore the files that a session changed, and name those that can't be", BOTH, {
    completes: "session",
  }],
  [
    "replay",
    "[ID]",
    "run a saved session again, offline, and show the first byte that would differ",
    PLACE,
    { completes: "session" },
  ],
  ["report", "[FILE...|ID]", "make one page out of results (json, jsonl) or sessions", PLACE, {
    completes: "file",
  }],
  [
    "demo",
    "",
    "watch a whole run on a small broken project with a scripted model; needs no setup",
    RESULT,
  ],
  ["sandbox", "-- CMD...", "try a command under the policy", PLACE],
  ["doctor", "", "check the model, sandbox and folders, one line each", BOTH],
  ["context", "", "show how large the model's window is, and how that was found", BOTH],
  [
    "models",
    "",
    "list the model servers found, their models and windows, and the one in use",
    BOTH,
  ],
  [
    "memory list",
    "",
    "list the facts for this workspace and for all workspaces, newest first",
    BOTH,
  ],
  ["memory search", "WORDS...", "search the facts by words, best match first", BOTH],
  ["memory add", '"FACT"', "keep a fact", BOTH],
  ["memory rm", "ID...", "remove facts by the ids that list shows", BOTH],
  ["sessions list", "", "list the sessions of this workspace, newest first", BOTH],
  ["sessions show", "[ID]", "show the transcript of a session; without an ID, the newest", BOTH, {
    completes: "session",
  }],
  [
    "sessions export",
    "[ID]",
    "print everything saved about a session as JSONL, to import elsewhere",
    PLACE,
    { completes: "session" },
  ],
  ["sessions rename", "ID NAME...", "name a session, for lists, instead of its first task", BOTH, {
    completes: "session",
  }],
  [
    "sessions rm",
    "ID...",
    "remove sessions and everything saved about them; the start of an ID is enough",
    BOTH,
    { completes: "session" },
  ],
  ["sessions import", "FILE|-", "import an exported session; - reads standard input", BOTH, {
    completes: "file",
  }],
  ["mcp list", "", "list the MCP servers, and where each comes from", [
    ...BOTH,
    "allow-net",
    "deny-net",
  ]],
  ["mcp test", "NAME", "start an MCP server in the sandbox, and list its tools", BOTH, {
    completes: "server",
  }],
  ["config path", "", "show which settings files are read, and where data is kept", PLACE],
  ["config show", "", "show every setting, its value and where it came from", PLACE],
  ["config init", "", "write a commented settings file to edit", []],
  ["config trust", "", "trust the workspace's settings file until it changes", PLACE],
  [
    "config import",
    "NAME",
    "import MCP servers, models and instructions from another agent; shows a diff first",
    PLACE,
    { values: ["codex", "claude", "opencode"] },
  ],
  ["completions", "SHELL", "print a completion script for your shell", [], { values: SHELLS }],
  ["version", "", "show the version", RESULT],
  ["help", "[COMMAND|TOPIC]", "show the help of a command, or a page of the manual", [], {
    max_operands: 2,
    completes: "topic",
  }],
] as const satisfies readonly Row[];

/** The name of a command, with its second word where it has one. */
export type CommandName = (typeof TABLE)[number][0];

export const COMMANDS: readonly Command[] = TABLE.map(([name, operands, help, flags, more]) => {
  const shown = operands.includes("...") ? Infinity : operands.match(/\S+/g)?.length ?? 0;
  return { name, operands, help, flags, max_operands: shown, ...more };
});

export const FIRST_WORDS: readonly string[] = [
  ...new Set(COMMANDS.map((command) => command.name.split(" ")[0] ?? "")),
];

interface Group {
  readonly help: string;
  readonly usual: CommandName;
}

/** The first words of commands with two: each has its row, or it could not stand alone. */
type GroupName<Name = CommandName> = Name extends `${infer Word} ${string}` ? Word : never;

/** What commands with a second word are about, and the one that is meant without. */
export const GROUPED: Readonly<Record<string, Group>> = {
  config: { help: "show the settings and where they come from", usual: "config show" },
  mcp: { help: "list and try MCP servers", usual: "mcp list" },
  memory: { help: "manage the facts remembered across sessions", usual: "memory list" },
  sessions: { help: "list, show, move and remove saved sessions", usual: "sessions list" },
} satisfies Record<GroupName, Group>;

/** The second words a first word has; empty for most. */
export function second_words(word: string): string[] {
  return COMMANDS.map((command) => command.name.split(" "))
    .flatMap(([first, second]) => first === word && second !== undefined ? [second] : []);
}
