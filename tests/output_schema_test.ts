import assert from "node:assert/strict";
import { bash, say } from "./support/model_server.ts";
import { open_stage, stage } from "./support/stage.ts";

const FILES = {
  "schema.json": JSON.stringify(
    {
      type: "object",
      properties: { ok: { type: "boolean" } },
      required: ["ok"],
    },
    null,
    2,
  ),
};

Deno.test("--output-schema: the model is told, what it wraps is unwrapped, and stdout is exactly the JSON", async () => {
  const script = [bash("true"), say('Sure, here it is:\n```json\n{ "ok": true }\n```')];
  await stage({ script, files: FILES }, async (s) => {
    const { code, stdout } = await s.hamr([
      ...["run", "--output-schema", "schema.json", "-o", "out.json", "Check it."],
    ]);
    assert.deepEqual([code, stdout, s.ws.read("out.json")], [0, '{"ok":true}\n', '{"ok":true}\n']);
    const asked = JSON.stringify(s.server.requests[0]!.body.messages);
    assert.match(asked, /must be JSON that matches this schema.*required/);
    assert.equal((await s.hamr(["replay"])).code, 0);
  });
});

Deno.test("--output-schema: two tries to mend, then schema_unmet and nothing on stdout", async () => {
  const script = [say("It is fine."), say('{"ok": "yes"}'), say('{"ok": true}')];
  await open_stage({ script, files: FILES }, async (s) => {
    const { code, result } = await s.run("Check it.", "--output-schema", s.ws.at("schema.json"));
    assert.deepEqual([code, result.stop_reason, result.final_output], [
      0,
      "llm_done",
      '{"ok":true}',
    ]);
    const told = s.server.requests.at(-1)!.raw;
    assert.match(told, /does not match the schema: it is not JSON/);
    assert.match(told, /does not match the schema: ok: Instance type/);
  });
  const wrong = Array.from({ length: 3 }, () => say("{}"));
  await stage({ script: wrong, files: FILES }, async (s) => {
    const { code, stdout, stderr } = await s.hamr(["run", "--output-schema", "schema.json", "Go."]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /schema_unmet: The answer does not match the schema: .*required/);
    assert.doesNotMatch(stderr, /Answer again/, "that was for the model");
    assert.equal(s.server.requests.length, 3);
  });
});

Deno.test("--output-schema: an answer in the form that was asked for is not asked about as prose would be", async () => {
  const answers = ["{}", '{"status":"done"}', '["I will look at it now."]', '"All tests pass."'];
  for (const answer of answers) {
    await open_stage({ script: [say(answer)], files: { "schema.json": "{}" } }, async (s) => {
      const { code, result } = await s.run("Look.", "--output-schema", s.ws.at("schema.json"));
      assert.deepEqual([code, result.final_output], [0, answer]);
      assert.equal(s.server.requests.length, 1);
    });
  }
});

Deno.test("--output-schema: what the JSON reports of the work is held against the facts", async () => {
  const claim = say('{"ok": true, "fixed": true, "tests_passed": true}');
  const files = { ...FILES, "a.sh": "exit 1\n", "test.sh": "sh a.sh\n" };
  const task = "Fix a.sh, and run the tests with test.sh.";
  await open_stage({ script: [bash("cat a.sh"), claim, claim], files }, async (s) => {
    const { code, result } = await s.run(task, "--output-schema", s.ws.at("schema.json"));
    assert.deepEqual([code, result.stop_reason], [2, "contract_unsatisfied"]);
    assert.equal(s.server.requests.length, 3);
  });
  const work = bash("echo exit 0 > a.sh && sh test.sh");
  await open_stage({ script: [work, claim], files }, async (s) => {
    assert.equal((await s.run(task, "--output-schema", s.ws.at("schema.json"))).code, 0);
    assert.equal(s.server.requests.length, 2);
  });
});

Deno.test("--output-schema: NOT DONE is no answer to mend, and a schema that is none stops before anything starts", async () => {
  const script = [bash("false"), say("NOT DONE: there is no network.")];
  await stage({ script, files: { ...FILES, "odd.json": "{]" } }, async (s) => {
    const { code, stdout } = await s.hamr(["run", "--output-schema", "schema.json", "Go."]);
    assert.deepEqual([code, stdout, s.server.requests.length], [2, "", 2]);
    const odd = await s.run("Go.", "--output-schema", "odd.json");
    assert.deepEqual([odd.code, odd.result.stop_reason], [3, "config_error"]);
    assert.match(odd.stderr, /^hamr: --output-schema odd\.json: it is not JSON: /);
    assert.equal(s.server.requests.length, 2);
  });
});
