/** What is asked of a run. */
import type { PendingWrites } from "../agent/pending_writes.ts";
import type { PromptSources } from "../agent/prompt.ts";
import type { AskWords, Fallbacks, Session } from "../agent/session.ts";
import type { Steering } from "../agent/steering.ts";
import type { StopReason } from "../guards/rule.ts";
import type { Tape } from "../agent/tape.ts";
import type { Override } from "../config/load.ts";
import type { Said } from "../agent/run.ts";
import type { Reopened, Store } from "../store/store.ts";
import type { EditorFiles } from "../tools/editor.ts";
import type { ToolsClient } from "../tools/worker/client.ts";
import type { McpServers } from "../tools/mcp/servers.ts";
import type { PendingEndpoint } from "./endpoint.ts";
import type { Flags } from "./flags.ts";
import type { McpConfigured } from "./mcp_configured.ts";
import type { Enforced } from "./policy.ts";
import type { Environment, RunSettings } from "./settings.ts";

export interface Resumed {
  /** Where it was saved; null: it goes on in the process in which its last run has ended (`earlier`). */
  readonly reopened: Reopened | null;
  /** How much of it the store has. */
  readonly saved: { readonly messages: number; readonly ledger: number };
  readonly warnings: readonly string[];
  /** Files that its calls have changed; absent: the process knows. */
  readonly written?: readonly string[];
  restore(session: Session): Promise<void>;
}

/** What one run of a process leaves to the next on the same session, instead of ending it. */
export interface LeftByRun {
  readonly enforced: Enforced;
  readonly sources: PromptSources;
  /** Null if it was never needed. */
  readonly fallbacks: Fallbacks | null;
  /** Null if it never came up, or can't be used anymore. */
  readonly tools: ToolsClient | null;
  /** Null if there is none, or it was never opened. */
  readonly store: Store | null;
  /** What could not be saved yet; null if nothing is to be. */
  readonly pending: PendingWrites | null;
  readonly mcp: McpConfigured;
  /** Null where there are none, or they were never needed. Of the worker in `tools`. */
  readonly servers: McpServers | null;
  readonly session: Session;
  /** What the next run goes on with; null: the model was never asked. */
  readonly resumed: Resumed | null;
}

/** What is in the place of the machine where a session is replayed. */
export interface World {
  readonly enforced: Enforced;
  readonly sources: PromptSources;
  readonly tape: Tape;
  readonly store: Store;
  readonly mcp: readonly string[];
}

export interface RunOptions extends Said {
  readonly place: RunSettings;
  readonly flags: Flags;
  readonly overrides: readonly Override[];
  readonly io: Environment;
  readonly endpoint: PendingEndpoint;
  readonly session_id: string;
  readonly interrupt: AbortSignal;
  /** What the user has said "always" to in the conversation. Absent: nothing. */
  readonly granted?: Set<string>;
  readonly steering?: Steering;
  /** The session that goes on; absent: a new one begins. */
  readonly resumed?: Resumed;
  /** What the last run of this process has left; absent: nothing. */
  readonly earlier?: LeftByRun;
  /** A program that does other work, too, keeps its rights and its processes: only the tools worker is confined. Absent: `hamr` itself. */
  readonly embedded?: true;
  /** The run's task id for hooks. Absent: none. */
  readonly task_id?: string;
  /** Who answers questions in words. Absent: nobody. */
  readonly clarify?: AskWords;
  /** The editor that it was started from, where that shares its files. */
  readonly editor?: EditorFiles;
  /** Whether the person who gave the task hears the answer and can reply: it may be a question. Absent: no. */
  readonly talks?: boolean;
  /** The session that goes on is compacted, and that is all. */
  readonly compacts?: true;
  /** The workspace's words to agents are what the run judges: it is not told them. Absent: it is. */
  readonly is_judged?: true | undefined;
  /** It keeps no facts. Absent: it may. */
  readonly is_review?: true;
  /** How its last task has ended, and still has where it was only compacted. */
  readonly ended?: StopReason;
}
