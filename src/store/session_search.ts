/** Finds earlier sessions of a workspace by what was said in them. */
import { unpacked_text } from "./body.ts";
import type { DatabaseSync } from "./database.ts";
import {
  bounded_query,
  distinct,
  fits_of,
  freshness,
  fts_phrase,
  UNSPACED,
  unspaced_runs,
} from "./query.ts";
import type { SessionInfo } from "./sessions.ts";
import { OWNER_ROWS, row_id } from "./ids.ts";

/** A session in which something was said that fits. */
export interface SessionHit extends Pick<SessionInfo, "uuid" | "task" | "saved_ms"> {
  /** The message that has the rarest of the words first. JSON. */
  readonly body: string;
  readonly word: string;
}

/** What fits much worse than the best has only a common word in common with the query. */
const LEAST_FIT = 0.25;

/** Where one word stands: the first message of each session that has it. */
interface WordHits {
  readonly word: string;
  /** The message's number, by the session's. */
  readonly messages: ReadonlyMap<number, number>;
}

/** The sessions that fit a query best, at most `limit`. Rare words weigh more, newer sessions win ties. No character of a query is syntax. */
export async function search_sessions(
  db: DatabaseSync,
  query: string,
  { workspace, except, limit, now_ms }: {
    workspace: string;
    /** The number of a session that is not looked at; null: all are. */
    except: number | null;
    limit: number;
    now_ms: number;
  },
): Promise<readonly SessionHit[]> {
  const found = distinct(patterns_of(query)).map((match): WordHits => ({
    word: match.replace(/^"|"\*?$/g, ""),
    messages: places_of(db, match, { workspace, except: except ?? -1 }),
  })).filter(({ messages }) => messages.size > 0)
    .sort((a, b) => a.messages.size - b.messages.size);
  const sorted = ranked(db, found, now_ms)
    .toSorted((a, b) => b.score - a.score || b.session - a.session);
  const least = LEAST_FIT * (sorted[0]?.score ?? 0);
  const best = sorted.filter(({ score }) => score >= least).slice(0, limit);
  const hits: SessionHit[] = [];
  for (const { session, saved_ms } of best) {
    // The list is sorted: the first that has the session is the rarest.
    const rarest = found.find(({ messages }) => messages.has(session));
    const hit = rarest && await shown(db, { session, ...rarest });
    if (hit) hits.push({ ...hit, saved_ms });
  }
  return hits;
}

/** What is looked for, as FTS5 takes it: words, and of scripts without spaces each two neighbors. */
function patterns_of(query: string): string[] {
  const text = bounded_query(query);
  const runs = unspaced_runs(text);
  const pairs = runs.flatMap((run) =>
    run.length === 1
      ? [`${fts_phrase(run.join(""))}*`]
      : run.slice(1).map((char, at) => fts_phrase(`${run[at]}${char}`))
  );
  const words = text.replace(UNSPACED, " ").toLowerCase().split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== "");
  return [...words.map(fts_phrase), ...pairs];
}

function places_of(
  db: DatabaseSync,
  match: string,
  { workspace, except }: { workspace: string; except: number },
): ReadonlyMap<number, number> {
  return new Map(
    db.prepare(
      `SELECT rowid / ${OWNER_ROWS} AS session, min(rowid % ${OWNER_ROWS}) AS nth
       FROM session_words WHERE session_words MATCH ? AND rowid / ${OWNER_ROWS} IN
         (SELECT id FROM sessions WHERE workspace = ? AND id <> ?) GROUP BY 1`,
    ).all(match, workspace, BigInt(except))
      .map(({ session, nth }) => [Number(session), Number(nth)] as const),
  );
}

interface Ranked {
  readonly session: number;
  readonly saved_ms: number;
  readonly score: number;
}

function ranked(db: DatabaseSync, found: readonly WordHits[], now_ms: number): readonly Ranked[] {
  const fits = fits_of(found.map(({ messages }) => [...messages.keys()]));
  return db.prepare(
    "SELECT id, saved_ms FROM sessions WHERE id IN (SELECT value FROM json_each(?))",
  ).all(JSON.stringify([...fits.keys()])).map(({ id, saved_ms }) => {
    const score = (fits.get(Number(id)) ?? 0) * freshness(Number(saved_ms), now_ms);
    return { session: Number(id), saved_ms: Number(saved_ms), score };
  });
}

async function shown(
  db: DatabaseSync,
  { session, word, messages }: WordHits & { session: number },
): Promise<Omit<SessionHit, "saved_ms"> | null> {
  const nth = messages.get(session);
  if (nth === undefined) return null;
  const row = db.prepare(
    `SELECT uuid, task, body FROM sessions JOIN messages ON messages.id = ?
     WHERE sessions.id = ?`,
  ).get(row_id(session, nth), BigInt(session));
  if (row === undefined) return null;
  const { uuid, task, body } = row;
  return { uuid: String(uuid), task: String(task), body: await unpacked_text(body), word };
}
