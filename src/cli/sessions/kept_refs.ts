/** What a session's commands did in Git: undo does not touch it, and unmentioned, the restored files would look like new changes. */
import type { DatabaseSync } from "../../store/database.ts";
import { ANY_IN_TABLES } from "../../changes/refs.ts";
import { session_rows } from "../../store/sessions.ts";
import { some_of } from "../../config/text.ts";
import type { LedgerRow } from "../../tools/ledger.ts";

const MOST_NAMES = 10;
const ID_CHARS = 12;
/** What puts something into git's index. A commit or a checkout changes that as well, and is named by its ref. */
const STAGES = /\bgit\b[^;&|\n]*\s(?:add|mv|rm|stage|apply|update-index)\b/;

/** Refs that differ from what they were, and the index, in a line. Rejects where the file is damaged. */
export async function kept_refs(
  db: DatabaseSync,
  { session, only }: {
    session: number;
    only: (step: number) => boolean;
  },
): Promise<readonly string[]> {
  const refs = new Map<string, { readonly before: string | null; readonly after: string | null }>();
  /** By call: of the index, and of other refs. */
  const index = new Set<string>(), others = new Set<string>();
  let staged = false;
  for (const { step, body } of await session_rows(db, { session, table: "ledger" })) {
    if (!only(step)) continue;
    const row = JSON.parse(body) as LedgerRow;
    if (row.kind === "command") staged ||= STAGES.test(row.command) && refs.has("index");
    if (row.kind !== "ref") continue;
    const { ref, after, call } = row;
    (ref === "index" ? index : others).add(call);
    refs.set(ref, { before: (refs.get(ref) ?? row).before, after });
  }
  const lines = [...refs].flatMap(([ref, { before, after }]) =>
    ref === "index" || before === after
      ? []
      : [ref.endsWith(ANY_IN_TABLES) ? ref : `${ref} (${state_of(before, after)})`]
  ).sort();
  if (staged || !index.isSubsetOf(others)) lines.push("the index");
  if (lines.length === 0) return [];
  return [`in git: ${some_of(lines, MOST_NAMES)}`];
}

function state_of(before: string | null, after: string | null): string {
  if (before === null) return "new";
  // `HEAD` says a branch in words; all else is an id.
  const [, branch] = /^ref: (?:refs\/heads\/)?(.+)$/.exec(before) ?? [];
  const was = branch ?? before.slice(0, ID_CHARS);
  return after === null ? `gone, was ${was}` : `was ${was}`;
}
