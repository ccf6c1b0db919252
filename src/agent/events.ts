import type { Detail } from "./detail.ts";
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

/** What a run is doing while it lasts (seed 003). */
export type Doing = "running" | "waiting_for_tool" | "waiting_for_input";

/** What a run is doing, or why it ended (seed 001): one union. */
export type Phase = Doing | StopReason;

/** The result of a run, as `json` prints it (section 5 of the contract). */
export interface Result {
  /** Tells it from other events. */
  readonly type: "result";
  /** The version of this shape. */
  readonly schema: 1;
  /** By which the session can be resumed. */
  readonly session_id: string;
  /** `success` only where every gate that was asked for holds. */
  readonly status: "success" | "partial" | "failed";
  /** Why it ended. */
  readonly stop_reason: StopReason;
  /** What `hamr run` exits with for that. */
  readonly exit_code: number;
  /** The answer; empty if there is none. */
  readonly final_output: string;
  /** The model that answered last; empty if none was found. */
  readonly model: string;
  /** Its provider. */
  readonly provider: string;
  /** Model replies of this run. */
  readonly steps: number;
  /** Tool calls of this run. */
  readonly tool_calls: number;
  /** Tokens of this run. */
  readonly usage: Usage;
  /** Dollars; null if no price is known. */
  readonly cost_usd: number | null;
  /** Milliseconds from its start. */
  readonly duration_ms: number;
  /** Files that its calls have changed. */
  readonly files_changed: readonly FileChange[];
  /** The verify command; null if it was not run. */
  readonly verification: Verification | null;
  /** What the ledger shows. */
  readonly evidence: Evidence;
  /** A line each, for people. */
  readonly warnings: readonly string[];
  /** What kept it from `success`; null for nothing. */
  readonly error: { readonly kind: string; readonly message: string } | null;
}

/** The verify command's last outcome. */
export interface Verification {
  /** As it was given to the shell. */
  readonly command: string;
  /** Null if it did not end by itself. */
  readonly exit_code: number | null;
  /** How often it was run. */
  readonly attempts: number;
}

/** What the ledger shows, counted. */
export interface Evidence {
  /** Files changed, once for each call that did. */
  readonly mutations: number;
  /** Commands that ended. */
  readonly commands: number;
  /** Whether the verify command passed. */
  readonly verified: boolean;
  /** Calls that the policy, a hook or the user refused. */
  readonly refused: number;
}

/** Everything observable of a run, one union. `t` and `step` are put on by the emitter. */
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
  /** How far the server has read the prompt. For a live line only: neither `jsonl` nor a log file has it. */
  | ({ readonly type: "prefill" } & Prefill)
  /** The call that the model is writing. Likewise. */
  | ({ readonly type: "writing" } & Writing)
  /** The model begins to think (true), or has stopped. For programs that use hamr as a library, as the two that follow. */
  | { readonly type: "thinking"; readonly thinks: boolean }
  /** A step has ended, with all of its calls. Told before the next one begins, or before the result. */
  | {
    readonly type: "step_end";
    readonly calls: number;
    /** From its request on. */
    readonly ms: number;
  }
  /** What the agent is doing has changed, or its task has ended. */
  | { readonly type: "state"; readonly state: Phase }
  /** What the verify command printed, as far as it was kept. For people and reports only. */
  | {
    readonly type: "output";
    readonly command: string;
    readonly ok: boolean;
    readonly text: string;
  }
  /** All that the run has changed, as one patch; where somebody wants it. For files and reports only. */
  | { readonly type: "patch"; readonly diff: string }
  /** What was asked of a server, and how that ended. For the human log only, too. */
  | {
    readonly type: "request";
    readonly url: string;
    /** Of its body. */
    readonly bytes: number;
    readonly ms: number;
    /** What was wrong; null for a reply. */
    readonly error: string | null;
  }
  | {
    readonly type: "text_delta" | "reasoning_delta";
    readonly text: string;
    /** The last of a reply. */
    readonly finished?: true;
  }
  | {
    readonly type: "tool_call";
    readonly id: string;
    readonly name: string;
    readonly arguments: unknown;
    /** Where it was read out of text: how it was written. */
    readonly dialect?: string;
    /** Where it was not written as it should be. */
    readonly repaired?: true;
    /** Whose tool it is, where it is one of an MCP server. */
    readonly mcp?: string;
    /** A hook has changed the arguments to these. */
    readonly rewritten?: true;
    /** Its place among the calls of its reply, from 1, and how many these are. */
    readonly nth: number;
    readonly of: number;
  }
  | {
    readonly type: "tool_result";
    readonly id: string;
    readonly name: string;
    readonly ok: boolean;
    readonly summary: string;
    /** Of the text the model gets. */
    readonly bytes: number;
    readonly ms: number;
    readonly refused: string | null;
  }
  /** What a person sees under a call. For the human log only, as `prefill`. */
  | ({ readonly type: "detail"; readonly id: string; readonly ok: boolean } & Detail)
  /** How far a call of an MCP server's tool is, which servers are waited for (`mcp`), or that hamr runs something itself. For a live line only, as `prefill`. */
  | { readonly type: "progress"; readonly id: string; readonly words: string }
  /** The sandbox has refused what these flags would allow; a person may want to give them. For chats only, as `prefill`. */
  | { readonly type: "refusal"; readonly id: string; readonly flags: readonly string[] }
  /** The state of commands that are under way. Likewise. */
  | LiveNews
  | { readonly type: "nudge"; readonly name: string; readonly message: string }
  | {
    readonly type: "guard";
    readonly name: string;
    readonly message: string;
    readonly action: "answered" | "stopped";
  }
  /** Said to the model in one request only. */
  | { readonly type: "reminder"; readonly name: string; readonly message: string }
  /** Somebody is asked whether a call may run, and answers by its id. */
  | ({ readonly type: "approval" } & Question)
  /** The model asks somebody, who answers by the id of its call. */
  | {
    readonly type: "question";
    readonly id: string;
    readonly question: string;
    /** Answers that it suggests; there may be others. */
    readonly choices: readonly string[];
  }
  /** The user has said something to a run that was under way. `interrupt`: what it was doing was dropped for that. */
  | { readonly type: "steer"; readonly text: string; readonly interrupt?: true }
  | {
    readonly type: "compaction";
    /** How far it had to go: `0`, `1`, `2`, `2b`, `3`, or `window`. */
    readonly stage: Stage;
    readonly tokens_before: number;
    readonly tokens_after: number;
  }
  | {
    readonly type: "retry";
    readonly reason: string;
    /** How many retries this provider has had by then, this one included. */
    readonly attempt: number;
    readonly wait_ms: number;
  }
  /** Another provider takes over; both by provider and model. */
  | { readonly type: "fallback"; readonly from: string; readonly to: string }
  | ({
    readonly type: "hook";
    /** The call it ran for. */
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
    /** The step that changed the files; it is told once the next one may have begun. */
    readonly step: number;
    /** Against the state before that step. */
    readonly files: readonly FileChange[];
    /** Unified; a long one is cut at a line, and its last line says so. */
    readonly diff: string;
  }
  | {
    readonly type: "evaluation";
    /** Who judged the work: the model itself, or the grader of a rubric. */
    readonly name: "self_eval" | "rubric";
    /** The judge's word; `unreadable` where it gave none, `unavailable` where it could not be asked. */
    readonly verdict: string;
    /** Whether the work may stand as it is; null if nobody has said. */
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
  /** Something that is new to memory, kept before a compaction took it out of the history, or at the end of a run. */
  | { readonly type: "memory"; readonly fact: string }
  /** The model's own list, whole. */
  | { readonly type: "todo"; readonly items: readonly TodoItem[] }
  | Result;

/** The policy as it is shown: names of variables, never their values. */
export type PolicyView =
  & Pick<Policy, "workspace" | "read" | "write" | "run" | "net" | "sandbox">
  & {
    /** What may not be read, whatever `read` says: of the places of `permissions.deny_read`, those that are there. Absolute. */
    readonly deny_read: readonly string[];
    readonly env: readonly string[];
    /** The same in words, each line with who enforces it here; null: nobody does. */
    readonly lines: readonly PolicyLine[];
  };

/** Whose event it is, where it is a subagent's. */
export interface From {
  /** Id of the call that started it. */
  readonly agent: string;
  /** Its own step; `step` is the one of the run. */
  readonly agent_step: number;
}

/** An event with its place in the run: milliseconds since its start, and the step (0 before the first). */
export type Stamped = Event & { readonly t: number; readonly step: number } & Partial<From>;

/** Events that are for people, or for the program around, only. */
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

/** A line of standard input, with `--steer`: what is said to a run. `schema/input.schema.json` is made of this. */
export type InputLine =
  /** Told to the model before its next reply. */
  | { readonly type: "user"; readonly text: string }
  /** Drops what the run is doing; without a text the run ends. */
  | { readonly type: "interrupt"; readonly text?: string }
  /** The answer to an `approval`. */
  | {
    readonly type: "approve";
    readonly id: string;
    /** `always`: and to all of this kind until the run ends; `edits`: and to all changes of files. */
    readonly answer: "yes" | "no" | "always" | "edits";
    /** With `no`: what the model is told. */
    readonly text?: string;
    /** With `yes`: what runs in the place of the command. */
    readonly command?: string;
  }
  /** The answer to a `question`; null: there is none. */
  | { readonly type: "answer"; readonly id: string; readonly text: string | null };

/** Hears every event, in order. Must not throw. */
export type Subscriber = (event: Stamped) => void;

/** Whether an event is for the human log only: it is not part of `jsonl`, of a log file, or of what is saved. */
export function is_live({ type }: Pick<Event, "type">): boolean {
  return LIVE.some((one) => one === type);
}
