/** Saved sessions whose rows are damaged, or out of a file in which anything may stand. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { bash, say } from "./support/model_server.ts";
import { inside_stage as stage, open_stage, type Stage } from "./support/stage.ts";

const DATA = ".local/share/hamr";
const DATABASE = `${DATA}/hamr.db`;
const DONE = say("Changed what was asked for.");
const FILES = { "a.txt": "one\n" };
const SCRIPT = [bash("echo two >> a.txt"), DONE];

/** Changes what is saved. */
function damage(s: Stage, sql: string): void {
  const db = new DatabaseSync(s.home.at(DATABASE));
  db.exec(sql);
  db.close();
}

/** What is saved of the one session. */
function saved(s: Stage): unknown {
  const db = new DatabaseSync(s.home.at(DATABASE), { readOnly: true });
  const rows = db.prepare("SELECT saved_ms, steps, state, stop_reason FROM sessions").all();
  db.close();
  return rows;
}

const set = (table: string, body: string, which = "") =>
  `UPDATE ${table} SET body = ${body} WHERE id = (SELECT max(id) FROM ${table}) ${which}`;
const DAMAGES: readonly [command: string, sql: string, why: RegExp][] = [
  ["resume", "UPDATE sessions SET state = substr(state, 1, 30)", /its state: Unterminated/],
  ["resume", "UPDATE sessions SET state = 'null'", /its state: /],
  ["resume", `UPDATE sessions SET state = json_set(state, '$.todos', 7)`, /its state: todos/],
  ["resume", set("messages", "'{'"), /row 5 of messages/],
  ["resume", set("messages", "x'00ff'"), /is damaged/],
  ["resume", set("messages", `'{"role":"alien"}'`), /row 5 of messages: not a message/],
  [
    "resume",
    set("messages", `'{"role":"assistant","content":"","tool_calls":{}}'`),
    /row 5 of messages: not a message/,
  ],
  ["resume", "DELETE FROM messages WHERE id % 16 = 1", /row 1 of messages: it is missing/],
  ["resume", "DELETE FROM messages WHERE id % 16 = 3", /row 3 of messages: it is missing/],
  ["resume", set("ledger", "'7'"), /row \d of ledger/],
  ["resume", set("actions", "'null'"), /row 1 of actions/],
  ["resume", set("runs", `'{"overrides":5}'`), /is damaged/],
  ["sessions show", set("messages", "'{'"), /is damaged/],
  ["sessions show", set("events", "7"), /is damaged/],
  ["sessions export", set("messages", "7"), /is damaged/],
  ["diff", set("changes", "'{}'"), /row \d of changes: it is not a change/],
  ["undo", set("changes", `'{"kind":"done","files":5}'`), /row \d of changes: it is not a change/],
];

Deno.test("a session that is damaged is said to be, in a line and with 3, and stays as it is", async () => {
  await open_stage({ script: SCRIPT, files: FILES }, async (s) => {
    assert.equal((await s.run("Do it.")).code, 0);
    damage(s, "PRAGMA wal_checkpoint(TRUNCATE)");
    const whole = Deno.readFileSync(s.home.at(DATABASE));
    for (const [command, sql, why] of DAMAGES) {
      for (const { name } of Deno.readDirSync(s.home.at(DATA))) {
        if (name.startsWith("hamr.db")) Deno.removeSync(s.home.at(`${DATA}/${name}`));
      }
      s.home.write(DATABASE, whole);
      damage(s, sql);
      const before = saved(s);
      const { code, stderr } = await s.hamr(command.split(" "));
      assert.equal(code, 3, `${sql}: ${stderr}`);
      assert.match(stderr, /^hamr: session [^\n]+\n$/, sql);
      assert.match(stderr, why, sql);
      assert.deepEqual(saved(s), before);
      assert.equal(s.ws.read("a.txt"), "one\ntwo\n");
      assert.equal(s.server.requests.length, 2);
    }
  });
});

Deno.test("a content that is damaged is named, and the others come back", async () => {
  const script = [bash("echo x > a.txt; echo x > b.txt"), DONE];
  await open_stage({ script, files: { ...FILES, "b.txt": "two\n" } }, async (s) => {
    assert.equal((await s.run("Do it.")).code, 0);
    damage(s, "UPDATE contents SET size = 9 WHERE body = CAST('one' || char(10) AS BLOB)");
    const damaged = "the saved copy is damaged";
    assert.match((await s.hamr(["diff"])).stderr, new RegExp(`a.txt: not covered: ${damaged}`));
    const { code, stdout } = await s.hamr(["undo"]);
    assert.deepEqual([code, stdout], [2, `a.txt: not covered: ${damaged}\nb.txt: restored\n`]);
  });
});

Deno.test("a lock that cannot be opened hides no session, and nobody takes it", async () => {
  await open_stage({ script: () => DONE, one_conversation: false }, async (s) => {
    const { result } = await s.run("Do it.");
    const lock = s.home.at(`.local/share/hamr/locks/${result.session_id}`);
    Deno.removeSync(lock);
    Deno.mkdirSync(`${lock}/x`, { recursive: true });
    assert.match((await s.hamr(["sessions"])).stdout, /Do it\./);
    const { code, stderr } = await s.hamr(["undo"]);
    assert.equal(code, 3);
    assert.match(stderr, /^hamr: session [^\n]+ can't be locked[^\n]+\n$/);
    assert.equal((await s.run("Another one.")).code, 0);
  });
});

Deno.test("a date that is none hides no other session", async () => {
  await open_stage({ script: SCRIPT, files: FILES }, async (s) => {
    assert.equal((await s.run("Do it.")).code, 0);
    damage(s, "UPDATE sessions SET began_ms = 9007199254740991, saved_ms = 9007199254740991");
    for (const command of ["sessions", "sessions show"]) {
      const { code, stdout } = await s.hamr(command.split(" "));
      assert.deepEqual([code, /Do it\./.test(stdout)], [0, true]);
    }
  });
});

Deno.test("a file says neither which session is the newest nor where it goes on", async () => {
  await stage({ script: () => DONE, one_conversation: false }, async (s) => {
    assert.equal((await s.run("Somebody else's.")).code, 0);
    const { stdout } = await s.hamr(["sessions", "export"]);
    const id = "ffffffff-0000-4000-8000-000000000000";
    const [header = "", ...rows] = stdout.split("\n");
    const then = { ...JSON.parse(header), uuid: id, saved_ms: 8e15, began_ms: 8e15 };
    const imported = async (workspace: string) => {
      await s.hamr(["sessions", "rm", id]);
      s.home.write("it.jsonl", [JSON.stringify({ ...then, workspace }), ...rows].join("\n"));
      assert.equal((await s.hamr(["sessions", "import", s.home.at("it.jsonl")])).code, 0);
    };
    await imported(s.ws.path);
    const { result } = await s.run("Mine.");
    const elsewhere = ["resume", "-C", s.outside.path, result.session_id, "More."];
    const { code: refusal, stderr } = await s.hamr(elsewhere);
    assert.deepEqual([refusal, /--fork/.test(stderr)], [3, true]);
    assert.equal((await s.run("Mine, too.", "--continue")).result.session_id, result.session_id);
    await imported(s.outside.path);
    const refused = await s.hamr(["resume", id, "More."]);
    assert.equal(refused.code, 3);
    assert.match(
      refused.stderr,
      /^hamr: session ffffffff-[^\n]+ give the folder to continue in with -C\n$/,
    );
    for (const dir of [s.ws.path, s.outside.path]) {
      const { code, events } = await s.here(["resume", "--output=jsonl", "-C", dir, id, "More."]);
      assert.deepEqual([code, events[0]!["workspace"]], [0, dir]);
      assert.match(
        JSON.stringify(events.at(-1)!["warnings"]),
        /can't be undone, as the session was imported: hamr run --fork ffffffff-/,
      );
    }
    // Its own changes can.
    assert.deepEqual((await s.run("More.", "--fork", id, "-C", s.ws.path)).result.warnings, []);
    // A link in its place may be anybody's; who names where it leads has moved the project.
    const moved = s.outside.at("moved");
    Deno.renameSync(s.ws.path, moved);
    Deno.symlinkSync(moved, s.ws.path);
    for (const command of ["undo", "resume"]) {
      const { code, stderr } = await s.hamr([command, "-C", s.ws.path, result.session_id]);
      assert.deepEqual([code, stderr.includes(moved)], [3, true], stderr);
    }
    Deno.removeSync(s.ws.path);
    const there = { cwd: moved };
    for (const command of ["undo", "resume"]) {
      const { code, stderr } = await s.hamr([command, result.session_id], there);
      assert.deepEqual([code, /not there: if it was moved, name the folder/.test(stderr)], [
        3,
        true,
      ]);
    }
    const named = ["-C", moved, result.session_id];
    const more = await Array.fromAsync([named, []], async (which) => {
      const { code, events } = await s.hamr(["resume", "--output=jsonl", ...which, "More."], there);
      return [code, events[0]!["session_id"]];
    });
    Deno.renameSync(moved, s.ws.path);
    assert.deepEqual(more, [[0, result.session_id], [0, result.session_id]]);
  });
});
