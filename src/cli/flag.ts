/** What a flag is, and the flags that are no settings. The table of them all is in `flags.ts`. */
import { KEYS } from "../config/keys.ts";
import { either } from "../config/text.ts";
import type { Reads } from "../config/value.ts";
import type { CommandName } from "./commands.ts";

/** The flags that are no settings, with their defaults filled in. */
export interface Flags {
  readonly output: "text" | "json" | "jsonl";
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** `-o`: the answer goes to this file, too. */
  readonly answer_file?: string;
  /** Write the log to this file, a JSON object a line. */
  readonly log_file?: string;
  readonly no_color: boolean;
  /** False: partial ends in 0 instead of 2. */
  readonly exit_code_on_partial: boolean;
  readonly sandbox: "auto" | "off";
  /** `--read-only`: nothing can write the workspace. Absent: not said. */
  readonly read_only?: boolean;
  /** `--rubric`: as given on the way in, the text itself once `run` has read it. */
  readonly rubric?: string;
  /** Nothing is changed: what would have been done is listed. */
  readonly dry_run: boolean;
  /** Lines of standard input are messages to the run. */
  readonly steer: boolean;
  /** `--resume`: the id of a session, or its beginning. */
  readonly resume?: string;
  /** The newest session of the workspace goes on. */
  readonly continue: boolean;
  /** `--step`: of a session, to show or put back what it did. */
  readonly step?: number;
  /** Put back even what somebody else has changed. */
  readonly force: boolean;
  /** `--tools` of `replay`: what they said is read from the recording, or they work in a copy of the workspace. */
  readonly tools: "recorded" | "real";
  /** Facts that hold everywhere, instead of those of the workspace. */
  readonly global: boolean;
  /** Sessions of all workspaces, instead of one. */
  readonly all: boolean;
  /** What cannot be undone is done without a question. */
  readonly yes: boolean;
  /** `sessions export`: what a bug report needs, without secrets. */
  readonly bundle: boolean;
  /** `--deny-read`: on top of what the settings deny. */
  readonly deny_read: readonly string[];
  /** `--add-dir`: folders to work in besides the workspace, as given. */
  readonly add_dir: readonly string[];
  /** `-C`, as given. `workspace_dir` makes it a real path. */
  readonly directory?: string;
  /** `--image`: files that the first message shows, as given. */
  readonly images: readonly string[];
  /** `--config`, as given. */
  readonly config?: string;
}

/** What the flags are when none is given. */
export const FLAG_DEFAULTS: Flags = {
  output: "text",
  quiet: false,
  verbose: false,
  no_color: false,
  exit_code_on_partial: true,
  sandbox: "auto",
  dry_run: false,
  steer: false,
  continue: false,
  force: false,
  tools: "recorded",
  global: false,
  all: false,
  yes: false,
  bundle: false,
  deny_read: [],
  add_dir: [],
  images: [],
};

/** Headings of the help page, in its order. */
export const GROUPS = {
  model: "Model",
  gates: "What counts as done",
  limits: "Limits (0 is no limit)",
  permissions: "Permissions (enforced by the kernel, for everything the model starts)",
  approvals: "Approvals (a guard against mistakes; what holds is the permissions)",
  output: "Output",
  session: "Session",
  place: "Workspace and settings",
  help: "Help",
} as const;

/** How a value follows its flag: not at all, as `--flag VALUE` or `--flag=VALUE`, or only with `=`. */
export type Takes = "none" | "value" | "optional";

/** One flag. */
export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  /** One letter, without the dash. */
  readonly short?: string;
  readonly takes: Takes;
  /** What help calls the value. */
  readonly value?: string;
  /** How a value is read and checked. */
  readonly reads?: Reads;
  /** What the flag means without a value. */
  readonly sets?: unknown;
  /** What it changes: a setting by its dotted name, or one of `Flags`, or it asks for help. */
  readonly into:
    | { readonly setting: string }
    | { readonly flag: keyof Flags }
    | { readonly page: "help" | "version" };
  /** Whether values of several uses add up; else the last one counts. */
  readonly repeatable?: true;
  readonly help: string;
  /** `help` says what holds without the flag; the setting's default is not added to it. */
  readonly tells_default?: true;
  readonly group: keyof typeof GROUPS;
  readonly commands: readonly CommandName[];
  /** What kind of file name completes the value. */
  readonly completes?: "file" | "folder";
}

/** A flag that gives a setting its value: how the value is read is the setting's own business. */
export function setting(name: string, key: string, rest: Rest & { sets?: unknown }): Flag {
  const reads = KEYS.get(key);
  if (reads === undefined) throw new TypeError(`--${name}: there is no setting ${key}`);
  const takes = "value" in rest ? "value" : "none";
  return { takes, ...rest, name, reads, into: { setting: key } };
}

type Rest =
  & Pick<Flag, "help" | "group" | "commands">
  & Partial<
    Pick<Flag, "value" | "takes" | "repeatable" | "short" | "tells_default" | "completes">
  >;

/** One of a few words. */
export function words(values: readonly string[]): Reads {
  return { kind: "enum", values, expects: either(values) };
}

/** Of `--allow-net`: a host's name is refused with the reason. */
export const LOOPBACK: Reads = {
  kind: "enum",
  values: ["loopback"],
  expects: "loopback, or left out for all addresses (the kernel sees addresses and no names: a " +
    "single host can't be allowed)",
};

/** For flags that are no settings. */
export const BOOLEAN: Reads = { kind: "boolean", expects: "true or false" };
/** The number of a step. */
export const STEP: Reads = { kind: "integer", min: 1, expects: "the number of a step, from 1" };
/** Paths with commas between them; a file that is named may not be there. */
export const PATHS: Reads = {
  kind: "list",
  expects: "a list of paths",
  fits: (text) => text !== "" && !text.includes("\0"),
};
/** Any text. */
export const TEXT: Reads = {
  kind: "string",
  expects: "a text",
  fits: (text) => !text.includes("\0"),
};
/** One path. */
export const PATH: Reads = {
  kind: "string",
  expects: "a path",
  fits: (text) => !text.includes("\0"),
};
