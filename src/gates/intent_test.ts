import assert from "node:assert/strict";
import type { Mode, Moment } from "../guards/rule.ts";
import { FILE_ROW, first_verdict, verdicts, view_of } from "./_testing.ts";
import { intent } from "./intent.ts";

const PLAN = "Let me look at the code first.";

Deno.test("an announcement is nudged as often as is set; then it is an ending only where a call was run", () => {
  const cases: [number, string[]][] = [
    [0, ["go_on", "go_on"]],
    [1, ["nudge", "stop"]],
    [3, ["nudge", "nudge", "nudge", "stop"]],
  ];
  const call = { name: "read", args: "{}", step: 1, valid: true, ok: true, result: "", ms: 1 };
  const after = (ran: boolean) => view_of({ actions: [{ ...call, ran, changes: 0 }] });
  for (const [nudges, expected] of cases) {
    const kinds = (view = view_of()) =>
      verdicts(intent({ nudges }), PLAN, view, expected.length).map((v) => v.kind);
    assert.deepEqual(kinds(), expected, `${nudges} nudges`);
    assert.deepEqual(kinds(after(false)), expected, `${nudges} nudges, a call refused`);
    const passes = expected.map((kind) => kind === "stop" ? "go_on" : kind);
    assert.deepEqual(kinds(after(true)), passes, `${nudges} nudges, a call run`);
    assert.deepEqual(kinds(view_of({ mode: "patch" })), passes, `${nudges} nudges, patch`);
  }
});

Deno.test("an answer between two announcements does not cost a nudge", () => {
  const gate = intent({ nudges: 1 });
  const { verdict, memory } = gate.check({ at: "ending", text: "42" }, view_of(), gate.start);
  assert.equal(verdict.kind, "go_on");
  assert.equal(gate.check({ at: "ending", text: PLAN }, view_of(), memory).verdict.kind, "nudge");
});

Deno.test("the nudge says what to do, in few words", () => {
  const verdict = first_verdict(intent({ nudges: 3 }), PLAN);
  assert.ok(verdict.kind === "nudge" && /call the tool now/i.test(verdict.text));
  assert.ok(verdict.text.length < 120);
});

Deno.test("an announcement is one in every mode, and after work was done, too", () => {
  for (const mode of ["auto", "ask", "patch", "verify"] satisfies Mode[]) {
    const view = view_of({ mode, ledger: [FILE_ROW], turn: [FILE_ROW] });
    assert.equal(first_verdict(intent({ nudges: 3 }), PLAN, view).kind, "nudge", mode);
  }
});

Deno.test("a list of announced steps is an answer in ask mode only", () => {
  const plan = "I'll make these changes:\n\n1. Update the parser\n2. Add a test";
  const cases: [Mode, string][] = [["ask", "go_on"], ["auto", "nudge"], ["patch", "nudge"]];
  for (const [mode, expected] of cases) {
    assert.equal(
      first_verdict(intent({ nudges: 3 }), plan, view_of({ mode })).kind,
      expected,
      mode,
    );
  }
});

Deno.test("only endings are judged", () => {
  const call = { id: "1", name: "read", arguments: "{}" };
  const reply = {
    content: PLAN,
    reasoning: "",
    tool_calls: [],
    finish: "stop",
    usage: null,
  } as const;
  const moments: Moment[] = [
    { at: "request" },
    { at: "reply", reply },
    { at: "call", call, asked: { name: call.name, args: call.arguments } },
    { at: "contract" },
  ];
  const gate = intent({ nudges: 3 });
  for (const moment of moments) {
    assert.deepEqual(gate.check(moment, view_of(), 0), { verdict: { kind: "go_on" }, memory: 0 });
  }
});

Deno.test("a reply that breaks off is none in any language", () => {
  const cases: [string, string][] = [
    ["Otvoriću datoteku:", "nudge"],
    ["ファイルを確認します：", "nudge"],
    ["Сейчас посмотрю…", "nudge"],
    ["**Je regarde :**", "nudge"],
    ["Hmm...", "nudge"],
    ["…", "nudge"],
    ["The rest is one, two, three, ...", "go_on"],
    ["It is called on open, close etc…", "go_on"],
    ["Let me know if you need more…", "go_on"],
    ["Which of them do you mean…?", "go_on"],
    ["The label is `name:`", "go_on"],
    ["Modules:\n\n- a\n- b:", "go_on"],
    ["The output is:\n\n```\na:\n```", "go_on"],
    ["", "go_on"],
    ["   \n", "go_on"],
  ];
  for (const [text, expected] of cases) {
    assert.equal(first_verdict(intent({ nudges: 3 }), text).kind, expected, text);
  }
});

Deno.test("the end of a long reply decides", () => {
  const essay = "The parser reads a header and returns a map of its fields.\n\n".repeat(4_000);
  const cases: [string, string][] = [
    [`Let me look at the code first. ${essay}`, "go_on"],
    [`Let me explain how it works. ${essay}`, "go_on"],
    [`${essay}Now let me fix the parser.`, "nudge"],
    [`${essay}That is all.`, "go_on"],
    [`${essay}\`\`\`ts\nconst a = 1;\n\`\`\``, "go_on"],
    [`${essay}\`\`\`ts\n${"const a = 1; // let me check this\n".repeat(500)}\`\`\``, "go_on"],
  ];
  for (const [text, expected] of cases) {
    assert.equal(first_verdict(intent({ nudges: 3 }), text).kind, expected, text.slice(-60));
  }
});
