/** The tools that work on the machine, as they are described to the model; `work/` has what each does. `…Args`: what a call gives. */
import { plural } from "../../config/text.ts";
import { takes, TEXT_ARGUMENT, type Tool } from "../tool.ts";

/** No command is waited for longer than a day. */
export const MOST_SECONDS = 86_400;

export interface ReadArgs {
  readonly path: string;
  readonly offset?: number;
  readonly limit?: number;
  readonly search?: string;
}

/** List a folder, read a bounded range of a file, or search text below a path. */
export const read: Tool<ReadArgs> = {
  name: "read",
  description:
    "List a folder, read lines of a file (numbered `N:`), or find lines with the literal text `search` below a path.",
  parameters: takes({
    path: TEXT_ARGUMENT,
    offset: { type: "integer", minimum: 1, description: "first line, from 1" },
    limit: { type: "integer", minimum: 1, description: "number of lines" },
    search: TEXT_ARGUMENT,
  }, ["path"]),
  kind: "read",
  read_only: true,
  offered: "always",
  summary: ({ path, offset, search }) =>
    path + (offset ? `:${offset}` : "") + (search ? ` "${search}"` : ""),
};

export interface EditArgs {
  readonly path: string;
  readonly old: string;
  readonly new: string;
  readonly all?: boolean;
}

/** Exact replacement in a file. What is not replaced keeps its bytes: BOM, line endings, mode. */
const edit: Tool<EditArgs> = {
  name: "edit",
  description:
    "Replace the exact text `old` by `new` in a file. `old` must occur once; all=true replaces every occurrence.",
  parameters: takes({
    path: TEXT_ARGUMENT,
    old: TEXT_ARGUMENT,
    new: TEXT_ARGUMENT,
    all: { type: "boolean" },
  }, ["path", "old", "new"]),
  kind: "edit",
  changes: "path",
  offered: "always",
  summary: ({ path, old, new: text }) => `${path} (${line_count(old)}→${line_count(text)} lines)`,
};

export interface WriteArgs {
  readonly path: string;
  readonly content: string;
}

/** A new text file; an existing one only after it was read, so that nothing unseen is lost. */
const write: Tool<WriteArgs> = {
  name: "write",
  description: "Write a text file, creating folders. An existing file must have been read before.",
  parameters: takes({ path: TEXT_ARGUMENT, content: TEXT_ARGUMENT }),
  kind: "edit",
  changes: "path",
  offered: "always",
  summary: ({ path, content }) => `${path} (${plural(line_count(content), "line")})`,
};

export interface BashArgs {
  readonly command: string;
  /** Seconds. */
  readonly timeout?: number;
  /** It runs beside the calls. Accepted but not described, since old recordings lack it; results name it where it helps. */
  readonly background?: boolean;
}

const bash: Tool<BashArgs> = {
  name: "bash",
  description:
    "Run a shell command in the workspace. No terminal, no stdin. `timeout` in seconds. Temporary files go to $TMPDIR.",
  parameters: takes({
    command: TEXT_ARGUMENT,
    timeout: { type: "number", minimum: 1, maximum: MOST_SECONDS },
  }, ["command"]),
  kind: "execute",
  offered: "always",
  summary: ({ command, background }) => background ? `${command} (in the background)` : command,
};

export interface ViewImageArgs {
  readonly path: string;
}

export const view_image: Tool<ViewImageArgs> = {
  name: "view_image",
  description: "Look at an image file (PNG, JPEG, GIF, WebP).",
  parameters: takes({ path: TEXT_ARGUMENT }),
  kind: "read",
  read_only: true,
  offered: "by_default",
  needs: "sight",
  summary: ({ path }) => path,
};

export interface ApplyPatchArgs {
  /** From `*** Begin Patch` to `*** End Patch`. */
  readonly input: string;
  /** Its paths begin there; default: the workspace. */
  readonly workdir?: string;
}

/** Not offered: for models that were taught to change files by patches, and do so whatever they are offered. */
const apply_patch: Tool<ApplyPatchArgs> = {
  name: "apply_patch",
  description: "Change files by a patch from *** Begin Patch to *** End Patch.",
  parameters: takes({ input: TEXT_ARGUMENT, workdir: TEXT_ARGUMENT }, ["input"]),
  kind: "edit",
  changes: "patch",
  hooked_as: ["edit", "write"],
  offered: "never",
  summary: ({ input }) =>
    [...input.matchAll(/^\*\*\* (?:Add|Update|Delete) File: *(\S.*)$/gm)]
      .map(([, path = ""]) => path.trimEnd()).join(", "),
};

export interface InsertLinesArgs {
  readonly path: string;
  /** The text comes behind this line; 0: before the first. */
  readonly line: number;
  readonly text: string;
}

/** Not offered: the `insert` of the text editor that other agents taught models. */
const insert_lines: Tool<InsertLinesArgs> = {
  name: "insert_lines",
  description: "Insert text after a line of a file.",
  parameters: takes({
    path: TEXT_ARGUMENT,
    line: { type: "integer", minimum: 0 },
    text: TEXT_ARGUMENT,
  }),
  kind: "edit",
  changes: "path",
  hooked_as: ["edit"],
  offered: "never",
  summary: ({ path, line }) => `${path}:${line}`,
};

/** What a call of `bash` gives that is about a command in the background. */
export interface BackgroundArgs {
  /** What `bash` called it. */
  readonly id: string;
  readonly timeout?: number;
  readonly end?: boolean;
}

/** Not offered: what `bash` does where it is given an `id`, as the result that names the id says. */
const background: Tool<BackgroundArgs> = {
  name: "background",
  description: "Read what a background command prints next, or end it.",
  parameters: takes({
    id: TEXT_ARGUMENT,
    timeout: { type: "number", minimum: 1, maximum: MOST_SECONDS },
    end: { type: "boolean" },
  }, ["id"]),
  kind: "execute",
  part_of: "bash",
  offered: "never",
  summary: ({ id, end }) => end === true ? `end ${id}` : id,
};

function line_count(text: string): number {
  return text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
}

export const MACHINE_TOOLS: readonly Tool<unknown>[] = [
  read,
  edit,
  write,
  bash,
  view_image,
  apply_patch,
  insert_lines,
  background,
];
