/** Translates a call from the tools of another agent that the model has learned. Pure: the tools look at the disk. */
import { json } from "../../config/json.ts";
import { MOST_SECONDS } from "../declared/machine_tools.ts";
import { find_tool } from "../declared/every_tool.ts";
import type { Tool } from "../tool.ts";
import { command_line_of, patch_in, run_in } from "./command.ts";
import { call_kind_of, counts_milliseconds, tool_of_kind } from "./names.ts";
import { sense_of } from "./parameters.ts";

type Arguments = Readonly<Record<string, unknown>>;

type Understood =
  | {
    readonly kind: "call";
    readonly name: string;
    readonly args: Arguments;
    /** What was understood in a way that the model has to know, a line each. */
    readonly notes: readonly string[];
  }
  /** `name`: the tool that was meant. */
  | { readonly kind: "fault"; readonly name: string; readonly text: string };

/** What a call means; null if no tool has such a name. Our own tools and arguments come before those of other agents. */
export function understand(name: string, given: Arguments): Understood | null {
  const own = find_tool(name);
  const kind = own?.name ?? call_kind_of(name);
  if (kind === undefined) return null;
  const tool = own ?? find_tool(tool_of_kind(kind));
  if (tool === undefined) return null;
  const sorted = sort(given, { kind, tool, own: own !== undefined });
  if (typeof sorted === "string") return { kind: "fault", name: tool.name, text: sorted };
  const { words, notes } = sorted;
  const meant = BUILD[kind]?.(words, name) ?? { args: words };
  if (typeof meant === "string") return { kind: "fault", name: tool.name, text: meant };
  const { args, tool: to = tool.name, notes: more = [] } = meant;
  const called = find_tool(to) ?? tool;
  return { kind: "call", name: to, args: filled(args, called), notes: [...notes, ...more] };
}

/** The arguments without empty ones: small models fill optional arguments with empty strings, and none of our tools takes one there. */
function filled(args: Arguments, { parameters: { required } }: Tool<unknown>): Arguments {
  const is_filled = ([name, value]: readonly [string, unknown]) =>
    value !== "" || required.includes(name);
  return Object.fromEntries(Object.entries(args).filter(is_filled));
}

/** The arguments by our words for them; what is wrong with them, where anything is. */
function sort(
  given: Arguments,
  { kind, tool, own }: { kind: string; tool: Tool<unknown>; own: boolean },
): { readonly words: Record<string, unknown>; readonly notes: readonly string[] } | string {
  const is_own = (word: string) => own && Object.hasOwn(tool.parameters.properties, word);
  const words = Object.fromEntries(Object.entries(given).filter(([word]) => is_own(word)));
  const left_out: string[] = [];
  const unknown: string[] = [];
  for (const [word, value] of Object.entries(given)) {
    if (is_own(word)) continue;
    const sense = sense_of(kind, word);
    if (sense.kind !== "ours") {
      if (asks_nothing(value)) continue;
      if (sense.kind === "left_out") left_out.push(word);
      if (sense.kind === "unknown") unknown.push(word);
      continue;
    }
    // An empty text may be what a file is to hold, and an empty list all that is left to do.
    const is_empty_list = Array.isArray(value) && tool.parameters.required.includes(sense.name);
    if (asks_nothing(value) && value !== "" && value !== false && !is_empty_list) continue;
    const before = words[sense.name];
    if (before !== undefined && String(before) !== String(value)) {
      return `"${word}" and another argument both give ${sense.name}; give only one`;
    }
    words[sense.name] = value;
  }
  if (unknown.length > 0) {
    return `${tool.name} takes no ${quoted(unknown)}; it takes ${taken(tool)}`;
  }
  const notes = left_out.length === 0
    ? []
    : [`${tool.name} takes no ${quoted(left_out)}: ignored; it takes ${taken(tool)}`];
  return { words, notes };
}

function asks_nothing(value: unknown): boolean {
  return value === null || value === undefined || value === false || value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0);
}

function quoted(words: readonly string[]): string {
  return words.map((word) => JSON.stringify(word.slice(0, 60))).join(" or ");
}

function taken({ parameters }: Tool<unknown>): string {
  return Object.keys(parameters.properties).join(", ");
}

/** A call that has been put together; `tool` where it is another one than the kind's own. */
interface Built {
  readonly args: Arguments;
  readonly tool?: string;
  readonly notes?: readonly string[];
}

type Build = (words: Record<string, unknown>, name: string) => Built | string;

/** How a call of each kind is put together; for any other, what it says are the arguments. */
const BUILD: Readonly<Record<string, Build>> = {
  ...{ read: read_call, grep, glob, edit, multi_edit, editor, bash: shell, apply_patch: patch },
  clarify,
  list: ({ path: given, recursive }) => {
    const path = given || ".";
    const below_it = recursive === true && typeof path === "string";
    return { args: { path: below_it ? joined(path, "**") : path } };
  },
  end_background: (words) => ({ args: { ...words, end: true } }),
  todo: (words) => ({ args: { ...words, items: items_of(words["items"]) } }),
};

function read_call(
  { offset, limit, end, range, ...words }: Record<string, unknown>,
): Built | string {
  const lines = wanted_lines({ offset, limit, end, range });
  if (lines === null) return "the last line is before the first one";
  const everywhere = words["path"] === undefined && words["search"] !== undefined;
  return { args: { ...words, ...lines, ...(everywhere ? { path: "." } : {}) } };
}

function grep(
  { path: given, files: wanted, insensitive, sensitive, search, ...words }: Record<string, unknown>,
): Built | string {
  if (typeof search !== "string") return "a search needs the text or pattern to look for";
  const path = given || ".";
  const files = pattern_of(wanted || "");
  if (files === null || typeof path !== "string") return "a file pattern and a path must be text";
  const any_case = insensitive === true || sensitive === false;
  return {
    args: {
      path: files === "" ? path : below(path, files),
      search: any_case ? `(?i:${search})` : search,
      ...words,
    },
  };
}

function glob({ path: folder, pattern: given, ...words }: Record<string, unknown>): Built | string {
  const path = folder || ".";
  const pattern = pattern_of(given);
  if (pattern === null || typeof path !== "string") {
    return "a search for files needs their pattern, as text";
  }
  // A name alone is looked for everywhere: as a path it would be read.
  const wild = /[*?[{]/.test(pattern);
  return { args: { path: wild ? joined(path, pattern) : below(path, pattern), ...words } };
}

/** A pattern of files, or several as one; null for what is neither. */
function pattern_of(given: unknown): string | null {
  if (!Array.isArray(given)) return typeof given === "string" ? given : null;
  if (given.length === 0 || given.some((one) => typeof one !== "string")) return null;
  return given.length === 1 ? given[0] : `{${given.join(",")}}`;
}

function below(folder: string, pattern: string): string {
  return joined(folder, pattern.includes("/") ? pattern : `**/${pattern}`);
}

function joined(folder: string, pattern: string): string {
  return folder === "." || pattern.startsWith("/")
    ? pattern
    : `${folder.replace(/\/$/, "")}/${pattern}`;
}

function edit({ expected, ...words }: Record<string, unknown>, name: string): Built {
  const { path, old, new: text, all } = words;
  // With other agents an empty text to be replaced makes a file.
  if (old === "" && name !== "edit") return { tool: "write", args: { path, content: text } };
  const several = (number(expected) ?? 1) > 1;
  return { args: several && all === undefined ? { ...words, all: true } : words };
}

function multi_edit({ path, edits: given, ...words }: Record<string, unknown>): Built | string {
  const edits: unknown = typeof given === "string" ? json(given) ?? given : given;
  const [first] = Array.isArray(edits) ? edits : [];
  if (!Array.isArray(edits) || edits.length !== 1 || typeof first !== "object" || first === null) {
    return "edit makes one replacement a call: call it once for each";
  }
  const meant = understand("Edit", { ...words, ...first, path });
  if (meant === null || meant.kind === "fault") return meant?.text ?? "";
  return { args: meant.args, tool: meant.name };
}

/** One question, whichever way it is wrapped; choices by their labels. */
function clarify({ questions, ...words }: Record<string, unknown>): Built | string {
  if (questions !== undefined) {
    const [first] = Array.isArray(questions) ? questions : [];
    if (!Array.isArray(questions) || questions.length !== 1 || typeof first !== "object") {
      return "clarify asks one question a call: call it once for each";
    }
    const { question, options, choices = options } = first ?? {};
    return clarify({ ...words, question, ...(choices === undefined ? {} : { choices }) });
  }
  const { choices, ...rest } = words;
  if (!Array.isArray(choices)) return { args: words };
  const labels = choices.map((one) => one?.label ?? one?.text ?? one);
  return { args: { ...rest, ...(labels.length > 0 ? { choices: labels } : {}) } };
}

/** The text editor whose `command` says what it is to do. */
function editor(
  { command, path, content, old, new: text, line, range, ...words }: Record<string, unknown>,
): Built | string {
  switch (command) {
    case "view":
    case "open": {
      const built = read_call({ ...words, path, range });
      return typeof built === "string" ? built : { ...built, tool: "read" };
    }
    case "create":
    case "write":
      return { tool: "write", args: { ...words, path, content: content ?? text ?? "" } };
    case "str_replace":
    case "replace":
      return { tool: "edit", args: { ...words, path, old, new: text ?? "" } };
    case "insert":
      return { tool: "insert_lines", args: { path, line: number(line) ?? line, text } };
    default:
      return `there is no command ${JSON.stringify(command)}; read, edit and write do the same`;
  }
}

function shell(
  { command: given, timeout, milliseconds, workdir, background, id, end, ...words }: Record<
    string,
    unknown
  >,
  name: string,
): Built | string {
  // A command in the background is read on or ended.
  if (id !== undefined && id !== "") {
    if (given !== undefined && given !== "") {
      return "a call has a command, or the id of one that runs already";
    }
    const { args, notes } = limit_of({ timeout, milliseconds }, name);
    return { tool: "background", args: { id, ...(end === true ? { end } : {}), ...args }, notes };
  }
  const list = Array.isArray(given) && given.every((word) => typeof word === "string");
  const [program, patch] = list ? given : [];
  const command = list ? command_line_of(given) : given;
  const folder = typeof workdir === "string" && workdir !== "" ? workdir : ".";
  const applied = list && given.length === 2 && /^apply_?patch$/.test(String(program))
    ? { input: patch }
    : typeof command === "string"
    ? patch_in(command)
    : null;
  if (applied !== null) {
    return {
      tool: "apply_patch",
      args: { ...(folder === "." ? {} : { workdir: folder }), ...applied },
    };
  }
  const limit = limit_of({ timeout, milliseconds }, name);
  return {
    args: {
      ...words,
      command: typeof command === "string" ? run_in(folder, command) : command,
      ...(background === true ? { background } : {}),
      ...limit.args,
    },
    notes: limit.notes,
  };
}

/** Milliseconds if longer than a day; and a second and more, if an agent counts in them or it is a round thousand but no hours (30000, not 36000). */
const in_milliseconds = (limit: number, name: string): boolean =>
  limit > MOST_SECONDS || (limit >= 1000 && counts_milliseconds(name)) ||
  (limit >= 10_000 && limit % 1000 === 0 && limit % 3600 !== 0);

function limit_of(
  { timeout, milliseconds }: Arguments,
  name: string,
): { readonly args: Arguments; readonly notes: readonly string[] } {
  const limit = number(timeout);
  const ms = number(milliseconds) ??
    (limit !== undefined && in_milliseconds(limit, name) ? limit : undefined);
  if (ms === undefined || ms === 0) {
    return { args: timeout === undefined ? {} : { timeout }, notes: [] };
  }
  const seconds = Math.min(Math.max(1, Math.ceil(ms / 1000)), MOST_SECONDS);
  const notes = milliseconds === undefined
    ? [`a timeout of ${ms} was taken as ${seconds} s: bash counts in seconds`]
    : [];
  return { args: { timeout: seconds }, notes };
}

function patch({ input: given, workdir }: Record<string, unknown>): Built {
  const input = Array.isArray(given) ? given.at(-1) : given;
  // A patch inside the command that would apply it.
  const applied = typeof input === "string" ? patch_in(input) : null;
  return { args: { ...(workdir === undefined ? {} : { workdir }), ...(applied ?? { input }) } };
}

const STATUSES: Readonly<Record<string, string>> = {
  not_started: "pending",
  todo: "pending",
  open: "pending",
  "in-progress": "in_progress",
  doing: "in_progress",
  done: "completed",
  complete: "completed",
  cancelled: "completed",
};

function items_of(given: unknown): unknown {
  const items = typeof given === "string" ? json(given) ?? given : given;
  if (!Array.isArray(items)) return given;
  return items.map((item: unknown) => {
    if (typeof item === "string") return { text: item, status: "pending" };
    if (typeof item !== "object" || item === null) return item;
    const { text, content, step, title, description, task, status } = item as Record<
      string,
      unknown
    >;
    const state = STATUSES[String(status)] ?? status ?? "pending";
    return { text: text ?? content ?? step ?? title ?? description ?? task, status: state };
  });
}

interface LineRange {
  readonly offset?: unknown;
  readonly limit?: unknown;
}

/** Line numbers in words: "12-20", "12:20", "12,20", "L12-L20". */
const RANGE = /^(?:\[\s*)?L?(\d+)\s*[-:,]\s*L?(-?\d+)(?:\s*\])?$/i;

/** The lines that a call's words ask for; null if the words contradict each other. */
function wanted_lines(
  { offset, limit, end, range }: Readonly<Record<string, unknown>>,
): LineRange | null {
  if (range !== undefined) return from_range(range, { offset });
  const start = number(offset);
  const last = number(end);
  // Line 0, of agents that count from there.
  const first = start === 0 ? 1 : start;
  if (last === undefined) return given({ offset: first ?? offset, limit });
  // To the end; 0, of models that fill what they may leave out.
  if (last === -1 || last === 0) return given({ offset: first, limit });
  const count = last - (first ?? 1) + 1;
  return count < 1 ? null : given({ offset: first, limit: number(limit) ?? count });
}

function from_range(range: unknown, { offset }: Pick<LineRange, "offset">): LineRange | null {
  const text = typeof range === "string" ? RANGE.exec(range.trim())?.slice(1) : undefined;
  const [first, last] = Array.isArray(range) ? range : text ?? [];
  // "lines": 50 is how many.
  if (first === undefined) return given({ offset, limit: number(range) ?? range });
  return wanted_lines({ offset: number(first), end: number(last) });
}

function given(lines: LineRange): LineRange {
  return Object.fromEntries(Object.entries(lines).filter(([, value]) => value !== undefined));
}

/** A number, also one in quotes. */
function number(value: unknown): number | undefined {
  if (typeof value === "number") return value;
  return typeof value === "string" && /^\s*-?\d+(?:\.\d+)?\s*$/.test(value)
    ? Number(value)
    : undefined;
}
