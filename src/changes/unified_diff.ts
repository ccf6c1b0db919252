import { same_bytes } from "../config/bytes.ts";
import { from_bytes } from "../config/encoding.ts";
import type { StructuredPatchHunk } from "diff";

export interface Version {
  readonly mode: number;
  /** Null if the content is not known. */
  readonly bytes: Uint8Array | null;
}

/** Both sides of a change; null if there was no file. */
export interface Sides {
  readonly before: Version | null;
  readonly after: Version | null;
}

export interface FileDiff {
  readonly added: number;
  readonly removed: number;
  /** Whole lines, in the form that `git apply` takes. */
  readonly text: string;
}

/** Unchanged lines around a change, as everybody shows them. */
const CONTEXT = 3;
/** A diff of more edits than this is a rewrite, shown as all lines out and all lines in: 1,000 take 40 ms. */
const MOST_EDITS = 1000;

const FILE_TYPE = 0o170000;
const LINK = 0o120000;

/** The change of one file, its lines compared for `ms` or up to so many edits, else shown as a rewrite. Binary or unknown: only the fact, or what `binary` gives. */
export async function unified_diff(
  path: string,
  change: Sides & {
    readonly ms?: number;
    readonly edits?: number;
    readonly binary?: (before: Version | null, after: Version | null) => Promise<string>;
  },
): Promise<FileDiff> {
  const { before, after, binary } = change;
  // A file that became a link: for git one goes and another comes.
  if (before !== null && after !== null && (before.mode & FILE_TYPE) !== (after.mode & FILE_TYPE)) {
    const gone = await unified_diff(path, { ...change, after: null });
    const made = await unified_diff(path, { ...change, before: null });
    return { text: gone.text + made.text, added: made.added, removed: gone.removed };
  }
  const head = header(path, change);
  if (binary !== undefined) {
    return { text: head + await binary(before, after), added: 0, removed: 0 };
  }
  const [old, now] = texts_of(before, after);
  if (old === "unknown" || now === "unknown") return note(head, NOT_COMPARED);
  if (old === "binary" || now === "binary") return note(head, BINARY);
  const hunks = await hunks_of(old.lines, now.lines, change);
  if (hunks.length === 0) {
    const is_same = before === null || after === null ||
      same_bytes(before.bytes ?? [], after.bytes ?? []);
    return is_same ? { text: head, added: 0, removed: 0 } : note(head, BINARY);
  }
  const lines = hunks.flatMap((hunk) => hunk.lines);
  return {
    text: head + names(path, change) + hunks.map(hunk_text).join(""),
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}

export function without_content(path: string, sides: Sides, why: string): string {
  return note(header(path, sides), why).text;
}

const BINARY = "Binary files differ";
const NOT_COMPARED = "[not compared: too large, or its earlier content is not known]";

function note(head: string, words: string): FileDiff {
  return { text: `${head}${words}\n`, added: 0, removed: 0 };
}

function header(path: string, { before, after }: Sides): string {
  // Links have no rights of their own; what the system says of them is of no use to git.
  const octal = ({ mode }: Version) => ((mode & FILE_TYPE) === LINK ? LINK : mode).toString(8);
  const lines = [`diff --git ${quoted(`a/${path}`)} ${quoted(`b/${path}`)}`];
  if (before === null && after !== null) lines.push(`new file mode ${octal(after)}`);
  if (before !== null && after === null) lines.push(`deleted file mode ${octal(before)}`);
  if (before !== null && after !== null && before.mode !== after.mode) {
    lines.push(`old mode ${octal(before)}`, `new mode ${octal(after)}`);
  }
  return `${lines.join("\n")}\n`;
}

function names(path: string, { before, after }: Sides): string {
  // A name with a space ends in a tab, or else what follows it could be taken for a date.
  const end = path.includes(" ") ? "\t" : "";
  const old = before === null ? "/dev/null" : quoted(`a/${path}`) + end;
  const now = after === null ? "/dev/null" : quoted(`b/${path}`) + end;
  return `--- ${old}\n+++ ${now}\n`;
}

/** A name as git writes it: in quotes where it could be taken for something else. */
function quoted(name: string): string {
  const odd = /[\x00-\x1f\x7f"\\]/g;
  if (name.search(odd) < 0) return name;
  const escaped = name.replace(odd, (char) => {
    if (char === '"' || char === "\\") return `\\${char}`;
    return `\\${char.charCodeAt(0).toString(8).padStart(3, "0")}`;
  });
  return `"${escaped}"`;
}

type Lines = { readonly lines: readonly string[] } | "binary" | "unknown";

/** Both sides as text of one encoding: in two, the same text would be no change. */
function texts_of(before: Version | null, after: Version | null): readonly [Lines, Lines] {
  const read = [before, after].map((one) => one?.bytes ? from_bytes(one.bytes) : null);
  const one_byte = read.some((one) => one?.encoding === "Windows-1252") &&
    [before, after].every((side, at) => !side?.bytes || is_one_byte(read[at] ?? null));
  const of = (version: Version | null, at: number): Lines => {
    if (version === null) return { lines: [] };
    if (version.bytes === null) return "unknown";
    if (version.bytes.includes(0)) return "binary";
    const known = read[at];
    const text = known && (known.encoding === "UTF-8" || one_byte)
      ? known.text
      : new TextDecoder("utf-8", { ignoreBOM: true }).decode(version.bytes);
    return { lines: text.match(/[^\n]*\n|[^\n]+$/g) ?? [] };
  };
  return [of(before, 0), of(after, 1)];
}

/** Whether a text is, or could as well be, in an encoding of one byte a character. */
function is_one_byte(read: ReturnType<typeof from_bytes>): boolean {
  return read !== null && (read.encoding === "Windows-1252" || /^[\0-\x7f]*$/.test(read.text));
}

/** How many lines both begin with, and how many of the others both end with. */
export function shared_ends(
  old: readonly string[],
  now: readonly string[],
): { readonly start: number; readonly tail: number } {
  const most = Math.min(old.length, now.length);
  let start = 0, tail = 0;
  while (start < most && old[start] === now[start]) start++;
  while (tail < most - start && old.at(-1 - tail) === now.at(-1 - tail)) tail++;
  return { start, tail };
}

/** The places that differ. Only what lies between the lines that both begin and end with is compared. */
async function hunks_of(
  old: readonly string[],
  now: readonly string[],
  { ms = Infinity, edits = MOST_EDITS }: { readonly ms?: number; readonly edits?: number },
): Promise<readonly StructuredPatchHunk[]> {
  const { start, tail } = shared_ends(old, now);
  if (start === old.length && start === now.length) return [];
  const out = old.slice(start, old.length - tail);
  const into = now.slice(start, now.length - tail);
  const from = Math.max(0, start - CONTEXT);
  const lead = old.slice(from, start);
  const trail = old.slice(old.length - tail, old.length - tail + CONTEXT);

  const shared = new Set(out);
  // Most changes replace some lines in one place: then there is nothing to search for.
  if (into.some((line) => shared.has(line))) {
    const { structuredPatch } = await import("diff");
    const window = [out, into].map((lines) => [...lead, ...lines, ...trail].join(""));
    const patch = structuredPatch("", "", window[0]!, window[1]!, "", "", {
      context: CONTEXT,
      maxEditLength: edits,
      timeout: ms,
    });
    if (patch !== undefined) {
      return patch.hunks.map((hunk) => ({
        ...hunk,
        oldStart: hunk.oldStart + from,
        newStart: hunk.newStart + from,
      }));
    }
  }
  const around = lead.length + trail.length;
  return [{
    oldStart: from + 1,
    newStart: from + 1,
    oldLines: around + out.length,
    newLines: around + into.length,
    lines: [...marked(" ", lead), ...marked("-", out), ...marked("+", into), ...marked(" ", trail)],
  }];
}

function marked(sign: string, lines: readonly string[]): string[] {
  return lines.flatMap((line) =>
    line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, "\\ No newline at end of file"]
  );
}

function hunk_text({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): string {
  // For an empty side, the line before it is named.
  const range = (start: number, count: number) => `${count === 0 ? start - 1 : start},${count}`;
  return `@@ -${range(oldStart, oldLines)} +${range(newStart, newLines)} @@\n${lines.join("\n")}\n`;
}
