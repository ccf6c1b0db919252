/** Lists sessions, for people and for programs. */
import { json_output } from "../../config/json.ts";
import { is_running } from "../../store/session_lock.ts";
import { list_sessions, type SessionInfo } from "../../store/sessions.ts";
import { first_of, line, plural } from "../../ui/text.ts";
import { ended } from "../../ui/words.ts";
import type { Parsed } from "../args/args.ts";
import type { SavedSessions } from "../../app/saved_sessions.ts";

/** Where output does not go to a terminal. */
const COLUMNS = 100;
/** Of an id, unless another one begins so too. */
const ID_CHARS = 8;
const LEAST_TASK = 20;
/** Of a window: the newest stand first, and are not to scroll away above what says that there are more, and the prompt. */
const LEFT = 3;

/** No date is later. A damaged row must not hide all the others. */
const LAST_MS = 8.64e15;

export interface ListedSession
  extends Omit<SessionInfo, "id" | "uuid" | "began_ms" | "saved_ms" | "part" | "calls"> {
  readonly id: string;
  /** ISO 8601. */
  readonly began: string;
  readonly saved: string;
  /** `cut off`: its process has gone without a word. */
  readonly status: "running" | "ended" | "cut off";
  readonly parts: number;
  readonly tool_calls: number;
}

export function sessions_listing(
  { db, data_dir, workspace }: SavedSessions,
  { all, format }: { all: boolean; format: Parsed["flags"]["output"] },
): string {
  const sessions = list_sessions(db, { workspace: all ? null : workspace, bundles: true })
    .map((info) => session_row(info, data_dir));
  if (format !== "text") return json_output(format, { sessions }, sessions);
  if (!Deno.stdout.isTerminal()) return table(sessions, { all, columns: COLUMNS }).join("");
  const { columns, rows } = Deno.consoleSize();
  // A terminal that nobody looks at may have no size.
  const most = rows === 0 ? Infinity : Math.max(1, rows - LEFT);
  const { shown, more } = first_of(table(sessions, { all, columns: columns || COLUMNS }), most);
  const older = `… ${more} older: hamr sessions${all ? " --all" : ""} | less\n`;
  return shown.join("") + (more > 0 ? older : "");
}

/** A session with what its process says of it; `data_dir`: null where that is this one, between two tasks. */
export function session_row(info: SessionInfo, data_dir: string | null): ListedSession {
  const { uuid: id, workspace, task, model, provider, stop_reason, steps, cost_usd } = info;
  const running = data_dir !== null && is_running(data_dir, id);
  const status = running ? "running" : stop_reason === null ? "cut off" : "ended";
  return {
    ...{ id, workspace, task, model, provider, status, stop_reason, steps, cost_usd },
    began: iso(info.began_ms),
    saved: iso(info.saved_ms),
    parts: info.part,
    tool_calls: info.calls,
    imported: info.imported,
    bytes: info.bytes,
  };
}

function iso(ms: number): string {
  return new Date(Math.min(ms, LAST_MS)).toISOString();
}

/** How a session ended, in words; or that it has not. An import may hold a reason that is not ours. */
export function session_ending(
  { status, stop_reason }: Pick<ListedSession, "status" | "stop_reason">,
): string {
  if (status !== "ended") return status === "running" ? "Running" : "Cut off";
  return ended(stop_reason ?? "");
}

/** Day and minute where the user is. */
export function local_time(iso: string): string {
  const date = new Date(iso);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Dollars, as short as they say something. */
export function short_dollars(cost: number | null): string {
  return cost === null ? "" : `$${cost < 1 ? cost.toPrecision(2) : cost.toFixed(2)}`;
}

function table(
  sessions: readonly ListedSession[],
  { all, columns }: { all: boolean; columns: number },
): readonly string[] {
  const chars = id_chars(sessions);
  const rows = sessions.map((session) => [
    session.id.slice(0, chars),
    local_time(session.saved),
    plural(session.steps, "step"),
    short_dollars(session.cost_usd),
    session_ending(session),
    ...(all ? [line(session.workspace, columns)] : []),
  ]);
  const widths = (rows[0] ?? []).map((_, at) =>
    Math.max(...rows.map((cells) => cells[at]?.length ?? 0))
  ).filter((width) => width > 0);
  const room = columns - widths.reduce((sum, width) => sum + width + 2, 0);
  return rows.map((cells, at) => {
    const shown = cells.filter((_, cell) => rows.some((row) => row[cell] !== ""));
    const first = shown.map((cell, nth) => cell.padEnd(widths[nth] ?? 0)).join("  ");
    const task = sessions[at]?.task.trimStart().split("\n", 1)[0] ?? "";
    return `${first}  ${line(task, Math.max(room, LEAST_TASK))}`.trimEnd() + "\n";
  });
}

/** As many characters of the ids as tell these sessions apart. */
function id_chars(sessions: readonly ListedSession[]): number {
  let chars = ID_CHARS;
  while (new Set(sessions.map(({ id }) => id.slice(0, chars))).size < sessions.length) chars++;
  return chars;
}
