import type { Detail } from "./call_detail.ts";
import type { Stage } from "../context/compact.ts";
import type { ApiMode, Usage } from "../model/message.ts";
import type { Prefill, Writing } from "../model/wire.ts";
import type { LiveNews } from "../tools/live_news.ts";
import type { HookRun } from "../tools/hook.ts";
import type { TodoItem } from "../tools/declared/agent_level_tools.ts";
import type { FileChange } from "../changes/turn_diff.ts";
import type { StopReason } from "../guards/rule.ts";
import type { Question } from "../permission/approval.ts";
import type { PolicyLine } from "../sandbox/report/describe.ts";
import type { Policy } from "../sandbox/policy.ts";

/** What a run is doing (seed 003). */
export type Doing = "running" | "waiting_for_tool" | "waiting_for_input";

/** What a run is doing, or why it ended (seed 001). */
export type Phase = Doing | StopReason;

/** The result of a run, as `json` prints it (section 5 of the contract). */
export interface Result {
  /** Marks it among the events. */
  readonly type: "result";
  /** The version of this shape. */
  readonly schema: 1;
  /** The ID to resume the session with. */
  readonly session_id: string;
  /** `success` only if every requested gate holds. */
  readonly status: "success" | "partial" | "failed";
  /** Why it ended. */
  readonly stop_reason: StopReason;
  /** The exit code of `hamr run` for this result. */
  readonly exit_code: number;
  /** The answer; empty if there is none. */
  readonly final_output: string;
  /** The model that replied last; empty if none was found. */
  readonly model: string;
  /** The provider of that model. */
  readonly provider: string;
  /** Model replies of this run. */
  readonly steps: number;
  /** Tool calls of this run. */
  readonly tool_calls: number;
  /** Tokens of this run. */
  readonly usage: Usage;
  /** Dollars; null if the price is unknown. */
  readonly cost_usd: number | null;
  /** Milliseconds since the start. */
  readonly duration_ms: number;
  /** Files that the run's calls changed. */
  readonly files_changed: readonly FileChange[];
  /** The verify command; null if it was not run. */
  readonly verification: Verification | null;
  /** What the ledger shows. */
  readonly evidence: Evidence;
  /** One line each, for people. */
  readonly warnings: readonly string[];
  /** What kept the run from `success`; null if nothing did. */
  readonly error: { readonly kind: string; readonly message: string } | null;
}

/** The verify command's last outcome. */
export interface Verification {
  /** The shell command. */
  readonly command: string;
  /** Null if it did not exit by itself. */
  readonly exit_code: number | null;
  /** How many times it ran. */
  readonly attempts: number;
}

/** Counts from the ledger. */
export interface Evidence {
  /** Changed files, counted once per call that changed them. */
  readonly mutations: number;
  /** Commands that ended. */
  readonly commands: number;
  /** Whether the verify command passed. */
  readonly verified: boolean;
  /** Calls that the policy, a hook or the user refused. */
  readonly refused: number;
}

/** Everything that can be observed of a run. The emitter adds `t` and `step`. */
export type Event =
  | {
    readonly type: "session_start";
    readonly session_id: string;
    readonly model: string;
    readonly provider: string;
    readonly api_mode: ApiMode;
    readonly context_window: number;
    readonly window_source: string;
    readonly workspace: string;
    readonly policy: PolicyView;
  }
  | { readonly type: "step_start"; readonly messages: number; readonly tokens: number }
  /** How far the server has read the prompt. Only for a live line: not part of `jsonl` or a log file. */
  | ({ readonly type: "prefill" } & Prefill)
  /** The call that the model is writing. Only for a live line. */
  | ({ readonly type: "writing" } & Writing)
  /** The model begins to think (true) or stops (false). Only for programs that use the library, like the next two. */
  | { readonly type: "thinking"; readonly thinks: boolean }
  /** A step and all of its calls have ended; comes before the next step or the result. */
  | {
    readonly type: "step_end";
    readonly calls: number;
    /** Since its request. */
    readonly ms: number;
  }
  /** The agent's state has changed, or its task has ended. */
  | { readonly type: "state"; readonly state: Phase }
  /** The kept output of the verify command. Only for people and reports. */
  | {
    readonly type: "output";
    readonly command: string;
    readonly ok: boolean;
    readonly text: string;
  }
  /** All changes of the run as one patch, if it is wanted. Only for files and reports. */
  | { readonly type: "patch"; readonly diff: string }
  /** A request to a server and how it ended. Only for the human log. */
  | {
    readonly type: "request";
    readonly url: string;
    /** Size of the request's body. */
    readonly bytes: number;
    readonly ms: number;
    /** What went wrong; null if there was a reply. */
    readonly error: string | null;
  }
  | {
    readonly type: "text_delta" | "reasoning_delta";
    readonly text: string;
    /** Set on the last delta of a reply. */
    readonly finished?: true;
  }
  | {
    readonly type: "tool_call";
    readonly id: string;
    readonly name: string;
    readonly arguments: unknown;
    /** If the call was read from text: the dialect it was written in. */
    readonly dialect?: string;
    /** Set if the call had to be repaired. */
    readonly repaired?: true;
    /** The MCP server whose tool this is, if it is one. */
    readonly mcp?: string;
    /** The arguments after a hook changed them. */
    readonly rewritten?: true;
    /** Its place among the calls of its reply, from 1, and their number. */
    readonly nth: number;
    readonly of: number;
  }
  | {
    readonly type: "tool_result";
    readonly id: string;
    readonly name: string;
    readonly ok: boolean;
    readonly summary: string;
    /** Size of the text that the model gets. */
    readonly bytes: number;
    readonly ms: number;
    readonly refused: string | null;
  }
  /** What is shown below a call. Only for the human log. */
  | ({ readonly type: "detail"; readonly id: string; readonly ok: boolean } & Detail)
  /** Progress of an MCP call, the MCP servers still being waited for (`mcp`), or what hamr itself runs. Only for a live line. */
  | { readonly type: "progress"; readonly id: string; readonly words: string }
  /** The sandbox refused what these flags would allow. Only for chats. */
  | { readonly type: "refusal"; readonly id: string; readonly flags: readonly string[] }
  /** The state of running commands. Only for chats. */
  | LiveNews
  | { readonly type: "nudge"; readonly name: string; readonly message: string }
  | {
    readonly type: "guard";
    readonly name: string;
    readonly message: string;
    readonly action: "answered" | "stopped";
  }
  /** Text that rides on a single request to the model. */
  | { readonly type: "reminder"; readonly name: string; readonly message: string }
  /** Asks whether a call may run; the answer names its id. */
  | ({ readonly type: "approval" } & Question)
  /** A question of the model's; the answer names the id of its call. */
  | {
    readonly type: "question";
    readonly id: string;
    readonly question: string;
    /** Suggested answers; others are allowed. */
    readonly choices: readonly string[];
  }
  /** The user said something to the running task. `interrupt`: the current work was dropped for it. */
  | { readonly type: "steer"; readonly text: string; readonly interrupt?: true }
  | {
    readonly type: "compaction";
    /** How far the compaction had to go: `0`, `1`, `2`, `2b`, `3`, or `window`. */
    readonly stage: Stage;
    readonly tokens_before: number;
    readonly tokens_after: number;
  }
  | {
    readonly type: "retry";
    readonly reason: string;
    /** Retries of this provider so far, including this one. */
    readonly attempt: number;
    readonly wait_ms: number;
  }
  /** Another provider takes over; each is named as PROVIDER/MODEL. */
  | { readonly type: "fallback"; readonly from: string; readonly to: string }
  | ({
    readonly type: "hook";
    /** The id of the call it ran for. */
    readonly call: string;
    readonly tool: string;
  } & HookRun)
  | {
    readonly type: "verification";
    readonly command: string;
    readonly exit_code: number | null;
    readonly ms: number;
  }
  | {
    readonly type: "turn_diff";
    /** The step that changed the files; the event may come after the next step has begun. */
    readonly step: number;
    /** Compared with the state before that step. */
    readonly files: readonly FileChange[];
    /** Unified; a long one is cut at a line end, and its last line says so. */
    readonly diff: string;
  }
  | {
    readonly type: "evaluation";
    /** Who judged: the model itself, or the grader of a rubric. */
    readonly name: "self_eval" | "rubric";
    /** The judge's word; `unreadable` if it gave none, `unavailable` if it could not be asked. */
    readonly verdict: string;
    /** Whether the work holds; null if nobody has said. */
    readonly holds: boolean | null;
    /** What is missing; empty if nothing is. */
    readonly message: string;
    readonly ms: number;
  }
  | {
    readonly type: "usage";
    readonly input_tokens: number;
    readonly output_tokens: number;
    readonly cached_tokens: number;
    readonly cost_usd: number | null;
  }
  | { readonly type: "warning"; readonly message: string }
  /** A new fact in memory, saved before a compaction or at the end of a run. */
  | { readonly type: "memory"; readonly fact: string }
  /** The model's whole todo list. */
  | { readonly type: "todo"; readonly items: readonly TodoItem[] }
  | Result;

/** The policy for display: names of variables, never their values. */
export type PolicyView =
  & Pick<Policy, "workspace" | "read" | "write" | "run" | "net" | "sandbox">
  & {
    /** What may not be read, whatever `read` says: the existing places of `permissions.deny_read`, as absolute paths. */
    readonly deny_read: readonly string[];
    readonly env: readonly string[];
    /** The same in words, each line with what enforces it here; null if nothing does. */
    readonly lines: readonly PolicyLine[];
  };

/** The subagent that an event comes from. */
export interface From {
  /** The id of the call that started it. */
  readonly agent: string;
  /** The subagent's own step; `step` is the run's. */
  readonly agent_step: number;
}

/** An event with its place in the run: milliseconds since the start, and the step (0 before the first). */
export type Stamped = Event & { readonly t: number; readonly step: number } & Partial<From>;

/** The events of one type. */
export type EventOf<Type extends Stamped["type"]> = Extract<Stamped, { readonly type: Type }>;

/** The result itself, without its place in the run. */
export function unstamped({ t: _t, step: _step, ...result }: EventOf<"result">): Result {
  return result;
}

/** Events only for people, or for the surrounding program. */
const LIVE = [
  "prefill",
  "writing",
  "progress",
  "printed",
  "background",
  "refusal",
  "detail",
  "request",
  "output",
  "patch",
  "thinking",
  "step_end",
  "state",
] as const;

/** An event as programs get it: a line of `jsonl`. `schema/event.schema.json` is made of this. */
export type TracedEvent = Exclude<Stamped, { readonly type: (typeof LIVE)[number] }>;

/** A line of standard input with `--steer`. `schema/input.schema.json` is made of this. */
export type InputLine =
  /** The model reads it before its next reply. */
  | { readonly type: "user"; readonly text: string }
  /** Drops the current work; without a text, the run ends. */
  | { readonly type: "interrupt"; readonly text?: string }
  /** The answer to an `approval`. */
  | {
    readonly type: "approve";
    readonly id: string;
    /** `always`: yes, also to all calls of this kind until the run ends; `edits`: yes, also to all edits. */
    readonly answer: "yes" | "no" | "always" | "edits";
    /** With `no`: a message for the model. */
    readonly text?: string;
    /** With `yes`: a command to run instead. */
    readonly command?: string;
  }
  /** The answer to a `question`; null for none. */
  | { readonly type: "answer"; readonly id: string; readonly text: string | null };

/** Hears every event, in order. Must not throw. */
export type Subscriber = (event: Stamped) => void;

/** Whether an event is only for the human log: not part of `jsonl`, a log file, or what is saved. */
export function is_live({ type }: Pick<Event, "type">): boolean {
  return LIVE.some((one) => one === type);
}
