import assert from "node:assert/strict";
import { in_folder, type Message, saved_session } from "./_testing.ts";
import { type DatabaseSync, open_database } from "./database.ts";
import { search_sessions } from "./session_search.ts";

const person = (content: string): Message => ({ role: "user", content });
const model = (content: string): Message => ({ role: "assistant", content });

const SAID: Readonly<Record<string, readonly Message[]>> = {
  a: [
    person("Fix the flaky date test"),
    { role: "tool", content: "postgres log of the disk" },
    model("The parser dropped the time zone; `parse_date` keeps it now."),
  ],
  b: [person("Rename Config to Settings"), model("Renamed in 12 files, the tests pass.")],
  c: [person("数据库连接慢，为什么？"), model("连接池太小。")],
  d: [person("Écris un café"), model("Fait. The tests pass.")],
  other: [person("The parser of another workspace")],
};

async function with_said(test: (db: DatabaseSync, ids: Map<string, number>) => Promise<void>) {
  await in_folder(async (folder) => {
    const db = open_database(folder);
    const ids = new Map<string, number>();
    for (const [uuid, messages] of Object.entries(SAID)) {
      const workspace = uuid === "other" ? "/work/two" : "/work/one";
      ids.set(uuid, await saved_session(db, { uuid, workspace, messages }));
    }
    await test(db, ids);
    db.close();
  });
}

const found = async (db: DatabaseSync, query: string, except: number | null = null) => {
  const now_ms = Date.now();
  const options = { workspace: "/work/one", except, limit: 5, now_ms };
  return (await search_sessions(db, query, options)).map(({ uuid }) => uuid).join("");
};

Deno.test("sessions are found by words in any form, by pieces of scripts without spaces, and whatever is in a query", () =>
  with_said(async (db) => {
    const cases: readonly (readonly [query: string, uuids: string])[] = [
      ["parsers", "a"],
      ["TIME-ZONE parse_date", "a"],
      ["renaming", "b"],
      ["cafe ecris", "d"],
      ["连接", "c"],
      ["数", "c"],
      ["库接", ""],
      ["postgres", ""],
      ['"NEAR(* OR ^ -:', ""],
      ["", ""],
      ["\0\ud800 flaky", "a"],
      ["'; DELETE FROM sessions; --", ""],
    ];
    for (const [query, uuids] of cases) assert.equal(await found(db, query), uuids, query);
  }));

Deno.test("a rare word weighs more than a common one, and what has only that does not count", () =>
  with_said(async (db, ids) => {
    assert.equal(await found(db, "the tests pass"), "dba");
    assert.equal(await found(db, "the flaky date"), "a");
    assert.equal(await found(db, "flaky tests", ids.get("a")), "db");
  }));

Deno.test("a hit has the message that says the rarest word", () =>
  with_said(async (db) => {
    const options = { workspace: "/work/one", except: null, limit: 1, now_ms: Date.now() };
    const [hit] = await search_sessions(db, "the test of the Zone", options);
    assert.deepEqual([hit?.word, hit?.task], ["zone", "Fix it."]);
    assert.match(hit?.body ?? "", /dropped the time zone/);
  }));
