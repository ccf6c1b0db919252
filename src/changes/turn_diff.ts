/** What calls changed, as reported to programs and people. */
import { one_line, some_of } from "../config/text.ts";
import type { Changes } from "./changes.ts";
import type { Gaps } from "./look_types.ts";
import { type FileDiff, type Sides, unified_diff, without_content } from "./unified_diff.ts";

/** How a file differs from before the first change by a call. */
export interface FileChange {
  /** Relative where it is in the workspace. */
  readonly path: string;
  /** What became of it. */
  readonly status: "added" | "modified" | "deleted";
  /** Lines; 0 if a side is binary or was too large to keep. */
  readonly added: number;
  /** Likewise. */
  readonly removed: number;
}

export interface RunChanges extends Gaps {
  readonly files: readonly FileChange[];
}

export interface TurnDiff {
  readonly step: number;
  /** Against the state before the step. */
  readonly files: readonly FileChange[];
  /** Unified; cut at a line where it is long, with a last line that says what was left out. */
  readonly diff: string;
}

/** Named of what can't be looked at. */
const MOST_NAMES = 5;
/** A longer diff is not read in a log, and events are kept. */
const DIFF_BYTES = 64 * 1024;
/** How much is compared of a step, and of a run: the edits of each file squared, of which 1,000 take 40 ms, and its lines. By a clock the numbers would depend on what else the machine does. */
const STEP_WORK = 2.5e6, ALL_WORK = 125e6, OF_A_LINE = 40;
/** A file with more is shown as rewritten, and so is what is left when the work is done. */
const MOST_EDITS = 1000;

/** What calls have changed since this was last asked; null if nothing is different. `shows`: what may be shown. */
export async function turn_diff(
  step: number,
  changes: Pick<Changes, "take">,
  shows: (path: string) => boolean,
): Promise<TurnDiff | null> {
  const files: FileChange[] = [];
  let text = "";
  let [lines, bytes] = [0, 0];
  const leave_out = (rest: Uint8Array) => {
    bytes += rest.length;
    lines += lines_in(rest);
  };
  const compare = comparing(STEP_WORK);
  for (const { path, ...sides } of changes.take()) {
    const diff = await compare(path, sides);
    files.push({ path, status: status_of(sides), added: diff.added, removed: diff.removed });
    // What the model may not read does not go into logs either.
    const shown = shows(path) ? diff.text : without_content(path, sides, "[not shown]");
    if (text.length <= DIFF_BYTES) text += shown;
    else leave_out(new TextEncoder().encode(shown));
  }
  if (files.length === 0) return null;
  const all = new TextEncoder().encode(text);
  if (all.length <= DIFF_BYTES) return { step, files, diff: text };
  const end = all.subarray(0, DIFF_BYTES).lastIndexOf(NEWLINE) + 1;
  leave_out(all.subarray(end));
  const rest = `[left out: ${lines} more lines, ${bytes} bytes]\n`;
  return { step, files, diff: new TextDecoder().decode(all.subarray(0, end)) + rest };
}

const NEWLINE = 10;

function lines_in(bytes: Uint8Array | null | undefined): number {
  let lines = 0;
  for (let at = -1; (at = bytes?.indexOf(NEWLINE, at + 1) ?? -1) >= 0;) lines++;
  return lines;
}

/** What may be missing among the changes of a run, in sentences for the person. */
export function not_listed({ overflow, closed, lost, unnamed }: Gaps): readonly string[] {
  return [
    ...(overflow
      ? ["the workspace has more files than hamr can watch; changes to the others are not listed"]
      : []),
    ...(closed.length > 0
      ? [`hamr can't look at ${names(closed)}: changes there are not listed`]
      : []),
    ...(lost.length > 0
      ? [`hamr undo can't put back what ${names(lost)} held: that is not known`]
      : []),
    ...(unnamed.length > 0
      ? [
        `changes to ${
          names(unnamed)
        } are not listed, and hamr undo leaves them: the name is not UTF-8`,
      ]
      : []),
  ];
}

/** That a patch does not make the same of all files, for the person. */
export function not_in_patch(paths: readonly string[]): string {
  return `changes.patch leaves out ${
    names(paths)
  }: too large, not to be shown, or their earlier content is not known`;
}

function names(paths: readonly string[]): string {
  return some_of(paths.map(one_line), MOST_NAMES);
}

/** The files that calls of the run have changed, and that are not as before. */
export async function changed_files(changes: Changes): Promise<readonly FileChange[]> {
  const files: FileChange[] = [];
  const compare = comparing(ALL_WORK);
  for (const path of changes.net()) {
    const sides = changes.sides(path);
    const { added, removed } = await compare(path, sides);
    files.push({ path, status: status_of(sides), added, removed });
  }
  return files;
}

export interface DiffOptions {
  readonly chars: number;
  readonly sides: (path: string) => Sides;
  readonly shown: (path: string) => boolean;
}

/** The unified diff of all `files` in about `chars` characters: long diffs are cut in favor of short ones, and say so. Each file is named. */
export async function whole_diff(
  files: readonly FileChange[],
  options: DiffOptions,
): Promise<string> {
  const compare = comparing(ALL_WORK);
  const parts: { head: string; body: string }[] = [];
  for (const { path, status } of files) {
    const sides = options.sides(path);
    const body = options.shown(path)
      ? (await compare(path, sides)).text
      : without_content(path, sides, "[its content is not shown]");
    // A line break in a name would make a line of the diff.
    parts.push({ head: `${status} ${path.replace(/\p{Cc}/gu, "?")}`, body });
  }
  let left = options.chars - parts.reduce((sum, { head }) => sum + head.length + 1, 0);
  const shortest_first = parts.toSorted((a, b) => a.body.length - b.body.length);
  for (const [at, part] of shortest_first.entries()) {
    part.body = cut_to(part.body, Math.max(0, Math.floor(left / (parts.length - at))));
    left -= part.body.length;
  }
  return parts.map(({ head, body }) => `${head}\n${body}`).join("").replace(/\n$/, "");
}

function cut_to(text: string, chars: number): string {
  const whole = text.endsWith("\n") ? text : `${text}\n`;
  if (whole.length <= chars) return whole;
  return `${whole.slice(0, whole.lastIndexOf("\n", chars) + 1)}[cut here]\n`;
}

export function status_of({ before, after }: Sides): FileChange["status"] {
  return before === null ? "added" : after === null ? "deleted" : "modified";
}

/** Compares the lines of one file after the other, with so much work in all. */
function comparing(work: number): (path: string, sides: Sides) => Promise<FileDiff> {
  let left = work;
  return async (path, sides) => {
    const lines = [sides.before, sides.after].reduce((sum, one) => sum + lines_in(one?.bytes), 0);
    left -= lines * OF_A_LINE;
    const edits = Math.min(MOST_EDITS, Math.floor(Math.sqrt(Math.max(0, left))));
    const diff = await unified_diff(path, { ...sides, edits });
    left -= Math.min(diff.added + diff.removed, edits) ** 2;
    return diff;
  };
}
