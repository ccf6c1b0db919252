/** What the log shows under a call besides success: what an edit changed, what a command printed. */
import { first_of, last_of } from "../config/text.ts";
import { find_tool } from "../tools/declared/every_tool.ts";
import type { Done } from "../tools/tool.ts";
import { line_diff } from "./line_diff.ts";
import { COLORS_LEFT_OUT, NO_OUTPUT } from "../tools/work/shell/terminal_text.ts";

/** What is shown under a call: the lines of a diff, or the end of an output. */
export interface Detail {
  /** `diff`: each begins as `line_diff` has it, and between them stand the names of files where there is more than one. */
  readonly kind: "diff" | "output";
  /** As they are shown. */
  readonly lines: readonly string[];
  /** Lines that are not among these. */
  readonly more: number;
  /** For a `diff` of one place: the number of its first line in the file, from 1. */
  readonly line?: number;
  /** All of it, where a call does not say it by itself; for `output`, what the model gets to read. */
  readonly whole?: string;
}

/** Lines of a diff, and the last lines of what a command printed that failed (section 7 of the contract), or that went well. */
const DIFF_LINES = 20, FAILED_LINES = 10, PASSED_LINES = 5;

interface Written {
  readonly content: string;
}

interface Edit {
  readonly old: string;
  readonly new: string;
}

export function detail_of(
  { tool, args }: { tool: string; args: unknown },
  { ok, text, summary, line, around = ["", ""], replaced }: Done,
): Detail | null {
  if (tool === "bash" || tool === "background") {
    // How it ended was said, and a person misses no colors.
    const printed = text.split("\n").filter((line) =>
      line !== `[${summary}]` && !line.startsWith(`[${summary}: `) &&
      line !== `[${COLORS_LEFT_OUT}]` && line !== NO_OUTPUT
    );
    return output(printed, ok ? PASSED_LINES : FAILED_LINES);
  }
  if (!ok) return null;
  if (tool !== "edit" && replaced === undefined) {
    return tool === "write" ? null : diff_detail(planned_diff({ tool, args }));
  }
  const [before, after] = around;
  const { old, new: fresh } = replaced === undefined
    ? args as Edit
    : { old: replaced, new: (args as Written).content };
  const { lines, first } = replaced === ""
    ? { lines: added(fresh), first: 0 }
    : line_diff(`${before}${old}${after}`, `${before}${fresh}${after}`);
  const detail = diff_detail(lines);
  if (detail === null || line === undefined) return detail;
  const whole = detail.more > 0 && replaced ? { whole: lines.join("\n") } : {};
  return { ...detail, ...whole, line: line + first };
}

/** The file that a call is to change, as the model named it; of a patch none. */
export function named_file(
  { tool, args }: { tool: string; args: unknown },
): { readonly path?: string } {
  const path = find_tool(tool)?.changes === "path" ? (args as { path?: unknown }).path : null;
  return typeof path === "string" ? { path } : {};
}

/** What a call is about to change, as far as it says so itself; empty for a tool that changes no files by itself. */
export function planned_diff({ tool, args }: { tool: string; args: unknown }): readonly string[] {
  if (tool === "edit") {
    const { old, new: fresh } = args as Edit;
    return line_diff(old, fresh).lines;
  }
  switch (find_tool(tool)?.changes) {
    case "patch":
      return patched((args as { readonly input: string }).input.split("\n"));
    case "path": {
      const { path: _, ...texts } = args as Readonly<Record<string, unknown>>;
      return Object.values(texts).flatMap((text) => typeof text === "string" ? added(text) : []);
    }
    case undefined:
      return [];
  }
}

export function diff_detail(lines: readonly string[]): Detail | null {
  if (lines.length === 0) return null;
  const { shown, more } = first_of(lines, DIFF_LINES);
  return { kind: "diff", lines: shown, more };
}

function added(text: string): readonly string[] {
  return text.replace(/\n$/, "").split("\n").map((line) => `+ ${line}`);
}

/** The lines of a patch that change something, and which file, if it has several. */
function patched(lines: readonly string[]): readonly string[] {
  const files = lines.filter((line) => FILE_OF_PATCH.test(line)).length;
  return lines.flatMap((line) => {
    const [, what, path] = FILE_OF_PATCH.exec(line) ?? [];
    if (path !== undefined) return what !== "Update" || files > 1 ? [`${what} ${path}`] : [];
    return /^[-+]/.test(line) ? [`${line[0]} ${line.slice(1)}`] : [];
  });
}

const FILE_OF_PATCH = /^\*\*\* (Add|Update|Delete|Move)(?: File| to): (.+)$/;

/** The end: there the failures stand, and the hints which flag would allow what was refused. */
function output(printed: readonly string[], most: number): Detail | null {
  const lines = printed.filter((line) => line.trim() !== "");
  if (lines.length === 0) return null;
  const whole = printed.join("\n").trim();
  const { shown, more: before } = last_of(lines, most);
  // The model gets the beginning and the end of a long output, and a line that counts the rest.
  const rest = lines.map((line) => Number(/^\[… (\d+) of \d+ lines \(/.exec(line)?.[1] ?? 1));
  const more = rest.slice(0, before).reduce((sum, one) => sum + one, 0);
  return { kind: "output", lines: shown, more, whole };
}
