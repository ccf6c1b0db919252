import type { Settings } from "../config/keys.ts";
import type { CheckedCall } from "../tools/protocol.ts";
import type { Tool, ToolResult, ToolSchema } from "../tools/tool.ts";
import type { ContextLimits } from "../context/compact.ts";
import type { Mode, Rule, Stop, StopReason } from "../guards/rule.ts";
import type { ModelError } from "../model/errors.ts";
import type { Limits } from "../model/http/http.ts";
import type { FileChange } from "../changes/turn_diff.ts";
import type { RefusedPart } from "../model/refusals.ts";
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

export interface RunLimits extends
  Pick<
    Settings["agent"],
    | "repair_attempts"
    | "parallel_tools"
    | "max_output_tokens"
    | "max_tool_calls"
    | "temperature"
    | "reasoning_effort"
    | "model_defaults"
    | "stream"
  >,
  Pick<Settings["budget"], "token_budget" | "reserve_tokens" | "max_cost_usd">,
  Pick<Settings["verify"], "self_eval" | "self_eval_retries" | "rubric_rounds"> {
  readonly verify_command: string;
  /** The verify command comes from the workspace's file, not the user: it is judged like one of the model's. */
  readonly verify_judged: boolean;
  readonly verify_timeout_s: number;
  /** How many messages may precede a stop in a run; 0: guards stop at once. */
  readonly recoveries: number;
  readonly rubric: string;
  /** Whether the model is asked at the end what is worth remembering. */
  readonly extract: boolean;
  /** The JSON Schema of the answer, as JSON; empty for none. */
  readonly output_schema: string;
  /** The tools that the user has named; null for all. */
  readonly only_tools: readonly string[] | null;
  readonly web: WebReach;
  readonly read_only: boolean;
  /** Nothing is changed, so nothing is verified. */
  readonly dry_run: boolean;
  readonly http: Limits;
  readonly retry: Settings["retry"];
  readonly context: ContextLimits;
}

/** Auxiliary work that can have its own model. */
export type Auxiliary = "summary" | "grader" | "vision" | "web";

/** Other models for a run whose server fails. */
export interface Fallbacks {
  /** The endpoint with its key read again from its file or command; null if the key is the same. Rejects with a message for the user. */
  renewed(endpoint: Endpoint): Promise<Endpoint | null>;
  /** The endpoint as its server describes itself now; null if nobody answers, or not yet. */
  asked_again(endpoint: Endpoint): Promise<Endpoint | null>;
  /** Takes the next model of the chain; null at its end. */
  next(): Spare | null;
  /** Another model of the run's own provider. Rejects if it cannot be used. */
  named(model: string): Promise<Helper>;
  /** The model for this kind of work; null if the settings name none. Rejects if it cannot be used. */
  auxiliary(work: Auxiliary): Promise<Helper | null>;
}

export interface Spare {
  /** PROVIDER/MODEL. */
  readonly name: string;
  /** Asks the server about itself. Rejects if it cannot be used. */
  endpoint(): Promise<Endpoint>;
}

export interface Helper {
  endpoint: Endpoint;
  readonly refused: Set<RefusedPart>;
  readonly fallbacks: Fallbacks;
}

export interface CountedExchange {
  /** Tokens of the request, by estimate. */
  readonly sent: number;
  /** Estimated tokens of the reply, even if its end was lost. */
  readonly heard: number;
  /** As the server counted; null if it did not. */
  readonly usage: Usage | null;
  /** Whether it is part of the conversation rather than auxiliary. */
  readonly conversation: boolean;
}

interface McpSource {
  readonly setting: Deferral["setting"];
  /** All tools if they have changed since the last call, else null. Waits for servers that are starting. */
  tools(): Promise<readonly McpTool[] | null>;
}

export interface SkillSource {
  readonly setting: Deferral["setting"];
  readonly names: readonly string[];
  list(): Promise<readonly { readonly name: string; readonly description: string }[]>;
  read(name: string): Promise<string | null>;
}

export interface AgentRole {
  readonly name: string;
  readonly description: string;
  /** Instructions in addition to the rules; empty for none. */
  readonly prompt: string;
  /** Names; null: all. */
  readonly tools: readonly string[] | null;
  /** Null: the run's own. */
  readonly mode: Mode | null;
  /** Its step limit; 0 or absent for the default. */
  readonly max_steps?: number;
  /** Empty, or absent: the run's own. */
  readonly model?: string;
}

/** Runs the user's hooks about the run; `facts`, with the diff of the files, is their input. Never rejects. */
export type RunHooks = (
  event: RunHookEvent,
  facts: Readonly<Record<string, unknown>> & { readonly files?: readonly FileChange[] },
) => Promise<void>;

/** What the first request does not need. It is loaded and started while that request is in flight. */
export interface Services {
  readonly tools_client: Tools;
  /** The database; null if nothing is to be saved, or there is no place for it. */
  readonly store: Store | null;
  /** Memory across sessions; null if it is disabled, or there is no place for it. */
  readonly memory: Facts | null;
  /** Saves what is new. `reason`: why the run ended; null while it is running. Never rejects. */
  save(session: Session, reason: StopReason | null): Promise<void>;
  /** The run has ended: what could not be saved because another process had the database waits for it now. Never rejects. */
  settle(session: Session): Promise<void>;
  /** How much of the session is saved; null if nothing of it is. */
  saved(): { readonly messages: number; readonly ledger: number } | null;
  /** Every tool that may be called, offered or not. Those of MCP servers follow once they are known. */
  tools: readonly Tool<unknown>[];
  readonly mcp: McpSource | null;
  readonly skills: SkillSource | null;
  readonly run_hooks: RunHooks | null;
  roles(): Promise<readonly AgentRole[]>;
  fault_of(tool: Tool<unknown>, args: unknown): string | null;
  charge(session: Session, exchange: CountedExchange): void;
  /** Checks the token count of a reply. Returns an error if the server cut the prompt, or a change of the endpoint if it dropped the tools. */
  check_usage(
    session: Session,
    reply: Pick<Reply, "usage" | "tool_calls">,
  ): Promise<ModelError | Pick<Endpoint, "no_tools"> | null>;
  /** The reply with its calls repaired, and with unique ids. */
  repair_calls(reply: Reply, taken: ReadonlySet<string>): Reply;
  /** A reply as the history keeps it; `from` is the base URL of its server. */
  assistant(reply: Reply, from: string): Message;
  /** Runs the calls of a reply. Returns the verdict of a guard that ends the run, or null. */
  execute(session: Session, calls: readonly ToolCall[], signal: AbortSignal): Promise<Stop | null>;
  /** Checks what commands of the turn have left running, and which files of the answer are not there. */
  look_for_left(session: Session, answer: string): Promise<void>;
  /** Runs calls of agent-level tools, one after the other, except for subagents that only read. */
  run_agent_tools(
    session: Session,
    calls: readonly CheckedCall[],
    signal: AbortSignal,
  ): Promise<readonly ToolResult[]>;
  /** The same services, with everything heard through another tape. */
  on_tape(tape: Tape): Services;
  /** Asks the `pre_tool` hooks about a call, before anyone else; null if there are none. */
  readonly screen: ScreenCall | null;
  readonly approve: Approve;
  /** Asked at every moment of the run: may it go on? */
  readonly guards: readonly Rule[];
  /** The guards of a subagent, which has steps of its own; `role`: the agent that it is, if it is one. */
  subagent_guards(role: Pick<AgentRole, "name" | "max_steps"> | null): readonly Rule[];
  /** Asked before each request: what should the model be reminded of? */
  readonly reminders: readonly Reminder[];
  readonly gates: () => Promise<Gates>;
}

export interface Gates {
  readonly ending: readonly Rule[];
  /** Did the run do what its mode asks? */
  readonly contract: readonly Rule[];
}

/** Asks the user a question; null if there is no answer. The signal withdraws it. */
export type AskWords = (
  asked: {
    readonly id: string;
    readonly question: string;
    readonly choices: readonly string[];
  },
  signal: AbortSignal,
) => Promise<string | null>;

export interface Session {
  /** Replaced once the server has described itself (until then its window is unknown), and when another takes over. */
  endpoint: Endpoint;
  is_asking?: boolean;
  /** Replaced if the protocol changes. */
  wire: Wire;
  /** What the server has refused of requests; shared with subagents. */
  readonly refused: Set<RefusedPart>;
  /** Whether the settings name a model that describes images for one that can't see. */
  readonly describes: boolean;
  /** Other models if it fails; loaded only then. `tape`: used instead of the session's. */
  readonly fallbacks: (tape?: Tape) => Promise<Fallbacks>;
  /** The tools offered to the model. Grows only at its end, so that the server's prompt cache stays valid. */
  tools: readonly ToolSchema[];
  /** Tokens that the tools take in every request, by estimate. */
  tool_tokens: number;
  limits: RunLimits;
  /** The guards, in order. Replaced once, since only limits matter before the first request. */
  guards: readonly Rule[];
  /** Replaced once, too: before the first request there is nothing to remind the model of. */
  reminders: readonly Reminder[];
  /** Asks the user a question in words; null: nobody can answer. */
  readonly clarify: AskWords | null;
  /** Messages from the user during the run; null if nobody can send any. */
  readonly steering: Steering | null;
  readonly history: History;
  readonly state: State;
  readonly clock: Clock;
  /** The tools worker, the gates and the rest; started by the first call of this function. */
  readonly services: () => Promise<Services>;
  /** Starts them; settles once the tools worker is being started. `services` rejects if that fails. */
  readonly start_tools: () => Promise<void>;
  readonly emit: (event: Event, from?: From) => void;
  /** What is to be saved besides messages and the ledger; null if nothing is. A subagent's is the run's. */
  readonly pending: PendingWrites | null;
  /** Everything from outside the run comes through this. A subagent's is the run's. */
  readonly tape: Tape;
  /** Set if it works for another agent, which has the last word when time is up. */
  readonly subagent?: true;
  /** That agent. It shares the model and any change to it. */
  readonly parent?: Session;
  /** Set if it runs in parallel: its parent learns what it found out about the model once all have ended. */
  readonly lane?: true;
}
