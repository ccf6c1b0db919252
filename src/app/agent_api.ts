/** What a program and an agent say to each other. */
import type { Phase, Result, Stamped } from "../agent/events.ts";
import type { Image, Message, Usage } from "../model/message.ts";

/** What goes with one task. */
export interface TaskOptions {
  /** Shown to the model with the task. */
  readonly images?: readonly Image[];
  /** Follows the task, and is not taken for your words: what you found out, what you ran. */
  readonly context?: string;
  /** Ends the run, as Ctrl-C would. */
  readonly signal?: AbortSignal;
  /** Whether you will answer: then a question is a good ending. Default: false. */
  readonly talks?: boolean;
  /** Nothing but a compaction of what was said so far; the task is empty then. Default: false. */
  readonly compacts?: boolean;
  /** The task's id for hooks, as `HAMR_TASK_ID`. Default: none. */
  readonly taskId?: string;
}

/** A message of a conversation that was had elsewhere. */
export interface SaidBefore {
  /** Who said it. */
  readonly role: "user" | "assistant";
  /** What was said. */
  readonly content: string;
}

/** What a conversation is given. */
export interface ConversationInput extends Pick<TaskOptions, "signal" | "taskId"> {
  /** What you say. */
  readonly userMessage: string;
  /** Added to the rules. Only before the agent's first task. */
  readonly systemMessage?: string;
  /** What was said before, the user first, the assistant last. Only before the agent's first task. */
  readonly conversationHistory?: readonly SaidBefore[];
}

/** What a conversation came to. */
export interface Conversation {
  /** All messages so far, as the model has them. */
  readonly messages: readonly Message[];
  /** What became of it. */
  readonly result: Result;
  /** Tokens that it took. */
  readonly usage: Usage;
}

/** A task failed: the model, a tool or hamr itself could not go on, or it never began. */
export class AgentError extends Error {
  /** Tells it from other errors. */
  override readonly name = "AgentError";

  /** Of the result that says so. */
  constructor(
    /** What there is besides. */
    readonly result: Result,
  ) {
    super(result.error?.message ?? result.stop_reason);
  }
}

/** A run under way: its events, each once and in order, the result last. */
export interface AgentRun extends AsyncIterable<Stamped> {
  /** What became of it. Never rejects: what keeps a run from starting is a result, too. */
  readonly result: Promise<Result>;
}

/** What an agent is doing: `idle` before its first task and between two of them. */
export type AgentState = Phase | "idle";

/** Called as a task goes on, each for what its name says. All of it is in the events, too. */
export interface AgentCallbacks {
  /** A call begins, or has ended: then with what came of it. */
  readonly toolProgress?: (call: {
    readonly id: string;
    readonly name: string;
    /** Absent: it begins. */
    readonly ended?: { readonly ok: boolean; readonly summary: string; readonly ms: number };
  }) => void;
  /** The model begins to think (true), or has stopped. */
  readonly thinking?: (thinks: boolean) => void;
  /** A piece of what it thinks. */
  readonly reasoning?: (text: string) => void;
  /** A step begins. */
  readonly step?: (step: number) => void;
  /** A piece of what it says. */
  readonly streamDelta?: (text: string) => void;
  /** A call is being written: its name, and how many characters there are. */
  readonly toolGen?: (call: { readonly name: string; readonly chars: number }) => void;
  /** The agent's state is another. */
  readonly status?: (state: AgentState) => void;
}

/** How a command of the person's is run. */
export interface CommandOptions {
  /** Seconds; 0 is no limit. */
  readonly timeout_s: number;
  /** Ends it. */
  readonly signal: AbortSignal;
  /** Hears the end of what it has printed so far, a few times a second. If it throws, the command ends, and so does its call. */
  readonly printed?: (text: string) => void;
}

/** What a command of the person's came to. */
export interface CommandOutcome {
  /** Null where it did not end by itself. */
  readonly exit_code: number | null;
  /** How it ended, in words. */
  readonly ending: string;
  /** What it printed. */
  readonly output: string;
}
