import type { Settings } from "../config/keys.ts";
import type { LedgerFact } from "./ledger.ts";

/** Hooks about calls, by when they run. */
export type Hooks = Pick<Settings["hooks"], "post_edit" | "pre_tool" | "post_tool">;

/** When a hook about the run itself runs. */
export type RunHookEvent = "session_start" | "turn_end" | "notification";

/** When a hook runs: after an edit, before any call, or after it. */
export type HookEvent = "post_edit" | "pre_tool" | "post_tool";

/** One run of a hook. */
export interface HookRun {
  /** What it ran for. */
  readonly event: HookEvent;
  /** Its name in the settings. */
  readonly name: string;
  /** Of the file that was edited, relative to the workspace where it is inside; only for `post_edit`. */
  readonly path?: string;
  /** Null if a signal or the time limit ended it. */
  readonly exit_code: number | null;
  /** Milliseconds. */
  readonly ms: number;
  /** It found nothing wrong, and lets the call go on. */
  readonly ok: boolean;
  /** The first line of what it said, or how it ended; empty if it ended well and said nothing. */
  readonly message: string;
}

export type Screening =
  | { readonly kind: "go_on" }
  /** With other arguments, not yet checked; `by` is the last hook that changed them. */
  | {
    readonly kind: "rewritten";
    readonly args: Readonly<Record<string, unknown>>;
    readonly by: string;
  }
  | { readonly kind: "refused"; readonly by: string; readonly reason: string }
  /** The run was stopped in the meantime. */
  | { readonly kind: "stopped" };

export interface ScreenOutcome {
  readonly screening: Screening;
  readonly runs: readonly HookRun[];
  readonly facts: readonly LedgerFact[];
}
