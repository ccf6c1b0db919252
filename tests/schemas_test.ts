import assert from "node:assert/strict";
import { Validator } from "@cfworker/json-schema";
import { fileURLToPath } from "node:url";
import { bash, call, say } from "./support/model_server.ts";
import { until } from "./support/hamr.ts";
import { stage, type StageOptions } from "./support/stage.ts";

/** With nothing but what the schema names: what a program reads has to be written down. */
function strict(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(strict);
  if (typeof value !== "object" || value === null) return value;
  const all = Object.fromEntries(Object.entries(value).map(([key, one]) => [key, strict(one)]));
  const named = "properties" in all && !("additionalProperties" in all);
  return named ? { ...all, additionalProperties: false } : all;
}

function validator(name: string): Validator {
  const path = fileURLToPath(new URL(`../schema/${name}.schema.json`, import.meta.url));
  const schema = strict(JSON.parse(Deno.readTextFileSync(path)));
  return new Validator(schema as ConstructorParameters<typeof Validator>[0], "2020-12", false);
}

const RUNS: readonly { readonly options: StageOptions; readonly flags: readonly string[] }[] = [
  {
    options: {
      files: { "a.txt": "one\n" },
      script: [
        {
          ...call("edit", { path: "a.txt", old: "one", new: "two" }),
          text: "I edit.",
          reasoning: "Hm.",
        },
        bash("exit 3"),
        bash("exit 3"),
        bash("exit 3"),
        call("todo", { items: [{ text: "look", status: "done" }] }),
        { status: 500, text: "busy" },
        say("Changed it."),
        say("No verdict."),
      ],
    },
    flags: ["--verify", "grep two a.txt", "--self-eval", "basic"],
  },
  { options: { script: [say("NOT DONE: no.")] }, flags: ["--max-steps", "1"] },
  { options: {}, flags: ["--provider", "none"] },
];

Deno.test("what a run prints as JSON is what schema/ says, each field of it", async () => {
  const [event, result] = [validator("event"), validator("result")];
  const seen = new Set<string>();
  for (const { options, flags } of RUNS) {
    await stage({ ...options, violations: true, one_conversation: false }, async (s) => {
      const { events } = await s.events("Change it.", ...flags);
      for (const one of events) {
        const { valid, errors } = event.validate(one);
        assert.ok(valid, `${JSON.stringify(one)}\n${JSON.stringify(errors.slice(-3))}`);
        seen.add(one.type);
      }
      const { t: _t, step: _step, ...rest } = events.at(-1)!;
      const { valid, errors } = result.validate(rest);
      assert.ok(valid, JSON.stringify(errors.slice(-3)));
    });
  }
  for (const type of ["session_start", "tool_result", "verification", "turn_diff", "result"]) {
    assert.ok(seen.has(type), `${type} was seen`);
  }
});

Deno.test("over a pipe whoever speaks is asked, too: approve and answer, by ids", async () => {
  const [event, input] = [validator("event"), validator("input")];
  const script = [
    bash("git push --force"),
    call("write", { path: "a.txt", content: "one\n" }),
    call("clarify", { question: "Which color?", choices: ["red", "blue"] }),
    say("It is blue."),
    say("It is blue, as you said."),
  ];
  await stage({ script }, async (s) => {
    const { readable, writable } = new TransformStream<
      Uint8Array<ArrayBuffer>,
      Uint8Array<ArrayBuffer>
    >();
    const writer = writable.getWriter();
    const tell = async (line: object | string) => {
      if (typeof line === "object") assert.ok(input.validate(line).valid, JSON.stringify(line));
      const text = typeof line === "string" ? line : JSON.stringify(line);
      await writer.write(new TextEncoder().encode(`${text}\n`));
    };
    const running = s.start(
      ["run", "--output", "jsonl", "--steer", "--confirm", "all", "Color it."],
      { stdin: readable },
    );
    const heard = async (type: string, nth = 1) => {
      const found = () =>
        running.stdout().split("\n").slice(0, -1).map((line) => JSON.parse(line))
          .filter((one) => one.type === type)[nth - 1];
      await until(`${nth} ${type}`, () => found() !== undefined);
      assert.ok(event.validate(found()).valid, JSON.stringify(found()));
      return found();
    };
    const push = await heard("approval");
    assert.deepEqual([push.tool, push.command, push.edits], ["bash", "git push --force", false]);
    assert.match(push.why, /\w/);
    await tell({ type: "approve", id: "nobody", answer: "yes" });
    await tell({ type: "approve", id: push.id, answer: "no", text: "not today" });
    const write = await heard("approval", 2);
    assert.deepEqual([write.tool, write.diff, write.edits], ["write", ["+ one"], true]);
    await tell({ type: "approve", id: write.id, answer: "yes" });
    const { id, question, choices } = await heard("question");
    assert.deepEqual([question, choices], ["Which color?", ["red", "blue"]]);
    await tell({ type: "user", text: "I like cold colors." });
    await tell({ type: "answer", id, text: "blue" });
    const { code, result, stderr } = await running.done;
    await writer.close().catch(() => {});
    assert.deepEqual([code, result.final_output], [0, "It is blue."]);
    assert.match(stderr, /no open question has the id "?nobody/);
    const told = JSON.stringify(s.server.requests.at(-1)!.body.messages);
    assert.match(told, /not today[^]*The user says: blue[^]*I like cold colors/);
    assert.equal(s.ws.read("a.txt"), "one\n");
  });
  // Nobody speaks anymore: nobody is waited for.
  await stage({ script: [bash("git push --force"), say("NOT DONE: no.")] }, async (s) => {
    const args = ["run", "--output", "jsonl", "--steer", "--confirm", "sensitive", "Push it."];
    const { code, stdout } = await s.hamr(args, { stdin: "" });
    assert.equal(code, 2);
    assert.match(stdout, /"refused":"approval"/);
  });
});
