/** What a conversation does with its open tools and database: a restart would end what runs in the background. */
import { left_by_last } from "../../app/agent.ts";
import { cuts_of, rows_of } from "../../changes/events.ts";
import type { Ask } from "../../changes/undo_protocol.ts";
import { is_inside } from "../../config/paths.ts";
import { message_of } from "../../config/text.ts";
import { sha256 } from "../../permission/content_hash.ts";
import { session_of_id } from "../../store/sessions.ts";
import { parse } from "../args/args.ts";
import { diff_files } from "../sessions/diff.ts";
import { changed_files_of } from "../sessions/session_files.ts";
import { session_text } from "../sessions/sessions_show.ts";
import { undo_files } from "../sessions/undo.ts";
import { type AfterRestart, already_there, in_chat } from "./after_restart.ts";
import type { ChatState } from "./state.ts";

const MODE = 0o100644;

/** Does it, as a restart would; false where it takes one. */
export async function done_here(chat: ChatState, first: AfterRestart): Promise<boolean> {
  try {
    const shown = await done(chat, first);
    if (shown === null) return false;
    const { args: [name] = [], say = "", told } = first;
    chat.note(say);
    if (name === "diff") chat.screen.log.diff(shown);
    else chat.note(shown);
    if (name === "undo") chat.last_diff = "";
    if (told !== undefined) chat.aside.push(`${told}\n${shown}`);
  } catch (error) {
    chat.note(message_of(error));
  }
  return true;
}

/** What it prints; null where it takes a restart. */
async function done(chat: ChatState, { args = [], file }: AfterRestart): Promise<string | null> {
  const { agent } = chat;
  const { tools = null, store = null, enforced } = left_by_last(agent) ?? {};
  if (tools === null || tools.is_over || store === null) return null;
  const { db, session: writer } = store;
  const info = session_of_id(db, agent.sessionId);
  const policy = enforced?.policy;
  if (writer === null || info === null || policy === undefined) return null;
  const parsed = parse(args);
  const reads = parsed.command === "diff";
  if (info.imported || (!reads && policy.read_only)) return null;
  const ask: Ask = (kind, given) => tools.undo({ kind, given });
  if (file !== undefined) {
    if (!is_inside(file, policy.workspace)) return null;
    const text = await session_text({ db, data_dir: null }, { info, format: "text" });
    return await written(file, text, ask);
  }
  const rows = await rows_of(db, info.id);
  const added = policy.write === "all" ? [] : policy.write;
  const cuts = await cuts_of(db, rows);
  const files = { ...await changed_files_of({ db, info, rows, cuts, ask, added }, parsed), writer };
  const lines: string[] = [];
  const io = {
    ...chat.setup.io,
    out: (text: string) => void lines.push(text),
    err: (text: string) => void lines.push(in_chat(text)),
  };
  if (reads) await diff_files(files, { parsed, io, paint: null });
  else await undo_files(files, parsed, io);
  return lines.join("").trimEnd();
}

async function written(path: string, text: string, ask: Ask): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const to = { state: { mode: MODE, hash: sha256(bytes) }, bytes };
  const [put] = await ask("put", [{ path, expected: null, known: null, to }]);
  if (put?.kind === "failed") return `${path}: ${put.why}`;
  return put?.kind === "done" ? `written to ${path}` : already_there(path);
}
