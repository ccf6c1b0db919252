/** What a flag is. The table of them all is in `flags.ts`. */
import type { Flags } from "../../app/flags.ts";
import { named_host } from "../../config/hosts.ts";
import { KEYS } from "../../config/keys.ts";
import { either } from "../../config/text.ts";
import type { Reads } from "../../config/value.ts";
import type { CommandName } from "./commands.ts";

export const GROUPS = {
  model: "Model",
  gates: "What counts as done",
  prompt: "What the model is told and offered",
  limits: "Limits (0 is no limit)",
  permissions: "Permissions (enforced by the kernel, for everything the model starts)",
  approvals: "Approvals (a guard against mistakes; permissions are what is enforced)",
  output: "Output",
  session: "Session",
  place: "Workspace and settings",
  help: "Help",
} as const;

/** How a value follows its flag: not at all, as `--flag VALUE` or `--flag=VALUE`, or only with `=`. */
export type Takes = "none" | "value" | "optional";

export interface Flag {
  /** Without the dashes. */
  readonly name: string;
  /** One letter, without the dash. */
  readonly short?: string;
  readonly takes: Takes;
  readonly value?: string;
  readonly reads?: Reads;
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
  readonly completes?: "file" | "folder" | "session" | "command" | "agent" | "model";
}

/** What a row of the table says besides how the flag is written and what it changes. */
type Rest =
  & Omit<Flag, "name" | "short" | "takes" | "value" | "into" | "group" | "commands">
  & Partial<Pick<Flag, "commands">>;

/** As help shows a flag: `-m, --model NAME`, `--json`, or `--read-only[=BOOL]` where a value is only taken after `=`. */
const WRITTEN = /^(?:-(\w+), )?--([a-z-]+)(?: (.+)|\[=(.+)\])?$/;
const COMPLETES: Readonly<Record<string, Flag["completes"]>> = { FILE: "file", DIR: "folder" };

function written(usage: string): Pick<Flag, "name" | "short" | "takes" | "value" | "completes"> {
  const [, short, name = "", follows, optional] = WRITTEN.exec(usage) ?? [];
  const value = follows ?? optional;
  const completes = COMPLETES[value ?? ""];
  return {
    name,
    takes: follows !== undefined ? "value" : optional !== undefined ? "optional" : "none",
    ...(short === undefined ? {} : { short }),
    ...(value === undefined ? {} : { value }),
    ...(completes === undefined ? {} : { completes }),
  };
}

/** Makes the flags of a group, which belong to these commands unless a row names others. */
export function flags_in(group: Flag["group"], commands: readonly CommandName[]) {
  return {
    /** A flag that gives a setting its value, which is read as that setting's. */
    setting(usage: string, key: string, rest: Rest): Flag {
      const reads = KEYS.get(key);
      if (reads === undefined) throw new TypeError(`${usage}: there is no setting ${key}`);
      return { group, commands, reads, ...written(usage), into: { setting: key }, ...rest };
    },
    /** Any other flag: without a value it says yes, and a file or folder is read as a path. */
    flag(usage: string, into: keyof Flags, rest: Rest): Flag {
      const { takes, completes, ...how } = written(usage);
      const more = takes !== "value" ? { sets: true } : completes && { reads: PATH, completes };
      return { group, commands, takes, ...how, ...more, into: { flag: into }, ...rest };
    },
    /** A flag that shows a page instead of doing anything. */
    page(usage: string, page: "help" | "version", rest: Rest): Flag {
      return { group, commands, ...written(usage), into: { page }, ...rest };
    },
  };
}

export function words(values: readonly string[]): Reads {
  return { kind: "enum", values, expects: either(values) };
}

export const REACH: Reads = {
  kind: "list_or_word",
  values: ["loopback"],
  expects:
    "loopback, hosts such as docs.python.org (for web_fetch alone: of what commands connect " +
    "to, the kernel sees addresses, not names), or no value for all addresses",
  fits: (text) => text === "loopback" || named_host(text) !== null,
};

export const BOOLEAN: Reads = { kind: "boolean", expects: "true or false" };
export const STEP: Reads = { kind: "integer", min: 1, expects: "the number of a step, from 1" };
/** Paths with commas between them; a file that is named may not be there. */
export const PATHS: Reads = {
  kind: "list",
  expects: "a list of paths",
  fits: (text) => text !== "" && !text.includes("\0"),
};
export const TEXT: Reads = {
  kind: "string",
  expects: "a text",
  fits: (text) => !text.includes("\0"),
};
/** The ID of a session; macOS prints capitals. */
export const UUID: Reads = {
  kind: "string",
  expects: "a UUID, as uuidgen prints it",
  fits: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
};
export const NAMES: Reads = {
  kind: "list",
  expects: "a list of names of tools",
  fits: (text) => /^[A-Za-z0-9_-]+$/.test(text),
};
export const PATH: Reads = { ...TEXT, expects: "a path" };
