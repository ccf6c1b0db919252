import assert from "node:assert/strict";
import { counts, hold, in_folder, saved_session } from "./_testing.ts";
import { type DatabaseSync, open_database } from "./database.ts";
import { remove_session } from "./remove_session.ts";
import { prune_sessions } from "./retention.ts";
import { SessionLock } from "./session_lock.ts";
import { list_sessions } from "./sessions.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 0, 1);

/** Sessions more than a day older each than the one before: a, b, c and so on. */
async function with_sessions(
  count: number,
  test: (db: DatabaseSync, folder: string) => Promise<void>,
): Promise<void> {
  await in_folder(async (folder) => {
    const db = open_database(folder);
    for (let at = 0; at < count; at++) {
      const uuid = "abcdefghij".charAt(at).repeat(8);
      const content = `${uuid} ${"some words ".repeat(50)}`;
      const id = await saved_session(db, { uuid, messages: [{ role: "user", content }] });
      await hold(db, [id], uuid);
      const then = BigInt(NOW - at * (DAY_MS + 1));
      db.prepare("UPDATE sessions SET began_ms = ?, saved_ms = ? WHERE id = ?")
        .run(then - 1n, then, BigInt(id));
    }
    await test(db, folder);
    db.close();
  });
}

const left = (db: DatabaseSync) =>
  list_sessions(db, { workspace: null }).map(({ uuid }) => uuid[0]).join("");

Deno.test("a session goes with its rows and words, and with the contents that no other holds on to", () =>
  with_sessions(2, async (db) => {
    const [a, b] = list_sessions(db, { workspace: null });
    await hold(db, [a!.id, b!.id], "of both");
    const before = counts(db);
    assert.deepEqual([before["contents"], before["content_uses"]], [3, 4]);
    assert.ok(remove_session(db, a!.id) > a!.bytes);
    assert.deepEqual(
      counts(db),
      { sessions: 1, messages: 1, session_words: 1, contents: 2, content_uses: 2 },
    );
    remove_session(db, b!.id);
    assert.deepEqual(counts(db), {});
  }));

Deno.test("what is older than its days goes, but not what runs, what is kept, or what came from a file since", () =>
  with_sessions(6, async (db, data_dir) => {
    const limits = { data_dir, keep_days: 1, keep_bytes: 0, now_ms: NOW + 1 };
    const lock = SessionLock.take(data_dir, "c".repeat(8));
    db.prepare("UPDATE sessions SET imported = ? WHERE uuid = ?").run(BigInt(NOW), "d".repeat(8));
    assert.equal(await prune_sessions(db, { ...limits, keep: "e".repeat(8) }), 2);
    assert.equal(left(db), "acde");
    lock?.release();
    assert.equal(await prune_sessions(db, limits), 2);
    assert.equal(left(db), "ad");
    assert.equal(await prune_sessions(db, { ...limits, keep_days: 0 }), 0);
  }));

Deno.test("a clock that is ahead removes nothing that was kept when the session before began", () =>
  with_sessions(4, async (db, data_dir) => {
    const ahead = { data_dir, keep_days: 3, keep_bytes: 0, now_ms: NOW + 200 * DAY_MS };
    assert.equal(await prune_sessions(db, { ...ahead, keep: "of this run" }), 1);
    assert.equal(left(db), "abc");
    assert.equal(await prune_sessions(db, { ...ahead, keep: "a".repeat(8) }), 0);
  }));

Deno.test("the oldest go until the rest is within its bytes, contents and all", () =>
  with_sessions(5, async (db, data_dir) => {
    const [newest] = list_sessions(db, { workspace: null });
    const each = newest!.bytes + "aaaaaaaa".length;
    const limits = { data_dir, keep_days: 0, now_ms: NOW + 1 };
    assert.equal(await prune_sessions(db, { ...limits, keep_bytes: 1 << 30 }), 0);
    assert.equal(await prune_sessions(db, { ...limits, keep_bytes: 4 * each }), 1);
    assert.equal(left(db), "abcd");
    const keep = "d".repeat(8);
    assert.equal(await prune_sessions(db, { ...limits, keep_bytes: 2 * each, keep }), 2);
    assert.equal(left(db), "ad");
    assert.equal(await prune_sessions(db, { ...limits, keep_bytes: 1, keep }), 1);
    assert.equal(left(db), "d");
  }));
