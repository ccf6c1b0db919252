import assert from "node:assert/strict";
import { fault_of } from "../tools/check.ts";
import { EVERY_TOOL } from "../tools/declared/every_tool.ts";
import {
  asked,
  interpreted,
  prepare as prepare_with,
  repair_calls,
  shown_arguments,
  storable,
} from "./arguments.ts";
import type { ToolCall } from "../model/message.ts";

const prepare = (call: ToolCall) =>
  prepare_with(interpreted(call), { tools: EVERY_TOOL, fault_of, mode: "auto" });

const call = (name: string, args: string) => ({ id: "c1", name, arguments: args });

Deno.test("prepare() checks a call against its tool's schema", () => {
  const cases: readonly (readonly [string, string, string | null])[] = [
    ["read", '{"path":"a"}', null],
    ["read", '{"path":"a","offset":3,"limit":2}', null],
    ["read", '{"path":"a","offset":-1}', "offset"],
    ["read", '{"path":"a","offset":"b"}', "offset"],
    ["read", '{"path":"a","line_strat":3}', 'takes no "line_strat"'],
    ["read", "{}", "path"],
    ["read", "", "path"],
    ["read", '["a"]', "not a JSON object"],
    ["read", '"a"', "not a JSON object"],
    ["read", "null", "not a JSON object"],
    ["edit", '{"path":"a","old":"b"}', "new"],
    ["write", '{"path":"a","content":"b"', "not a JSON object"],
    ["bash", '{"command":["ls",1]}', "command"],
    ["bash", '{"command":"ls","timeout":-1}', "timeout"],
    ["bash", '{"command":"ls","timeout":-1}', "timeout"],
    ["constructor", "{}", 'no tool "constructor"'],
    ["", "{}", 'no tool ""'],
  ];
  for (const [name, args, problem] of cases) {
    const prepared = prepare(call(name, args));
    if (problem === null) {
      assert.equal(prepared.kind, "run", args);
    } else {
      assert.equal(prepared.kind, "invalid", args);
      assert.ok(
        prepared.kind === "invalid" && prepared.text.includes(problem),
        `${args}: ${JSON.stringify(prepared)}`,
      );
    }
  }
});

Deno.test("prepare() answers an invalid call with the schema, or with the names of the tools", () => {
  const wrong = prepare(call("edit", "{}"));
  assert.ok(wrong.kind === "invalid" && wrong.text.includes('"required":["path","old","new"]'));
  assert.match(wrong.why, /does not have required property "path"/);
  assert.ok(!wrong.why.includes("schema"), wrong.why);
  const unknown = prepare(call("teleport", "{}"));
  assert.ok(unknown.kind === "invalid" && unknown.text.includes("read, edit, write, bash"));
  assert.equal(unknown.why, 'there is no tool "teleport"');
});

Deno.test("prepare() quotes at most the beginning of what it could not read", () => {
  const prepared = prepare(call("write", "x".repeat(100_000)));
  assert.ok(prepared.kind === "invalid" && prepared.text.length < 1000);
});

Deno.test("storable() keeps arguments that parse and empties those that do not", () => {
  assert.equal(storable(call("read", '{"path":"a"}')).arguments, '{"path":"a"}');
  assert.equal(storable(call("read", '{"path":')).arguments, "{}");
  assert.equal(storable(call("read", "[1]")).arguments, "{}");
  assert.equal(storable(call("read", "")).arguments, "{}");
  assert.equal(storable(call("no such\0tool", "{}")).name, "no_such_tool");
  assert.equal(storable(call("", "{}")).name, "_");
  assert.equal(storable(call("x".repeat(99), "{}")).name.length, 64);
});

const reply = { content: "", reasoning: "", finish: "stop", usage: null } as const;

/** A reply's only call, as it was meant. */
function repair(given: ToolCall): ToolCall {
  return repair_calls({ ...reply, tool_calls: [given] }, new Set()).tool_calls[0]!;
}

Deno.test("repair_calls() repairs arguments once for all that look at them", () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ["read", "{'path': 'a'}", '{"path":"a"}'],
    ["read", '```json\n{"path":"a"}\n```', '{"path":"a"}'],
    ["read", '"{\\"path\\":\\"a\\"}"', '{"path":"a"}'],
    ["read", '{"path":"a","offset":"3","limit":null}', '{"path":"a","offset":3}'],
    ["read", '{"path":"a","offset":0,"limit":"null"}', '{"path":"a"}'],
    [
      "edit",
      '{"path":"a","old":"1","new":"2","all":"true"}',
      '{"path":"a","old":"1","new":"2","all":true}',
    ],
    ["write", '{"path":"a","content":"b"', '{"path":"a","content":"b"}'],
    ["no_such", "{'a': '5',}", '{"a":"5"}'],
  ];
  for (const [name, sent, meant] of cases) {
    const got = repair(call(name, sent));
    assert.deepEqual(got, { ...call(name, meant), repaired: true }, sent);
    assert.equal(storable(got).arguments, meant);
    assert.deepEqual(shown_arguments(got), JSON.parse(meant));
    assert.deepEqual(asked(got), asked(call(name, meant)));
    if (name !== "no_such") assert.equal(prepare(got).kind, "run", sent);
  }
});

Deno.test("repair_calls() leaves alone what is right, and what nobody can make out", () => {
  const texts = [
    '{"path":"a"}',
    '{ "path" : "a" }',
    "",
    "[1]",
    '{"path":"a',
    '{"path":"a","offset":1',
  ];
  for (const text of texts) {
    const given = call("read", text);
    assert.equal(repair(given), given, text);
  }
  const whole = { ...reply, tool_calls: [call("read", '{"path":"a"}')] };
  assert.equal(repair_calls(whole, new Set()), whole);
});

Deno.test("prepare() answers what is not a call with what is wrong and how it is done", () => {
  const native = prepare(call("edit", '{"path":"a'));
  assert.ok(native.kind === "invalid");
  assert.match(native.text, /not a JSON object/);
  const empty = prepare(call("edit", '{"path":"a"}'));
  assert.ok(empty.kind === "invalid");
  assert.match(empty.text, /"new"\. The arguments/);
  assert.ok(native.text.endsWith('For example: {"path":"...","old":"...","new":"..."}'));
  const odd = { ...call("bash", '{"command":"ls"}'), fault: "the call has no arguments" };
  assert.deepEqual([prepare(odd).kind, storable(odd).arguments], ["invalid", "{}"]);
  assert.deepEqual(shown_arguments(odd), {});
  const fault = { dialect: "hermes", fault: "the call is not one JSON object" };
  for (const [name, shown] of [["bash", '"command":"..."'], ["_", '"path":"..."']] as const) {
    const given = { ...call(name, "{bash: ls}"), ...fault };
    assert.equal(repair(given), given);
    const text = prepare(given);
    assert.ok(text.kind === "invalid" && text.text.includes("{bash: ls}"));
    assert.match(text.text, /^Error: not run: the call is not one JSON object\./);
    assert.ok(text.text.includes("<tool_call>\n{") && text.text.includes(shown), text.text);
  }
});

Deno.test("repair_calls() takes blanks off a name that is a tool's without them", () => {
  for (const name of ["bash\n", " bash", "bash\t "]) {
    const { name: plain, repaired } = repair(call(name, '{"command":"ls"}'));
    assert.deepEqual([plain, repaired], ["bash", true]);
  }
  const unknown = call("grep\n", "{}");
  assert.equal(repair(unknown), unknown);
  const broken = repair(call("bash\n", "ls"));
  assert.deepEqual([broken.name, broken.arguments], ["bash", "ls"]);
});

Deno.test("asked() knows the same call again, and remembers at most a line of a long one", () => {
  const write = (content: string, turned = false) => {
    const args = turned ? { content, path: "a" } : { path: "a", content };
    return asked(call("write", JSON.stringify(args, null, turned ? 2 : 0)));
  };
  for (const content of ["x", "x".repeat(100_000)]) {
    assert.deepEqual(write(content), write(content, true));
    assert.notDeepEqual(write(content), write(`y${content.slice(1)}`));
    assert.ok(write(content).args.length < 100);
  }
  assert.equal(asked(call("bash", "{broken")).args, "{broken");
});

Deno.test("repair_calls() gives a call another id where an earlier one has it", () => {
  const made = (...ids: string[]) => ids.map((id) => ({ ...call("read", '{"path":"a"}'), id }));
  const taken = new Set(["call_0", "call_0_2", "x"]);
  const { tool_calls } = repair_calls(
    { ...reply, tool_calls: made("call_0", "y", "y", "call_0") },
    taken,
  );
  assert.deepEqual(tool_calls.map(({ id }) => id), ["call_0_3", "y", "y_2", "call_0_4"]);
});
