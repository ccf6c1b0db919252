/** The index that finds sessions, by the words of what the user and the model say. */
import type { StatementSync } from "node:sqlite";
import type { DatabaseSync } from "./database.ts";
import { row_id } from "./ids.ts";
import { UNSPACED } from "./query.ts";

/** Anything this long is data, not a word that someone looks for. */
const DATA = /[\w+/=-]{100,}/g;

/** What adds the words of a session's nth message, as part of the transaction that adds the message. */
export function word_index(
  db: DatabaseSync,
  session: number,
): (nth: number, text: string) => void {
  let insert: StatementSync | null = null;
  return (nth, text) => {
    if (text === "") return;
    insert ??= db.prepare("INSERT INTO session_words (rowid, text) VALUES (?, ?)");
    // Of a run without spaces each two neighbors, and the last one alone: all but it can be found as the beginning of a pair.
    const words = text.toWellFormed().replace(DATA, " ")
      .replace(UNSPACED, (run) => ` ${run.replace(/(.)(?=(.?))/gsu, "$1$2 ")}`);
    insert.run(row_id(session, nth), words);
  };
}
