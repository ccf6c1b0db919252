/** The boundary of a run: everything from outside comes through a tape, which records the answers or replays them. */
import type { View } from "../guards/rule.ts";
import type { post } from "../model/http/http.ts";

/** What a run can ask the world for, besides a reply of the model. */
export type TapeQuestion =
  // The tools worker.
  | "run"
  | "screen"
  | "verify"
  | "changes"
  | "diff"
  | "patch"
  | "busy"
  | "absent"
  // MCP servers.
  | "mcp_tools"
  // Files of the workspace and of the user.
  | "skills"
  | "skill"
  | "roles"
  // The database.
  | "memory_search"
  | "memory_save"
  | "memory_list"
  | "session_search"
  // The model server.
  | "models_there"
  // The web.
  | "web_fetch"
  // The user.
  | "approval"
  | "clarify"
  // Who the model's server is, and who can take over.
  | "loaded"
  | "reads_tools"
  | "renewed"
  | "asked_again"
  | "cache_loss"
  | "spare"
  | "spare_endpoint"
  | "helper"
  // Nothing but time.
  | "wait";

/** What happens to a run without being asked for. */
export type TapeNews =
  | { readonly kind: "met" }
  | { readonly kind: "steer"; readonly text: string }
  /** The step under way was cut short, by a limit, a signal or the user. */
  | { readonly kind: "cut"; readonly interrupted: boolean }
  | { readonly kind: "end" };

export type ClockReading = Pick<View, "elapsed_ms" | "step_ms" | "interrupted">;

export type Transport = typeof post;

/** The place of an answer on a tape that is being recorded: it is where it was asked for. */
export interface TapeSlot {
  heard: object | null;
}

export interface Tape {
  readonly exchange: Transport;
  /** What comes of `work`; a replay does not do it. */
  ask<T>(question: TapeQuestion, work: () => Promise<T>): Promise<T>;
  ask_now<T>(question: TapeQuestion, work: () => T): T;
  tell(news: TapeNews): void;
  /** The clock as rules see it. Each reading has a number: by that number a replay finds those that mattered. */
  read(clock: ClockReading): ClockReading;
  /** Whether the user has interrupted. Each question has a number, too. */
  interrupted(now: boolean): boolean;
  /** What was read last has made a difference. */
  mattered(): void;
  /** Where a cut of the recording is to be felt: by the step that began last. */
  cuts(cut: () => void): void;
  /** Tapes for the first of these calls, at most `most`, that run in parallel, where answers have no order. Empty: they run one by one. */
  lanes(calls: readonly string[], most: number): readonly Tape[];
  join(): void;
}

export interface Thrown {
  readonly name: string;
  readonly message: string;
  /** Message of a `ToolsError`. */
  readonly cause_of_end?: string;
}
