/** Finds facts: by words in any form, and by parts of words, of code and of scripts without spaces. */
import type { DatabaseSync } from "./database.ts";
import { type IdRange, ids_of } from "./ids.ts";
import { bounded_query, distinct, freshness, quoted, UNSPACED, unspaced_runs } from "./query.ts";

export interface Hit {
  readonly id: number;
  readonly text: string;
  readonly saved_ms: number;
}

/** A word in more facts than this tells none apart, and ranking by it would take too long (600 ms with a million facts, measured). */
const COMMON = 1000;
/** How many go from each search into the last ranking. */
const CANDIDATES = 64;
/** Where nothing ranks, and where pieces of words are looked for: among so many of the newest facts. */
const NEWEST = 20_000;
/** For what is too short for the index: each of these is read. */
const READ = 10_000;
/** An index of three characters knows nothing shorter. */
const GRAM = 3;

interface Pieces {
  /** What is between spaces. */
  readonly words: readonly string[];
  /** Of the scripts without spaces: runs of three characters, and what is shorter. */
  readonly grams: readonly string[];
  readonly short: readonly string[];
}

/** The facts of these scopes that fit a query best, at most `limit`, best first. No character of a query is syntax. */
export function search(
  db: DatabaseSync,
  query: string,
  { scopes, limit, now_ms }: { scopes: readonly number[]; limit: number; now_ms: number },
): Hit[] {
  const pieces = pieces_of(query);
  /** How well the words of each fit, from 0 to 1. */
  const fits = new Map<number, number>();
  for (const scope of scopes) {
    const range = ids_of(scope);
    const unknown = by_words(db, pieces.words, { range, fits });
    const grams = [...pieces.grams, ...unknown.filter((word) => [...word].length >= GRAM)];
    // Letters and digits that short, in no fact as a word, would be found within half of all words.
    const is_short_sign = (word: string) => [...word].length < GRAM && /\P{ASCII}/u.test(word);
    const short = [...pieces.short, ...unknown.filter(is_short_sign)];
    if (fits.size >= limit) continue;
    const found = grams.length === 0 ? [] : newest(db, "fact_trigrams", {
      match: grams.map(quoted).join(" OR "),
      range: newest_of(db, range, NEWEST),
    });
    const read = fits.size + found.length < limit ? containing(db, short, range) : [];
    for (const id of [...found, ...read]) if (!fits.has(id)) fits.set(id, 0);
  }
  const all = [...pieces.words, ...pieces.grams, ...pieces.short].map((one) => one.toLowerCase());
  const score = ({ id, text, saved_ms }: Hit) => {
    const lower = text.toLowerCase();
    const literally = all.filter((piece) => lower.includes(piece)).length / all.length;
    return ((fits.get(id) ?? 0) + literally) * freshness(saved_ms, now_ms);
  };
  return db.prepare(
    "SELECT id, text, saved_ms FROM facts WHERE id IN (SELECT value FROM json_each(?))",
  ).all(JSON.stringify([...fits.keys()])).map(hit_of).map((hit) => ({ hit, score: score(hit) }))
    .sort((a, b) => b.score - a.score || b.hit.id - a.hit.id)
    .slice(0, limit).map(({ hit }) => hit);
}

function pieces_of(query: string): Pieces {
  const text = bounded_query(query);
  const runs = unspaced_runs(text);
  const words = text.replace(UNSPACED, " ").split(/\s+/).filter((word) => word !== "");
  const grams = runs.flatMap((run) =>
    run.slice(GRAM - 1).map((_, at) => run.slice(at, at + GRAM).join(""))
  );
  const short = runs.filter((run) => run.length < GRAM).map((run) => run.join(""));
  return { words: distinct(words), grams: distinct(grams), short: distinct(short) };
}

/** Finds what the words say, and gives back those that are in no fact as a word. */
function by_words(
  db: DatabaseSync,
  words: readonly string[],
  { range, fits }: { range: IdRange; fits: Map<number, number> },
): string[] {
  const counting = db.prepare(
    `SELECT count(*) AS n FROM (SELECT 1 FROM fact_words WHERE fact_words MATCH ?
     AND rowid BETWEEN ? AND ? LIMIT ${COMMON + 1})`,
  );
  const counted = words.map((word) => ({
    word,
    n: Number(counting.get(quoted(word), range.first, range.last)?.["n"]),
  }));
  const telling = counted.filter(({ n }) => n > 0 && n <= COMMON).map(({ word }) => quoted(word));
  const common = counted.filter(({ n }) => n > COMMON).map(({ word }) => quoted(word));
  if (telling.length > 0) {
    ranked(db, telling.join(" OR "), range).forEach(([id, fit]) => fits.set(id, fit));
  } else if (common.length > 0) {
    const recent = newest_of(db, range, NEWEST);
    const find = (match: string) => newest(db, "fact_words", { match, range: recent });
    const both = find(common.join(" AND "));
    for (const id of both.length > 0 ? both : find(common.join(" OR "))) fits.set(id, 0);
  }
  return counted.filter(({ n }) => n === 0).map(({ word }) => word);
}

/** The best by bm25, and how well each fits beside the best of them. */
function ranked(db: DatabaseSync, match: string, { first, last }: IdRange): [number, number][] {
  const rows = db.prepare(
    `SELECT rowid AS id, bm25(fact_words) AS rank FROM fact_words WHERE fact_words MATCH ?
     AND rowid BETWEEN ? AND ? ORDER BY rank LIMIT ${CANDIDATES}`,
  ).all(match, first, last);
  const best = Number(rows[0]?.["rank"]);
  return rows.map(({ id, rank }) => [Number(id), Number(rank) / best]);
}

function newest(
  db: DatabaseSync,
  index: "fact_words" | "fact_trigrams",
  { match, range: { first, last } }: { match: string; range: IdRange },
): number[] {
  return db.prepare(
    `SELECT rowid AS id FROM ${index} WHERE ${index} MATCH ?
     AND rowid BETWEEN ? AND ? ORDER BY rowid DESC LIMIT ${CANDIDATES}`,
  ).all(match, first, last).map(({ id }) => Number(id));
}

function newest_of(db: DatabaseSync, { first, last }: IdRange, count: number): IdRange {
  const row = db.prepare("SELECT max(id) AS id FROM facts WHERE id BETWEEN ? AND ?")
    .get(first, last);
  const end = BigInt(Number(row?.["id"] ?? first));
  const start = end - BigInt(count);
  return { first: start > first ? start : first, last: end };
}

/** The newest facts in which one of these stands, found by reading. */
function containing(db: DatabaseSync, pieces: readonly string[], range: IdRange): number[] {
  if (pieces.length === 0) return [];
  const { first, last } = newest_of(db, range, READ);
  const any = pieces.map(() => "instr(text, ?) > 0").join(" OR ");
  return db.prepare(
    `SELECT id FROM facts WHERE id BETWEEN ? AND ? AND (${any}) ORDER BY id DESC LIMIT ${CANDIDATES}`,
  ).all(first, last, ...pieces).map(({ id }) => Number(id));
}

export function hit_of({ id, text, saved_ms }: Readonly<Record<string, unknown>>): Hit {
  return { id: Number(id), text: String(text), saved_ms: Number(saved_ms) };
}
