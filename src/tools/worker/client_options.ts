import type { Recorder } from "../../store/recorder.ts";
import type { Hooks } from "../hook.ts";
import type { LiveNews } from "../live_news.ts";
import type { ResultLimits } from "../limits.ts";
import type { McpLink } from "../mcp_server.ts";
import type { TurnDiff } from "../../changes/turn_diff.ts";
import { send_policy, start_worker, type WorkerThread } from "./start_worker.ts";
import type { Policy } from "../../sandbox/policy.ts";

/** What is another one for each run that a worker serves. */
export interface RunOfTools {
  /** No call runs before they are known; all else does not wait for them. */
  readonly limits: ResultLimits | Promise<ResultLimits>;
  readonly warn: (message: string) => void;
  readonly on_turn_diff: (diff: TurnDiff) => void;
  readonly on_live: (news: LiveNews) => void;
  /** Who writes down what the run changes; null if it turns out that nobody can. Absent: nobody is meant to. */
  readonly record?: Promise<Pick<Recorder, "take"> | null>;
  readonly task_id: string;
}

/** Without `on_turn_diff` nothing is compared. */
export interface ToolsClientOptions
  extends
    Pick<RunOfTools, "limits" | "record">,
    Partial<Pick<RunOfTools, "on_turn_diff" | "on_live">> {
  /** Seconds a command may take where the call does not say. */
  readonly bash_timeout_s: number;
  readonly hooks?: Hooks;
  /** Where it is written down what must stay as it is, and who hears of what was put back. Absent: nobody, nowhere. */
  readonly watch?: {
    /** Null if no home folder is known. */
    readonly data_dir: string | null;
    readonly warn: (message: string) => void;
    /** Of the session that this continues with, or works on, the last run was killed. Default: no. */
    readonly cut_off?: boolean;
  };
  /** What this thread still needs its rights for: they are not given up before. Absent: nothing. */
  readonly first?: Promise<unknown>;
  /** The worker's thread, where it was started ahead. Absent: it is started. */
  readonly thread?: WorkerThread;
  /** The program around it keeps its rights, and the processes that it started itself. Absent: it is `hamr`. */
  readonly embedded?: true;
  readonly mcp?: McpLink;
}

export interface VerifyOptions {
  readonly timeout_s: number;
  readonly signal: AbortSignal;
  /** What it can read; absent: nothing. */
  readonly stdin?: string;
  /** Hears the end of what it has printed so far, instead of whoever looks on. */
  readonly printed?: (text: string) => void;
}

export function started_thread(policy: Policy, options: ToolsClientOptions): WorkerThread {
  const { bash_timeout_s, hooks = null, record } = options;
  const thread = start_worker(policy);
  const purpose = { record: record !== undefined, mcp: options.mcp !== undefined };
  send_policy(thread, policy, { bash_timeout_s, hooks, ...purpose });
  return thread;
}

/** Who looks on while commands are under way. */
export class LookingOn {
  /** Hears what the person's own command prints. */
  printed: ((text: string) => void) | undefined;
  /** Hears all else; absent: nobody does. */
  heard: ((news: LiveNews) => void) | undefined;

  take(news: LiveNews): void {
    if (news.type === "printed" && this.printed !== undefined) this.printed(news.text);
    else this.heard?.(news);
  }
}
