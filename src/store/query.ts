/** A query of plain words: any characters, none treated as syntax. */

/** Of a query, what is looked for: a long one is a whole task, and its first words say what it is about. */
const QUERY_CHARS = 1000;
const MOST_PIECES = 24;

/** Scripts that put no space between words. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]+/gu;

export function bounded_query(query: string): string {
  return query.slice(0, QUERY_CHARS).toWellFormed().replaceAll("\0", " ");
}

/** Each once, and at most a search should take. */
export function distinct(pieces: readonly string[]): string[] {
  return [...new Set(pieces)].slice(0, MOST_PIECES);
}

/** A phrase: nothing in it is syntax. */
export function fts_phrase(piece: string): string {
  return `"${piece.replaceAll('"', '""')}"`;
}

/** The runs of characters of such scripts, each a list of them. */
export function unspaced_runs(text: string): string[][] {
  return text.match(UNSPACED)?.map((run) => [...run]) ?? [];
}

/** How well each of what was found fits, by the ids that each piece of a query has found: the fewer a piece has found, the more it says. */
export function fits_of(found: readonly (readonly number[])[]): ReadonlyMap<number, number> {
  const fits = new Map<number, number>();
  const all = new Set(found.flat()).size;
  for (const ids of found) {
    const weight = Math.log(1 + all / ids.length);
    for (const id of ids) fits.set(id, (fits.get(id) ?? 0) + weight);
  }
  return fits;
}

/** After so many days the age has taken half of what it can take, which is half of the score. */
const HALF_LIFE_DAYS = 90;
const DAY_MS = 86_400_000;

/** By how much what is new is better than what fits as well and is very old: from 2 down to 1. */
export function freshness(saved_ms: number, now_ms: number): number {
  return 1 + 0.5 ** (Math.max(0, now_ms - saved_ms) / DAY_MS / HALF_LIFE_DAYS);
}
