/** What tests of the store start from. */
import { deflated } from "./body.ts";
import type { DatabaseSync } from "./database.ts";
import { Memory } from "./memory.ts";
import { SESSION_TABLES } from "./session_schema.ts";
import { SessionWriter } from "./session_writer.ts";

/** A message, as far as tests of the store need one. */
export interface Message {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly content: string;
}

/** A data folder, gone afterwards. */
export async function in_folder(test: (folder: string) => void | Promise<void>): Promise<void> {
  const folder = Deno.makeTempDirSync({ prefix: "hamr_store_" });
  try {
    await test(folder);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** The memory of one workspace, on a database of its own. */
export async function with_memory(
  test: (memory: Memory, folder: string) => void,
  workspace: string | null = "/work/one",
): Promise<void> {
  await in_folder((folder) => {
    const memory = new Memory({ data_dir: folder, workspace });
    try {
      test(memory, folder);
    } finally {
      memory.close();
    }
  });
}

/** A session with these messages in one step, as a run leaves it. Its number in the database. */
export async function saved_session(
  db: DatabaseSync,
  { uuid, workspace = "/work/one", task = "Fix it.", messages = [], stop_reason = "llm_done" }: {
    uuid: string;
    workspace?: string;
    task?: string;
    messages?: readonly Message[];
    stop_reason?: string | null;
  },
): Promise<number> {
  const writer = SessionWriter.begin(db, { uuid, workspace, task });
  await writer.save({
    rows: messages.map((message) => ({
      table: "messages",
      step: 1,
      body: JSON.stringify(message),
      said: message.role === "user" || message.role === "assistant" ? message.content : "",
    })),
    part: null,
    progress: {
      ...{
        model: "m",
        provider: "p",
        steps: 1,
        calls: 0,
        cost_usd: null,
        stop_reason,
        state: "{}",
      },
    },
  });
  return writer.session;
}

/** A content that sessions hold on to. */
export async function hold(
  db: DatabaseSync,
  sessions: readonly number[],
  text: string,
): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const small = await deflated(bytes);
  db.prepare("INSERT INTO contents (hash, size, body) VALUES (?, ?, ?)")
    .run(hash, BigInt(bytes.length), small.length < bytes.length ? small : bytes);
  for (const session of sessions) {
    db.prepare("INSERT INTO content_uses SELECT ?, id FROM contents WHERE hash = ?")
      .run(BigInt(session), hash);
  }
}

/** What a run leaves in each of the tables that hold rows or words. */
export function counts(db: DatabaseSync): Readonly<Record<string, number>> {
  const tables = ["sessions", ...SESSION_TABLES, "session_words", "contents", "content_uses"];
  return Object.fromEntries(
    tables.map((table) => [
      table,
      Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]),
    ]).filter(([, count]) => count !== 0),
  );
}
