/** The public shape of what the program writes to standard output: sections 4 and 5 of the contract. */
import assert from "node:assert/strict";

/** The result object. */
export interface Result {
  readonly type: "result";
  readonly schema: 1;
  readonly session_id: string;
  readonly status: "success" | "partial" | "failed";
  readonly stop_reason: string;
  readonly exit_code: number;
  readonly final_output: string;
  readonly model: string;
  readonly provider: string;
  readonly steps: number;
  readonly tool_calls: number;
  readonly usage: {
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cached_tokens: number;
    readonly reasoning_tokens: number;
    readonly cache_lost_tokens: number;
  };
  readonly cost_usd: number | null;
  readonly duration_ms: number;
  readonly files_changed: readonly {
    readonly path: string;
    readonly status: "added" | "modified" | "deleted";
    readonly added: number;
    readonly removed: number;
  }[];
  readonly verification:
    | { readonly command: string; readonly exit_code: number | null; readonly attempts: number }
    | null;
  readonly evidence: {
    readonly mutations: number;
    readonly commands: number;
    readonly verified: boolean;
    readonly refused: number;
  };
  readonly warnings: readonly string[];
  readonly error: { readonly kind: string; readonly message: string } | null;
}

/** One event of `jsonl`. */
export interface Event {
  readonly type: string;
  readonly t: number;
  readonly step: number;
  readonly [key: string]: unknown;
}

/** The exit code of each stop reason. */
export const CODES: Readonly<Record<string, number>> = {
  llm_done: 0,
  llm_error: 1,
  model_error: 1,
  tool_error: 1,
  loop_detected: 1,
  empty_response: 1,
  policy_violation: 1,
  internal_error: 1,
  max_steps: 2,
  max_tool_calls: 2,
  budget_exceeded: 2,
  budget_exhausted: 2,
  context_full: 2,
  verification_failed: 2,
  contract_unsatisfied: 2,
  evaluation_failed: 2,
  not_done: 2,
  schema_unmet: 2,
  findings: 2,
  config_error: 3,
  auth_error: 4,
  timeout: 5,
  user_interrupt: 130,
};

const STATUS: Readonly<Record<number, string>> = { 0: "success", 1: "failed", 2: "partial" };

type Kind = "string" | "number" | "boolean" | "object" | "array" | "null";

function kind_of(value: unknown): Kind | "undefined" | "function" | "bigint" | "symbol" {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Says which of `fields` are missing in `value`, or of another kind. `a|b`: either. */
export function faults(value: object, fields: Readonly<Record<string, string>>): string[] {
  const record = value as Readonly<Record<string, unknown>>;
  return Object.entries(fields).flatMap(([name, wanted]) => {
    const kind = kind_of(record[name]);
    return wanted.split("|").includes(kind) ? [] : [`${name}: ${kind}, expected ${wanted}`];
  });
}

const RESULT = {
  session_id: "string",
  status: "string",
  stop_reason: "string",
  exit_code: "number",
  final_output: "string",
  model: "string",
  provider: "string",
  steps: "number",
  tool_calls: "number",
  usage: "object",
  cost_usd: "number|null",
  duration_ms: "number",
  files_changed: "array",
  verification: "object|null",
  evidence: "object",
  warnings: "array",
  error: "object|null",
};

/** Holds a result to the contract: its fields, and that reason, status and exit code belong together. */
export function check_result(result: Result, code: number): void {
  assert.equal(result.type, "result");
  assert.equal(result.schema, 1);
  assert.deepEqual(faults(result, RESULT), []);
  assert.deepEqual(
    faults(result.usage, {
      input_tokens: "number",
      output_tokens: "number",
      cached_tokens: "number",
      reasoning_tokens: "number",
      cache_lost_tokens: "number",
    }),
    [],
  );
  assert.deepEqual(
    faults(result.evidence, {
      mutations: "number",
      commands: "number",
      verified: "boolean",
      refused: "number",
    }),
    [],
  );
  for (const file of result.files_changed) {
    assert.match(file.status, /^(added|modified|deleted)$/);
    const kinds = { path: "string", added: "number", removed: "number" };
    assert.deepEqual(faults(file, kinds), []);
  }
  const { verification, error } = result;
  if (verification !== null) {
    const kinds = { command: "string", exit_code: "number|null", attempts: "number" };
    assert.deepEqual(faults(verification, kinds), []);
  }
  if (error !== null) assert.deepEqual(faults(error, { kind: "string", message: "string" }), []);
  assert.equal(result.exit_code, code, "the exit code and the result's differ");
  const usual = CODES[result.stop_reason];
  assert.notEqual(usual, undefined, `unknown stop reason ${result.stop_reason}`);
  // `--exit-code-on-partial=false` is the one thing that changes the code of a reason.
  if (!(usual === 2 && code === 0)) assert.equal(code, usual, result.stop_reason);
  const status = usual === 130 ? "partial" : STATUS[usual!];
  if (status !== undefined) assert.equal(result.status, status);
  assert.notEqual(result.status, usual === 0 ? "failed" : "success");
}

/** Fields of each event, besides `type`, `t` and `step`. */
export const EVENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  session_start: {
    session_id: "string",
    model: "string",
    provider: "string",
    api_mode: "string",
    context_window: "number",
    window_source: "string",
    workspace: "string",
    policy: "object|string",
  },
  step_start: { messages: "number", tokens: "number" },
  text_delta: { text: "string" },
  reasoning_delta: { text: "string" },
  tool_call: { id: "string", name: "string", arguments: "object" },
  tool_result: {
    id: "string",
    name: "string",
    ok: "boolean",
    summary: "string",
    bytes: "number",
    ms: "number",
    refused: "string|null",
  },
  nudge: { name: "string", message: "string" },
  reminder: { name: "string", message: "string" },
  steer: { text: "string" },
  guard: { name: "string", message: "string", action: "string" },
  compaction: { stage: "number|string", tokens_before: "number", tokens_after: "number" },
  hook: { name: "string", ms: "number" },
  evaluation: { name: "string", verdict: "string", message: "string", ms: "number" },
  fallback: { from: "string", to: "string" },
  retry: { reason: "string", attempt: "number", wait_ms: "number" },
  verification: { command: "string", exit_code: "number|null", ms: "number" },
  turn_diff: { files: "array", diff: "string" },
  usage: {
    input_tokens: "number",
    output_tokens: "number",
    cached_tokens: "number",
    cost_usd: "number|null",
  },
  warning: { message: "string" },
  todo: { items: "array" },
  result: {},
};

/** Holds a stream of events to the contract: each one's fields, time and step, and one result, the last. */
export function check_events(events: readonly Event[]): void {
  let t = 0;
  let step = 0;
  for (const event of events) {
    assert.equal(typeof event.type, "string");
    const fields = EVENTS[event.type] ?? {};
    assert.deepEqual(faults(event, fields), [], JSON.stringify(event).slice(0, 400));
    if (event.type === "result") continue;
    assert.deepEqual(faults(event, { t: "number", step: "number" }), [], JSON.stringify(event));
    assert.ok(event.t >= t, `time runs back at ${JSON.stringify(event)}`);
    t = event.t;
    // What a step changed is looked for while the next request is on its way.
    if (event.type === "turn_diff") {
      assert.ok(event.step <= step, `the step is still to come at ${JSON.stringify(event)}`);
      continue;
    }
    assert.ok(event.step >= step, `steps run back at ${JSON.stringify(event)}`);
    step = event.step;
  }
  const results = events.filter((event) => event.type === "result").length;
  assert.equal(results, 1, "the result is emitted exactly once");
  assert.equal(events.at(-1)?.type, "result", "the result is the last event");
  for (const event of events) {
    if (event.type !== "tool_result") continue;
    const calls = events.filter((other) =>
      other.type === "tool_call" && other["id"] === event["id"]
    );
    assert.ok(calls.length > 0, `a result without a call: ${JSON.stringify(event)}`);
  }
}
