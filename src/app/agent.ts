/** A conversation: one run after another on one session, which keeps its tools worker and store in between. Prints nothing. */
import { at_end } from "../config/attempt.ts";
import { null_on_abort } from "../agent/interrupt.ts";
import type { Phase, Result, Stamped } from "../agent/events.ts";
import type { Session } from "../agent/session.ts";
import { Steering } from "../agent/steering.ts";
import type { Override } from "../config/load.ts";
import type { Mode, StopReason } from "../guards/rule.ts";
import type { Confirm } from "../permission/approval.ts";
import type { McpServers } from "../tools/mcp/servers.ts";
import type { Message } from "../model/message.ts";
import {
  AgentError,
  type AgentRun,
  type AgentState,
  type CommandOptions,
  type CommandOutcome,
  type Conversation,
  type ConversationInput,
  type SaidBefore,
  type TaskOptions,
} from "./agent_api.ts";
import { AgentEvents, Callbacks, EventQueue, until_it_throws } from "./agent_events.ts";
import { with_setting } from "./agent_options.ts";
import { type AgentSetup, left_by, type Live } from "./agent_setup.ts";
import { ask_endpoint, type PendingEndpoint } from "./endpoint.ts";
import { failed_run } from "./failed_run.ts";
import { Lifecycle } from "./lifecycle.ts";
import { enforceable_policy } from "./policy.ts";
import { load_settings, type RunSettings } from "./settings.ts";
import type { LeftByRun, Resumed } from "./run_options.ts";
import { still_of_server } from "./saved_flags.ts";
import { StartError } from "../config/error.ts";

/** What the last task has left for the next; null before the first. */
export let left_by_last: (agent: Agent) => LeftByRun | null;
/** Whether the process has given up rights that the next task needs, while the tools it gave them up for are gone. */
export let is_spent: (agent: Agent) => boolean;
/** The conversation as it is now, also while a task is under way; null before the first. */
export let live_session: (agent: Agent) => Session | null;
/** As `Lifecycle.stand_still`. */
export let hold_still: (agent: Agent, on: boolean) => Promise<void>;

/** The running MCP servers; null before the first task, or if there are none. */
export function servers_of(agent: Agent): McpServers | null {
  return left_by_last(agent)?.servers ?? null;
}

/** An agent at work in one folder. One task at a time. */
export class Agent {
  static {
    left_by_last = (agent) => agent.#left;
    live_session = (agent) => agent.#last?.session ?? agent.#left?.session ?? null;
    is_spent = (agent) => agent.#spent;
    hold_still = async (agent, on) => await agent.#last?.stand_still(on);
  }

  readonly #setup: AgentSetup;
  #overrides: readonly Override[];
  #session_id: string;
  #resumed: Resumed | null;
  #left: LeftByRun | null = null;
  #live: Live | null = null;
  #last: Lifecycle | null = null;
  #closed: Promise<void> | null = null;
  #begun = false;
  #spent = false;
  #system: string | undefined;
  #before: readonly SaidBefore[] = [];
  #diffs: string[] = [];
  #tokens = 0;
  #cost: number | null = null;
  #budget: RunSettings["settings"]["budget"] | null = null;
  #state: AgentState = "idle";
  #ended: StopReason;
  #compacts = false;
  readonly #granted = new Set<string>();
  #events: AgentEvents | null = null;
  /** Whether another model was chosen since the last task began. */
  #new_model = false;

  /** Starts nothing. */
  constructor(setup: AgentSetup) {
    this.#setup = setup;
    this.#overrides = setup.overrides;
    this.#resumed = setup.resumed ?? null;
    // A task that was cut off counts as stopped.
    this.#ended = (this.#resumed?.reopened?.info.stop_reason ?? "user_interrupt") as StopReason;
    this.#session_id = setup.resumed?.reopened?.info.uuid ?? setup.session_id ??
      crypto.randomUUID();
  }

  /** The ID to resume the session with. */
  get sessionId(): string {
    return this.#session_id;
  }

  /** What the agent is doing, or why its last run ended. */
  get state(): AgentState {
    return this.#state;
  }

  /** Starts a task. Throws a `TypeError` while another is running (use `steer` to talk to that one), or after `close`. */
  run(task: string, options: TaskOptions = {}): AgentRun {
    this.#check_task(task);
    const stream = new EventQueue();
    const interrupt = new AbortController();
    const callbacks = new Callbacks(this.#setup.callbacks, () => interrupt.abort());
    const events = new AgentEvents((event) => {
      stream.push(event);
      callbacks.tell(event);
    });
    this.#events = events;
    const steering = new Steering();
    const hear = (event: Stamped) => events.add(event, () => this.#follow(event));
    const ends = AbortSignal.any([interrupt.signal, ...options.signal ? [options.signal] : []]);
    const result = this.#run(task, { options, steering, interrupt: ends, hear })
      .finally(() => {
        this.#live = null;
        stream.end();
      });
    this.#live = { steering, interrupt, result };
    return { result, [Symbol.asyncIterator]: () => stream[Symbol.asyncIterator]() };
  }

  /** Sends a message and returns the answer, to which you can reply. Throws an `AgentError` if the task failed. */
  async chat(text: string): Promise<string> {
    const result = await this.run(text, { talks: true }).result;
    if (result.final_output === "" || result.status === "failed") throw new AgentError(result);
    return result.final_output;
  }

  /** Takes one turn of a conversation that may have begun elsewhere. Throws a `TypeError` for a history that can't be taken over. */
  async runConversation(input: ConversationInput): Promise<Conversation> {
    const { userMessage, systemMessage, conversationHistory: before = [], ...options } = input;
    const roles = before.map(({ role }, at) => role === (at % 2 === 0 ? "user" : "assistant"));
    if (roles.includes(false) || before.length % 2 === 1) {
      throw new TypeError("conversationHistory must alternate: user first, then assistant");
    }
    if (before.some(({ content }) => typeof content !== "string")) {
      throw new TypeError("each earlier message must be a string");
    }
    if (this.#begun && (systemMessage !== undefined || before.length > 0)) {
      throw new TypeError("the conversation has begun: what came before it can't be changed");
    }
    this.#check_task(userMessage);
    this.#system = systemMessage;
    this.#before = before;
    const result = await this.run(userMessage, { ...options, talks: true }).result;
    return { messages: this.messages, result, usage: result.usage };
  }

  /** The unified diff of the last task's changes; empty if there are none. */
  get lastTurnDiff(): string {
    return this.#diffs.join("");
  }

  /** Input and output tokens of all tasks so far. */
  get totalTokens(): number {
    return this.#tokens;
  }

  /** Dollars that the session has cost so far; null if a price is unknown. */
  get totalCost(): number | null {
    return this.#cost;
  }

  /** Whether all tasks together are close to `budget.token_budget` or `budget.max_cost_usd`, within `reserve_tokens` or `reserve_cost_fraction`. */
  nearBudget(): boolean {
    const { token_budget = 0, reserve_tokens = 0, max_cost_usd = 0, reserve_cost_fraction = 0 } =
      this.#budget ?? {};
    return (token_budget > 0 && token_budget - this.#tokens <= reserve_tokens) ||
      (max_cost_usd > 0 && (this.#cost ?? 0) >= max_cost_usd * (1 - reserve_cost_fraction));
  }

  /** Tells the running task something; the model reads it before its next reply. False if no task is running. */
  steer(text: string): boolean {
    return this.#live?.steering.steer(text) ?? false;
  }

  /** Takes back what `steer` said. False if the model has already read it. */
  takeBack(text: string): boolean {
    return this.#live?.steering.take_back(text) ?? false;
  }

  /** Cancels the current request or command. The model is told `text` next; without it, the task ends as `user_interrupt`. False if idle. */
  interrupt(text = ""): boolean {
    return this.#live?.steering.interrupt(text) ?? false;
  }

  /** Compacts the conversation so far, as a run does when its window is full; the compaction is among the events. */
  compact(signal?: AbortSignal): AgentRun {
    return this.run("", { compacts: true, signal });
  }

  /** Chooses the model, from the next task on; `provider` as in the settings: with another, address and protocol of the options are left. */
  setModel(model: string, provider?: string): void {
    this.#overrides = still_of_server(this.#overrides, provider);
    this.#set("provider.model", model);
    if (provider !== undefined) this.#set("provider.default", provider);
    this.#new_model = true;
  }

  /** Chooses the mode, and about what the user is asked, from the next task on. Throws a `StartError` for an unknown one. */
  setMode(mode: Mode, confirm?: Confirm): void {
    this.#set("agent.mode", mode);
    if (confirm !== undefined) this.#set("agent.confirm", confirm);
  }

  /** Sets how hard a reasoning model thinks, from the next task on; undefined: as the server does by itself. */
  setEffort(effort: string | undefined): void {
    this.#set("agent.reasoning_effort", effort);
  }

  /** Sets the command that has to pass at the end of each task, from the next on; empty for none. */
  setVerify(command: string): void {
    this.#set("verify.command", command);
    this.setMode(command === "" ? "auto" : "verify");
  }

  /** Runs a command of the user's the way the model's commands run; `hamr undo` covers it. Null during a task, and before the first tool was used. */
  async command(text: string, options: CommandOptions): Promise<CommandOutcome | null> {
    if (typeof text !== "string") throw new TypeError("a command must be a string");
    const tools = this.#live === null ? this.#left?.tools ?? null : null;
    return await until_it_throws(options, (options) => tools?.verify(text, options)) ?? null;
  }

  /** Names of the tools offered to the model; empty before the first task. */
  get tools(): readonly string[] {
    return this.#left?.session.tools.map(({ name }) => name) ?? [];
  }

  /** All messages so far, as the model sees them. */
  get messages(): readonly Message[] {
    return this.#left?.session.history.messages ?? [];
  }

  /** Ends the current task and everything its commands started, and releases the session. */
  close(): Promise<void> {
    return this.#closed ??= this.#close();
  }

  async #close(): Promise<void> {
    this.#live?.interrupt.abort();
    await this.#live?.result;
    const { tools = null, store = null } = this.#left ?? {};
    await tools?.close();
    store?.close();
    // It was never begun.
    if (this.#left === null) this.#resumed?.reopened?.lock.release();
    this.#left = null;
  }

  /** The same as `close`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #check_task(task: unknown): void {
    if (typeof task !== "string") throw new TypeError("a task must be a string");
    if (this.#closed !== null) throw new TypeError("the agent is closed");
    if (this.#live !== null) throw new TypeError("a task is under way: steer it, or wait for it");
  }

  #set(key: string, value: unknown): void {
    this.#overrides = with_setting(this.#overrides, key, value);
  }

  #enter(state: Phase): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#events?.enter(state);
  }

  #follow(event: Stamped): void {
    switch (event.type) {
      case "tool_call":
        return this.#enter("waiting_for_tool");
      case "step_start":
      case "tool_result":
        return this.#enter("running");
      case "turn_diff":
        return void this.#diffs.push(event.diff);
      case "result":
        if (!this.#compacts) this.#ended = event.stop_reason;
        this.#tokens += event.usage.input_tokens + event.usage.output_tokens;
        this.#cost = event.cost_usd;
        return this.#enter(event.stop_reason);
    }
  }

  async #run(task: string, { options, steering, interrupt, hear }: {
    options: TaskOptions;
    steering: Steering;
    interrupt: AbortSignal;
    hear: (event: Stamped) => void;
  }): Promise<Result> {
    const { io, embedded, ask, clarify } = this.#setup;
    const system = this.#system === undefined ? {} : { system: this.#system };
    const flags = { ...this.#setup.flags, ...system };
    const [overrides, new_model] = [this.#overrides, this.#new_model];
    this.#new_model = false;
    const began = performance.now();
    let is_under_way = false;
    this.#diffs = [];
    try {
      this.#enter("running");
      if (this.#spent) throw new StartError("this process can't begin again: start a new one");
      const place = await load_settings({ flags, overrides }, io);
      this.#budget = place.settings.budget;
      const { images, talks, context, compacts } = options;
      this.#compacts = compacts ?? false;
      const earlier = await this.#earlier(place);
      const resumed = this.#left?.resumed ?? this.#resumed;
      if (compacts && !resumed) throw new StartError("nothing to compact: no task was given yet");
      const endpoint = this.#endpoint(place, { task, earlier, new_model });
      endpoint.heard_by?.(this.#setup.waits ?? (() => {}), interrupt);
      this.#last = new Lifecycle({
        ...{ place, flags, overrides, io, task, steering, interrupt, images, context, talks },
        before: this.#before.length === 0 ? undefined : this.#before,
        resumed: resumed ?? undefined,
        earlier: earlier ?? undefined,
        embedded: embedded || undefined,
        ...(compacts ? { compacts, ended: this.#ended } : {}),
        task_id: options.taskId,
        endpoint,
        session_id: this.#session_id,
        granted: this.#granted,
        leave: new Promise<never>(() => {}),
        ask: ask && this.#asking(ask, "no"),
        clarify: clarify ? this.#asking(clarify, null) : undefined,
        editor: this.#setup.editor ?? undefined,
        subscribe: () => Promise.resolve([hear]),
        keep: true,
        begun: () => is_under_way = true,
      });
      const { result, run } = await this.#last.run();
      if (run !== null) this.#left = await left_by(run, this.#left);
      // The tools were ended early, or lost, after this process had given up its rights for them.
      this.#spent = !embedded && this.#left?.tools === null &&
        Deno.permissions.querySync({ name: "ffi" }).state !== "granted";
      this.#begun ||= run !== null;
      return result;
    } catch (error) {
      this.#new_model ||= new_model;
      if (is_under_way) {
        // Its tools ended with it.
        this.#spent = !embedded;
        if (this.#left !== null) this.#left = { ...this.#left, tools: null };
      }
      return failed_run(error, { session_id: this.#session_id, began, hear });
    }
  }

  async #earlier(place: RunSettings): Promise<LeftByRun | null> {
    const earlier = this.#left;
    if (earlier === null) return null;
    const { flags, io, embedded } = this.#setup;
    const read_only = flags.read_only === true || place.settings.agent.mode === "plan";
    if (read_only === (earlier.enforced.policy.read_only ?? false)) return earlier;
    if (!embedded) {
      throw new StartError("the policy of a process can't be widened: start again with --continue");
    }
    const enforced = await enforceable_policy(place, { flags, io, session_id: this.#session_id });
    await earlier.tools?.close();
    return { ...earlier, enforced, tools: null };
  }

  /** Asks the same server again, unless another model is wanted. */
  #endpoint(
    place: RunSettings,
    { task, earlier, new_model }: { task: string; earlier: LeftByRun | null; new_model: boolean },
  ): PendingEndpoint {
    const last = this.#left?.session.endpoint;
    if (last === undefined || new_model) return ask_endpoint(place, task);
    let asked: ReturnType<PendingEndpoint["full"]> | null = null;
    const full = async () => await earlier?.fallbacks?.asked_again(last) ?? last;
    return { first: Promise.resolve(last), full: () => asked ??= full() };
  }

  /** Asks the program; `withdrawn` is the answer where the signal takes the question back. */
  #asking<Asked, Answer>(
    ask: (asked: Asked, signal: AbortSignal) => Promise<Answer>,
    withdrawn: Answer,
  ): typeof ask {
    return (asked, signal) =>
      this.#waiting(() =>
        Promise.race([ask(asked, signal), null_on_abort(signal).then(() => withdrawn)])
      );
  }

  async #waiting<T>(answer: () => Promise<T>): Promise<T> {
    const before = this.#state;
    this.#enter("waiting_for_input");
    using _ = at_end(() => {
      if (before !== "idle") this.#enter(before);
    });
    return await answer();
  }
}
