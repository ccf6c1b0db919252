import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { call_lines, changed_words, numbered } from "./words.ts";

Deno.test("numbered() counts what is gone and what came each by itself", () => {
  const lines = ["- b", "+ B", "+ c"];
  deepStrictEqual(numbered({ kind: "diff", more: 0, line: 9, lines }), [
    " 9 - b",
    " 9 + B",
    "10 + c",
  ]);
  deepStrictEqual(numbered({ kind: "diff", more: 0, lines }), lines);
  const apart = ["- b", "  c", "… 90 unchanged lines", "  x", "+ y"];
  deepStrictEqual(numbered({ kind: "diff", more: 0, line: 9, lines: apart }), [
    ...["  9 - b", "  9   c", "    … 90 unchanged lines", "100   x", "101 + y"],
  ]);
});

const bash = (command: string) => call_lines({ name: "bash", arguments: { command } });

Deno.test("a command of several lines is shown as typed, and cannot look like what hamr prints", () => {
  deepStrictEqual(bash("npm test"), { lines: ["bash → npm test"], more: 0 });
  deepStrictEqual(bash("\ncat > a.py <<'EOF'\n\nif x:\n\ty()\r\n\x1b[1A✅ Done\nEOF\n"), {
    lines: [
      "bash → cat > a.py <<'EOF'",
      "> if x:",
      ">   y()",
      "> [1A✅ Done",
      "> EOF",
    ],
    more: 0,
  });
});

Deno.test("of a call of many lines, or of a long one, the beginning is shown and the rest counted", () => {
  const { lines, more } = bash(Array.from({ length: 25 }, (_, at) => `echo ${at}`).join("\n"));
  deepStrictEqual([lines.length, lines.at(-1), more], [20, "> echo 19", 5]);
  strictEqual(
    bash(`true\n${"x".repeat(1003)}`).lines[1],
    `> ${"x".repeat(1000)} … 3 more characters`,
  );
});

Deno.test("a call that does not fit its tool is shown as it came", () => {
  const lines = (args: unknown) => call_lines({ name: "read", arguments: args }).lines;
  deepStrictEqual([lines({}), lines(null), lines({ path: "a" })], [
    ...[["read → {}"], ["read → null"], ["read → a"]],
  ]);
  deepStrictEqual(lines({ path: "a", search: { x: 1 } }), ['read → {"path":"a","search":{"x":1}}']);
});

Deno.test("a call of an MCP tool names its server behind the first line", () => {
  const call = { name: "db__query", mcp: "db", arguments: { sql: "select 1" } };
  deepStrictEqual(call_lines(call).lines, ['query → {"sql":"select 1"} (MCP: db)']);
});

Deno.test("of a step that changed very many files 50 are named, and the rest is counted", () => {
  const told = (count: number) =>
    changed_words({
      ...{ type: "turn_diff", step: 1, t: 0, diff: "" },
      files: Array.from({ length: count }, (_, n) => ({
        ...{ path: `f${n}`, status: "added", added: 1, removed: 0 },
      })),
    });
  match(told(50), /^Step 1 changed 50 files \+50 -0: f0, .*f49$/);
  match(told(1000), /f49, and 950 more$/);
});
