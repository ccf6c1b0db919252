import assert from "node:assert/strict";
import { fault_of } from "./check.ts";
import { EVERY_TOOL } from "./every_tool.ts";
import { find_tool } from "./every_tool.ts";
import { schema_of, TOOLS } from "./registry.ts";
import { DEFERRABLE } from "./tool_search.ts";

/** Modules that take 30 ms of start-up; only the worker may load them. */
const SLOW = /^node:|\/files\.ts|changes\.ts|output\.ts|shell\.ts|put\.ts|kept\.ts|look\.ts/;

Deno.test("the model is told of the tools in a steady order, in few words", () => {
  assert.deepEqual(TOOLS.map(({ name }) => name), ["read", "edit", "write", "bash"]);
  const text = JSON.stringify(TOOLS.map(schema_of));
  assert.equal(text, JSON.stringify(TOOLS.map(schema_of)));
  assert.ok(text.length < 1800, `${text.length} bytes`);
  assert.equal(find_tool("read"), TOOLS[0]);
  assert.equal(find_tool("Read"), undefined);
  assert.equal(find_tool("toString"), undefined);
});

Deno.test("every tool is told in few words, and its name is its own", () => {
  const names = EVERY_TOOL.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(DEFERRABLE.every((name) => names.includes(name)));
  const size = JSON.stringify(EVERY_TOOL.filter(({ unlisted }) => !unlisted).map(schema_of)).length;
  assert.ok(size < 3050, `${size} bytes`);
});

Deno.test("schemas are what servers take: objects with types, and nothing beyond", () => {
  for (const tool of EVERY_TOOL) {
    const { name, description, parameters } = schema_of(tool);
    assert.match(name, /^[a-z_]+$/);
    assert.ok(description.length > 20);
    assert.equal(parameters["type"], "object");
    assert.ok(Array.isArray(parameters["required"]));
    assert.doesNotMatch(JSON.stringify(parameters), /\$schema|\$ref|"const"/);
  }
});

Deno.test("arguments are checked, and each tool sums up its own", () => {
  const item = (text: string, status: string) => ({ text, status });
  const table: [string, Record<string, unknown>, string | null][] = [
    ["read", { path: "a" }, "a"],
    ["read", { path: "a", offset: 7 }, "a:7"],
    ["read", { path: "a", search: "x" }, 'a "x"'],
    ["read", {}, null],
    ["read", { path: "a", offset: 0 }, null],
    ["read", { path: "a", offset: 1.5 }, null],
    ["read", { path: "a", limit: -1 }, null],
    ["edit", { path: "a", old: "1\n2\n", new: "" }, "a (2→0 lines)"],
    ["edit", { path: "a", old: "1" }, null],
    ["edit", { path: "a", old: "1", new: "2", all: "yes" }, null],
    ["write", { path: "a", content: "x\ny" }, "a (2 lines)"],
    ["write", { path: "a", content: "" }, "a (0 lines)"],
    ["write", { path: "a", content: 7 }, null],
    ["bash", { command: "ls" }, "ls"],
    ["bash", { command: "ls", timeout: 0 }, null],
    ["bash", { command: "ls", timeout: 86_401 }, null],
    ["bash", { command: ["ls"] }, null],
    ["view_image", { path: "a.png" }, "a.png"],
    ["view_image", {}, null],
    ["todo", { items: [item("a", "pending"), item("b", "completed")] }, "2 items, 1 completed"],
    ["todo", { items: [] }, "0 items, 0 completed"],
    ["todo", { items: [item("a", "done")] }, null],
    ["todo", { items: [item("", "pending")] }, null],
    ["todo", { items: [item("x".repeat(501), "pending")] }, null],
    ["todo", { items: Array.from({ length: 51 }, () => item("a", "pending")) }, null],
    ["todo", { items: ["a"] }, null],
    ["tool_search", { query: "*" }, "*"],
    ["tool_search", {}, null],
    ["session_search", { query: "dates" }, "dates"],
    ["session_search", {}, null],
    ["delegate_task", { task: "look" }, "look"],
    ["delegate_task", { task: "look", tools: "read" }, "look (reads only)"],
    ["delegate_task", { task: "look", tools: "bash" }, null],
    ["delegate_task", { task: "" }, null],
  ];
  for (const [name, args, summary] of table) {
    const tool = EVERY_TOOL.find((tool) => tool.name === name);
    assert.ok(tool !== undefined);
    const got = fault_of(tool, args) === null ? tool.summary(args) : null;
    assert.equal(got, summary, JSON.stringify([name, args]));
  }
});

Deno.test("what the main thread loads of the tools does not load the machine", () => {
  const seen = new Set<string>();
  const look = (url: URL) => {
    if (seen.has(url.href)) return;
    seen.add(url.href);
    const imports = /^(?:import|export) (type )?[^;]*?from "([^"]+)"/gm;
    for (const [, type, from = ""] of Deno.readTextFileSync(url).matchAll(imports)) {
      if (type !== undefined) continue;
      assert.doesNotMatch(from, SLOW, `${url} imports ${from}`);
      if (from.startsWith(".")) look(new URL(from, url));
    }
  };
  for (const file of ["registry.ts", "every_tool.ts", "hatch.ts", "protocol.ts", "tool.ts"]) {
    look(new URL(file, import.meta.url));
  }
  assert.ok(seen.size > 15, [...seen].join(" "));
});
