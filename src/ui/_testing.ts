/** What tests of the log and of the outputs share. */
import type { Event, Result, Stamped } from "../agent/events.ts";

/** The result of a run that went well. */
export const RESULT: Result = {
  type: "result",
  schema: 1,
  session_id: "s",
  status: "success",
  stop_reason: "llm_done",
  exit_code: 0,
  final_output: "the answer",
  model: "m",
  provider: "p",
  steps: 3,
  tool_calls: 1,
  usage: { input_tokens: 4000, output_tokens: 100, cached_tokens: 0, reasoning_tokens: 0 },
  cost_usd: null,
  duration_ms: 5,
  files_changed: [{ path: "a", status: "modified", added: 5, removed: 3 }],
  verification: null,
  evidence: { mutations: 1, commands: 0, verified: false, refused: 0 },
  warnings: [],
  error: null,
};

/** An event in the second step. */
export const stamped = (event: Event): Stamped => ({ ...event, t: 1, step: 2 });
