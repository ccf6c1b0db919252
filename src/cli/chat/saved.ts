/** What a chat takes from earlier conversations in this workspace: typed lines, and sessions to continue. */
import { load_session } from "../../agent/saving/restore.ts";
import { left_by_last } from "../../app/agent.ts";
import { all_said, place_of_message } from "../../app/reopen.ts";
import { file_events, rows_of } from "../../changes/events.ts";
import { last_to_undo, last_undo } from "../../changes/remaining_changes.ts";
import { opened, runs_of } from "../../app/saved_sessions.ts";
import { type ChangeRow, is_undone } from "../../store/file_state.ts";
import { kept_facts } from "../../store/memory.ts";
import type { DatabaseSync } from "../../store/database.ts";
import {
  list_sessions,
  rename_session,
  session_of_id,
  session_rows,
  type SessionInfo,
  type StoredRow,
} from "../../store/sessions.ts";
import type { Choice } from "../../ui/chat/picker.ts";
import { ago, line, plural } from "../../ui/text.ts";
import type { ChatState } from "./state.ts";
import { fact_lines } from "../base/facts.ts";
import { session_ending } from "../sessions/sessions_list.ts";

/** A message, as a place to go back to. */
export interface SaidHere {
  /** Its number, from 0. */
  readonly until: number;
  readonly task: string;
  /** Whether the conversation is there as it was then: what a summary has replaced is gone. */
  readonly whole: boolean;
  readonly steps: readonly number[];
}

/** Works on the database: as this process has it open, else for the moment. `otherwise`: where that fails. */
async function with_saved<T, Otherwise>(
  { agent, setup: { opened: asked, io }, settings: { workspace } }: ChatState,
  otherwise: Otherwise,
  work: (saved: { readonly db: DatabaseSync; readonly workspace: string }) => T | Promise<T>,
): Promise<T | Otherwise> {
  const open = left_by_last(agent)?.store?.db ?? asked.resumed?.reopened?.db;
  try {
    if (open !== undefined) return await work({ db: open, workspace });
    using saved = await opened(asked, io);
    return await work(saved);
  } catch {
    return otherwise;
  }
}

/** Said of what takes a restart, where that would lose the conversation. */
export const UNSAVED = "that needs a saved session, and this conversation is not saved";

/** Whether no session keeps what was said: another start would not find it. */
export function is_unsaved({ agent, begun }: Pick<ChatState, "agent" | "begun">): boolean {
  const left = left_by_last(agent);
  return begun && left !== null && (left.pending === null || left.store === null);
}

export async function name_session(chat: ChatState, name: string): Promise<void> {
  const { sessionId } = chat.agent;
  const kept = await with_saved(chat, null, ({ db }) => rename_session(db, sessionId, name));
  chat.note(kept === null ? "it can't be named now" : `this session is now: ${kept}`);
}

/** What is remembered about this workspace, a line a fact; null where that can't be asked. */
export async function facts_here(chat: ChatState): Promise<readonly string[] | null> {
  return await with_saved(chat, null, ({ db, workspace }) => fact_lines(kept_facts(db, workspace)));
}

/** Whether no call of the session could have changed anything; false where that can't be asked. */
export async function has_only_talked(chat: ChatState): Promise<boolean> {
  return await with_saved(chat, false, async ({ db }) => {
    const session = session_of_id(db, chat.agent.sessionId)?.id;
    if (session === undefined) return false;
    const tables = ["changes", "ledger"] as const;
    const rows = await Promise.all(
      tables.map((table) => session_rows(db, { session, table, last: 1 })),
    );
    return rows.every(({ length }) => length === 0);
  });
}

/** The last task with changes to take back, and the step with which it began; null for none, and where that can't be asked. `again`: also where an undo has left them alone. */
export async function last_changing_task(
  chat: ChatState,
  { again }: { readonly again: boolean },
): Promise<{ readonly since: number; readonly task: string } | null> {
  return await with_saved(chat, null, async ({ db }) => {
    const session = session_of_id(db, chat.agent.sessionId)?.id;
    if (session === undefined) return null;
    const rows = await rows_of(db, session);
    const runs = await runs_of(db, session);
    const begins = runs.map(({ step }) => step + 1);
    const since = last_to_undo(rows, { events: file_events(rows, []), begins, again });
    const last = runs.findLast(({ step }) => step + 1 === since);
    return last === undefined ? null : { since: last.step + 1, task: last.task };
  });
}

export async function can_redo(chat: ChatState): Promise<boolean> {
  return await with_saved(chat, true, async ({ db }) => {
    const session = session_of_id(db, chat.agent.sessionId)?.id;
    return session !== undefined && last_undo(await rows_of(db, session)) !== null;
  });
}

/** How many steps the session has taken; null where that can't be asked. */
export async function step_count(chat: ChatState): Promise<number | null> {
  return await with_saved(
    chat,
    null,
    ({ db }) => session_of_id(db, chat.agent.sessionId)?.steps ?? null,
  );
}

/** Sessions that are looked through for what was typed, and that can be picked. */
const TYPED_IN = 30, PICKED_FROM = 200;
const TITLE_CHARS = 60, BRANCH_CHARS = 30;

/** What was typed in this workspace, the newest last; nothing where there is no database to read. */
export async function earlier_tasks(chat: ChatState): Promise<readonly string[]> {
  return await with_saved(chat, [], async ({ db, workspace }) => {
    const tasks: string[] = [];
    for (const { id } of list_sessions(db, { workspace, limit: TYPED_IN }).toReversed()) {
      tasks.push(...(await runs_of(db, id)).map(({ task }) => task));
    }
    return [...new Set(tasks.reverse())].reverse();
  });
}

/** What was said in a session, the last first; the values say what going back there takes. */
export async function said_choices(chat: ChatState): Promise<readonly Choice[]> {
  return await with_saved(chat, [], async ({ db }) => {
    const info = session_of_id(db, chat.agent.sessionId);
    if (info === null) return [];
    const saved = await load_session(db, info).catch(() => null);
    const runs = await runs_of(db, info.id);
    const all = saved === null ? runs : all_said(saved, runs);
    const changed = changing_steps(await session_rows(db, { session: info.id, table: "changes" }));
    return all.flatMap(({ task, at_ms, step }, until) => {
      if (task.trim() === "") return [];
      const steps = at_ms === null ? changed : changed.filter((one) => one > step);
      const whole = until === 0 || saved !== null && place_of_message(saved, until, all) !== null;
      if (!whole && steps.length === 0) return [];
      return [{
        value: JSON.stringify({ until, task, whole, steps } satisfies SaidHere),
        label: line(task.trim(), TITLE_CHARS),
        description: [
          ...(steps.length === 0 ? [] : [`${plural(steps.length, "step")} changed files since`]),
          at_ms === null ? "before the copy" : ago(Date.now() - at_ms),
        ].join(" · "),
      }];
    }).toReversed();
  });
}

/** The steps that changed files and were not undone, the first one first. */
function changing_steps(rows: readonly StoredRow[]): readonly number[] {
  const steps = new Set<number>();
  const undone: (readonly number[])[] = [];
  for (const { step, body } of rows) {
    const row = JSON.parse(body) as ChangeRow;
    if (row.files.length === 0) continue;
    if (row.kind === "undo") {
      undone.push([...steps].filter((one) => is_undone(one, row.of)));
      for (const one of undone.at(-1)!) steps.delete(one);
    } else if (row.kind === "redo") {
      for (const one of undone.pop() ?? []) steps.add(one);
    } else steps.add(step);
  }
  return [...steps].sort((a, b) => a - b);
}

/** The branch that was checked out when the last task began; empty if none is known. */
async function branch_in(db: DatabaseSync, info: SessionInfo): Promise<string> {
  try {
    const [last] = await session_rows(db, { session: info.id, table: "runs", last: 1 });
    // It may come from a file of someone else's.
    const { branch } = JSON.parse(last?.body ?? "{}") as { readonly branch?: unknown };
    return typeof branch === "string" ? line(branch, BRANCH_CHARS) : "";
  } catch {
    return "";
  }
}

export async function saved_choices(chat: ChatState): Promise<readonly Choice[]> {
  return await with_saved(chat, [], async ({ db, workspace }) => {
    const choices: Choice[] = [];
    for (const info of list_sessions(db, { workspace, limit: PICKED_FROM })) {
      const branch = await branch_in(db, info);
      const { uuid, stop_reason } = info;
      const said = [
        ago(Date.now() - info.saved_ms),
        ...(branch === "" ? [] : [branch]),
        // Whether another process is at work on it can't be asked anymore.
        stop_reason === null ? "not ended" : session_ending({ status: "ended", stop_reason }),
        uuid.slice(0, 8),
      ];
      choices.push({
        value: uuid,
        label: line(info.task.trim(), TITLE_CHARS),
        description: said.join(" · "),
      });
    }
    return choices;
  });
}
