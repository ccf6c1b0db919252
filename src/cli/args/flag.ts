/** What a flag is. The table of them all is in `flags.ts`. */
import type { Flags } from "../../app/flags.ts";
import { named_host } from "../../config/hosts.ts";
import { KEYS } from "../../config/keys.ts";
import { either } from "../../config/text.ts";
import type { Reads } from "../../config/value.ts";
import type { CommandName } from "./commands.ts";

/** Headings of the help page, in its order. */
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
  /** What completes the value. */
  readonly completes?: "file" | "folder" | "session" | "command" | "agent" | "model";
}

/** All of it but where it goes: with a `value` it takes one. */
type Rest = Omit<Flag, "name" | "takes" | "into"> & Partial<Pick<Flag, "takes">>;

/** A flag that gives a setting its value: how the value is read is the setting's own business. */
export function setting(name: string, key: string, rest: Rest): Flag {
  const reads = KEYS.get(key);
  if (reads === undefined) throw new TypeError(`--${name}: there is no setting ${key}`);
  const takes = rest.value === undefined ? "none" : "value";
  return { takes, ...rest, name, reads, into: { setting: key } };
}

/** A flag that is no setting: without a `value` it says yes. */
export function flag(name: string, into: keyof Flags, rest: Rest): Flag {
  const how = rest.value === undefined
    ? { takes: "none", sets: true } as const
    : { takes: "value" } as const;
  return { ...how, ...rest, name, into: { flag: into } };
}

/** One of a few words. */
export function words(values: readonly string[]): Reads {
  return { kind: "enum", values, expects: either(values) };
}

/** Of `--allow-net`. */
export const REACH: Reads = {
  kind: "list_or_word",
  values: ["loopback"],
  expects:
    "loopback, hosts such as docs.python.org (for web_fetch alone: of what commands connect " +
    "to, the kernel sees addresses, not names), or no value for all addresses",
  fits: (text) => text === "loopback" || named_host(text) !== null,
};

/** For flags that are not settings. */
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
/** The ID of a session; macOS prints capitals. */
export const UUID: Reads = {
  kind: "string",
  expects: "a UUID, as uuidgen prints it",
  fits: (text) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text),
};
/** Names of tools. */
export const NAMES: Reads = {
  kind: "list",
  expects: "a list of names of tools",
  fits: (text) => /^[A-Za-z0-9_-]+$/.test(text),
};
/** One path. */
export const PATH: Reads = {
  kind: "string",
  expects: "a path",
  fits: (text) => !text.includes("\0"),
};
