/** A query of plain words: any characters, none treated as syntax. */

/** Of a query, what is looked for: a long one is a whole task, and its first words say what it is about. */
const QUERY_CHARS = 1000;
const MOST_PIECES = 24;

/** Scripts that put no space between words. */
export const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}ー]+/gu;

/** The part of a query that is looked for. */
export function bounded(query: string): string {
  return query.slice(0, QUERY_CHARS).toWellFormed().replaceAll("\0", " ");
}

/** Each once, and at most a search should take. */
export function distinct(pieces: readonly string[]): string[] {
  return [...new Set(pieces)].slice(0, MOST_PIECES);
}

/** A phrase: nothing in it is syntax. */
export function quoted(piece: string): string {
  return `"${piece.replaceAll('"', '""')}"`;
}
