/** The types that a program and its agent exchange. */
import type { Phase, Result, Stamped } from "../agent/events.ts";
import type { Image, Message, Usage } from "../model/message.ts";

/** Options of a single task. */
export interface TaskOptions {
  /** Shown to the model with the task. */
  readonly images?: readonly Image[];
  /** Text that follows the task but does not count as your words, such as what a command printed. */
  readonly context?: string;
  /** Ends the run, as Ctrl-C would. */
  readonly signal?: AbortSignal;
  /** Whether you will reply, so that a run may end with a question. Default: false. */
  readonly talks?: boolean;
  /** Only compacts the conversation so far; the task must be empty. Default: false. */
  readonly compacts?: boolean;
  /** The task's id for hooks, as `HAMR_TASK_ID`. Default: none. */
  readonly taskId?: string;
}

/** A message of a conversation that was held elsewhere. */
export interface SaidBefore {
  /** Who said it. */
  readonly role: "user" | "assistant";
  /** What was said. */
  readonly content: string;
}

/** Input of `runConversation`. */
export interface ConversationInput extends Pick<TaskOptions, "signal" | "taskId"> {
  /** Your message. */
  readonly userMessage: string;
  /** Added to the rules; only before the agent's first task. */
  readonly systemMessage?: string;
  /** The messages so far, beginning with the user and ending with the assistant; only before the agent's first task. */
  readonly conversationHistory?: readonly SaidBefore[];
}

/** Output of `runConversation`. */
export interface Conversation {
  /** All messages so far, as the model sees them. */
  readonly messages: readonly Message[];
  /** How it ended. */
  readonly result: Result;
  /** Tokens used. */
  readonly usage: Usage;
}

/** A task that failed: the model, a tool or hamr itself could not go on, or the task never began. */
export class AgentError extends Error {
  /** Tells it from other errors. */
  override readonly name = "AgentError";

  /** From the failed result. */
  constructor(
    /** The whole result. */
    readonly result: Result,
  ) {
    super(result.error?.message ?? result.stop_reason);
  }
}

/** A run in progress: yields each event once and in order, the result last. */
export interface AgentRun extends AsyncIterable<Stamped> {
  /** What became of it. Never rejects: what keeps a run from starting is a result, too. */
  readonly result: Promise<Result>;
}

/** What an agent is doing, or why its last task ended; `idle` before its first task. */
export type AgentState = Phase | "idle";

/** Callbacks for what happens during a task. The events carry all of it, too. */
export interface AgentCallbacks {
  /** A call begins, or has ended. */
  readonly toolProgress?: (call: {
    readonly id: string;
    readonly name: string;
    /** The outcome; absent when the call begins. */
    readonly ended?: { readonly ok: boolean; readonly summary: string; readonly ms: number };
  }) => void;
  /** The model begins to think (true) or stops (false). */
  readonly thinking?: (thinks: boolean) => void;
  /** A piece of its reasoning. */
  readonly reasoning?: (text: string) => void;
  /** A step begins. */
  readonly step?: (step: number) => void;
  /** A piece of its answer. */
  readonly streamDelta?: (text: string) => void;
  /** A call is being written: the tool's name, and the characters so far. */
  readonly toolGen?: (call: { readonly name: string; readonly chars: number }) => void;
  /** The agent's state has changed. */
  readonly status?: (state: AgentState) => void;
}

/** How to run a command of the user's. */
export interface CommandOptions {
  /** Seconds; 0 is no limit. */
  readonly timeout_s: number;
  /** Ends the command. */
  readonly signal: AbortSignal;
  /** Receives the end of the output so far, a few times a second. If it throws, the command ends. */
  readonly printed?: (text: string) => void;
}

/** How a command of the user's ended. */
export interface CommandOutcome {
  /** Null if it did not exit by itself. */
  readonly exit_code: number | null;
  /** How it ended, in words. */
  readonly ending: string;
  /** Its output. */
  readonly output: string;
}
