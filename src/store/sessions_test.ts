import assert from "node:assert/strict";
import { in_folder } from "./_testing.ts";
import { packed_text, unpacked_text } from "./body.ts";
import { open_database } from "./database.ts";
import { is_running, SessionLock } from "./session_lock.ts";
import { type SessionProgress, SessionWriter } from "./session_writer.ts";
import {
  find_session,
  list_sessions,
  part_from,
  saved_state_of,
  session_rows,
} from "./sessions.ts";

const progress: SessionProgress = {
  model: "m",
  provider: "p",
  steps: 1,
  calls: 2,
  cost_usd: null,
  stop_reason: null,
  state: "{}",
};
const new_session = { uuid: "11111111-aaaa", workspace: "/work/one", task: "Fix it." };
const row = (table: "messages" | "ledger", body: string) => ({ table, step: 1, body });

Deno.test("a batch is added as a whole, and read again in its order", () =>
  in_folder(async (folder) => {
    const db = open_database(folder);
    const writer = SessionWriter.begin(db, new_session);
    const long = JSON.stringify({ content: "a long line of text ".repeat(500) });
    await writer.save({ rows: [row("messages", "1"), row("ledger", "x")], part: null, progress });
    await writer.save({ rows: [row("messages", long)], part: null, progress });
    const { session } = writer;
    const messages = await session_rows(db, { session, table: "messages" });
    assert.deepEqual(messages.map(({ nth, body }) => [nth, body]), [[1, "1"], [2, long]]);
    assert.equal((await session_rows(db, { session, table: "messages", last: 1 }))[0]?.nth, 2);
    const [found] = list_sessions(db, { workspace: "/work/one" });
    assert.deepEqual([found?.task, found?.steps, found?.part], ["Fix it.", 1, 1]);
    assert.ok(found!.bytes < long.length / 4, `${found!.bytes}`);
    assert.equal(saved_state_of(db, session), "{}");
    db.close();
  }));

Deno.test("a writer that goes on counts on, and a part begins at its first message", () =>
  in_folder(async (folder) => {
    const db = open_database(folder);
    const { session } = SessionWriter.begin(db, new_session);
    const first = SessionWriter.resume(db, { id: session, part: 1 });
    await first.save({ rows: [row("messages", "1")], part: null, progress });
    const second = SessionWriter.resume(db, { id: session, part: 1 });
    const part = { step: 1, body: '{"stage":"1"}' };
    await second.save({ rows: [row("messages", "2")], part, progress });
    assert.equal(part_from(db, session), 2);
    const kept = await session_rows(db, { session, table: "messages", from: 2 });
    assert.deepEqual(kept.map(({ body }) => body), ["2"]);
    assert.equal(list_sessions(db, { workspace: null })[0]?.part, 2);
    db.close();
  }));

Deno.test("the session that was saved last is the newest, also where the clock has gone back", () =>
  in_folder(async (folder) => {
    const db = open_database(folder);
    const step = { rows: [row("messages", "1")], part: null, progress };
    const begin = (uuid: string) => SessionWriter.begin(db, { ...new_session, uuid });
    const newest = () => list_sessions(db, { workspace: "/work/one" })[0]?.uuid;
    const first = begin("11111111-aaaa");
    await first.save(step);
    db.prepare("UPDATE sessions SET saved_ms = ?").run(BigInt(Date.now() + 7_200_000));
    await begin("22222222-bbbb").save(step);
    assert.equal(newest(), "22222222-bbbb");
    await SessionWriter.resume(db, { id: first.session, part: 1 }).save(step);
    assert.equal(newest(), "11111111-aaaa");
    db.close();
  }));

Deno.test("a batch that cannot be written leaves nothing, and can be written again", () =>
  in_folder(async (folder) => {
    const db = open_database(folder);
    const writer = SessionWriter.begin(db, new_session);
    const batch = { rows: [row("messages", "1")], part: null, progress };
    db.exec("PRAGMA query_only = ON");
    await assert.rejects(writer.save(batch), /readonly/);
    db.exec("PRAGMA query_only = OFF");
    await writer.save(batch);
    const messages = await session_rows(db, { session: writer.session, table: "messages" });
    assert.deepEqual(messages.map(({ nth, body }) => [nth, body]), [[1, "1"]]);
    db.close();
  }));

Deno.test("a session is found by the beginning of its id, if that is one session's only", () =>
  in_folder((folder) => {
    const db = open_database(folder);
    for (const uuid of ["11111111-aaaa", "11111111-bbbb", "22222222-cccc"]) {
      SessionWriter.begin(db, { ...new_session, uuid });
    }
    const found = (id: string) => {
      const one = find_session(db, id);
      return typeof one === "string" || one === null ? one : one.uuid;
    };
    assert.deepEqual(["1", "11111111-b", "11111111-B", "2", "3", "", "%"].map(found), [
      "several",
      "11111111-bbbb",
      "11111111-bbbb",
      "22222222-cccc",
      null,
      null,
      null,
    ]);
    db.close();
  }));

Deno.test("a session is one process's at a time, and a lock that was left behind is none", () =>
  in_folder((folder) => {
    const mine = SessionLock.take(folder, "a");
    assert.ok(mine !== null);
    assert.equal(is_running(folder, "a"), true);
    assert.equal(SessionLock.take(folder, "a"), null);
    assert.equal(is_running(folder, "b"), false);
    mine.release();
    assert.equal(is_running(folder, "a"), false);
    SessionLock.take(folder, "a")?.release();
  }));

Deno.test("a body comes back as it was, whatever is in it", async () => {
  for (
    const text of ["", "é", "\u{1f680}".repeat(3000), `"${"x".repeat(9000)}"`, "\0".repeat(5000)]
  ) {
    assert.equal(await unpacked_text(await packed_text(text)), text);
  }
  assert.equal(typeof await packed_text("x".repeat(9000)), "object");
});
