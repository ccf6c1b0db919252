import assert from "node:assert/strict";
import { type Bench, bench } from "../_testing.ts";

/** Starts a command in the background, has the work done, and ends the command. */
async function beside(command: string, work: (b: Bench) => Promise<void>): Promise<void> {
  await bench({}, async (b) => {
    const started = await b.call("bash", { command, background: true });
    assert.equal(started.ok, true, started.text);
    try {
      await work(b);
    } finally {
      await b.call("background", { id: "b1", end: true });
    }
  });
}

/** Reads on until something is as wanted. */
async function read_until(b: Bench, wanted: RegExp): Promise<string> {
  let all = "";
  while (!wanted.test(all)) {
    all += `${(await b.call("background", { id: "b1", timeout: 1 })).text}\n`;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return all;
}

Deno.test("a command in the background is named, read on piece by piece, and ended", async () => {
  await beside("echo one; until [ -e go ]; do sleep 0.02; done; echo two; sleep 60", async (b) => {
    assert.match(
      (await b.call("background", { id: "b1" })).text,
      /\[b1 runs: bash \{"id": "b1"\} reads what it prints next; "end": true ends it, and so does the end of hamr\]$/,
    );
    b.put("go", "");
    const all = await read_until(b, /two/);
    assert.equal(all.includes("one"), false, "what was read before is not read again");
    const ended = await b.call("background", { id: "b1", end: true });
    assert.deepEqual([ended.ok, ended.text, ended.facts], [true, "[b1 was ended]", undefined]);
  });
});

Deno.test("its end is told with its exit code, and is a fact once, as of any command", async () => {
  for (const [code, ok] of [[0, true], [3, false]] as const) {
    await beside(`until [ -e go ]; do sleep 0.02; done; echo done; exit ${code}`, async (b) => {
      b.put("go", "");
      const last = await b.call("background", { id: "b1", timeout: 20 });
      assert.deepEqual([last.ok, last.text], [ok, `done\n[b1 ended: exit code ${code}]`]);
      const [fact] = last.facts ?? [];
      assert.ok(fact?.kind === "command" && fact.exit_code === code);
      const again = await b.call("background", { id: "b1" });
      assert.deepEqual([again.text, again.facts], [`[b1 ended: exit code ${code}]`, []]);
    });
  }
});

Deno.test("what can't start says so at once or at the next look; a time limit is one; an unknown id names the others", async () => {
  await bench({}, async (b) => {
    await b.call("bash", { command: "no-such-program", background: true });
    const none = await b.call("background", { id: "b1", timeout: 20 });
    assert.match(none.text, /\[b1 ended: exit code 127\]/);
    await b.call("bash", { command: "if", background: true });
    const error = await b.call("background", { id: "b2", timeout: 20 });
    assert.match(error.text, /\[b2 ended: exit code 2\]/);
    await b.call("bash", { command: "sleep 60 & sleep 60", background: true, timeout: 1 });
    const late = await b.call("background", { id: "b3", timeout: 20 });
    assert.deepEqual([late.ok, late.text], [false, "[b3 ended: it took longer than 1 s]"]);
    await b.call("bash", { command: "exec sleep 60", background: true });
    const unknown = await b.call("background", { id: "b9" });
    assert.match(
      unknown.text,
      /no background command is called "b9"; there is b4 \(exec sleep 60\)/,
    );
    await b.call("background", { id: "b4", end: true });
    assert.match((await b.call("background", { id: "b9" })).text, /none is running/);
  });
});

Deno.test("one that ignores SIGTERM is ended, and one that floods is bounded", async () => {
  const flood = "until [ -e go ]; do sleep 0.02; done; yes flood | head -c 5000000";
  await beside(`trap '' TERM; ${flood}; while :; do echo; sleep 0.05; done`, async (b) => {
    b.put("go", "");
    const { text } = await b.call("background", { id: "b1", timeout: 1 });
    assert.match(text, /left out; /);
    assert.equal(text.length < 12_000, true, `${text.length}`);
    assert.match((await b.call("background", { id: "b1", end: true })).text, /\[b1 was ended\]$/);
  });
});
