/** Finds facts: by words in any form, and by parts of words, of code and of scripts without spaces. */
import type { DatabaseSync } from "./database.ts";
import { type IdRange, ids_of } from "./ids.ts";
import {
  bounded_query,
  distinct,
  fits_of,
  freshness,
  fts_phrase,
  UNSPACED,
  unspaced_runs,
} from "./query.ts";

export interface Hit {
  readonly id: number;
  readonly text: string;
  readonly saved_ms: number;
}

/** Of a word that more facts have, the newest count: it tells few apart, and there may be a million. */
const COMMON = 2000;
/** How many of those that have the most of a query are ranked. */
const CANDIDATES = 64;
/** Pieces of words, of which the index has long lists, are looked for among so many of the newest facts. */
const NEWEST = 20_000;
/** An index of three characters knows nothing shorter. */
const GRAM = 3;

/** The facts of these scopes that fit a query best, at most `limit`, best first. No character of a query is syntax. */
export function search(
  db: DatabaseSync,
  query: string,
  { scopes, limit, now_ms }: { scopes: readonly number[]; limit: number; now_ms: number },
): Hit[] {
  const text = bounded_query(query);
  const words = text.replace(UNSPACED, " ").split(/\s+/).filter((word) => word !== "");
  const runs = unspaced_runs(text);
  const grams = runs.flatMap((run) =>
    run.slice(GRAM - 1).map((_, at) => run.slice(at, at + GRAM).join(""))
  );
  const short = runs.filter((run) => run.length < GRAM).map((run) => run.join(""));
  const found = scopes.flatMap((scope) => {
    const range = ids_of(scope);
    const recent = newest_of(db, range);
    const by_gram = (piece: string) => having(db, "fact_trigrams", { piece, range: recent });
    const by_reading = (piece: string) => containing(db, piece, recent);
    const by_word = (word: string) => {
      const ids = having(db, "fact_words", { piece: word, range });
      if (ids.length > 0) return ids;
      if ([...word].length >= GRAM) return by_gram(word);
      // Letters and digits that short would be found within half of all words.
      return /\P{ASCII}/u.test(word) ? by_reading(word) : [];
    };
    return [
      ...distinct(words).map(by_word),
      ...distinct(grams).map(by_gram),
      ...distinct(short).map(by_reading),
    ];
  });
  const fits = fits_of(found);
  const best = [...fits].sort(([a, fit], [b, other]) => other - fit || b - a)
    .slice(0, limit + CANDIDATES).map(([id]) => id);
  const score = ({ id, saved_ms }: Hit) => (fits.get(id) ?? 0) * freshness(saved_ms, now_ms);
  return db.prepare(
    "SELECT id, text, saved_ms FROM facts WHERE id IN (SELECT value FROM json_each(?))",
  ).all(JSON.stringify(best)).map(hit_of)
    .sort((a, b) => score(b) - score(a) || b.id - a.id).slice(0, limit);
}

function having(
  db: DatabaseSync,
  index: "fact_words" | "fact_trigrams",
  { piece, range: { first, last } }: { piece: string; range: IdRange },
): number[] {
  return db.prepare(
    `SELECT rowid AS id FROM ${index} WHERE ${index} MATCH ?
     AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ${COMMON}`,
  ).all(fts_phrase(piece), first, last).map(({ id }) => Number(id));
}

function newest_of(db: DatabaseSync, { first, last }: IdRange): IdRange {
  const row = db.prepare("SELECT max(id) AS id FROM facts WHERE id BETWEEN ? AND ?")
    .get(first, last);
  const end = BigInt(Number(row?.["id"] ?? first));
  const start = end - BigInt(NEWEST);
  return { first: start > first ? start : first, last: end };
}

/** The facts in which a piece stands, found by reading: it is too short for the index. */
function containing(db: DatabaseSync, piece: string, { first, last }: IdRange): number[] {
  return db.prepare("SELECT id FROM facts WHERE id BETWEEN ? AND ? AND instr(text, ?) > 0")
    .all(first, last, piece).map(({ id }) => Number(id));
}

export function hit_of({ id, text, saved_ms }: Readonly<Record<string, unknown>>): Hit {
  return { id: Number(id), text: String(text), saved_ms: Number(saved_ms) };
}
