/** The one table of exit codes. Help, documentation and tests read it. */
import type { StopReason } from "../guards/rule.ts";

export type Status = "success" | "partial" | "failed";

interface ExitCode {
  readonly code: number;
  readonly name: string;
  readonly status: Status;
  readonly reasons: readonly StopReason[];
  readonly meaning: string;
}

const TABLE = [
  {
    code: 0,
    name: "success",
    status: "success",
    reasons: ["llm_done"],
    meaning: "the task is done, and every check that was asked for passed",
  },
  {
    code: 1,
    name: "failed",
    status: "failed",
    reasons: [
      "llm_error",
      "model_error",
      "tool_error",
      "loop_detected",
      "empty_response",
      "policy_violation",
      "internal_error",
    ],
    meaning: "the model, a tool or hamr itself could not continue",
  },
  {
    code: 2,
    name: "partial",
    status: "partial",
    reasons: [
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
    ],
    meaning: "work was done, but a limit was reached or a check failed",
  },
  {
    code: 3,
    name: "config error",
    status: "failed",
    reasons: ["config_error"],
    meaning: "a flag, a setting, the model or the sandbox can't be used; nothing was started",
  },
  {
    code: 4,
    name: "auth error",
    status: "failed",
    reasons: ["auth_error"],
    meaning: "the API key is missing, or the server refused it",
  },
  {
    code: 5,
    name: "timeout",
    status: "partial",
    reasons: ["timeout"],
    meaning: "the whole run or one step took longer than allowed",
  },
  {
    code: 130,
    name: "interrupted",
    status: "partial",
    reasons: ["user_interrupt"],
    meaning: "stopped by Ctrl-C or SIGTERM",
  },
] as const satisfies readonly ExitCode[];

export const EXIT_CODES: readonly ExitCode[] = TABLE;

type Covered = (typeof TABLE)[number]["reasons"][number];

/** The process's exit code for a stop reason. With `on_partial` false (its flag), partial becomes 0. */
export function exit_code(reason: StopReason, on_partial = true): number {
  const { code } = row(reason);
  return code === 2 && !on_partial ? 0 : code;
}

export function status(reason: StopReason): Status {
  return row(reason).status;
}

function row(reason: StopReason): ExitCode {
  // A stop reason that the table does not name is a type error here.
  const covered = reason satisfies Covered;
  const found = EXIT_CODES.find((entry) => entry.reasons.includes(covered));
  if (found === undefined) throw new TypeError(`no exit code for ${reason}`);
  return found;
}
