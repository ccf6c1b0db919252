import assert from "node:assert/strict";
import { prints_call } from "./answer/printed_call.ts";
import type { Mode, Rule, View } from "../guards/rule.ts";
import { FILE_ROW, first_verdict, verdicts, view_of } from "./_testing.ts";
import { gates } from "./mod.ts";

const SETTINGS = { action_nudges: 3, claim_nudges: 2 };
const { ending, contract } = gates(SETTINGS);

/** The gate of this name. */
function gate(name: string, from = ending): Rule {
  return from.find((one) => one.name === name)!;
}

const [not_done, doubtful] = [gate("not_done"), gate("doubtful")];

Deno.test("the gates are in the order in which they are asked", () => {
  assert.deepEqual(ending.map((gate) => gate.name), ["not_done", "doubtful"]);
  assert.deepEqual(contract.map((gate) => gate.name), ["unchanged", "patch", "verify"]);
});

Deno.test("their memory is plain JSON", () => {
  for (const gate of [...ending, ...contract]) {
    assert.deepEqual(JSON.parse(JSON.stringify(gate.start)), gate.start, gate.name);
  }
});

Deno.test("a doubtful answer is asked about in auto mode only, once; with 0 nudges it is judged at once", () => {
  const texts = ["Let me look at the code.", "Done.", "I fixed the bug."];
  const ends = ["not_done", "contract_unsatisfied", "contract_unsatisfied"];
  for (const [at, text] of texts.entries()) {
    const [first, second] = verdicts(doubtful, text, view_of(), 2);
    assert.equal(first?.kind, "nudge", text);
    assert.ok(second?.kind === "stop" && second.reason === ends[at], text);
    for (const mode of ["ask", "patch", "verify"] satisfies Mode[]) {
      assert.equal(first_verdict(doubtful, text, view_of({ mode })).kind, "go_on", mode);
    }
    const unasked = gate("doubtful", gates({ action_nudges: 0, claim_nudges: 0 }).ending);
    const verdict = first_verdict(unasked, text);
    assert.ok(verdict.kind === "stop" && verdict.reason === ends[at], text);
  }
});

Deno.test("what the server marks as a refusal is asked about once, unless something was done", () => {
  const check = (view: View, memory: unknown, mode: Mode = "auto") =>
    doubtful.check(
      { at: "ending", text: "Es geht nicht.", refused: true },
      { ...view, mode, asked: "How many lines has a.txt?" },
      memory,
    );
  const asked = check(view_of(), doubtful.start);
  assert.equal(asked.verdict.kind, "nudge");
  const { verdict } = check(view_of(), asked.memory);
  assert.ok(verdict.kind === "stop" && verdict.reason === "not_done");
  const done = view_of({ ledger: [FILE_ROW], turn: [FILE_ROW] });
  assert.equal(check(done, doubtful.start).verdict.kind, "go_on");
  assert.equal(check(view_of(), doubtful.start, "ask").verdict.kind, "go_on");
});

Deno.test("an ending names the file that is claimed and did not change, and no other", () => {
  const ends = (text: string, asked = "") => {
    const view = view_of({ asked, ledger: [FILE_ROW], turn: [FILE_ROW], run: [FILE_ROW] });
    const verdict = verdicts(doubtful, text, view, 2)[1];
    assert.ok(verdict?.kind === "stop", text);
    return verdict.text;
  };
  assert.match(
    ends("I fixed the bug in calc.py."),
    /claims a change of calc\.py, and none was seen/,
  );
  assert.match(ends("I updated src/a.ts and B.ts."), /claims a change of B\.ts, and none was seen/);
  assert.match(
    ends("I added it to `src/__init__.py`."),
    /claims a change of src\/__init__\.py, and none was seen/,
  );
  assert.match(
    ends("Fixed it, and noted it in the README.", "Fix it, and note it in the README."),
    /claims a change of README, and none was seen/,
  );
});

Deno.test("of a status nothing is said but that it is one, or that a change failed", () => {
  const view = view_of();
  const attempt = {
    kind: "attempt",
    step: 1,
    call: "c1",
    tool: "edit",
    ok: false,
    path: "a.py",
  } as const;
  const failed = view_of({ ledger: [attempt], turn: [attempt], run: [attempt], asked: "Fix a.py" });
  for (const text of ["Finished.", "Done."]) {
    for (
      const [seen, said] of [[view, /only a status, and no fact/], [
        failed,
        /was tried and failed/,
      ]] as const
    ) {
      const verdict = verdicts(doubtful, text, seen, 2)[1];
      assert.ok(verdict?.kind === "stop", text);
      assert.match(verdict.text, said, text);
      assert.doesNotMatch(verdict.text, /claims/, text);
    }
  }
});

Deno.test("the question is short and neutral, and says what was seen", () => {
  const turn = [FILE_ROW, {
    kind: "command",
    step: 1,
    call: "c2",
    command: "ls",
    exit_code: 0,
  }] as const;
  const view = view_of({ ledger: turn, turn, steps: 2, run_steps: 2 });
  const verdict = first_verdict(doubtful, "I fixed it, and all tests pass.", view);
  assert.ok(verdict.kind === "nudge");
  assert.match(
    verdict.text,
    /Files seen to change: src\/a\.ts\. Commands run: `ls` \(exit code 0\)\./,
  );
  assert.match(verdict.text, /do it with the tools.*repeat it.*NOT DONE:/);
  assert.doesNotMatch(verdict.text, /wrong|false|lie|must|no file/i);
  assert.ok(verdict.text.length < 300, String(verdict.text.length));
});

Deno.test("a dry run is told about what was planned, not of what did not change", () => {
  const turn = [{ kind: "planned", step: 1, call: "c1", tool: "write" }] as const;
  const verdict = first_verdict(
    doubtful,
    "Let me look at the code.",
    view_of({ ledger: turn, turn }),
  );
  assert.ok(
    verdict.kind === "nudge" && verdict.text.startsWith("Calls planned in this dry run: 1."),
  );
  assert.doesNotMatch(verdict.text, /Files seen to change/);
});

Deno.test("NOT DONE ends the run in every mode, in whatever form it is written", () => {
  const forms = [
    "NOT DONE: x",
    "not done: x",
    "**NOT DONE:** x",
    "**NOT DONE**: x",
    "`NOT DONE:` x",
    "# Result\n\nNOT DONE: x",
    "## NOT DONE: x",
    "❌ NOT DONE: x",
    "```text\nNOT DONE: x\n```\n",
    "> NOT DONE: x",
    "> **NOT DONE:** x\n>\n> It is not there.\n",
    "NOT DONE： 找不到文件",
    "NOT DONE - x",
    "NOT_DONE: x",
    "NOT DONE\nx",
  ];
  for (const mode of ["auto", "ask", "patch", "verify"] satisfies Mode[]) {
    for (const text of forms) {
      const verdict = first_verdict(not_done, text, view_of({ mode, calls: 1 }));
      assert.ok(verdict.kind === "stop" && verdict.reason === "not_done", `${mode}: ${text}`);
    }
  }
  for (
    const text of [
      "It is not done: x",
      "Not done yet, but soon.",
      "NOT DONEGAL: x",
      "```\nNOT DONE: x\n```\nThat is what it prints.",
      "> NOT DONE: x\n\nThat is what the log of the run before says.",
      "Done: a\nNot done: b",
    ]
  ) {
    assert.equal(first_verdict(not_done, text, view_of({ calls: 1 })).kind, "go_on", text);
  }
});

Deno.test("the reason is what the model gives, without the marker", () => {
  const reason = (text: string) => {
    const verdict = first_verdict(not_done, text, view_of({ calls: 1 }));
    return verdict.kind === "stop" ? verdict.text : verdict.kind;
  };
  assert.equal(reason("**NOT DONE:** there is\nno add."), "there is no add.");
  assert.equal(reason("# Result\n\nNot done: 找不到文件"), "找不到文件");
  assert.equal(reason("```\nNOT DONE: no add.\n```"), "no add.");
  assert.equal(reason("NOT DONE"), "the model gave no reason");
  assert.equal(reason("I'm sorry. NOT DONE: it takes a network."), "it takes a network.");
});

Deno.test("where nothing was tried it is asked to try, and only at the first reply", () => {
  const say = (calls: number, run_steps: number) =>
    first_verdict(not_done, "NOT DONE: no idea", view_of({ calls, run_steps })).kind;
  assert.deepEqual([say(0, 1), say(1, 2), say(0, 2)], ["nudge", "stop", "stop"]);
});

Deno.test("an answer of line ends does not hold hamr up, and a call behind them is seen", () => {
  const ends = "\n".repeat(1_000_000);
  assert.equal(prints_call(`Done.${ends}Fine.`), false);
  assert.equal(prints_call(`Done.${ends}  Action: edit  \r\n`), true);
  assert.equal(prints_call(`Done.\n\`\`\`\n edit("a")`), true);
});
