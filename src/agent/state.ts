import type { Action, Mode, Rule, SpentReply, StopReason, View } from "../guards/rule.ts";
import type { Usage } from "../model/message.ts";
import type { LedgerRow } from "../tools/ledger.ts";
import type { Outdated } from "../tools/seen.ts";
import type { TodoItem } from "../tools/declared/agent_level_tools.ts";
import type { FileChange } from "../changes/turn_diff.ts";
import type { Doing, Event, Phase } from "./events.ts";

/** What may end a run whatever it is doing. */
const AT_ANY_TIME = [
  ...["user_interrupt", "internal_error", "config_error", "policy_violation"] as const,
] satisfies StopReason[];

/** Every transition there is. Limits and verdicts end a run between two requests; a stop reason is final. */
export const TRANSITIONS: Readonly<Record<Doing, "any" | readonly Phase[]>> = {
  running: "any",
  waiting_for_tool: ["running", "waiting_for_input", ...AT_ANY_TIME],
  waiting_for_input: ["running", "waiting_for_tool", ...AT_ANY_TIME],
};

/** Everything that changes during a run besides its messages. Plain data: it can be saved and loaded. */
export interface State {
  readonly mode: Mode;
  phase: Phase;
  steps: number;
  /** What earlier runs of the session took: it was resumed. */
  before: EarlierRuns;
  ledger: LedgerRow[];
  readonly turn: TurnState;
  /** A subagent's is that of the run. */
  readonly spending: SpendingState;
  readonly workspace: WorkspaceState;
  readonly window: WindowState;
  readonly context: ContextState;
  readonly vision: VisionState;
  readonly notes: NotesState;
}

/** One turn: what the user asks for, and what is done about it. */
interface TurnState {
  /** Counts the turns of the session, and where the ledger stood when this one began. */
  nth: number;
  start: number;
  actions: Action[];
  /** Memory of each rule, by its name; new with each turn. */
  memory: Record<string, unknown>;
  /** The answer so far, where a reply was cut by its length and is being continued. */
  kept: string;
  /** What the user has asked for last: the task, or what they said while it was done. */
  asked: string;
}

/** What this run has taken so far; limits hold for it. */
interface SpendingState {
  calls: number;
  refused: number;
  /** Messages that came before a stop. */
  recoveries: number;
  usage: Usage;
  /** Dollars; null if a price is not known, or before the first reply. */
  cost_usd: number | null;
}

interface WorkspaceState {
  /** Changed files and git refs in the ledger. */
  changes: number;
  /** Files that differ from the start of the run. */
  changed: readonly FileChange[];
  /** Whether processes of earlier commands were still running; null where nobody looked. */
  background: boolean | null;
  /** Files that only the last answer names, and that are not there, in small letters. */
  nowhere: readonly string[];
  /** Measured figures that only the last answer gives. */
  unshown: readonly string[];
  /** What a search or a count of the run tells against the last answer; empty if nothing does. */
  left_over: string;
  /** Files that are no longer as the model has read them. */
  outdated: readonly Outdated[];
}

interface WindowState {
  /** The window as replies have shown it to be; null if the endpoint says all there is to say. */
  learned: LearnedWindow | null;
  /** What the server counts for a token of the estimate. */
  token_ratio: number;
  /** Address and model that the window and the counts belong to. */
  counted_by: string;
  /** What the server counted of the last request of the conversation; 0 if that has nothing to do with the next. */
  counted: number;
  /** Whether it was seen to count the part of a prompt that it had in its cache: from then on counts only grow. */
  counts_all: boolean;
  /** Whether the model has shown that it sees its tools, or the server was asked. */
  tools_seen: boolean;
  /** The prompt that was read last; null if nobody knows what the server still has of it. */
  held: Held | null;
  /** Tokens of a request that the server called too long; 0 if it never did. */
  refused_at: number;
}

/** How the history fills, and what stands for what was left out of it. */
interface ContextState {
  last: SpentReply | null;
  /** Tokens that the last compaction left; 0 before the first. */
  compacted: number;
  /** Steps after which the history was compacted, the last few. */
  compactions: number[];
  /** Stands for the messages that compactions left out; empty if there were none. */
  summary: string;
  /** What the user has said in those messages, after the task. */
  heard: readonly string[];
}

interface VisionState {
  /** The server has refused an image: the model can't see. */
  blind: boolean;
  /** What another model has said of images, by their hash. */
  described: Record<string, string>;
}

/** What was noted down, and which of it was already reported. */
interface NotesState {
  /** The model's own list, and the step at which it was last given; 0: never. */
  todos: readonly TodoItem[];
  todos_step: number;
  /** Memory of each reminder, by its name; for the whole run. */
  reminded: Record<string, unknown>;
  /** Dialects of calls that were read out of text unasked, and reported. */
  leaked: string[];
  /** What was last said to the model about the mode of its run; empty for `auto`. */
  told: string;
  warnings: string[];
}

interface EarlierRuns {
  readonly steps: number;
  readonly calls: number;
  /** Dollars; null if a price was not known. */
  readonly cost_usd: number | null;
  readonly ledger: number;
}

/** A prompt that was read, with which the next one begins unless something of this is another then. */
export interface Held {
  /** Address and model. */
  readonly by: string;
  readonly rewritten: number;
  readonly tools: number;
  readonly messages: number;
  readonly tokens: number;
}

/** A window that became known after the first request. */
interface LearnedWindow {
  readonly tokens: number;
  /** Read back from the server after it has loaded the model; false: it must be as large as this, at least. */
  readonly known: boolean;
}

export interface Ending {
  readonly reason: StopReason;
  /** The model's last words, or what is in their place. */
  readonly output: string;
  readonly error: { readonly kind: string; readonly message: string } | null;
}

export const NO_USAGE: Usage = {
  input_tokens: 0,
  output_tokens: 0,
  cached_tokens: 0,
  reasoning_tokens: 0,
  cache_lost_tokens: 0,
};

const NOTHING_BEFORE: EarlierRuns = { steps: 0, calls: 0, cost_usd: 0, ledger: 0 };

export function fresh_state(mode: Mode): State {
  return {
    mode,
    phase: "running",
    steps: 0,
    before: NOTHING_BEFORE,
    ledger: [],
    turn: { nth: 1, start: 0, actions: [], memory: {}, kept: "", asked: "" },
    spending: { calls: 0, refused: 0, recoveries: 0, usage: NO_USAGE, cost_usd: null },
    workspace: {
      changes: 0,
      changed: [],
      background: null,
      nowhere: [],
      unshown: [],
      left_over: "",
      outdated: [],
    },
    window: {
      learned: null,
      token_ratio: 1,
      counted_by: "",
      counted: 0,
      counts_all: false,
      tools_seen: false,
      held: null,
      refused_at: 0,
    },
    context: { last: null, compacted: 0, compactions: [], summary: "", heard: [] },
    vision: { blind: false, described: {} },
    notes: { todos: [], todos_step: 0, reminded: {}, leaked: [], told: "", warnings: [] },
  };
}

/** Takes a run from one phase to another. Throws a `TypeError` where the table has no such transition. */
export function enter(state: Pick<State, "phase">, to: Phase): void {
  const allowed = Object.hasOwn(TRANSITIONS, state.phase) ? TRANSITIONS[state.phase as Doing] : [];
  if (allowed !== "any" && !allowed.includes(to)) {
    throw new TypeError(`a run cannot go from ${state.phase} to ${to}`);
  }
  state.phase = to;
}

/** A turn begins: guards and gates start again, except for what a guard remembers for the whole run. Limits are the run's. */
export function begin_turn(state: State, guards: readonly Rule[]): void {
  state.turn.nth++;
  state.turn.start = state.ledger.length;
  state.turn.actions = [];
  state.turn.kept = "";
  const lasting = new Set(guards.filter((guard) => guard.lasting).map(({ name }) => name));
  state.turn.memory = Object.fromEntries(
    Object.entries(state.turn.memory).filter(([name]) => lasting.has(name)),
  );
}

/** The number of the step that an event begins or belongs to; what follows in it has that number at least. */
export function step_of({ steps }: Pick<State, "steps">, event: Event): number {
  const begins = event.type === "step_start" || event.type === "text_delta" ||
    event.type === "reasoning_delta" || event.type === "prefill" || event.type === "writing" ||
    event.type === "compaction" ||
    event.type === "reminder";
  return begins ? steps + 1 : steps;
}

export function view_for_rules(
  state: State,
  clock: { readonly elapsed_ms: number; readonly step_ms: number; readonly interrupted: boolean },
): View {
  const { mode, steps, ledger, before, turn } = state;
  const { calls, usage, cost_usd } = state.spending;
  const { last, compactions } = state.context;
  const { changes, background, nowhere, unshown, left_over } = state.workspace;
  const { elapsed_ms, step_ms, interrupted } = clock;
  return {
    ...{ mode, steps, ledger, calls, usage, cost_usd, last, compactions, changes, background },
    ...{ nowhere, unshown, left_over, elapsed_ms, step_ms, interrupted },
    run_steps: steps - before.steps,
    turn: turn.start === 0 ? ledger : ledger.slice(turn.start),
    run: before.ledger === 0 ? ledger : ledger.slice(before.ledger),
    changed: state.workspace.changed.map((file) => file.path),
    actions: turn.actions,
    asked: turn.asked,
  };
}

export function add_usage(a: Usage, b: Usage): Usage {
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cached_tokens: a.cached_tokens + b.cached_tokens,
    reasoning_tokens: a.reasoning_tokens + b.reasoning_tokens,
    cache_lost_tokens: (a.cache_lost_tokens ?? 0) + (b.cache_lost_tokens ?? 0),
  };
}
