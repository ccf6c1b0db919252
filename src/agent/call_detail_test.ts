import assert from "node:assert/strict";
import { EVERY_TOOL } from "../tools/declared/every_tool.ts";
import { detail_of, planned_diff } from "./call_detail.ts";

function detail(tool: string, args: unknown, result: { ok: boolean; text: string }) {
  return detail_of({ tool, args }, { ...result, summary: "exit code 1" });
}

Deno.test("under an edit stand the lines that differ, at most twenty", () => {
  const done = { ok: true, text: "changed 1 place in a.py" };
  assert.deepEqual(detail("edit", { path: "a.py", old: "a\nb\nc", new: "a\nB\nc" }, done), {
    kind: "diff",
    lines: ["  a", "- b", "+ B", "  c"],
    more: 0,
  });
  const old = Array.from({ length: 30 }, (_, at) => `${at}`).join("\n");
  const long = detail("edit", { path: "a.py", old, new: "" }, done);
  assert.deepEqual([long?.lines.length, long?.more], [20, 11]);
  assert.equal(detail("edit", { path: "a.py", old: "a", new: "b" }, { ok: false, text: "" }), null);
});

Deno.test("under a patch stands what it changes, with the files if there are several", () => {
  const done = { ok: true, text: "applied the patch:\nchanged a.py" };
  const one = ["*** Update File: a.py", "@@ def f():", "     b", "-    c", "+    C"];
  const lines = (input: readonly string[]) =>
    detail("apply_patch", {
      input: ["*** Begin Patch", ...input, "*** End Patch"].join("\n"),
    }, done)?.lines;
  assert.deepEqual(lines(one), ["-     c", "+     C"]);
  assert.deepEqual(lines([...one, "*** Delete File: b.py"]), [
    "Update a.py",
    "-     c",
    "+     C",
    "Delete b.py",
  ]);
});

Deno.test("under a command stands the end of what it printed: ten lines where it failed, else five", () => {
  const text = Array.from({ length: 30 }, (_, at) => `line ${at}`).join("\n");
  const failed = detail("bash", { command: "x" }, { ok: false, text });
  assert.deepEqual([failed?.lines.length, failed?.lines.at(-1), failed?.more], [10, "line 29", 20]);
  assert.equal(detail("bash", { command: "x" }, { ok: true, text })?.lines.length, 5);
  const cut = `[… 1000 of 3000 lines (5000 bytes) left out; all of it is in F …]\n${text}`;
  assert.equal(detail("bash", { command: "x" }, { ok: true, text: cut })?.more, 1025);
  assert.equal(detail("bash", { command: "x" }, { ok: true, text: " \n" }), null);
  assert.equal(detail("bash", { command: "x" }, { ok: false, text: "[exit code 1]" }), null);
  assert.equal(detail("bash", { command: "x" }, { ok: true, text: "[no output]" }), null);
  assert.equal(detail("read", { path: "a" }, { ok: true, text }), null);
});

Deno.test("an edit of one place has the number of the first line that is shown", () => {
  const args = { path: "a", old: "1\n2\n3\nb", new: "1\n2\n3\nB\nc" };
  const done = { ok: true, text: "", summary: "1 place", line: 9 };
  const detail = detail_of({ tool: "edit", args }, done);
  assert.deepEqual([detail?.line, detail?.lines[0]], [10, "  2"]);
});

Deno.test("under a file that was written stands its beginning, or how it differs from what it was", () => {
  const written = (content: string, replaced?: string) =>
    detail_of({ tool: "write", args: { path: "a", content } }, {
      ...{ ok: true, text: "", summary: "", line: 1 },
      ...(replaced === undefined ? {} : { replaced }),
    });
  const numbers = Array.from({ length: 40 }, (_, at) => `${at}`);
  const fresh = written(`${numbers.join("\n")}\n`, "");
  assert.deepEqual([fresh?.lines[0], fresh?.lines.length, fresh?.more], ["+ 0", 20, 20]);
  assert.deepEqual(written("a\nB\nc", "a\nb\nc"), {
    ...{ kind: "diff", lines: ["  a", "- b", "+ B", "  c"], more: 0, line: 1 },
  });
  const other = written(numbers.join("\n"), "x\n");
  assert.deepEqual([other?.whole?.split("\n").length, other?.more], [42, 22]);
  assert.equal(written("same\n", "same\n"), null);
  assert.equal(written("large"), null);
});

Deno.test("an edit within a line is shown with the whole of it", () => {
  const args = { path: "a", old: "80;\nlet", new: "8080;\nvar" };
  const around = ["const port = ", " host;"] as const;
  const done = { ok: true, text: "", summary: "1 place", line: 3, around };
  assert.deepEqual(detail_of({ tool: "edit", args }, done)?.lines, [
    "- const port = 80;",
    "- let host;",
    "+ const port = 8080;",
    "+ var host;",
  ]);
});

Deno.test("what any tool is about to put into a file is shown to who is asked", () => {
  const input = "*** Begin Patch\n*** Add File: a\n+1\n*** End Patch";
  const values: Readonly<Record<string, unknown>> = { string: "1", integer: 1, boolean: true };
  for (const { name: tool, changes, parameters } of EVERY_TOOL) {
    if (changes === undefined) continue;
    const args = Object.fromEntries(
      Object.entries(parameters.properties).map(([name, { type }]) => [name, values[String(type)]]),
    );
    const given = { ...args, old: "", ...(changes === "patch" ? { input } : {}) };
    assert.ok(planned_diff({ tool, args: given }).some((line) => line === "+ 1"), tool);
  }
});
