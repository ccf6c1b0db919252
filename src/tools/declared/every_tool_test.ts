import assert from "node:assert/strict";
import { SECTIONS } from "../../config/keys.ts";
import { fault_of } from "../check.ts";
import { RUNNERS } from "../work/runners.ts";
import { tool_search } from "./agent_level_tools.ts";
import { BASIC_TOOLS, EVERY_TOOL, find_tool, schema_of } from "./every_tool.ts";

/** Modules that take 30 ms of start-up; only the worker may load them. */
const SLOW = /^node:|\/files\.ts|changes\.ts|output\.ts|shell\.ts|put\.ts|kept\.ts|look\.ts/;

Deno.test("the model is told about the tools in a steady order, in few words", () => {
  assert.deepEqual(BASIC_TOOLS.map(({ name }) => name), ["read", "edit", "write", "bash"]);
  const text = JSON.stringify(BASIC_TOOLS.map(schema_of));
  assert.equal(text, JSON.stringify(BASIC_TOOLS.map(schema_of)));
  assert.ok(text.length < 1800, `${text.length} bytes`);
  assert.equal(find_tool("read"), BASIC_TOOLS[0]);
  assert.equal(find_tool("Read"), undefined);
  assert.equal(find_tool("toString"), undefined);
});

Deno.test("every tool is told in few words, and its name is its own", () => {
  const names = EVERY_TOOL.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  const told = EVERY_TOOL.filter(({ offered }) => offered !== "never").map(schema_of);
  const size = JSON.stringify(told).length;
  assert.ok(size < 275 * told.length, `${size} bytes of ${told.length} tools`);
});

Deno.test("every tool that is declared is in a list of them", async () => {
  for (const file of ["machine_tools", "agent_level_tools"]) {
    const text = await Deno.readTextFile(new URL(`./${file}.ts`, import.meta.url));
    const declared = [...text.matchAll(/const \w+: Tool<\w+> = \{\s+name: "(\w+)"/g)];
    assert.ok(declared.length > 0);
    for (const [, name] of declared) {
      assert.ok(find_tool(name as string) !== undefined, `the list in ${file}.ts lacks ${name}`);
    }
  }
});

Deno.test("every tool that works on the machine has something that does it", () => {
  const names = EVERY_TOOL.filter(({ agent_level }) => !agent_level).map(({ name }) => name);
  const lacks = "a tool has no line in work/runners.ts, or a line has no tool";
  assert.deepEqual([...RUNNERS.keys()].sort(), names.toSorted(), lacks);
});

Deno.test("what a tool is for goes with what it does, and the names it points at are tools", () => {
  for (const { name, kind, changes, read_only, part_of, hooked_as = [] } of EVERY_TOOL) {
    assert.equal(kind === "edit", changes !== undefined, name);
    if (read_only) assert.ok(kind === "read" || kind === "search", name);
    for (const other of [part_of ?? name, ...hooked_as]) assert.ok(find_tool(other), other);
  }
});

Deno.test("a tool that is needed from the first request on can't be deferred", () => {
  const { fits } = SECTIONS.tools.deferred;
  for (const { name } of [...BASIC_TOOLS, tool_search]) assert.equal(fits?.(name), false, name);
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
  const files = ["declared/every_tool", "worker/client", "protocol", "tool"];
  for (const file of files) look(new URL(`../${file}.ts`, import.meta.url));
  assert.ok(seen.size > 10, [...seen].join(" "));
});
