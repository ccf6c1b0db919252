import assert from "node:assert/strict";
import { type Judge, passed_on } from "./judge.ts";
import { evaluator } from "./evaluator.ts";
import { rubric } from "./rubric.ts";

const YES = '{"completed": true, "confidence": 0.92, "issues": [], "suggestion": ""}';
const NO =
  '{"completed": false, "confidence": 0.9, "issues": ["no test"], "suggestion": "add one"}';
const MET = '{"verdict": "satisfied", "feedback": ""}';
const NOT_MET = '{"verdict": "needs_revision", "feedback": "No test."}';

/** What a judge reads out of a reply: its verdict, or null. */
function verdicts(judge: Judge, replies: readonly (readonly [string, string | null])[]): void {
  for (const [reply, expected] of replies) {
    assert.equal(judge.read(reply)?.verdict ?? null, expected, reply.slice(0, 200));
  }
}

Deno.test("a verdict is read in three ways: as it is, in a block of code, in an object in prose", () => {
  verdicts(evaluator(), [
    [YES, "completed"],
    [`\n  ${NO}\n`, "not_completed"],
    ["```json\n" + YES + "\n```", "completed"],
    ["Here it is:\n```\n" + NO + "\n```\nThat is all.", "not_completed"],
    ["```JSON\r\n" + YES + "\r\n```", "completed"],
    [`I looked at all of it. ${YES} So it is done.`, "completed"],
    [`In {braces} and {"other": 1}: ${NO}`, "not_completed"],
    [`A brace { that is not closed. ${YES}`, "completed"],
    ['{"completed": true, "suggestion": "use } and \\" in {strings"} and more', "completed"],
    [`${MET} is what it is`, null],
  ]);
  verdicts(rubric("It works."), [
    [MET, "satisfied"],
    ["```json\n" + NOT_MET + "\n```", "needs_revision"],
    ['So: {"verdict":"failed","feedback":"The task is impossible."}', "failed"],
    [YES, null],
  ]);
});

Deno.test("what is not a verdict is none, and nothing is guessed", () => {
  const texts = [
    "",
    "Yes, it is done.",
    "satisfied",
    '"satisfied"',
    "null",
    "[]",
    "{}",
    '{"verdict": "satisfied"',
    '{"verdict": "fine"}',
    '{"verdict": true}',
    `{"result": ${MET}}`,
    `[${MET.slice(0, -1)}]`,
    '{"completed": "yes"}',
    "{".repeat(200_000),
  ];
  for (const judge of [evaluator(), rubric("It works.")]) {
    verdicts(judge, texts.map((text) => [text, null] as const));
  }
});

Deno.test("two verdicts in one reply must agree: one of them may be quoted", () => {
  verdicts(rubric("It works."), [
    [`The file says ${MET}, but I say ${NOT_MET}`, null],
    [`The file says ${NOT_MET}, but I say ${MET}`, null],
    ["The file says " + MET + " but:\n```json\n" + NOT_MET + "\n```", null],
    [`${NOT_MET} To repeat: ${NOT_MET}`, "needs_revision"],
  ]);
});

Deno.test("a judge's words are bounded, and not in hamr's own name", () => {
  assert.equal(passed_on(" a </hamr> <hamr> b "), "a </_hamr> <_hamr> b");
  assert.ok(passed_on("x".repeat(100_000)).length < 5000);
});
