import assert from "node:assert/strict";
import type { Reply } from "../model/message.ts";
import { VIEW } from "./_testing.ts";
import { empty } from "./empty.ts";
import { malformed } from "./malformed.ts";
import type { Moment, Rule, Verdict, View } from "./rule.ts";
import { truncation } from "./truncation.ts";
import { watchdog } from "./watchdog.ts";

function reply(parts: Partial<Reply>): Moment {
  const whole = {
    content: "",
    reasoning: "",
    tool_calls: [],
    finish: "stop" as const,
    usage: null,
  };
  return { at: "reply", reply: { ...whole, ...parts } };
}

/** Asks a rule about moments one after the other, with its memory kept. */
function course(rule: Rule, moments: readonly Moment[], view: Partial<View> = {}): Verdict[] {
  let memory = rule.start;
  return moments.map((moment) => {
    const ruling = rule.check(moment, { ...VIEW, ...view }, memory);
    memory = JSON.parse(JSON.stringify(ruling.memory));
    return ruling.verdict;
  });
}

const kinds = (verdicts: readonly Verdict[]) => verdicts.map((verdict) => verdict.kind).join(" ");

Deno.test("watchdog() stops a run at its limits, an interrupt first", () => {
  const limits = { max_steps: 3, max_tool_calls: 5, timeout_s: 10, step_timeout_s: 2 };
  const none = { max_steps: 0, max_tool_calls: 0, timeout_s: 0, step_timeout_s: 0 };
  const cases: readonly (readonly [Partial<View>, string | null])[] = [
    [{}, null],
    [{ run_steps: 2, calls: 4, elapsed_ms: 9000, step_ms: 1500 }, null],
    [{ run_steps: 3 }, "max_steps"],
    [{ calls: 5 }, null],
    [{ elapsed_ms: 10_000 }, "timeout"],
    [{ step_ms: 2001 }, "timeout"],
    [{ run_steps: 99, elapsed_ms: 99_000, interrupted: true }, "user_interrupt"],
  ];
  for (const [view, reason] of cases) {
    const [verdict] = course(watchdog(limits), [{ at: "request" }], view);
    assert.equal(verdict?.kind === "stop" ? verdict.reason : null, reason, JSON.stringify(view));
    const [unlimited] = course(watchdog(none), [{ at: "request" }], view);
    assert.equal(unlimited?.kind, view.interrupted ? "stop" : "go_on");
  }
});

Deno.test("watchdog() answers calls beyond the limit, and ends a run only after one was made", () => {
  const rule = watchdog({ max_steps: 0, max_tool_calls: 2, timeout_s: 0, step_timeout_s: 0 });
  const asked = { name: "bash", args: "{}" };
  const call: Moment = { at: "call", call: { id: "c", name: "bash", arguments: "{}" }, asked };
  const calls = (n: number): Moment => ({ at: "calls", calls: Array(n).fill(asked) });
  const request: Moment = { at: "request" };
  const at = (calls: number, moments: readonly Moment[]) => kinds(course(rule, moments, { calls }));
  assert.equal(at(1, [call]), "go_on");
  assert.equal(at(2, [call, request]), "answer stop");
  assert.equal(at(2, [request]), "go_on", "all calls were needed");
  // A call that is not even valid is answered without the rule being asked.
  assert.equal(at(2, [calls(1), request]), "go_on stop");
  assert.equal(at(1, [calls(1), call, request]), "go_on go_on go_on");
  // A session that goes on has its calls again.
  const { memory } = rule.check(call, { ...VIEW, calls: 2 }, rule.start);
  assert.equal(rule.check(request, { ...VIEW, calls: 0 }, memory).memory, false);
  const one = watchdog({ max_steps: 0, max_tool_calls: 1, timeout_s: 0, step_timeout_s: 0 });
  const [, verdict] = course(one, [call, request], { calls: 1 });
  assert.match(verdict?.kind === "stop" ? verdict.text : "", /limit of 1 tool call is reached/);
});

Deno.test("truncation() continues a cut answer, and then lets it end as it is", () => {
  const rule = truncation({ max_truncations: 3, auto_continues: 2 });
  const cut = reply({ content: "half an ans", finish: "length" });
  const verdicts = course(rule, [cut, cut, cut, cut]);
  assert.equal(kinds(verdicts), "nudge nudge go_on go_on");
  assert.ok(verdicts[0]?.kind === "nudge" && verdicts[0].keep);
});

Deno.test("truncation() says that nothing was said, where thoughts took all there was", () => {
  const rule = truncation({ max_truncations: 3, auto_continues: 2 });
  const thought = reply({ reasoning: "Wait, ", finish: "length" });
  const verdicts = course(rule, [thought, thought, thought]);
  assert.equal(kinds(verdicts), "nudge nudge stop");
  assert.ok(verdicts[0]?.kind === "nudge");
  assert.doesNotMatch(verdicts[0].text, /not run/);
});

Deno.test("truncation() drops cut calls and asks for smaller pieces", () => {
  const rule = truncation({ max_truncations: 3, auto_continues: 2 });
  const tool_calls = [{ id: "c", name: "write", arguments: '{"path' }];
  const [verdict] = course(rule, [reply({ tool_calls, finish: "length" })]);
  assert.ok(verdict?.kind === "nudge" && verdict.keep === undefined);
  assert.match(verdict.text, /its tool calls were not run \(write\)/);
  assert.match(verdict.text, /its beginning with write, then each further part with edit/);
});

Deno.test("truncation() lets whole calls in text run, and says that the rest was dropped", () => {
  const rule = truncation({ max_truncations: 3, auto_continues: 2 });
  const native = { id: "a", name: "write", arguments: "{}" };
  const text = { id: "b", name: "read", arguments: "{}", dialect: "hermes" };
  const cut = (tool_calls: Reply["tool_calls"]) =>
    reply({ content: "So.", tool_calls, finish: "length", dropped: true });
  const cases: readonly (readonly [Reply["tool_calls"], true | undefined, RegExp])[] = [
    [[text], true, /Only its complete calls were run \(read\)/],
    [[text, text], true, /Only its complete calls were run \(read 2 times\)/],
    [[], undefined, /its tool calls were not run\./],
    [[native], undefined, /its tool calls were not run \(write\)/],
    [[native, text], undefined, /its tool calls were not run \(write, read\)/],
  ];
  for (const [calls, run, said] of cases) {
    const [verdict] = course(rule, [cut(calls)]);
    assert.ok(verdict?.kind === "nudge");
    assert.equal(verdict.run, run);
    assert.equal(verdict.keep, undefined);
    assert.match(verdict.text, said);
  }
  assert.equal(kinds(course(rule, [cut([text]), cut([text]), cut([text])])), "nudge nudge stop");
});

Deno.test("malformed() tells the model of a call in its text that was not run", () => {
  const unread = "bash: its end is missing";
  const tool_calls = [{ id: "b", name: "read", arguments: "{}", dialect: "hermes" }];
  const cases = [[reply({ unread }), undefined], [reply({ unread, tool_calls }), true]] as const;
  for (const [said, run] of cases) {
    const [verdict] = course(malformed(), [said]);
    assert.ok(verdict?.kind === "nudge");
    assert.equal(verdict.run, run);
    assert.match(verdict.text, /was not run \(bash: its end is missing\)/);
    assert.equal(verdict.recovers?.otherwise, "model_error");
  }
  const again = course(malformed(), [
    ...[reply({ unread }), reply({ unread }), reply({ content: "So." }), reply({ unread })],
  ]);
  const held = again.map((verdict) => verdict.kind === "nudge" && verdict.constrain === true);
  assert.deepEqual(held, [false, true, false, false], "the third try, and no first one");
  assert.equal(kinds(course(malformed(), [reply({ content: "So." })])), "go_on");
  assert.equal(kinds(course(empty(), [reply({ unread })])), "go_on");
});

Deno.test("truncation() counts cut calls: a cut answer is none, and a whole reply takes them back", () => {
  const rule = truncation({ max_truncations: 3, auto_continues: 2 });
  const answer = reply({ content: "half", finish: "length" });
  const whole = reply({ content: "whole" });
  const call = reply({ dropped: true, finish: "length" });
  const verdicts = course(rule, [call, answer, call, whole, call, answer, call, answer, call]);
  assert.equal(kinds(verdicts), "nudge nudge nudge go_on nudge nudge nudge go_on stop");
  assert.ok(verdicts[8]?.kind === "stop" && verdicts[8].reason === "model_error");
});

Deno.test("truncation() with 0 never ends the run and never continues", () => {
  const rule = truncation({ max_truncations: 0, auto_continues: 0 });
  const answer = reply({ content: "half", finish: "length" });
  const call = reply({ dropped: true, finish: "length" });
  assert.equal(kinds(course(rule, [answer, answer])), "go_on go_on");
  assert.equal(kinds(course(rule, Array(6).fill(call))), "nudge nudge nudge nudge nudge nudge");
});

Deno.test("empty() nudges once, then stops; reasoning alone is not an answer", () => {
  const nothing = reply({ reasoning: "I think…", content: " \n" });
  const verdicts = course(empty(), [nothing, reply({ content: "a" }), nothing, nothing]);
  assert.equal(kinds(verdicts), "nudge go_on nudge stop");
  assert.ok(verdicts[3]?.kind === "stop" && verdicts[3].reason === "empty_response");
  assert.match(verdicts[3].text, /no answer and no call$/);
  for (
    const [finish, why] of [["content_filter", /content filter/], ["refusal", /refus/]] as const
  ) {
    const [, stopped] = course(empty(), [reply({ finish }), reply({ finish })]);
    assert.match(stopped?.kind === "stop" ? stopped.text : "", why);
  }
});
