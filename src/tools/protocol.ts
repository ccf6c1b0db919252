import type { Applied } from "../sandbox/enforce/apply.ts";
import type { Support } from "../sandbox/kernel/probe.ts";
import type { Policy } from "../sandbox/policy.ts";
import type { RunMark } from "../sandbox/processes/run_mark.ts";
import type { ChangeRow } from "../store/file_state.ts";
import type { RecordAnswer, RecordRequest } from "../store/recorder.ts";
import type { EditorFiles, EditorRequest } from "./editor.ts";
import type { Hooks, ScreenOutcome } from "./hook.ts";
import type { LiveNews } from "./live_news.ts";
import type { ResultLimits } from "./limits.ts";
import type { McpNews, McpOrder, McpRoute } from "./mcp_server.ts";
import type { Notes } from "../persistence_guard/words.ts";
import type { Baseline } from "../persistence_guard/saved.ts";
import type { Outdated } from "./seen.ts";
import type { ToolResult } from "./tool.ts";
import type { Patch } from "../changes/patch.ts";
import type { FileChange, RunChanges, TurnDiff } from "../changes/turn_diff.ts";
import type { UndoAnswer, UndoRequest } from "../changes/undo_protocol.ts";

/** A call whose arguments have been validated. */
export interface CheckedCall {
  readonly id: string;
  readonly tool: string;
  readonly args: unknown;
  /** Set if it is a tool of an MCP server. */
  readonly mcp?: McpRoute;
}

export interface Verified {
  readonly exit_code: number | null;
  readonly ending: string;
  readonly output: string;
  readonly ms: number;
}

/** How a program ended that ran with `hamr`'s own input and output. */
export type Executed =
  | { readonly kind: "ended"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string; readonly code: number }
  /** It was never started; `code` is what a shell would return. */
  | { readonly kind: "not_started"; readonly why: string; readonly code: 126 | 127 };

export interface Aside extends Notes {
  /** To be saved before the answer is used. */
  readonly rows: readonly ChangeRow[];
}

export interface ToolsPurpose {
  /** The time limit of a command in seconds, unless the call sets one. */
  readonly bash_timeout_s: number;
  readonly hooks: Hooks | null;
  readonly record: boolean;
  /** Files that the session changed earlier, as far as known. */
  readonly written?: readonly string[];
  /** Set if the process may have other children, which the run leaves alone. */
  readonly embedded?: boolean;
  /** The first run's task ID for hooks; empty for none. */
  readonly task_id?: string;
  readonly mcp: boolean;
  /** What the kernel can enforce; absent: the worker asks it. */
  readonly support?: Support;
  /** The editor that `hamr` was started from, if it shares its files. */
  readonly editor?: Pick<EditorFiles, "writes">;
  /** Set if what the workspace tells agents is what the run judges. */
  readonly is_judged?: true;
}

export interface WorkerAnswers {
  calls(calls: readonly CheckedCall[]): Promise<readonly ToolResult[]>;
  /** Asks the `pre_tool` hooks about a call. */
  screen(call: CheckedCall): Promise<ScreenOutcome>;
  /** `stdin`: its standard input; absent for none. */
  verify(
    asked: { readonly command: string; readonly timeout_s: number; readonly stdin?: string },
  ): Promise<Verified>;
  changes(given: { readonly ends: boolean }): Promise<RunChanges>;
  /** The diff of these files, as `changes` returned them. */
  diff(given: FilesShown): Promise<string>;
  patch(given: FilesShown): Promise<Patch>;
  left(given: null): readonly string[];
  /** Which of these files are nowhere in the workspace. */
  absent(paths: readonly string[]): Promise<readonly string[]>;
  /** Only for a worker that puts files back. */
  undo(request: UndoRequest): Promise<UndoAnswer>;
  /** Runs a program with `hamr`'s own input and output. */
  exec(argv: readonly string[]): Promise<Executed>;
}

interface FilesShown {
  readonly files: readonly FileChange[];
  /** About how many characters it may have. */
  readonly chars: number;
}

/** A question for the tools worker; its answer has the same `id`. */
export type WorkerQuestion<K extends keyof WorkerAnswers = keyof WorkerAnswers> = {
  readonly kind: "ask";
  readonly id: number;
  readonly question: K;
  readonly given: Parameters<WorkerAnswers[K]>[0];
};

/** Messages to the tools worker. The policy comes first. */
export type ToWorker =
  | {
    readonly kind: "policy";
    readonly policy: Policy;
    /** Process id of `hamr`, which children may not signal. */
    readonly pid: number;
  } & ToolsPurpose
  /** What to watch, once the policy is in force. Sent before any call. */
  | {
    readonly kind: "watch";
    /** The mark of every process that the run starts; null if there can be none. */
    readonly mark: RunMark | null;
    /** What killed runs in this workspace had found at their start. */
    readonly stale: readonly Baseline[];
  }
  /** What runs that are still alive had found at their start, the oldest last. */
  | { readonly kind: "beside"; readonly live: readonly Baseline[] }
  /** Another run begins: changes so far are not its own. */
  | { readonly kind: "run"; readonly task_id: string }
  /** About MCP servers, once the policy is in force; overtakes everything else. */
  | { readonly kind: "mcp"; readonly order: McpOrder }
  /** How long results may be. Sent before any call. */
  | { readonly kind: "limits"; readonly limits: ResultLimits }
  /** The editor's answer; overtakes everything else. */
  | { readonly kind: "editor"; readonly id: number; readonly answer: string | null }
  /** The answer to a `record`; overtakes everything else. */
  | { readonly kind: "recorded"; readonly answer: RecordAnswer }
  | WorkerQuestion
  /** Asks what has changed since the last such request; answered by `turn_diff` if anything has. */
  | { readonly kind: "step_end"; readonly step: number; readonly last: boolean }
  /** Cancels these requests; without ids, all so far. */
  | { readonly kind: "cancel"; readonly ids?: readonly number[] }
  /** Stops all that the run has started, and puts back what it has planted; or lets it go on. */
  | { readonly kind: "still"; readonly id: number; readonly on: boolean }
  | { readonly kind: "close"; readonly id: number }
  /** Like `close`, but without waiting for what is in progress. */
  | { readonly kind: "end"; readonly id: number };

/** Messages from the tools worker. Every `id` except an editor's is answered once, in order. */
export type FromWorker =
  | {
    readonly kind: "ready";
    /** All of the policy that may be narrower than it was asked for. */
    readonly net: Policy["net"];
  } & Pick<Applied, "layers" | "listener">
  | { readonly kind: "refused"; readonly message: string }
  /** What is protected from here on; null: nothing, since nothing is alive that could change it. No call runs before the first one of its run is saved. */
  | { readonly kind: "guarded"; readonly saved: Baseline | null; readonly notes: Aside }
  | { readonly kind: "turn_diff"; readonly diff: TurnDiff }
  | { readonly kind: "mcp"; readonly news: McpNews }
  | { readonly kind: "live"; readonly news: LiveNews }
  | { readonly kind: "editor"; readonly id: number; readonly request: EditorRequest }
  /** To be saved; the next one is sent once `recorded` answers this one. */
  | { readonly kind: "record"; readonly request: RecordRequest }
  /** Answers a question, `close` or `end`. */
  | {
    readonly kind: "answer";
    readonly id: number;
    readonly answer?: Awaited<ReturnType<WorkerAnswers[keyof WorkerAnswers]>>;
    readonly outdated?: readonly Outdated[];
    readonly notes?: Aside;
  }
  /** No process of the run is alive anymore; next is the check of what it left behind. */
  | { readonly kind: "stopped" }
  /** The last of all: its folders are gone, as far as they can be removed. */
  | { readonly kind: "removed" };
