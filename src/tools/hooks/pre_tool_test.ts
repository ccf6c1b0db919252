import assert from "node:assert/strict";
import { hook_verdict } from "./pre_tool.ts";
import type { CommandResult } from "../work/shell/shell.ts";

function ended(exit_code: number | null, output = "", errors = ""): CommandResult {
  const result = { exit_code, output, errors, signal: exit_code === null ? "SIGSEGV" : null };
  return { ...result, ended_by: "itself", background: false };
}

Deno.test("a hook that ends well lets a call go on, or rewrites it", () => {
  for (const output of ["", "\n", "{}", ' {"arguments": {}} ', '{"arguments":{"a":[1]}}\n']) {
    const verdict = hook_verdict(ended(0, output, "on stderr it may say what it likes"), 30);
    const args = JSON.parse(output.trim() || "{}").arguments;
    assert.deepEqual(
      verdict,
      args === undefined ? { kind: "go_on" } : { kind: "rewritten", args },
      output,
    );
  }
});

Deno.test("a hook refuses by its output or its exit code, and by everything that is neither yes nor no", () => {
  const cases: [CommandResult, string][] = [
    [ended(0, '{"refuse":"not on Fridays"}'), "not on Fridays"],
    [ended(0, '{"refuse":"no","arguments":{}}'), "no"],
    [ended(0, '{"refuse":" "}'), "it gave no reason"],
    [ended(2, "", "not like this\n"), "not like this"],
    [ended(2, "said on stdout\n"), "said on stdout"],
    [ended(2, "stdout", "stderr"), "stderr"],
    [ended(2), "it gave no reason"],
    [ended(1, "", "Traceback"), "the hook failed: exit code 1\nTraceback"],
    [ended(127), "the hook failed: exit code 127"],
    [ended(null), "the hook failed: ended by signal SIGSEGV"],
    [
      { ...ended(0, "{}"), ended_by: "timeout" },
      "the hook failed: ended: it took longer than 30 s\n{}",
    ],
    [ended(0, "yes"), "the hook failed: its output is not a JSON object\nyes"],
    [ended(0, "null"), "the hook failed: its output is not a JSON object\nnull"],
    [ended(0, "[]"), "the hook failed: its output is not a JSON object\n[]"],
    [ended(0, "{} {}"), "the hook failed: its output is not a JSON object\n{} {}"],
    [
      ended(0, '{"refused":"x"}'),
      'the hook failed: its output has an unknown key, refused\n{"refused":"x"}',
    ],
    [ended(0, '{"refuse":true}'), 'the hook failed: its reason is not a string\n{"refuse":true}'],
    [
      ended(0, '{"arguments":"ls"}'),
      'the hook failed: its arguments are not an object\n{"arguments":"ls"}',
    ],
  ];
  for (const [result, reason] of cases) {
    const verdict = hook_verdict(result, 30);
    const told = `${result.exit_code} ${result.output}`;
    assert.deepEqual(verdict, { kind: "refused", reason }, told);
  }
});

Deno.test("a hook that was stopped with the run has said nothing", () => {
  assert.deepEqual(hook_verdict({ ...ended(0), ended_by: "cancel" }, 30), { kind: "stopped" });
});

Deno.test("a reason has an end", () => {
  const verdict = hook_verdict(ended(2, "x".repeat(1_000_000)), 30);
  assert.equal(verdict.kind === "refused" && verdict.reason.length, 4000);
});
