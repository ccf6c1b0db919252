import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { in_folder } from "./_testing.ts";
import { new_content } from "./content.ts";
import { content_of, has_content } from "./contents.ts";
import { session_rows } from "./sessions.ts";
import { type DatabaseSync, open_database } from "./database.ts";
import type { ChangeRow } from "./file_state.ts";
import { Recorder } from "./recorder.ts";
import { SessionWriter } from "./session_writer.ts";

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const bytes_of = (text: string) => new TextEncoder().encode(text);
const content = (bytes: Uint8Array<ArrayBuffer>) => new_content(sha256(bytes), bytes);

async function with_recorder(
  test: (
    on: {
      db: DatabaseSync;
      recorder: Recorder;
      session: number;
      warnings: string[];
      now: { step: number };
    },
  ) => Promise<void>,
): Promise<void> {
  await in_folder(async (folder) => {
    const db = open_database(folder);
    const writer = SessionWriter.begin(db, { uuid: "1", workspace: "/work/one", task: "Do." });
    const warnings: string[] = [], now = { step: 4 };
    const recorder = new Recorder(db, writer, {
      step: () => now.step,
      warn: (line) => warnings.push(line),
    });
    await test({ db, recorder, session: writer.session, warnings, now });
    db.close();
  });
}

Deno.test("contents come back as they were, and take no room twice", () =>
  with_recorder(async ({ db, recorder, session }) => {
    const all = [
      bytes_of(""),
      bytes_of("short"),
      bytes_of("a long line of text\n".repeat(500)),
      crypto.getRandomValues(new Uint8Array(5000)),
    ];
    const hashes = all.map(sha256);
    const ask = () => recorder.take({ kind: "unknown", hashes });
    assert.deepEqual((await ask()).unknown, hashes);
    for (let round = 0; round < 2; round++) {
      const contents = await Promise.all(all.map((bytes) => content(bytes.slice())));
      assert.equal((await recorder.take({ kind: "contents", contents })).ok, true);
    }
    assert.deepEqual((await ask()).unknown, []);
    for (const [at, bytes] of all.entries()) {
      assert.deepEqual(await content_of(db, hashes[at]!), bytes);
    }
    assert.equal(await content_of(db, sha256(bytes_of("other"))), null);
    assert.equal(has_content(db, hashes[0]!), true);
    const [stored] = db.prepare(
      "SELECT count(*) AS n, sum(octet_length(body)) AS bytes FROM contents",
    )
      .all();
    assert.equal(stored?.["n"], 4);
    assert.ok(Number(stored?.["bytes"]) < 5500, "what can be deflated is");
    const uses = db.prepare("SELECT count(*) AS n FROM content_uses WHERE session = ?")
      .get(BigInt(session));
    assert.equal(uses?.["n"], 4);
  }));

Deno.test("a row has the step that is under way", () =>
  with_recorder(async ({ db, recorder, session }) => {
    const files = [{ path: "a", before: { mode: 0o100644, hash: "00" }, after: null }];
    const row = { kind: "done", call: "c", files } as const;
    assert.equal((await recorder.take({ kind: "changes", rows: [row] })).ok, true);
    assert.deepEqual(await session_rows(db, { session, table: "changes" }), [
      { nth: 1, step: 4, body: JSON.stringify(row) },
    ]);
  }));

Deno.test("a row that waits keeps its step, and finds its place behind what another process has added", () =>
  with_recorder(async ({ db, recorder, session, now }) => {
    const row = (call: string) => ({ kind: "done", call, files: [] }) as const;
    const take = (...rows: ChangeRow[]) => recorder.take({ kind: "changes", rows });
    await take(row("a"));
    db.exec("PRAGMA query_only = ON");
    assert.equal((await take(row("b"))).ok, false);
    now.step = 6;
    db.exec("PRAGMA query_only = OFF");
    await SessionWriter.resume(db, { id: session, part: 1 })
      .add({ table: "changes", step: 5, body: "{}" });
    assert.equal((await take({ ...row("c"), step: 5 }, row("d"))).ok, true);
    const rows = await session_rows(db, { session, table: "changes" });
    assert.deepEqual(rows.map(({ step, body }) => [step, JSON.parse(body).call]), [
      [4, "a"],
      [5, undefined],
      [4, "b"],
      [5, "c"],
      [6, "d"],
    ]);
  }));

Deno.test("what cannot be written is said once", () =>
  with_recorder(async ({ db, recorder, warnings }) => {
    db.exec("PRAGMA query_only = ON");
    const contents = [await content(bytes_of("x"))];
    assert.equal((await recorder.take({ kind: "contents", contents })).ok, false);
    assert.equal((await recorder.take({ kind: "unknown", hashes: ["00"] })).ok, false);
    assert.equal(warnings.length, 1);
    assert.match(
      warnings[0]!,
      /^this run can't be undone: the files it finds are not saved: .*readonly/,
    );
  }));

Deno.test("a content that is damaged is refused", () =>
  with_recorder(async ({ db, recorder }) => {
    const bytes = bytes_of("a long line of text\n".repeat(500));
    await recorder.take({ kind: "contents", contents: [await content(bytes)] });
    db.exec("UPDATE contents SET body = x'0102030405'");
    await assert.rejects(content_of(db, sha256(bytes)));
  }));
