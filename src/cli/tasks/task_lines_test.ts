import assert from "node:assert/strict";
import { index_of_engine, task_line } from "./task_lines.ts";

const read = (text: string, index: number) => task_line(text, { file: "t.jsonl", index });

Deno.test("task_line() reads one task of many; without an id its number is its name", () => {
  const text =
    '\ufeff{"task":"a"}\n\n{"task":"b","repo":"r","ref":"v1","verify":"make","id":"b.2",' +
    '"flags":["--max-steps","3"]}\r\n';
  assert.deepEqual(read(text, 0), { task: "a", id: "0", flags: [] });
  assert.deepEqual(read(text, 1), {
    ...{ task: "b", repo: "r", ref: "v1", verify: "make", id: "b.2" },
    flags: ["--max-steps", "3"],
  });
});

Deno.test("task_line() says what is wrong, and in which line", () => {
  const cases: [string, RegExp][] = [
    ["no", /^t\.jsonl:1: not a JSON object/],
    ['["a"]', /not a JSON object/],
    ["{}", /there is no task/],
    ['{"task":" "}', /task must be a text/],
    ['{"task":3}', /task must be a text/],
    ['{"task":"a","verfy":"x"}', /unknown field "verfy"; did you mean verify\?/],
    ['{"task":"a","id":"../up"}', /becomes a folder/],
    ['{"task":"a","id":".tries"}', /becomes a folder/],
    ['{"task":"a","flags":"-v"}', /a list of strings/],
    ['{"task":"a","flags":["-C/elsewhere"]}', /flags can't have -C/],
    ['{"task":"a","dir":"d","ref":"main"}', /leave out repo and ref/],
    ['{"task":"a","id":"1"}\n{"task":"b"}', /line 2 has the id "1", too/],
    ["", /has no tasks/],
  ];
  for (const [text, message] of cases) assert.throws(() => read(text, 0), { message }, text);
  assert.throws(() => read('{"task":"a"}', 1), { message: /--index 1: .* has tasks 0 to 0/ });
});

Deno.test("index_of_engine() counts from 0, whatever the engine counts from, and guesses nothing", () => {
  const index = (env: Record<string, string>) => index_of_engine((name) => env[name]);
  assert.equal(index({ SLURM_ARRAY_TASK_ID: "7" }), 7);
  assert.equal(index({ PARALLEL_SEQ: "7" }), 6);
  // As SGE has it outside of an array.
  assert.equal(index({ SGE_TASK_ID: "undefined", JOB_COMPLETION_INDEX: "0" }), 0);
  assert.throws(() => index({}), { message: /needs --index N/ });
  assert.throws(() => index({ SGE_TASK_ID: "undefined" }), { message: /SGE_TASK_ID gives one$/ });
  assert.throws(() => index({ SLURM_ARRAY_TASK_ID: "1", PARALLEL_SEQ: "1" }), {
    message: /SLURM_ARRAY_TASK_ID and PARALLEL_SEQ are both set/,
  });
});
