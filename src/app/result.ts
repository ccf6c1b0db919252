/** The result of a run, for people and programs. Loaded at its end. */
import { message_of } from "../config/text.ts";
import type { Result } from "../agent/events.ts";
import type { Session } from "../agent/session.ts";
import { type Ending, NO_USAGE } from "../agent/state.ts";
import type { FileChange } from "../changes/turn_diff.ts";
import { ToolsError } from "../tools/failure.ts";
import { status } from "./exit_codes.ts";

/** How a run ends that something has thrown out of its course. */
export function crashed_ending(error: unknown): Ending {
  const message = message_of(error);
  const reason = error instanceof ToolsError ? error.cause_of_end : "internal_error";
  return { reason, output: "", error: { kind: reason, message } };
}

/** A success is none where the workspace is gone: nobody can see what became of the work. It is why tools can't be started, too. */
export function where_it_was(ending: Ending, workspace: string): Ending {
  if (ending.reason !== "llm_done" && ending.reason !== "config_error") return ending;
  try {
    Deno.lstatSync(workspace);
    return ending;
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) return ending;
  }
  const message = `the workspace ${workspace} is gone, and with it what was done there`;
  const reason = ending.reason === "llm_done" ? "tool_error" : ending.reason;
  return { ...ending, reason, error: { kind: reason, message } };
}

/** The result object of a run; `session` is null where it never began: then all its counts are zero. */
export function result_of(session: Session | null, run: {
  readonly ending: Ending;
  readonly files: readonly FileChange[];
  readonly code: number;
  readonly session_id: string;
  readonly began: number;
  /** Cost of the whole session. */
  readonly cost_usd: number | null;
}): Result {
  const state = session?.state;
  const endpoint = session?.endpoint;
  const { steps = 0, before } = state ?? {};
  const ledger = state?.ledger.slice(before?.ledger) ?? [];
  const checks = ledger.filter((row) => row.kind === "verification");
  const last = checks.at(-1);
  const { ending } = run;
  return {
    type: "result",
    schema: 1,
    session_id: run.session_id,
    status: status(ending.reason),
    stop_reason: ending.reason,
    exit_code: run.code,
    final_output: ending.output.toWellFormed(),
    model: endpoint?.model ?? "",
    provider: endpoint?.provider ?? "",
    steps: steps - (before?.steps ?? 0),
    tool_calls: state?.spending.calls ?? 0,
    usage: state?.spending.usage ?? NO_USAGE,
    cost_usd: run.cost_usd,
    duration_ms: Math.round(performance.now() - run.began),
    files_changed: run.files,
    verification: last === undefined
      ? null
      : { command: last.command, exit_code: last.exit_code, attempts: checks.length },
    evidence: {
      mutations: ledger.filter((row) => row.kind === "file").length,
      commands: ledger.filter((row) => row.kind === "command").length,
      verified: last?.exit_code === 0,
      refused: state?.spending.refused ?? 0,
    },
    warnings: state?.notes.warnings ?? [],
    error: ending.error === null
      ? null
      : { kind: ending.error.kind, message: ending.error.message },
  };
}
