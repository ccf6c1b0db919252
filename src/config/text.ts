/** Words for error messages: one line, safe on a terminal, with the nearest valid spelling. */
import { attempt, first_thrown } from "./attempt.ts";

/** Control characters, line separators, and marks that turn the direction of writing. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A value longer than this is cut in a message, so that the message stays one readable line. */
const MAX_QUOTED = 60;

/** Words longer than this are not compared: nobody mistypes them, and the comparison is quadratic. */
const MAX_COMPARED = 64;

/** Names that an error lists: nobody reads more. */
const MOST_NAMED = 40;

/** The same text with everything that could break the line, or the terminal, written as an escape. */
export function one_line(text: string): string {
  return text.replace(UNPRINTABLE, (char) => {
    if (char === "\n") return "\\n";
    if (char === "\t") return "\\t";
    if (char === "\r") return "\\r";
    return "\\u" + char.charCodeAt(0).toString(16).padStart(4, "0");
  });
}

/** The first `chars` characters (UTF-16 units, none of them half of one that takes two), and `…` where there were more. */
export function cut(text: string, chars: number): string {
  return text.length > chars ? `${text.slice(0, chars).replace(/[\ud800-\udbff]$/, "")}…` : text;
}

/** Someone else's text with tags of this name (a pattern) broken, as only hamr may use them. Models accept capitals and blanks in a tag, too. */
export function defused(text: string, name: string): string {
  return text.replaceAll(new RegExp(`<(\\s*(?:/\\s*)?)(?=(?:${name})(?![\\w-]))`, "gi"), "<$1_");
}

export function any_of(...patterns: readonly string[]): RegExp {
  return new RegExp(patterns.join("|"), "i");
}

export function message_of(thrown: unknown): string {
  const error = first_thrown(thrown);
  return error instanceof Error ? error.message : String(error);
}

/** Deno's message for a failed `fetch`, without the address that it repeats. Deno 2.9.6 says "fetch failed" and puts it in the cause. */
export function fetch_words(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = cause instanceof Error ? cause.message : String(cause);
  const words = text.replace(/^error (sending request|following redirect).*?\): (?=\S)/s, "")
    .replace(/^client error \(\w+\)(: )?/, "");
  return words || text;
}

/** Percent-decoded text; the text as it is if that is no UTF-8. */
export function uri_decoded(text: string): string {
  return attempt(() => decodeURIComponent(text), text);
}

/** A value as an error message shows it: strings in quotes and cut, tables and lists by name only. */
export function quote(value: unknown): string {
  if (typeof value === "string") return `"${one_line(cut(value, MAX_QUOTED))}"`;
  if (Array.isArray(value)) return "a list";
  if (value instanceof Date) return "a date";
  if (typeof value === "object" && value !== null) return "a table";
  return String(value);
}

/** A word without characters that are special to a shell. */
const PLAIN_WORD = /^[\p{L}\p{N}_@%+=:,./~-]+$/u;

/** `--flag=value` as it may be pasted into a shell, whoever chose the value. */
export function flag_with(flag: string, value: string): string {
  const shown = one_line(value);
  return `${flag}=${PLAIN_WORD.test(shown) ? shown : shell_quoted(shown)}`;
}

/** One word of a command, quoted if a shell would not take it literally. */
export function shell_quoted(word: string): string {
  const is_plain = PLAIN_WORD.test(word) && !word.startsWith("~");
  return is_plain ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** `a, b or c`. */
export function either(words: readonly string[]): string {
  if (words.length < 2) return words.join("");
  return `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

/** A beginning of as many letters says more than a name that is as long. */
const LEAST_BEGINNING = 3;

/** The candidate that `word` was most likely meant to be: a third of the letters wrong, a beginning, or words in order. Null if none is close. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  if (word.length === 0 || word.length > MAX_COMPARED) return null;
  const wanted = word.toLowerCase();
  const bare = wanted.replace(/^-+/, "");
  const longer = candidates.filter((candidate) => candidate.toLowerCase().startsWith(wanted));
  const shortest = longer.toSorted((a, b) => a.length - b.length)[0];
  const begins = shortest !== undefined && longer.every((one) => one.startsWith(shortest));
  if (begins && bare.length >= LEAST_BEGINNING) return shortest;
  const best = closest(Math.max(1, Math.ceil(bare.length / 3)), wanted, candidates);
  if (best !== null || begins) return best ?? shortest ?? null;
  const wordier = candidates.filter((one) => has_words(one, wanted));
  const alike = wordier.filter((one) => words_of(one)[0] === words_of(wanted)[0]);
  const [only, ...others] = alike.length > 0 ? alike : wordier;
  return others.length === 0 ? only ?? null : null;
}

/** Whether a name has all words of another one, in their order. */
function has_words(name: string, wanted: string): boolean {
  const words = words_of(wanted);
  let found = 0;
  for (const word of words_of(name)) if (word === words[found]) found++;
  return words.length > 0 && found === words.length;
}

function words_of(name: string): string[] {
  return name.toLowerCase().split(/[-_]/).filter((word) => word !== "");
}

/** The candidate that `word` is a slip of: one letter, or two from six letters on. Null if it may be a name of somebody's own. */
export function mistyped(word: string, candidates: readonly string[]): string | null {
  if (word.length === 0 || word.length > MAX_COMPARED) return null;
  return closest(word.length < 6 ? 1 : 2, word.toLowerCase(), candidates);
}

/** The nearest candidate, the first of several, at a distance of at most `limit`; null if there is none. */
function closest(limit: number, wanted: string, candidates: readonly string[]): string | null {
  let best: string | null = null;
  let best_distance = limit + 1;
  for (const candidate of candidates.filter((known) => known !== "")) {
    const found = distance(wanted, candidate.toLowerCase());
    if (found < best_distance) [best, best_distance] = [candidate, found];
  }
  return best;
}

/** The first of some names, and how many more there are. */
export function some_of(names: readonly string[], most = MOST_NAMED): string {
  const more = names.length - most;
  return more > 0 ? `${names.slice(0, most).join(", ")} and ${more} more` : names.join(", ");
}

/** `; did you mean X?`, or `otherwise` where no candidate is near. */
export function did_you_mean(word: string, candidates: readonly string[], otherwise = ""): string {
  const found = nearest(word, candidates);
  return found === null ? otherwise : `; did you mean ${found}?`;
}

/** Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbors that turn `a` into `b`. */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const line = [row];
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let best = Math.min(
        (last[column] ?? 0) + 1,
        (line[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
      );
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] &&
        a[row - 2] === b[column - 1];
      if (swapped) best = Math.min(best, (before[column - 2] ?? 0) + 1);
      line.push(best);
    }
    before = last;
    last = line;
  }
  return last[b.length] ?? 0;
}

/** Some of many lines, and how many are left out. */
interface ShownLines {
  readonly shown: readonly string[];
  readonly more: number;
}

/** The first lines where `most` are enough. */
export function first_of(lines: readonly string[], most: number): ShownLines {
  const count = shown_of(lines.length, most);
  return { shown: lines.slice(0, count), more: lines.length - count };
}

export function last_of(lines: readonly string[], most: number): ShownLines {
  const count = shown_of(lines.length, most);
  return { shown: lines.slice(lines.length - count), more: lines.length - count };
}

/** A mark in place of a single line would take the room that it needs. */
function shown_of(count: number, most: number): number {
  return count === most + 1 ? count : Math.min(count, most);
}

export function by_name(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : 1;
}

/** `1 step`, `2 steps`. */
export function plural(count: number, word: string, words = `${word}s`): string {
  return `${count} ${count === 1 ? word : words}`;
}

/** Replaces a word wherever it is not part of a longer one. */
export function with_word_replaced(
  text: string,
  { from, to }: { readonly from: string; readonly to: string },
): string {
  return text.replace(new RegExp(`(?<![A-Za-z0-9])${RegExp.escape(from)}(?![A-Za-z0-9])`, "g"), to);
}

/** Length of the common prefix of two texts, in characters (UTF-16 units). */
export function shared_start(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
