import type { Settings } from "../config/keys.ts";
import type { LedgerRow } from "../tools/ledger.ts";
import type { Reply, ToolCall, Usage } from "../model/message.ts";

/** Why a run ended. The exit code of each is in `src/app/exit_codes.ts`. */
export type StopReason =
  | "llm_done"
  | "llm_error"
  | "model_error"
  | "tool_error"
  | "loop_detected"
  | "empty_response"
  | "policy_violation"
  | "internal_error"
  | "max_steps"
  | "max_tool_calls"
  | "budget_exceeded"
  | "budget_exhausted"
  | "context_full"
  | "verification_failed"
  | "contract_unsatisfied"
  | "not_done"
  | "evaluation_failed"
  | "schema_unmet"
  | "findings"
  | "config_error"
  | "auth_error"
  | "timeout"
  | "user_interrupt";

/** What a run must show before it may end in success: see section 9 of the contract. */
export type Mode = "auto" | "ask" | "plan" | "patch" | "verify";

/** Whether a mode wants only an answer: nothing may be changed. */
export function only_answers(mode: Mode): mode is "ask" | "plan" {
  return mode === "ask" || mode === "plan";
}

/** What guards keep to, from settings; 0 is off, or no limit. */
export interface GuardLimits
  extends
    Readonly<Settings["guards"]>,
    Readonly<Settings["budget"]>,
    Pick<Settings["agent"], "max_tool_calls" | "timeout_s" | "step_timeout_s"> {
  readonly max_steps: number;
  /** The setting that `max_steps` comes from, where it is not `agent.max_model_steps`. */
  readonly steps_setting?: string;
}

export type RunBounds = Pick<
  GuardLimits,
  "max_steps" | "steps_setting" | "max_tool_calls" | "timeout_s" | "step_timeout_s"
>;

export type Verdict =
  /** `answer`: what the turn ends with, if that is more than the last text. */
  | { readonly kind: "go_on"; readonly answer?: string }
  /**
   * Tell the model `text` and ask again. `keep`: its text so far is the beginning of its answer. `run`: the calls of its reply
   * run first. `constrain`: the next reply is to be held to the form of a call, if the server can do that.
   */
  | {
    readonly kind: "nudge";
    readonly text: string;
    readonly keep?: true;
    readonly run?: true;
    readonly constrain?: true;
    readonly recovers?: Recovery;
  }
  /** Do not run this call, or these; `text` is the result. Only at the moments `call` and `calls`. */
  | { readonly kind: "answer"; readonly text: string; readonly recovers?: Recovery }
  | {
    readonly kind: "stop";
    readonly reason: StopReason;
    readonly text: string;
    /** Follows `text` if the model is to fix it; the user does not see it. */
    readonly instruction?: string;
  };

export type Stop = Extract<Verdict, { readonly kind: "stop" }>;

/**
 * What went wrong, for a message that comes before a stop (seed 000). A run gets so many of them in a row; then it stops
 * for the reason `otherwise`. A change, or a command that passes, resets the count.
 */
interface Recovery {
  readonly scenario: "empty_response" | "infinite_loop" | "malformed_tool_call";
  readonly otherwise: StopReason;
}

export interface AskedCall {
  readonly name: string;
  /** The arguments, normalized: independent of the order of keys and of white space; long ones as a hash. Only for comparing. */
  readonly args: string;
  /** It changes nothing and only shows the state of things, so its result may differ each time. */
  readonly looks?: true;
  /** It waits before it looks, as `sleep 5; tail log` does. */
  readonly waits?: true;
}

export interface Action extends AskedCall {
  readonly step: number;
  /** False if it was answered without being run: it was invalid, or something refused it. */
  readonly ran: boolean;
  /** It was refused by the user, the policy or a hook. Refusals by a guard are not counted here. */
  readonly refused?: true;
  /** False if no tool takes such a call. */
  readonly valid: boolean;
  readonly ok: boolean;
  /** Its outcome, equal if two results say the same. For calls that do more than look, times and the like are masked. */
  readonly result: string;
  /** Milliseconds it took. */
  readonly ms: number;
  /** It searched, and what it looked for stands somewhere, not only in longer words. */
  readonly found?: true;
  /** How many changed files and git refs were in the ledger when it was answered. */
  readonly changes: number;
}

export type Moment =
  /** Before a request is sent. */
  | { readonly at: "request" }
  /** Before a question outside the conversation is sent: for a summary, or to a judge. */
  | { readonly at: "aside" }
  /** A whole reply has arrived. */
  | { readonly at: "reply"; readonly reply: Reply }
  /** All calls of the reply are about to run. */
  | { readonly at: "calls"; readonly calls: readonly AskedCall[] }
  /** One of its calls is about to run. */
  | { readonly at: "call"; readonly call: ToolCall; readonly asked: AskedCall }
  /** The model wants to end its turn with this text. `refused`: the server marked it as a refusal. */
  | { readonly at: "ending"; readonly text: string; readonly refused?: boolean }
  /** The turn has ended and the verify command, if any, has run. */
  | { readonly at: "contract" };

/** Tokens of one reply with what they cost in dollars; null if no price is known. */
export interface SpentReply extends Usage {
  readonly cost_usd: number | null;
}

/** What rules can see. They must not change it. */
export interface View {
  readonly mode: Mode;
  /** Steps of the session: ledger and calls use their numbers. */
  readonly steps: number;
  /** Steps, tool calls and milliseconds of this run. */
  readonly run_steps: number;
  readonly calls: number;
  readonly elapsed_ms: number;
  /** Milliseconds of the step under way, or of the last one. */
  readonly step_ms: number;
  readonly interrupted: boolean;
  readonly usage: Usage;
  /** Dollars of this run; null if a price is not known. */
  readonly cost_usd: number | null;
  /** The cost of the last reply of the conversation; null before the first. */
  readonly last: SpentReply | null;
  /** Everything since the start of the session, and of this turn. */
  readonly ledger: readonly LedgerRow[];
  readonly turn: readonly LedgerRow[];
  readonly run: readonly LedgerRow[];
  /** Files of the workspace that differ from the start of the run. */
  readonly changed: readonly string[];
  readonly actions: readonly Action[];
  /** Changed files and git refs in the whole ledger; it only grows. */
  readonly changes: number;
  /** Steps after which the history was compacted, the last few. */
  readonly compactions: readonly number[];
  /** Whether processes started by commands were still running at the last look; null if nobody looked. */
  readonly background: boolean | null;
  /** Files that only the answer names, and that are not there, in small letters. */
  readonly nowhere: readonly string[];
  /** Measured figures, and output of what was run, that only the answer gives. */
  readonly unshown: readonly string[];
  /** What a search or a count of the run tells against the answer, as a sentence; empty if nothing does. */
  readonly left_over: string;
  readonly asked: string;
}

/** A verdict, with what the rule wants to remember for the next time. */
interface Ruling<M> {
  readonly verdict: Verdict;
  readonly memory: M;
}

/** A guard or a gate: a pure function from a moment to a verdict. Its memory is plain JSON and starts again with each turn unless it is `lasting`. */
export interface Rule<M = unknown> {
  readonly name: string;
  readonly start: M;
  /** Its memory is the run's, as limits are (section 9 of the contract). */
  readonly lasting?: true;
  check(moment: Moment, view: View, memory: M): Ruling<M>;
}

export const GO_ON: Verdict = { kind: "go_on" };

/** Whether a count has reached its limit; 0 is no limit. */
export function reached(count: number, limit: number): boolean {
  return limit > 0 && count >= limit;
}

/** Hides a rule's type of memory, so that rules fit into one list. */
export function rule<M>(spec: Rule<M>): Rule {
  return {
    name: spec.name,
    start: spec.start,
    ...(spec.lasting ? { lasting: true } : {}),
    check: (moment, view, memory) => spec.check(moment, view, memory as M),
  };
}

export function stateless(name: string, check: (moment: Moment, view: View) => Verdict): Rule {
  return rule<null>({
    name,
    start: null,
    check: (moment, view) => ({ verdict: check(moment, view), memory: null }),
  });
}
