import assert from "node:assert/strict";
import { ANSWER, bash, call, type Reply, say } from "./support/model_server.ts";
import { inside_stage, open_stage } from "./support/stage.ts";

const cut = (text: string): Reply => ({ text, finish: "length" });
const cut_write: Reply = {
  calls: [{ name: "write", args: '{"path":"a.txt","content":"one\\ntw' }],
  finish: "length",
};

/** Tokens that a reply may take. */
function max_tokens(body: object): unknown {
  return "max_tokens" in body ? body.max_tokens : null;
}

Deno.test("an answer that is cut, with calls between, is joined; the last cut is the ending, with a warning", async () => {
  const script = [cut("one, "), bash("echo a"), cut("two, "), bash("echo b"), cut("three, ")];
  await inside_stage({ script }, async (s) => {
    const { code, result } = await s.run("Count.");
    assert.deepEqual([code, result.final_output], [0, "one, two, three, "]);
    assert.equal(result.warnings.length, 1);
    assert.match(result.warnings[0] ?? "", /the answer was cut by the output limit/);
  });
});

Deno.test("what an answer says beside a call, where it goes on, is part of it", async () => {
  const more = { ...bash("echo a"), text: "two, " };
  await inside_stage({ script: [cut("one, "), more, say("three.")] }, async (s) => {
    const { result } = await s.run("Count.");
    assert.deepEqual([result.final_output, result.warnings], ["one, two, three.", []]);
  });
});

Deno.test("auto_continues=0: a cut answer is the ending, whole", async () => {
  const env = { HAMR_GUARDS_AUTO_CONTINUES: "0" };
  await inside_stage({ script: [cut("It is a long ")], env }, async (s) => {
    const { code, result } = await s.run("Tell me.");
    assert.deepEqual([code, result.final_output, result.steps], [0, "It is a long ", 1]);
    assert.equal(result.warnings.length, 1);
  });
});

Deno.test("after a cut a reply may be twice as long, up to a quarter of the window", async () => {
  const script = [
    cut_write,
    cut_write,
    call("write", { path: "a.txt", content: "one\n" }),
    say(ANSWER),
  ];
  const flags = ["--context-window", "40000", "--max-output-tokens", "4096"];
  await open_stage({ script }, async (s) => {
    const { code } = await s.run("Write it.", ...flags);
    assert.equal(code, 0);
    const limits = s.server.requests.map(({ body }) => max_tokens(body));
    assert.deepEqual(limits, [4096, 8192, 10_000, 10_000]);
    const told = String(s.server.requests[1]?.body.messages.at(-1)?.content);
    assert.match(told, /its tool calls were not run \(write\)/);
    assert.match(told, /each further part with edit/);
  });
});

Deno.test("nothing is said of calls that were never made", async () => {
  const thoughts: Reply = { reasoning: "Wait, let me think again.", finish: "length" };
  await open_stage(
    { script: [thoughts, cut("one, "), cut("two, "), cut("three, ")] },
    async (s) => {
      const { code, result } = await s.run("Count.");
      assert.deepEqual([code, result.final_output], [0, "one, two, three, "]);
      for (const { body } of s.server.requests) {
        assert.doesNotMatch(JSON.stringify(body.messages.slice(2)), /not run/);
      }
    },
  );
});

Deno.test("three replies in a row with cut calls end the run in 1, with what the model has to say", async () => {
  await open_stage({
    script: ({ body }) => body.tool_choice === "none" ? say("It was too long.") : cut_write,
  }, async (s) => {
    const { code, result } = await s.run("Write it.");
    assert.deepEqual([code, result.stop_reason, result.steps], [1, "model_error", 3]);
    assert.equal(result.final_output, "It was too long.");
    assert.match(result.error?.message ?? "", /3 replies in a row were cut by the output limit/);
  });
});

Deno.test("an answer that a content filter ended is one, with a warning", async () => {
  await inside_stage({ script: [{ text: ANSWER, finish: "content_filter" }] }, async (s) => {
    const { code, result } = await s.run("What is it?");
    assert.equal(code, 0);
    assert.match(result.warnings[0] ?? "", /^the server's content filter ended the answer/);
  });
});
