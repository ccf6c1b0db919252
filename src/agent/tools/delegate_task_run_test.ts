import assert from "node:assert/strict";
import type { LedgerRow } from "../../tools/ledger.ts";
import { subagent_report } from "./delegate_task_run.ts";
import type { Ending } from "../state.ts";

const DONE: Ending = { reason: "llm_done", output: "It is 42.", error: null };

const file = (path: string, before: string | null, after: string | null): LedgerRow => ({
  ...{ kind: "file", step: 1, call: "c", path, before, after },
});
const command = (text: string, exit_code: number | null, failed: string[] = []): LedgerRow => ({
  ...{ kind: "command", step: 1, call: "c", command: text, exit_code, failed },
});

function lines(ledger: readonly LedgerRow[], ending = DONE): string[] {
  const ok = ending.reason === "llm_done";
  return subagent_report({ ending, ledger }, { summary: ok ? "finished" : "stopped", ok }).split(
    "\n",
  );
}

Deno.test("report() names the answer, and what the ledger shows", () => {
  const cases: [readonly LedgerRow[], string, string][] = [
    [[], "none", "none"],
    [[file("a", null, "1"), file("a", "1", "2"), file("b", "1", null)], "a, b", "none"],
    [[file("a", "1", "2"), file("a", "2", "1")], "none", "none"],
    [[file("run.sh", "1", "1")], "run.sh", "none"],
    [
      [
        command("make\ntest", 2),
        command("sleep 9", null),
        command("go test | tail", 0, ["go test"]),
      ],
      "none",
      "`make\\ntest` (exit code 2), `sleep 9` (ended by a signal or a time limit), " +
      "`go test | tail` (exit code 0, `go test` in it failed)",
    ],
  ];
  for (const [ledger, files, commands] of cases) {
    assert.deepEqual(lines(ledger), [
      "The subagent finished.",
      "Its answer:",
      "It is 42.",
      `Files changed: ${files}`,
      `Commands run: ${commands}`,
    ]);
  }
});

Deno.test("report() says why a subagent did not come to its end", () => {
  const error = { kind: "max_steps", message: "the limit of 2 steps is reached" };
  const stopped = { reason: "max_steps", output: "Half of it is done.", error } as const;
  assert.deepEqual(lines([], stopped).slice(0, 3), [
    "The subagent stopped. Why: the limit of 2 steps is reached",
    "Last message:",
    "Half of it is done.",
  ]);
  for (const output of ["", error.message]) {
    assert.equal(lines([], { ...stopped, output }).length, 3);
  }
});

Deno.test("report() is bounded, whatever the subagent did", () => {
  const many = Array.from({ length: 500 }, (_, n) => [
    file(`folder/file-${n}`, null, "1"),
    command(`echo ${n} ${"x".repeat(5000)}`, 0),
  ]).flat();
  const text = lines(many, { ...DONE, output: "y".repeat(100_000) }).join("\n");
  assert.ok(text.length < 13_000, String(text.length));
  assert.match(text, /\[cut here: 100000 characters in all\]/);
  assert.match(text, /Files changed: 500, the last folder\/file-480, /);
});
