import assert from "node:assert/strict";
import {
  open_stage,
  type Results,
  type Stage,
  type StageOptions,
  steps,
  tools,
} from "./support/stage.ts";

type Args = Record<string, unknown>;

const edit = (args: Args): [string, Args] => ["edit", { path: "a.txt", ...args }];
const write = (args: Args): [string, Args] => ["write", args];
const read = (path: string): [string, Args] => ["read", { path }];

async function play(
  files: NonNullable<StageOptions["files"]>,
  calls: [string, Args][],
  judge: (results: Results, s: Stage) => void,
): Promise<void> {
  await open_stage({ files, script: steps(...calls) }, async (s) => {
    const results = await tools(s);
    assert.equal(results.run.code, 0, results.run.stderr);
    judge(results, s);
  });
}

const oks = (results: Results) => results.events.map((event) => event["ok"]);

Deno.test("edit replaces exactly what it was given", async () => {
  await play(
    { "a.txt": "one\n two\nthree" },
    [edit({ old: " two\nth", new: "2\n\nTH" })],
    (r, s) => {
      assert.deepEqual(oks(r), [true]);
      assert.equal(s.ws.read("a.txt"), "one\n2\n\nTHree");
      assert.deepEqual(r.run.result.files_changed, [
        { path: "a.txt", status: "modified", added: 3, removed: 2 },
      ]);
    },
  );
});

Deno.test("edit takes patterns and dollars for what they are", async () => {
  await play(
    { "a.txt": "f(.*) costs\n" },
    [edit({ old: "f(.*) costs", new: "$& $1 $$ \\n" })],
    (_, s) => assert.equal(s.ws.read("a.txt"), "$& $1 $$ \\n\n"),
  );
});

Deno.test("edit can remove text", async () => {
  await play({ "a.txt": "one\ntwo\n" }, [edit({ old: "two\n", new: "" })], (_, s) => {
    assert.equal(s.ws.read("a.txt"), "one\n");
  });
});

Deno.test("edit keeps CRLF line endings", async () => {
  await play(
    { "a.txt": "one\r\ntwo\r\nthree\r\n" },
    [edit({ old: "one\ntwo", new: "uno\ndos" }), edit({ old: "three", new: "tres\ncuatro" })],
    (r, s) => {
      assert.deepEqual(oks(r), [true, true]);
      assert.equal(s.ws.read("a.txt"), "uno\r\ndos\r\ntres\r\ncuatro\r\n");
    },
  );
});

Deno.test("edit leaves other lines of mixed endings as they were", async () => {
  await play({ "a.txt": "one\r\ntwo\nthree\r\n" }, [edit({ old: "three", new: "3" })], (_, s) => {
    assert.equal(s.ws.read("a.txt"), "one\r\ntwo\n3\r\n");
  });
});

Deno.test("edit keeps the byte order mark", async () => {
  await play({ "a.txt": "\ufefffirst\nsecond\n" }, [edit({ old: "first", new: "1st" })], (_, s) => {
    const bytes = Deno.readFileSync(s.ws.at("a.txt"));
    assert.deepEqual([...bytes.slice(0, 6)], [
      0xef,
      0xbb,
      0xbf,
      ...new TextEncoder().encode("1st"),
    ]);
  });
});

Deno.test("edit keeps the mode", async () => {
  const script = steps(edit({ old: "one", new: "two" }));
  await open_stage({ files: { "a.txt": "echo one\n" }, script }, async (s) => {
    Deno.chmodSync(s.ws.at("a.txt"), 0o754);
    await tools(s);
    assert.equal(s.ws.read("a.txt"), "echo two\n");
    assert.equal((Deno.statSync(s.ws.at("a.txt")).mode ?? 0) & 0o777, 0o754);
  });
});

Deno.test("edit that finds nothing shows the nearest lines and changes nothing", async () => {
  const text = "import a;\n\nfunction total(list) {\n  return list.length;\n}\n";
  await play(
    { "a.txt": text },
    [edit({ old: "function totals(list) {\n  return list.size;", new: "x" })],
    (r, s) => {
      assert.deepEqual(oks(r), [false]);
      assert.match(r.texts[0]!, /not found/i);
      assert.match(r.texts[0]!, /function total\(list\)/);
      assert.equal(s.ws.read("a.txt"), text);
    },
  );
});

Deno.test("edit that is not unique says how many, and all replaces all", async () => {
  const calls = [edit({ old: "x", new: "y" }), edit({ old: "x", new: "y", all: true })];
  await play({ "a.txt": "x x\nx\n" }, calls, (r, s) => {
    assert.deepEqual(oks(r), [false, true]);
    assert.match(r.texts[0]!, /\b3\b/);
    assert.equal(s.ws.read("a.txt"), "y y\ny\n");
  });
});

Deno.test("edit refuses what makes no sense", async () => {
  const calls = [
    edit({ old: "", new: "y" }),
    edit({ path: "missing.txt", old: "x", new: "y" }),
    edit({ path: "folder", old: "x", new: "y" }),
  ];
  await play({ "a.txt": "x\n", "folder/": "" }, calls, (r, s) => {
    assert.deepEqual(oks(r), [false, false, false]);
    assert.equal(s.ws.read("a.txt"), "x\n");
    assert.match(r.texts[1]!, /missing\.txt/);
    assert.match(r.texts[2]!, /folder/);
  });
});

Deno.test("edit never makes a binary file of another", async () => {
  const bytes = new Uint8Array([0xff, 0, 0xfe, ...new TextEncoder().encode("text"), 0x80]);
  await play({ "a.txt": bytes }, [edit({ old: "text", new: "word" })], (r, s) => {
    const now = [...Deno.readFileSync(s.ws.at("a.txt"))];
    const edited = [0xff, 0, 0xfe, ...new TextEncoder().encode("word"), 0x80];
    assert.deepEqual(now, oks(r)[0] ? edited : [...bytes]);
  });
});

Deno.test("write makes a file and its folders", async () => {
  const content = "ñ first\r\nlast without an end";
  await play({}, [write({ path: "deep/down/new.txt", content })], (r, s) => {
    assert.deepEqual(oks(r), [true]);
    assert.equal(s.ws.read("deep/down/new.txt"), content);
    assert.equal(r.run.result.files_changed[0]?.status, "added");
  });
});

Deno.test("write leaves a file alone that was not read, and takes it once it was", async () => {
  await play(
    { "a.txt": "old\n" },
    [
      write({ path: "a.txt", content: "new\n" }),
      ["bash", { command: "cat a.txt" }],
      read("a.txt"),
      write({ path: "a.txt", content: "newer\n" }),
    ],
    (r, s) => {
      assert.deepEqual(oks(r), [false, true, true, true]);
      assert.match(r.texts[0]!, /read/);
      assert.match(r.texts[1]!, /old/, "the refused write changed nothing");
      assert.equal(s.ws.read("a.txt"), "newer\n");
    },
  );
});

Deno.test("write does not take a folder for a file, nor a file for a folder", async () => {
  const calls = [
    write({ path: "folder", content: "x" }),
    write({ path: "a.txt/b.txt", content: "x" }),
  ];
  await play({ "folder/x": "", "a.txt": "" }, calls, (r) => {
    assert.deepEqual(oks(r), [false, false]);
    assert.match(r.texts[0]!, /folder/);
    assert.match(r.texts[1]!, /a\.txt/);
  });
});

Deno.test("an invalid call is answered with its fault and the schema, and not executed", async () => {
  const script = [
    {
      calls: [
        { name: "write", args: { path: "made.txt" } },
        { name: "write", args: { path: "made.txt", content: 7 } },
        { name: "write", args: '{"path": "made.txt", "content": "x' },
        { name: "bash", args: { command: { touch: "made.txt" } } },
        { name: "bash", args: "" },
        { name: "bash", args: "[]" },
        { name: "bash", args: { command: "touch made.txt", timeout: "soon" } },
        { name: "no_such_tool", args: { command: "touch made.txt" } },
        { name: "no such tool\u0000\n", args: {} },
      ],
    },
    { text: "None of these calls could be made by me." },
  ];
  await open_stage({ script }, async (s) => {
    const { texts, run, events } = await tools(s);
    assert.equal(run.code, 0);
    assert.ok(!s.ws.exists("made.txt"), "an invalid call was executed");
    assert.deepEqual(events.map((event) => event["ok"]), events.map(() => false));
    assert.equal(texts.length, 9);
    assert.match(texts[0]!, /content/);
    for (const text of texts.slice(0, 3)) assert.match(text, /"properties"|"required"/);
    for (const text of texts.slice(3, 7)) assert.match(text, /command[^]*"(properties|required)"/);
    assert.match(texts[2]!, /JSON/);
    assert.match(texts[7]!, /no_such_tool[^]*bash/, "it names the tools there are");
  });
});
