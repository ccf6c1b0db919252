/** What earlier conversations in this workspace leave to a chat: what was typed, and the sessions to go on with. */
import type { SavedRun } from "../../app/saved_flags.ts";
import { opened } from "../../app/saved_sessions.ts";
import type { Environment } from "../../app/settings.ts";
import type { DatabaseSync } from "../../store/database.ts";
import { find_session, list_sessions, rows_in, type SessionInfo } from "../../store/sessions.ts";
import type { Choice } from "../../ui/chat/picker.ts";
import { line, plural } from "../../ui/text.ts";
import { ending, local_time, session_row } from "../sessions/sessions_list.ts";

/** A message, as a place to go back to. */
export interface SaidHere {
  /** Its number, from 0. */
  readonly until: number;
  readonly task: string;
  /** The steps after it that changed files. */
  readonly steps: readonly number[];
}

type Place = Parameters<typeof opened>[0];

/** Sessions that are looked through for what was typed, and that can be picked. */
const TYPED_IN = 30, PICKED_FROM = 200;
const TITLE_CHARS = 60;

/** What was typed in this workspace, the newest last; nothing where there is no database to read. */
export async function earlier_tasks(place: Place, io: Environment): Promise<readonly string[]> {
  const { db, workspace } = await opened(place, io);
  try {
    const tasks: string[] = [];
    for (const { id } of list_sessions(db, { workspace, limit: TYPED_IN }).toReversed()) {
      const rows = await rows_in(db, { session: id, table: "runs" });
      tasks.push(...rows.map(({ body }) => (JSON.parse(body) as SavedRun).task));
    }
    return [...new Set(tasks.reverse())].reverse();
  } finally {
    db.close();
  }
}

/** What was said in a session, the last first; the values say what going back there takes. */
export async function said_choices(
  place: Place,
  io: Environment,
  id: string,
): Promise<readonly Choice[]> {
  const { db } = await opened(place, io);
  try {
    const info = named_in(db, id);
    if (info === null) return [];
    const runs = await rows_in(db, { session: info.id, table: "runs" });
    const changes = await rows_in(db, { session: info.id, table: "changes" });
    return runs.map(({ body, step }, until) => {
      const { task, at_ms } = JSON.parse(body) as SavedRun;
      const steps = [...new Set(changes.map((row) => row.step))].filter((one) => one > step);
      return {
        value: JSON.stringify({ until, task, steps } satisfies SaidHere),
        label: line(task.trim() || "(went on)", TITLE_CHARS),
        description: local_time(new Date(at_ms).toISOString()) +
          (steps.length === 0 ? "" : `, ${plural(steps.length, "step")} changed files since`),
      };
    }).toReversed();
  } finally {
    db.close();
  }
}

function named_in(db: DatabaseSync, id: string): SessionInfo | null {
  const found = find_session(db, id);
  return found === "several" ? null : found;
}

/** The sessions of this workspace, the newest first. */
export async function saved_choices(place: Place, io: Environment): Promise<readonly Choice[]> {
  const { db, data_dir, workspace } = await opened(place, io);
  try {
    return list_sessions(db, { workspace, limit: PICKED_FROM }).map((info) => {
      const row = session_row(info, data_dir);
      return {
        value: info.uuid,
        label: line(info.task.trim(), TITLE_CHARS),
        description: `${local_time(row.saved)} · ${ending(row)} · ${info.uuid.slice(0, 8)}`,
      };
    });
  } finally {
    db.close();
  }
}
