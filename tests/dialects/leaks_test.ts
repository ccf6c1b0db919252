/** Calls that a server has left in the text of a reply, through the whole program. */
import assert from "node:assert/strict";
import { each } from "../support/hamr.ts";
import { ANSWER, call, type Reply, say } from "../support/model_server.ts";
import { open_stage as stage } from "../support/stage.ts";

const COMMAND = "echo x >> log";
const ARGS = JSON.stringify({ command: COMMAND });

/** A call of bash, as each kind of model prints it. */
const DIALECTS: Readonly<Record<string, string>> = {
  "hermes": `<tool_call>\n{"name": "bash", "arguments": ${ARGS}}\n</tool_call>`,
  "qwen3-coder-xml":
    `<tool_call>\n<function=bash>\n<parameter=command>\n${COMMAND}\n</parameter>\n</function>\n</tool_call>`,
  "mistral-args": `[TOOL_CALLS]bash[ARGS]${ARGS}`,
  "deepseek-v3.1":
    `<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>bash<｜tool▁sep｜>${ARGS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>`,
  "harmony": `<|channel|>commentary to=functions.bash <|constrain|>json<|message|>${ARGS}<|call|>`,
  "glm":
    `<tool_call>bash\n<arg_key>command</arg_key>\n<arg_value>${COMMAND}</arg_value>\n</tool_call>`,
  "pythonic": `[bash(command='${COMMAND}')]`,
  "fenced-json": '```json\n{"name": "bash", "arguments": ' + ARGS + "}\n```",
};

const LEAD = "I will run it now.";

Deno.test("a leaked call runs, in each dialect, streamed or not, and nobody sees it as prose", async () => {
  const ways: readonly (readonly [Partial<Reply>, ...string[]])[] = [
    [{ fragment: 1 }],
    [{ fragment: 7 }],
    [{}, "--no-stream"],
  ];
  await each(Object.entries(DIALECTS), async ([dialect, text], n) => {
    for (const [way, ...flags] of ways) {
      const script = [{ ...way, text: `${LEAD}\n${text}` }, { ...way, text: ANSWER }];
      await stage({ script, ...(n > 0 ? {} : { inside: false }) }, async (s) => {
        const run = await s.events("Do it.", "--verify", "true", ...flags);
        assert.deepEqual([run.code, run.result.final_output], [0, ANSWER], dialect);
        assert.equal(s.ws.read("log"), "x\n", dialect);
        const shown = run.events.filter(({ type }) => type === "text_delta")
          .map((event) => event["text"]).join("");
        assert.equal(shown.replaceAll("\n", ""), LEAD + ANSWER, dialect);
        const told = run.events.filter(({ type }) => type === "tool_call");
        assert.deepEqual(
          told.map((
            { name, arguments: args, dialect, repaired },
          ) => [name, args, dialect, repaired]),
          [["bash", { command: COMMAND }, dialect, undefined]],
        );
        // The server's own template writes it again, in whatever way its model was trained on.
        const [, , said, result] = s.server.requests[1]!.body.messages;
        assert.deepEqual([said?.role, said?.content], ["assistant", LEAD], dialect);
        const [sent] = said?.tool_calls ?? [];
        assert.equal(sent?.function.arguments, JSON.stringify({ command: COMMAND }));
        assert.match(sent?.id ?? "", /^[a-z0-9]{9}$/, "the only ids that Mistral's templates take");
        assert.deepEqual([result?.role, result?.tool_call_id], ["tool", sent?.id]);
      });
    }
  });
});

Deno.test("what was detected is said once, and each call has an id of its own", async () => {
  const glm = (n: number) => DIALECTS["glm"]!.replace("x >>", `${n} >>`);
  const script = [say(glm(1)), say(`${glm(2)}\n${glm(3)}`), say(DIALECTS["hermes"]!), say(ANSWER)];
  await stage({ script }, async (s) => {
    const { result } = await s.events("Do it.", "--verify", "true");
    assert.deepEqual(result.warnings.filter((warning) => warning.includes("as text")), [
      "the model prints its tool calls as text (glm); hamr reads them from there",
      "the model prints its tool calls as text (hermes); hamr reads them from there",
    ]);
    const ids = s.server.requests.at(-1)!.body.messages.flatMap(({ tool_calls = [] }) => tool_calls)
      .map(({ id }) => id);
    assert.equal(new Set(ids).size, 4);
  });
});

Deno.test("an answer about calls is an answer", async () => {
  const texts = [
    ...Object.values(DIALECTS).map((text) =>
      text.startsWith("`")
        ? `It sends\n${text}\nand waits.`
        : "A model prints:\n\n```\n" + text + "\n```"
    ),
    "See also:\n[read(2), write(2)]",
    '{"name": "bash", "version": "5.2"}',
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>',
  ];
  await each(
    texts,
    (text, n) =>
      stage({ script: [say(text)], ...(n > 0 ? {} : { inside: false }) }, async (s) => {
        const { code, result, events } = await s.events("Tell me.", "--verify", "true");
        assert.deepEqual([code, result.final_output, result.tool_calls], [0, text, 0]);
        const shown = events.filter(({ type }) => type === "text_delta").map((one) => one["text"]);
        assert.equal(shown.join(""), text);
        assert.ok(!s.ws.exists("log"));
      }),
  );
});

Deno.test("a call that cannot be read is not run, and the model is told", async () => {
  const texts = [
    '<tool_call>\n{"name": "bash", "arguments": {"command": "echo x >> log',
    "<tool_call>\n<function=bash>\n<parameter=command>\necho x >> log\n",
    '[TOOL_CALLS]bash[ARGS]{"command": "echo "x" >> log"}',
  ];
  await each(texts, (text) =>
    stage({ script: [say(text), say(ANSWER)] }, async (s) => {
      const { code, result, events } = await s.events("Do it.", "--verify", "true");
      assert.deepEqual([code, result.final_output, result.tool_calls], [0, ANSWER, 0], text);
      assert.ok(!s.ws.exists("log"), text);
      const nudge = events.find(({ type }) => type === "nudge");
      assert.equal(nudge?.["name"], "malformed_call");
      assert.match(String(nudge?.["message"]), /could not be read, so it was not run \(bash: /);
      assert.ok(s.server.requests[1]!.raw.includes("could not be read"));
    }));
});

Deno.test("a call that may be shown only is not run: the model says which it is", async () => {
  const shown = `NOTES.md contains:\n${DIALECTS["hermes"]}`;
  for (const format of ["native", "prompt"]) {
    const flags = ["--verify", "true", "--tool-call-format", format];
    await stage({ script: [say(shown), say(shown)] }, async (s) => {
      const { code, result, events } = await s.events("What is in it?", ...flags);
      assert.deepEqual([code, result.final_output, result.tool_calls], [0, shown, 0], format);
      assert.ok(!s.ws.exists("log"), format);
      const nudges = events.filter(({ type }) => type === "nudge").map((one) => one["message"]);
      assert.equal(nudges.length, 1);
      assert.match(
        String(nudges[0]),
        /shows a call of bash in its text, which was not run\. If you/,
      );
    });
    await stage({ script: [say(shown), say(DIALECTS["hermes"]!), say(ANSWER)] }, async (s) => {
      const { code, result } = await s.events("Do it.", ...flags);
      assert.deepEqual([code, result.final_output, result.tool_calls], [0, ANSWER, 1], format);
      assert.equal(s.ws.read("log"), "x\n", format);
    });
  }
});

Deno.test("a bad call does not keep the good ones beside it from running", async () => {
  const bad = '<tool_call>\n{"name": "bash", "arguments": {"command": "say "x""}}\n</tool_call>';
  const script = [say(`${DIALECTS["hermes"]}\n${bad}\n${DIALECTS["hermes"]}`), say(ANSWER)];
  await stage({ script }, async (s) => {
    const { code, result } = await s.run("Do it.", "--verify", "true");
    assert.deepEqual([code, result.tool_calls, s.ws.read("log")], [0, 2, "x\nx\n"]);
    assert.match(s.server.results().join("\n"), /could not be read, so it was not run \(bash: /);
  });
});

Deno.test("where the server has read the calls, what is left of them in the text is not run", async () => {
  const native = call("bash", { command: "echo native >> log" });
  const script = [{ ...native, text: `${LEAD}\n${DIALECTS["hermes"]}` }, say(ANSWER)];
  await stage({ script }, async (s) => {
    const { code } = await s.run("Do it.", "--verify", "true");
    assert.deepEqual([code, s.ws.read("log")], [0, "native\n"]);
    assert.equal(s.server.requests[1]!.body.messages[2]?.content, LEAD);
  });
});

Deno.test("a call in thinking that is over is none; one at the end of thinking that never ended is", async () => {
  const text = DIALECTS["qwen3-coder-xml"]!;
  const closed = say(`<think>\nI could run\n${text}\n</think>\n\n${ANSWER}`);
  await stage({ script: [closed] }, async (s) => {
    const { code, result } = await s.run("Tell me.", "--verify", "true");
    assert.deepEqual([code, result.tool_calls, s.ws.exists("log")], [0, 0, false]);
  });
  await stage({ script: [say(`<think>\nI run it.\n${text}`), say(ANSWER)] }, async (s) => {
    const { code, result } = await s.run("Do it.", "--verify", "true");
    assert.deepEqual([code, result.tool_calls, s.ws.read("log")], [0, 1, "x\n"]);
  });
});

Deno.test("a call that the limit has cut is dropped, and asked for in smaller pieces", async () => {
  const cut: Reply = { text: DIALECTS["glm"]!.slice(0, -20), finish: "length" };
  await stage({ script: [cut, say(ANSWER)] }, async (s) => {
    const { code, result, events } = await s.events("Do it.", "--verify", "true");
    assert.deepEqual([code, result.tool_calls, s.ws.exists("log")], [0, 0, false]);
    assert.ok(events.some((event) => event.type === "nudge" && event["name"] === "truncation"));
  });
});

Deno.test("a leaked end token is not part of an answer", async () => {
  await stage({ script: [{ text: "It is 4.<|im_end|>", fragment: 3 }] }, async (s) => {
    const { result, events } = await s.events("Tell me.", "--verify", "true");
    assert.equal(result.final_output, "It is 4.");
    const shown = events.filter(({ type }) => type === "text_delta").map((one) => one["text"]);
    assert.equal(shown.join(""), "It is 4.");
  });
});

Deno.test("a model that was asked for one format and prints another is understood, too", async () => {
  for (const dialect of ["qwen3-coder-xml", "glm", "mistral-args"]) {
    await stage({ script: [say(DIALECTS[dialect]!), say(ANSWER)] }, async (s) => {
      const { code } = await s.run("Do it.", "--verify", "true", "--tool-call-format", "prompt");
      assert.deepEqual([code, s.ws.read("log")], [0, "x\n"], dialect);
    });
  }
});
