/** Patches as codex taught them: `*** Begin Patch` to `*** End Patch` (codex-rs/apply-patch/src/parser.rs); harmless mistakes are accepted. */
import { ToolFailure } from "../../failure.ts";

export interface Hunk {
  /** Lines under which it stands, the outermost first: what comes after `@@`. */
  readonly below: readonly string[];
  /** Lines as they are: context and what goes. */
  readonly old: readonly string[];
  /** Lines as they are to be: context and what comes. */
  readonly new: readonly string[];
  /** Which of `new` are context, by the number of the line in `old`; null for one that comes. */
  readonly kept: readonly (number | null)[];
  readonly at_end: boolean;
}

export type Section =
  | { readonly kind: "add"; readonly path: string; readonly lines: readonly string[] }
  | { readonly kind: "delete"; readonly path: string }
  | {
    readonly kind: "update";
    readonly path: string;
    readonly to: string | null;
    readonly hunks: readonly Hunk[];
  };

const BEGIN = /^\*\*\* Begin Patch\s*$/;
const END = /^\*\*\* End Patch\s*$/;
/** Of a line without the blanks at its end. */
const SECTION = /^\*\*\* (Add|Update|Delete) File: *(\S.*)$/;
const MOVE = /^\*\*\* Move to: *(\S.*)$/;
const END_OF_FILE = /^\*\*\* End of File\s*$/;
/** The numbers of a unified diff are not needed; what they stand for is found by its lines. */
const NUMBERS = /^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@/;
/** A patch of more files is not a patch that a model has written by itself. */
const MOST_FILES = 100;

/** The sections of a patch. Throws `ToolFailure` with the line that cannot be read. */
export function parse_patch(text: string): readonly Section[] {
  const lines = text.trim().split(/\r?\n/);
  if (!BEGIN.test(lines[0] ?? "")) throw wrong("it does not begin with *** Begin Patch");
  if (!END.test(lines.at(-1) ?? "")) throw wrong("it does not end with *** End Patch");
  const sections: Section[] = [];
  const last = lines.length - 1;
  for (let at = 1; at < last;) {
    const line = lines[at] ?? "";
    const [, kind, path = ""] = SECTION.exec(line.trimEnd()) ?? [];
    if (kind === undefined) {
      if (line.trim() !== "") throw wrong(`${says(line, at)} does not begin a file section`);
      at++;
      continue;
    }
    let end = at + 1;
    while (end < last && !SECTION.test((lines[end] ?? "").trimEnd())) end++;
    sections.push(section(kind, path, { body: lines.slice(at + 1, end), at: at + 1 }));
    at = end;
  }
  if (sections.length === 0) throw wrong("it names no file");
  if (sections.length > MOST_FILES) throw wrong(`it has more than ${MOST_FILES} files`);
  return sections;
}

function section(
  kind: string,
  path: string,
  { body, at }: { body: readonly string[]; at: number },
): Section {
  switch (kind) {
    case "Delete": {
      const more = body.find((line) => line.trim() !== "");
      if (more !== undefined) throw wrong(`"${more}" follows *** Delete File: ${path}`);
      return { kind: "delete", path };
    }
    case "Add": {
      const odd = body.findIndex((line) => !line.startsWith("+") && line.trim() !== "");
      if (odd >= 0) {
        throw wrong(`${says(body[odd] ?? "", at + odd)} must begin with +, like all of a new file`);
      }
      // Blank lines at the end are between sections.
      const end = body.findLastIndex((line) => line.startsWith("+")) + 1;
      return { kind: "add", path, lines: body.slice(0, end).map((line) => line.slice(1)) };
    }
    default: {
      const to = MOVE.exec((body[0] ?? "").trimEnd())?.[1] ?? null;
      const rest = to === null ? body : body.slice(1);
      const hunks = hunks_of(rest, to === null ? at : at + 1);
      if (hunks.length === 0 && to === null) {
        throw wrong(`*** Update File: ${path} changes nothing`);
      }
      return { kind: "update", path, to, hunks };
    }
  }
}

function hunks_of(body: readonly string[], from: number): readonly Hunk[] {
  const hunks: Hunk[] = [];
  let below: string[] = [];
  let lines: string[] = [];
  let at_end = false;
  const close = () => {
    // A blank line at the end of a hunk is between it and what follows.
    while (lines.at(-1) === "") lines.pop();
    if (lines.length > 0) hunks.push(hunk(lines, { below, at_end }));
    else if (below.length > 0 && hunks.length === 0) return;
    [below, lines, at_end] = [lines.length > 0 ? [] : below, [], false];
  };
  for (const [n, line] of body.entries()) {
    if (line.startsWith("@@")) {
      close();
      const context = line.replace(NUMBERS, "").replace(/^@@ ?/, "").replace(/ @@$/, "");
      if (context.trim() !== "" && !NUMBERS.test(line)) below.push(context);
    } else if (END_OF_FILE.test(line)) {
      at_end = true;
      close();
    } else if (line === "" || /^[ +-]/.test(line)) {
      lines.push(line);
    } else throw wrong(`${says(line, from + n)} does not begin with a space, + or -`);
  }
  close();
  return hunks;
}

function hunk(lines: readonly string[], { below, at_end }: Pick<Hunk, "below" | "at_end">): Hunk {
  const old: string[] = [], fresh: string[] = [], kept: (number | null)[] = [];
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith("+")) {
      fresh.push(text);
      kept.push(null);
      continue;
    }
    if (!line.startsWith("-")) {
      fresh.push(text);
      kept.push(old.length);
    }
    old.push(text);
  }
  return { below, old, new: fresh, kept, at_end };
}

function says(line: string, at: number): string {
  return `line ${at + 1} ("${line.slice(0, 80)}")`;
}

function wrong(why: string): ToolFailure {
  return new ToolFailure(`the patch can't be read, nothing was changed: ${why}`);
}
