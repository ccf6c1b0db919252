import { deepStrictEqual, strictEqual } from "node:assert/strict";
import type { StopReason } from "../guards/rule.ts";
import { exit_code, EXIT_CODES, status } from "./exit_codes.ts";

Deno.test("exit_code() and status() are the table of the contract", () => {
  const table: [number, string, StopReason[]][] = [
    [0, "success", ["llm_done"]],
    [1, "failed", [
      "llm_error",
      "model_error",
      "tool_error",
      "loop_detected",
      "empty_response",
      "policy_violation",
      "internal_error",
    ]],
    [2, "partial", [
      "max_steps",
      "max_tool_calls",
      "budget_exceeded",
      "budget_exhausted",
      "context_full",
      "verification_failed",
      "contract_unsatisfied",
      "evaluation_failed",
      "not_done",
      "schema_unmet",
      "findings",
    ]],
    [3, "failed", ["config_error"]],
    [4, "failed", ["auth_error"]],
    [5, "partial", ["timeout"]],
    [130, "partial", ["user_interrupt"]],
  ];
  for (const [code, name, reasons] of table) {
    for (const reason of reasons) {
      strictEqual(exit_code(reason), code, reason);
      strictEqual(exit_code(reason, false), code === 2 ? 0 : code, reason);
      strictEqual(status(reason), name, reason);
    }
  }
  deepStrictEqual(
    EXIT_CODES.map(({ code, reasons }) => [code, reasons]),
    table.map(([code, , r]) => [code, r]),
  );
});
