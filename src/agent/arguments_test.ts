import assert from "node:assert/strict";
import { fault_of } from "../tools/check.ts";
import { prepare as prepare_with, storable } from "./arguments.ts";
import type { ToolCall } from "../model/message.ts";

const prepare = (call: ToolCall) => prepare_with(call, fault_of);

const call = (name: string, args: string) => ({ id: "c1", name, arguments: args });

Deno.test("prepare() checks a call against its tool's schema", () => {
  const cases: readonly (readonly [string, string, string | null])[] = [
    ["read", '{"path":"a"}', null],
    ["read", '{"path":"a","offset":3,"limit":2}', null],
    ["read", '{"path":"a","offset":0}', "offset"],
    ["read", '{"path":"a","offset":"3"}', "offset"],
    ["read", "{}", "path"],
    ["read", "", "path"],
    ["read", '["a"]', "not a JSON object"],
    ["read", '"a"', "not a JSON object"],
    ["read", "null", "not a JSON object"],
    ["edit", '{"path":"a","old":"b"}', "new"],
    ["write", '{"path":"a","content":"b"', "not a JSON object"],
    ["bash", '{"command":["ls"]}', "command"],
    ["bash", '{"command":"ls","timeout":0}', "timeout"],
    ["bash", '{"command":"ls","timeout":1e9}', "timeout"],
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
  const unknown = prepare(call("grep", "{}"));
  assert.ok(unknown.kind === "invalid" && unknown.text.includes("read, edit, write, bash"));
});

Deno.test("prepare() quotes no more than the beginning of what it could not read", () => {
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
