import assert from "node:assert/strict";
import { VIEW } from "../../guards/_testing.ts";
import { edit, failed, outside, partly, ran, refused } from "../_did.ts";
import { facts_text } from "./summary.ts";

Deno.test("facts are those of the task at hand: what was seen before it is not denied", () => {
  const run = [edit("a.py")("1"), failed("edit", "src/b.py")("2")].flatMap(({ rows }) => rows);
  const facts = "a.py. Edits that failed: 1 (no change seen since: src/b.py). " +
    "Commands run: none.";
  assert.equal(
    facts_text({ ...VIEW, run, steps: 3, run_steps: 3 }),
    `Files seen to change: ${facts}`,
  );
  assert.equal(
    facts_text({ ...VIEW, run, steps: 9, run_steps: 3 }),
    `Files seen to change since the last task was given: ${facts}`,
  );
});

Deno.test("what was refused is told", () => {
  const { action } = refused("bash")("1");
  const actions = [{ ...action, args: '{"command":"git push origin main"}' }];
  assert.match(
    facts_text({ ...VIEW, actions }),
    /Commands run: none\. Refused, and not run: `git push origin main`\.$/,
  );
  assert.match(facts_text({ ...VIEW, actions: [action] }), /Refused, and not run: `bash`\.$/);
});

Deno.test("what running something leaves by the way is not among what changed", () => {
  const left = ["dist/a.js", "__pycache__/", "/h/cache/ws-0123456789abcdef/npm/_logs/1.log"];
  const { rows } = ran("npm test", 0, ...left.map((path) => outside(path)))("1");
  assert.equal(
    facts_text({ ...VIEW, run: rows }),
    "Files seen to change: none. Also changed: dist/a.js. Commands run: `npm test` (exit code 0).",
  );
});

Deno.test("a part of a line that failed is told, and not that a look found nothing", () => {
  const line = "grep -q x a.py; npm test; git status";
  const told = (part: string) =>
    facts_text({ ...VIEW, run: partly(line, part)("1").rows }).split("Commands run: ")[1];
  assert.equal(told("npm test"), `\`${line}\` (exit code 0, \`npm test\` in it failed).`);
  assert.equal(told("grep -q x a.py"), `\`${line}\` (exit code 0).`);
});
