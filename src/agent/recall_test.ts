import { deepEqual, equal } from "node:assert/strict";
import { recall } from "./recall.ts";

/** Holds these facts, for whatever is looked for; remembers that. */
function memory_of(...texts: string[]) {
  const queries: string[] = [];
  const search = (query: string) => {
    queries.push(query);
    return texts.map((text, at) => ({
      id: String(at),
      scope: "workspace" as const,
      text,
      saved: "",
    }));
  };
  return { queries, search };
}

/** What is said before each of some requests, by what was asked for last. */
function said(memory: Parameters<typeof recall>[0], asked: readonly string[]): (string | null)[] {
  const { check, start } = recall(memory);
  let kept = start;
  return asked.map((words) => {
    const sight = { steps: 0, outdated: [], todos: [], todos_step: 0, asked: words };
    const { text, memory } = check(sight, kept);
    kept = memory;
    return text;
  });
}

Deno.test("recall() tells what memory holds once for each thing that is asked for", () => {
  const memory = memory_of("It is\nso " + "x".repeat(400));
  const told = said(memory, ["fix the parser", "fix the parser", "and 测试", "and 测试"]);
  deepEqual(told.map((text) => text !== null), [true, false, true, false]);
  deepEqual(memory.queries, ["parser", "测试"]);
  equal(told[0]?.split("\n")[1], `- It is\\nso ${"x".repeat(291)}…`);
});

Deno.test("recall() says nothing if memory is empty, or fails", () => {
  deepEqual(said(memory_of(), ["task"]), [null]);
  const broken = {
    search: () => {
      throw new Error("database disk image is malformed");
    },
  };
  deepEqual(said(broken, ["task", "task"]), [null, null]);
});
