/** Saved sessions, as a client asks for them. */
import {
  type ListSessionsRequest,
  type ListSessionsResponse,
  RequestError,
} from "@agentclientprotocol/sdk";
import { load_session } from "../../agent/saving/restore.ts";
import { opened, type SavedSessions } from "../../app/saved_sessions.ts";
import { real_or } from "../../config/paths.ts";
import { remove_session } from "../../store/remove_session.ts";
import { list_sessions, session_of_id, type SessionInfo } from "../../store/sessions.ts";
import type { Parsed } from "../args/args.ts";
import type { Io } from "../base/io.ts";
import { remove_sessions } from "../sessions/sessions_rm.ts";
import { line } from "../../ui/text.ts";
import { StartError, UsageError } from "../../config/error.ts";

const PAGE = 100;
export const TITLE_CHARS = 80;

/** What was saved last comes first. */
export async function listed_sessions(
  parsed: Parsed,
  { io, params }: { io: Io; params: ListSessionsRequest },
): Promise<ListSessionsResponse> {
  const from = Number(params.cursor ?? 0);
  if (!Number.isSafeInteger(from) || from < 0) {
    throw RequestError.invalidParams({ cursor: params.cursor }, "not a cursor from this list");
  }
  using saved = await opened(parsed, io);
  const workspace = params.cwd ? real_or(params.cwd) : null;
  const found = list_sessions(saved.db, { workspace, limit: from + PAGE + 1 }).slice(from);
  return {
    sessions: found.slice(0, PAGE).map(({ uuid, workspace, task, saved_ms }) => ({
      sessionId: uuid,
      cwd: workspace,
      title: line(task, TITLE_CHARS),
      updatedAt: new Date(saved_ms).toISOString(),
    })),
    ...(found.length > PAGE ? { nextCursor: String(from + PAGE) } : {}),
  };
}

/** Removes one. One that is not there is gone already. */
export async function removed_session(
  parsed: Parsed,
  { io, id }: { io: Io; id: string },
): Promise<Record<string, never>> {
  using saved = await opened(parsed, io);
  try {
    if (exactly(saved, id) === null) return {};
    await remove_sessions({ ...parsed, operands: [id] }, { saved, io });
    return {};
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof StartError)) throw error;
    throw RequestError.invalidRequest(undefined, error.message);
  }
}

export function exactly({ db }: Pick<SavedSessions, "db">, id: string): SessionInfo | null {
  const found = session_of_id(db, id);
  return found?.uuid === id ? found : null;
}

/** Removes a session that was cut off before anything of it was saved. */
export async function forget_empty({ db }: Pick<SavedSessions, "db">, id: string): Promise<void> {
  const info = exactly({ db }, id);
  if (info !== null && await load_session(db, info) === null) remove_session(db, info.id);
}
