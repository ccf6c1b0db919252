/** What earlier conversations in this workspace leave to a chat: what was typed, and the sessions to go on with. */
import type { SavedRun } from "../app/saved_flags.ts";
import { opened } from "../app/saved_sessions.ts";
import type { Environment } from "../app/settings.ts";
import { list_sessions, rows_in } from "../store/sessions.ts";
import type { Choice } from "../ui/chat/picker.ts";
import { line } from "../ui/text.ts";
import { ending, local_time, session_row } from "./sessions/sessions_list.ts";

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
