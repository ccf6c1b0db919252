import assert from "node:assert/strict";
import { counts, hold, in_folder } from "./_testing.ts";
import { type DatabaseSync, open_database } from "./database.ts";
import { utf8_lines } from "./lines.ts";
import { search_sessions } from "./session_search.ts";
import { export_session } from "./session_export.ts";
import { add_session, ImportError, read_session } from "./session_import.ts";
import { SESSION_TABLES } from "./session_schema.ts";
import { row_id } from "./ids.ts";
import { SessionWriter } from "./session_writer.ts";
import { list_sessions, saved_state_of, session_rows } from "./sessions.ts";

const LONG = JSON.stringify({ role: "user", content: "what the person said \u0000 ".repeat(300) });
const progress = {
  ...{ model: "m", provider: "p", steps: 3, calls: 2, cost_usd: 0.1 + 0.2 },
  ...{ stop_reason: null, state: '{"b":1,"a":[]}' },
};

/** A session with something in each table, in the forms that there are. */
async function full_session(db: DatabaseSync): Promise<number> {
  const new_session = { uuid: "11111111-aaaa", workspace: "/work/one", task: "Fix\u2028it.\x1b" };
  const writer = SessionWriter.begin(db, new_session);
  const message = (body: string) => ({ table: "messages", step: 1, body } as const);
  await writer.save({ rows: [message('{"role":"system"}'), message(LONG)], part: null, progress });
  const part = { step: 2, body: "{}" };
  await writer.save({ rows: [message('{"1":2,"__proto__":0.1}')], part, progress });
  for (const table of SESSION_TABLES) {
    if (table === "messages" || table === "parts") continue;
    db.prepare(`INSERT INTO ${table} (id, step, body) VALUES (?, 1, ?)`)
      .run(row_id(writer.session, 7), table === "tape" ? "data: not\nJSON" : '{"x":"é"}');
  }
  await hold(db, [writer.session], "what a file held");
  await hold(db, [writer.session], "what a longer file held ".repeat(100));
  return writer.session;
}

async function exported(db: DatabaseSync, session: number): Promise<string> {
  return (await Array.fromAsync(export_session(db, session))).join("");
}

/** A text in pieces that break wherever they like. */
async function* stream(text: string): AsyncGenerator<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += 17) yield bytes.subarray(at, at + 17);
  await Promise.resolve();
}

const said_in = (message: unknown) =>
  String((message as { content?: unknown } | null)?.content ?? "");

async function with_two(
  test: (one: DatabaseSync, other: DatabaseSync) => Promise<void>,
): Promise<void> {
  await in_folder(async (folder) => {
    const [one, other] = [open_database(`${folder}/one`), open_database(`${folder}/other`)];
    await test(one, other);
    one.close();
    other.close();
  });
}

Deno.test("what is exported and imported is the same in every row, and exports to the same bytes", () =>
  with_two(async (one, other) => {
    const session = await full_session(one);
    // Another number there.
    SessionWriter.begin(other, { uuid: "22222222", workspace: "/", task: "" });
    const text = await exported(one, session);
    add_session(other, await read_session(utf8_lines(stream(text)), said_in), Date.now());
    const [here] = list_sessions(one, { workspace: "/work/one" });
    const [there] = list_sessions(other, { workspace: "/work/one" });
    assert.ok(here !== undefined && there !== undefined);
    assert.notEqual(there.id, here.id);
    const bytes = there.bytes;
    assert.deepEqual(there, { ...here, id: there.id, imported: true, bytes });
    assert.equal(saved_state_of(other, there.id), progress.state);
    for (const table of SESSION_TABLES) {
      const rows = await session_rows(one, { session, table });
      assert.ok(rows.length > 0, table);
      assert.deepEqual(await session_rows(other, { session: there.id, table }), rows, table);
    }
    assert.equal(await exported(other, there.id), text);
    const options = { workspace: "/work/one", except: null, limit: 1, now_ms: 0 };
    assert.equal((await search_sessions(other, "person", options)).length, 1);
  }));

Deno.test("a file that is cut, changed or someone else's is refused by its line, and nothing of it is kept", () =>
  with_two(async (one, other) => {
    const text = await exported(one, await full_session(one));
    const lines = text.trimEnd().split("\n");
    const last = lines.length;
    const instead = (at: number, from: string | RegExp, to: string) =>
      lines.with(at - 1, lines[at - 1]!.replace(from, to)).join("\n");
    const cases: readonly (readonly [text: string, message: RegExp])[] = [
      ["", /^line 1: it is empty$/],
      ["hello\n", /^line 1: .*not a JSON object/],
      ['{"type":"result"}\n', /^line 1: not an exported session/],
      ["\xff\n", /^line 1: not a line/],
      [lines.slice(0, 4).join("\n"), /^line 4: it is cut off/],
      [text.slice(0, -30), new RegExp(`^line ${last}: .*not a JSON object`)],
      [instead(1, '"schema":1', '"schema":2'), /^line 1: written by a newer hamr \(schema 2/],
      [instead(1, "11111111-aaaa", "../../../x"), /^line 1: uuid: /],
      [instead(1, '"steps":3', '"steps":-3'), /^line 1: steps: /],
      [instead(1, '"part":2', '"part":1'), new RegExp(`^line ${last}: its header says`)],
      [instead(1, '"part_from":3', '"part_from":9'), new RegExp(`^line ${last}: its header says`)],
      [instead(2, "state", "stat"), /^line 2: the state/],
      [instead(3, '"table":"runs"', '"table":"sessions"'), /^line 3: table: /],
      [instead(3, '"nth":7', '"nth":0'), /^line 3: nth: /],
      [instead(3, /"body":.*/, '"bdy":1}'), /^line 3: it has no body/],
      [lines.with(3, lines[5]!).with(5, lines[3]!).join("\n"), /^line \d+: row \d of .* order/],
      [lines.toSpliced(3, 1).join("\n"), new RegExp(`^line ${last - 1}: the session has`)],
      [instead(last - 1, '"size":', '"size":1'), new RegExp(`^line ${last - 1}: the content does`)],
      [instead(last - 1, /"content":"../, '"content":"zz'), /: content: /],
      [instead(last - 2, '"base64":"', '"base64":"AAAA'), new RegExp(`^line ${last - 2}: the con`)],
      [`${text}{}\n`, new RegExp(`^line ${last + 1}: the session has ended`)],
    ];
    for (const [bad, message] of cases) {
      await assert.rejects(
        async () => add_session(other, await read_session(utf8_lines(stream(bad)), said_in), 5),
        (error) => error instanceof ImportError && message.test(error.message),
        `${message}`,
      );
    }
    assert.deepEqual(counts(other), {});
    const no_text = utf8_lines(async function* () {
      yield await Promise.resolve(Uint8Array.of(0x7b, 0xff, 0x7d, 0x0a));
    }());
    await assert.rejects(
      read_session(no_text, said_in),
      /^ImportError: line 1: it is not UTF-8 text/,
    );
    const again = await read_session(utf8_lines(stream(text)), said_in);
    assert.throws(() => add_session(one, again, 5), /session 11111111-aaaa is already here/);
  }));
