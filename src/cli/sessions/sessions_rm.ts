/** `sessions rm`: removes sessions so that nothing of them is left. */
import { json_line } from "../../config/json.ts";
import { either, quote } from "../../config/text.ts";
import { every_session, give_back, remove_session } from "../../store/remove_session.ts";
import { clear_locks, is_running, SessionLock } from "../../store/session_lock.ts";
import { find_session, type SessionInfo } from "../../store/sessions.ts";
import { plural } from "../../ui/text.ts";
import { type Parsed } from "../args/args.ts";
import { confirmed } from "../base/ask.ts";
import type { Io } from "../base/io.ts";
import type { SavedSessions } from "../../app/saved_sessions.ts";
import { StartError, UsageError } from "../../config/error.ts";

/** Removes what the arguments name, or all; what to print of it. Throws `UsageError` or `StartError`. */
export async function remove_sessions(
  { operands, flags }: Parsed,
  { saved, io }: { saved: SavedSessions; io: Io },
): Promise<string> {
  if (flags.all) return await all_removed(saved, io, flags);
  const faults: string[] = [];
  const known = operands.flatMap((id) => {
    const found = find_session(saved.db, id);
    if (found === null) faults.push(`there is no session ${quote(id)}`);
    if (found === "several") faults.push(`several sessions begin with ${quote(id)}`);
    return found === null || found === "several" ? [] : [found];
  });
  const { gone, running } = remove(saved, known);
  if (running.length > 0) faults.push(`session ${either(running)} is running`);
  if (faults.length > 0) {
    const also = gone.length > 0 ? `; removed: ${gone.join(", ")}` : "";
    throw new UsageError(`sessions rm: ${faults.join("; ")}${also}`);
  }
  return told(gone, flags.output);
}

async function all_removed(saved: SavedSessions, io: Io, flags: Parsed["flags"]): Promise<string> {
  const all = every_session(saved.db);
  if (!flags.yes && all.length > 0) {
    const workspaces = new Set(all.map(({ workspace }) => workspace)).size;
    const what = `${plural(all.length, "session")} of ${plural(workspaces, "workspace")}`;
    const answer = await confirmed(io, `Remove ${what}?`);
    if (answer === null) {
      throw new UsageError(`sessions rm --all would remove ${what}: add --yes to do that`);
    }
    if (!answer) throw new StartError("sessions rm: nothing was removed");
  }
  const { gone, running } = remove(saved, all);
  if (running.length > 0) io.err(`hamr: still running, not removed: ${running.join(", ")}\n`);
  return told(gone, flags.output);
}

function remove(
  { db, data_dir }: SavedSessions,
  sessions: readonly Pick<SessionInfo, "id" | "uuid">[],
): { readonly gone: readonly string[]; readonly running: readonly string[] } {
  // What is removed is overwritten, not only let go of.
  db.exec("PRAGMA secure_delete = ON");
  const running: string[] = [];
  const gone: string[] = [];
  for (const { id, uuid } of new Map(sessions.map((info) => [info.id, info])).values()) {
    const lock = is_running(data_dir, uuid) ? null : SessionLock.take(data_dir, uuid);
    if (lock === null) {
      running.push(uuid);
      continue;
    }
    remove_session(db, id);
    lock.release();
    gone.push(uuid);
  }
  if (gone.length > 0) give_back(db);
  clear_locks(data_dir);
  return { gone, running };
}

function told(gone: readonly string[], format: Parsed["flags"]["output"]): string {
  if (format !== "text") return json_line({ removed: gone });
  return gone.length === 0 ? "Nothing to remove.\n" : `Removed: ${gone.join(", ")}\n`;
}
