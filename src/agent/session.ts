import type { CheckedCall } from "../tools/protocol.ts";
import type { Tool, ToolResult, ToolSchema } from "../tools/tool.ts";
import type { ContextLimits } from "../context/compact.ts";
import type { Mode, Rule, Stop, StopReason } from "../guards/rule.ts";
import type { ModelError } from "../model/errors.ts";
import type { Limits } from "../model/http/http.ts";
import type { FileChange } from "../changes/turn_diff.ts";
import type { RefusedPart } from "../model/refusals.ts";
import type { RetrySettings } from "../model/completion/retry.ts";
import type { Endpoint } from "../model/server/provider.ts";
import type { Wire } from "../model/wire.ts";
import type { Message, Reply, ToolCall, Usage } from "../model/message.ts";
import type { Store } from "../store/store.ts";
import type { Deferral } from "../tools/declared/deferral.ts";
import type { RunHookEvent } from "../tools/hook.ts";
import type { McpTool } from "../tools/mcp_server.ts";
import type { Approve } from "./approve.ts";
import type { Clock } from "./clock.ts";
import type { Event, From } from "./events.ts";
import type { History } from "./history.ts";
import type { WebReach } from "../permission/web.ts";
import type { ScreenCall } from "./hooks.ts";
import type { Reminder } from "./reminders.ts";
import type { State } from "./state.ts";
import type { Steering } from "./steering.ts";
import type { Tape } from "./tape.ts";
import type { Facts, Tools } from "./taped_tools.ts";
import type { PendingWrites } from "./pending_writes.ts";

/** What a run is asked to keep to; from settings. */
export interface RunLimits {
  readonly verify_command: string;
  /** The workspace's own file gives the verify command, not the user: it is judged like the model's. */
  readonly verify_judged: boolean;
  readonly verify_timeout_s: number;
  readonly repair_attempts: number;
  /** Messages before a stop in a run; 0: a stop comes without one. */
  readonly recoveries: number;
  readonly parallel_tools: boolean;
  /** Tokens of one reply; 0 leaves it to the server. */
  readonly max_output_tokens: number;
  /** Of the whole run; 0 is no limit. */
  readonly max_tool_calls: number;
  /** Dollars of the whole run; 0 is no limit. */
  readonly max_cost_usd: number;
  readonly temperature: number | undefined;
  readonly reasoning_effort: string | undefined;
  /** Whether what the makers of a model say takes the place of a server's own values. */
  readonly model_defaults: boolean;
  readonly stream: boolean;
  /** Whether the model judges its own work; `full`: and fixes what it finds. */
  readonly self_eval: "off" | "basic" | "full";
  readonly self_eval_retries: number;
  /** What a grader holds the work to; empty for no grader. */
  readonly rubric: string;
  readonly rubric_rounds: number;
  /** At its end the model is asked what of the run is worth keeping in memory. */
  readonly extract: boolean;
  /** The JSON Schema that the answer has to meet, as JSON; empty for none. */
  readonly output_schema: string;
  /** The tools that the user has named; null: all. */
  readonly only_tools: readonly string[] | null;
  /** Where `web_fetch` may go. */
  readonly web: WebReach;
  readonly read_only: boolean;
  /** Nothing is changed, so nothing is verified. */
  readonly dry_run: boolean;
  /** Tokens of the whole run; 0 is no limit. */
  readonly token_budget: number;
  /** Tokens that the last words may take once a budget is used up; 0 is no limit. */
  readonly reserve_tokens: number;
  readonly http: Limits;
  readonly retry: RetrySettings;
  readonly context: ContextLimits;
}

/** Work beside the conversation that can have a model of its own. */
export type Auxiliary = "summary" | "grader" | "vision" | "web";

/** Where a run can go when its model's server fails. */
export interface Fallbacks {
  /** The endpoint with its key read again from its file or command; null if it is the same. Rejects with words for the user. */
  renewed(endpoint: Endpoint): Promise<Endpoint | null>;
  /** The endpoint as its server describes itself now; null if nobody answers, or not yet. */
  asked_again(endpoint: Endpoint): Promise<Endpoint | null>;
  /** Takes the next one from the chain; null at its end. */
  next(): Spare | null;
  /** Another model of the run's own provider. Rejects where it cannot be used. */
  named(model: string): Promise<Helper>;
  /** The model for a piece of work; null if settings name none. Rejects where it cannot be used. */
  auxiliary(work: Auxiliary): Promise<Helper | null>;
}

export interface Spare {
  /** PROVIDER/MODEL. */
  readonly name: string;
  /** Asks the server what it is. Rejects where it cannot be used. */
  endpoint(): Promise<Endpoint>;
}

/** A model for work beside the conversation, with a chain of its own. */
export interface Helper {
  /** The one that answered last. */
  endpoint: Endpoint;
  readonly refused: Set<RefusedPart>;
  readonly fallbacks: Fallbacks;
}

export interface CountedExchange {
  /** Tokens of the request, by estimate. */
  readonly sent: number;
  /** Tokens of all that the model has said, also where the end of it was lost, by estimate. */
  readonly heard: number;
  /** As the server counted; null if it did not. */
  readonly usage: Usage | null;
  /** Whether it is part of the conversation, not a question beside it. */
  readonly conversation: boolean;
}

/** What a run asks of MCP servers. */
export interface McpSource {
  /** `tools.deferred`. */
  readonly setting: Deferral["setting"];
  /** All tools, where they are others than when this was last asked; else null. Waits for servers that are starting. */
  tools(): Promise<readonly McpTool[] | null>;
}

export interface SkillSource {
  /** `tools.deferred`. */
  readonly setting: Deferral["setting"];
  readonly names: readonly string[];
  list(): Promise<readonly { readonly name: string; readonly description: string }[]>;
  /** The text of one; null if there is none of that name. */
  read(name: string): Promise<string | null>;
}

/** The instructions of a named agent, and what it has. */
export interface AgentRole {
  readonly name: string;
  /** What it is for, in a line. */
  readonly description: string;
  /** On top of the rules; empty for none. */
  readonly prompt: string;
  /** Names; null: all. */
  readonly tools: readonly string[] | null;
  /** Null: the run's own. */
  readonly mode: Mode | null;
  /** Steps that it may take; 0, or absent: as many as any. */
  readonly max_steps?: number;
  /** Empty, or absent: the run's own. */
  readonly model?: string;
}

/** Runs the user's hooks about the run itself; `facts`, with the diff of the files, is their input. Never rejects. */
export type RunHooks = (
  event: RunHookEvent,
  facts: Readonly<Record<string, unknown>> & { readonly files?: readonly FileChange[] },
) => Promise<void>;

/** What the first request does not need. It is loaded and started while that request is in flight. */
export interface Services {
  readonly tools_client: Tools;
  /** The database; null if nothing is to be kept, or there is no place for it. */
  readonly store: Store | null;
  /** What outlasts the session; null if that is not wanted, or there is no place for it. */
  readonly memory: Facts | null;
  /** Saves what is new. `reason`: why the run has ended; null while it goes on. Never rejects. */
  save(session: Session, reason: StopReason | null): Promise<void>;
  /** The run has ended: what could not be saved because another process had the database waits for it now. Never rejects. */
  settle(session: Session): Promise<void>;
  /** How much of the session is saved; null if nothing of it is. */
  saved(): { readonly messages: number; readonly ledger: number } | null;
  /** Every tool that may be called, offered or not. Those of MCP servers come behind the others once they are known. */
  tools: readonly Tool<unknown>[];
  /** What MCP servers have; null where there are none. */
  readonly mcp: McpSource | null;
  /** Null where there are none. */
  readonly skills: SkillSource | null;
  /** Null where there are none. */
  readonly run_hooks: RunHooks | null;
  roles(): Promise<readonly AgentRole[]>;
  /** What is wrong with a call's arguments. */
  fault_of(tool: Tool<unknown>, args: unknown): string | null;
  charge(session: Session, exchange: CountedExchange): void;
  /** What the count of a reply says; the error where a part of the prompt was left out, and what is known of the endpoint where that is the tools. */
  check_usage(
    session: Session,
    reply: Pick<Reply, "usage" | "tool_calls">,
  ): Promise<ModelError | Pick<Endpoint, "no_tools"> | null>;
  /** A reply with the arguments of its calls as they were meant, where they were not written as they should be, and ids of their own. */
  repair_calls(reply: Reply, taken: ReadonlySet<string>): Reply;
  /** A reply as the history keeps it. */
  assistant(reply: Reply): Message;
  /** Runs the calls of a reply; what a guard says that ends the run instead, or null. */
  execute(
    session: Session,
    calls: readonly ToolCall[],
    signal: AbortSignal,
  ): Promise<Stop | null>;
  /** Looks at what commands of the turn have left running. */
  look_for_left(session: Session): Promise<void>;
  /** Runs calls of tools that work on the run itself: one after the other, but for subagents that only read. */
  run_agent_tools(
    session: Session,
    calls: readonly CheckedCall[],
    signal: AbortSignal,
  ): Promise<readonly ToolResult[]>;
  /** The same, and all they hear goes through another tape. */
  on_tape(tape: Tape): Services;
  /** What the `pre_tool` hooks say to a call, before anybody is asked about it; null if there are none. */
  readonly screen: ScreenCall | null;
  readonly approve: Approve;
  /** Must the run change its course? */
  readonly guards: readonly Rule[];
  /** The same for a subagent, which has steps of its own; `role`: the agent that it is, if it is one. */
  subagent_guards(role: Pick<AgentRole, "name" | "max_steps"> | null): readonly Rule[];
  /** Has the next request something to remind the model of? */
  readonly reminders: readonly Reminder[];
  /** Who judges an ending; loaded when there is one. */
  readonly gates: () => Promise<Gates>;
}

/** Who judges an ending. */
export interface Gates {
  /** May the turn end? */
  readonly ending: readonly Rule[];
  /** Did the run do what its mode asks? */
  readonly contract: readonly Rule[];
}

/** A question to the user; null: there is no answer. The signal gives it up. */
export type AskWords = (
  asked: {
    /** Of the call. */
    readonly id: string;
    readonly question: string;
    readonly choices: readonly string[];
  },
  signal: AbortSignal,
) => Promise<string | null>;

/** Everything a run works with, handed from hand to hand. */
export interface Session {
  /** Replaced when the server has said what it is (until then its window is not known), and when another takes over. */
  endpoint: Endpoint;
  /** Replaced where the model has to be spoken to in another way. */
  wire: Wire;
  /** What the server has refused of requests; shared with subagents. */
  readonly refused: Set<RefusedPart>;
  /** Settings name a model that tells one that can't see what images show. */
  readonly describes: boolean;
  /** Where to go when it fails; for bad days, so it is loaded then. `tape`: another than the session's, to hear it on. */
  readonly fallbacks: (tape?: Tape) => Promise<Fallbacks>;
  /** What is offered to the model. Grows at its end only: a server's cache holds what stood before. */
  tools: readonly ToolSchema[];
  /** Tokens that the tools take in every request, by estimate. */
  tool_tokens: number;
  limits: RunLimits;
  /** Rules for every moment, in their order. Replaced once, as before the first request only limits matter. */
  guards: readonly Rule[];
  /** Replaced once, too: before the first request the model knows of nothing that it could be reminded of. */
  reminders: readonly Reminder[];
  /** Asks the user a question in words; null: nobody can answer. */
  readonly clarify: AskWords | null;
  /** What the user says while the run is under way; null if nobody can. */
  readonly steering: Steering | null;
  readonly history: History;
  readonly state: State;
  readonly clock: Clock;
  /** The tools worker and the gates; begun by the first call of this function. */
  readonly services: () => Promise<Services>;
  /** Begins them, and settles once the tools worker is being started; whether that works out, `services` says. */
  readonly begin_tools: () => Promise<void>;
  readonly emit: (event: Event, from?: From) => void;
  /** What is to be saved besides messages and the ledger; null if nothing is. A subagent's is the run's. */
  readonly pending: PendingWrites | null;
  /** Where all comes from that the run does not make itself. A subagent's is the run's. */
  readonly tape: Tape;
  /** Works for another agent, which has the last word when the time is over. */
  readonly subagent?: true;
  /** That agent: it shares the model, and what becomes of it. */
  readonly parent?: Session;
  /** Works beside others: its parent learns what it found out about the model once all have ended. */
  readonly lane?: true;
}
