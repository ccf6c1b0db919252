import { text_matches } from "./replace_text.ts";

const AROUND = 2;
const MOST_SHOWN = 20;
const SHOWN_CHARS = 200;
/** A file with more lines than this is not compared: the model reads it again instead. */
const MOST_LINES = 20_000;
/** Comparisons of lines: about a second at most. */
const MOST_WORK = 20_000_000;
/** How much of a line is compared letter by letter. */
const COMPARED_CHARS = 200;
/** Less than half of one line in common is chance. */
const LEAST_SCORE = 0.5;

/** The byte order mark. */
const MARK = "\ufeff";
/** What typesetting has for ASCII's signs, and models write as those. */
const TYPESET: readonly (readonly [RegExp, string])[] = [
  [/[‘’‚‛′]/g, "'"],
  [/[“”„‟″]/g, '"'],
  [/[‐‑‒–—―−]/g, "-"],
  [/…/g, "..."],
];

/** A line with letters: without its whitespace, in plain signs, and where it stands. */
interface Squeezed {
  readonly text: string;
  /** From 0. */
  readonly at: number;
}

/** Where a text that was not found most nearly stands, with its lines as they really are. `whole`: a part of a line would not have done. */
export function nearest_passage(
  content: string,
  old: string,
  { whole = false }: { whole?: boolean } = {},
): string {
  const unnumbered = old.replace(/^ *\d+:/gm, "");
  if (
    unnumbered !== old && unnumbered.trim() !== "" && text_matches(content, unnumbered).length > 0
  ) {
    return "The line numbers of `read` are not part of the file: leave them out of old.";
  }
  const lines = content.replace(/\r?\n$/, "").split(/\r?\n/);
  if (lines.length > MOST_LINES) return "Read the file and copy the text exactly.";
  const have = squeezed(lines);
  const want = squeezed(old.split(/\r?\n/)).map(({ text }) => text);
  if (want.length === 0) return "It is only whitespace; give the lines around it too.";
  const compared = want.slice(0, Math.max(1, Math.floor(MOST_WORK / have.length)));
  const best = best_place(have, compared);
  if (best === null) return "No similar text found; read the file again.";
  const first = have[best.at]?.at ?? 0;
  const last = have[best.at + want.length - 1]?.at ?? lines.length - 1;
  const from = Math.max(0, first - AROUND);
  // The longest is what best identifies a wanted line.
  const word = (old.match(/\S+/g) ?? []).reduce((a, b) => b.length > a.length ? b : a, "");
  const shown = lines.slice(from, Math.min(last + AROUND + 1, from + MOST_SHOWN))
    .map((line, n) => `${from + n + 1}:${cut(line, word)}`).join("\n");
  const is_part = whole && want.some((text, n) => text !== have[best.at + n]?.text);
  const why = best.equal < want.length
    ? ""
    : is_part
    ? "It is only a part of a line; give whole lines. "
    : `It differs only in ${difference(old, lines, { first, last })}. `;
  return `${why}Nearest lines:\n${shown}`;
}

/** In what a text may differ from the lines where it stands but for that. */
function difference(
  old: string,
  lines: readonly string[],
  { first, last }: { first: number; last: number },
): string {
  const there = lines.slice(first, last + 1);
  // A mark counts as whitespace, and nobody sees it; the one that begins the file is in nobody's way.
  const marked = old.includes(MARK) ||
    there.some((line, n) => line.includes(MARK, first + n === 0 ? 1 : 0));
  const [sign] = [...there, old].flatMap((text) =>
    TYPESET.flatMap(([one]) => text.match(one) ?? [])
  );
  return [
    "whitespace",
    ...(marked ? ["a byte order mark (U+FEFF)"] : []),
    ...(sign === undefined ? [] : [`signs beyond ASCII, such as ${sign}`]),
  ].join(" or ");
}

/** Lines that hold more than whitespace. */
function squeezed(lines: readonly string[]): Squeezed[] {
  return lines.map((line, at) => {
    const bare = line.replace(/\s+/g, "");
    return { text: TYPESET.reduce((text, [signs, ascii]) => text.replace(signs, ascii), bare), at };
  }).filter(({ text }) => text !== "");
}

function best_place(
  have: readonly Squeezed[],
  want: readonly string[],
): { readonly at: number; readonly equal: number } | null {
  const pairs = pairs_of(want[0] ?? "");
  // Numbers are compared at once, long lines that differ in their last letter are not.
  const texts = have.map(({ text }) => text);
  const numbers = new Map([...want, ...texts].map((text, n) => [text, n]));
  const [wanted, there] = [want, texts].map((all) => all.map((text) => numbers.get(text)));
  const stands = (n: number, at: number) =>
    stands_in(want[n] ?? "", texts[at] ?? "", ends_of(n, want.length));
  const last = want.length - 1;
  let best = { at: 0, score: 0, equal: 0 };
  for (const [at, first] of texts.entries()) {
    const begins = stands(0, at);
    let equal = Number(begins) + Number(last > 0 && stands(last, at + last));
    for (let n = 1; n < last; n++) if (wanted?.[n] === there?.[at + n]) equal++;
    const score = begins ? equal : equal + 0.9 * likeness(pairs, first);
    if (score > best.score) best = { at, score, equal };
  }
  return best.score < LEAST_SCORE ? null : best;
}

/** The first wanted line may begin, and the last end, in the middle of a line of the file. */
function ends_of(n: number, count: number) {
  return { open_start: n === 0, open_end: n === count - 1 };
}

function stands_in(
  text: string,
  line: string,
  { open_start, open_end }: { open_start: boolean; open_end: boolean },
): boolean {
  if (text === line) return true;
  // A lone brace is in many lines: that means nothing.
  if (text.length < 3) return false;
  return open_start && open_end
    ? text_matches(line, text).length > 0
    : open_start
    ? line.endsWith(text)
    : open_end && line.startsWith(text);
}

function pairs_of(text: string): Set<string> {
  const pairs = new Set<string>();
  const end = Math.min(text.length, COMPARED_CHARS) - 1;
  for (let at = 0; at < end; at++) pairs.add(text.slice(at, at + 2));
  return pairs;
}

/** Share of common letter pairs (Dice), 0 to 1. */
function likeness(wanted: ReadonlySet<string>, line: string): number {
  const pairs = pairs_of(line);
  if (wanted.size === 0 || pairs.size === 0) return 0;
  let common = 0;
  for (const pair of pairs) if (wanted.has(pair)) common++;
  return (2 * common) / (wanted.size + pairs.size);
}

/** A long line is shown around what was wanted of it, as far as that can be told. */
function cut(line: string, word: string): string {
  if (line.length <= SHOWN_CHARS) return line;
  const found = text_matches(line, word)[0]?.start ?? -1;
  const from = found > SHOWN_CHARS / 2 ? found - SHOWN_CHARS / 4 : 0;
  return `${from > 0 ? "…" : ""}${line.slice(from, from + SHOWN_CHARS)}…`;
}
