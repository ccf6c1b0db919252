/** The index that finds sessions: every word of a session once, so that it stays small. */
import type { StatementSync } from "node:sqlite";
import type { DatabaseSync } from "./database.ts";
import { UNSPACED } from "./query.ts";
import { WORDS_ROWS } from "./session_schema.ts";

/** What is longer is not a word that anybody looks for, but data. */
const LONGEST = 40;

const IS_PLAIN = /^[\0-\x7f]*$/;

/** So much of a text is looked at once: the words of a long one, all of them at a time, take twenty times its own memory. */
const BLOCK_CHARS = 8192;
/** How far back from the end of a block a place between two words is looked for. */
const CUT_CHARS = 1024;

/** The words of a text in its order, as they are indexed; of scripts without spaces, each two neighbors. */
export function* words_of(text: string): Generator<string> {
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = end_of_block(text, at);
    yield* words_in(text.slice(at, end));
  }
}

/** Where a block that begins at a place ends: before what is in no word, if there is such a place near. */
function end_of_block(text: string, from: number): number {
  const most = from + BLOCK_CHARS;
  if (most >= text.length) return text.length;
  const near = text.slice(most - CUT_CHARS, most);
  const gap = near.search(/[\0-\x20!-/:-@[-`{-\x7f、。][^\0-\x20!-/:-@[-`{-\x7f、。]*$/);
  return gap < 0 ? most : most - CUT_CHARS + gap;
}

export function words_in(text: string): string[] {
  // Tables of all letters take 1 ms to make, and most sessions are plain.
  if (IS_PLAIN.test(text)) {
    return text.toLowerCase().split(/[^a-z0-9]+/)
      .filter((word) => word !== "" && word.length <= LONGEST);
  }
  const spaced = text.toWellFormed().replace(UNSPACED, (run) => ` ${pairs(run).join(" ")} `);
  return spaced.toLowerCase().split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== "" && word.length <= LONGEST);
}

/** Each two neighbors, and the last one alone: all but it can be found as the beginning of a pair. */
function pairs(run: string): string[] {
  const chars = [...run];
  return chars.map((char, at) => char + (chars[at + 1] ?? ""));
}

export class WordIndex {
  readonly #known = new Set<string>();
  #insert: StatementSync | null = null;

  constructor(private readonly db: DatabaseSync, private readonly session: number) {}

  /** Adds the words of the nth message that no message before has. Part of the transaction that adds the message. */
  add(nth: number, text: string): void {
    if (nth >= WORDS_ROWS) return;
    const fresh = new Set<string>();
    for (const word of words_of(text)) if (!this.#known.has(word)) fresh.add(word);
    if (fresh.size === 0) return;
    this.#insert ??= this.db.prepare("INSERT INTO session_words (rowid, text) VALUES (?, ?)");
    const joined = [...fresh].join(" ");
    this.#insert.run(words_id(this.session, nth), joined);
    // Out of what was joined: a word out of the text would keep all of the text.
    for (const word of joined.split(" ")) this.#known.add(word);
  }

  /** The transaction came to nothing: what it added may be missing. A word that is added twice does no harm. */
  forget(): void {
    this.#known.clear();
  }
}

/** The id that the words of a session's nth message have in the index; 0: before all of them. */
export function words_id(session: number, nth: number): bigint {
  return BigInt(session) * BigInt(WORDS_ROWS) + BigInt(nth);
}
