import type { Layer } from "../sandbox/enforce/apply.ts";
import type { Support } from "../sandbox/kernel/probe.ts";
import type { FilterListener } from "../sandbox/kernel/seccomp.ts";
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
  /** Absent: it is no tool of an MCP server. */
  readonly mcp?: McpRoute;
}

/** What the verify command came to. */
export interface Verified {
  readonly exit_code: number | null;
  readonly ending: string;
  readonly output: string;
  readonly ms: number;
}

/** How a program ended that had `hamr`'s own input and output. */
export type Executed =
  | { readonly kind: "ended"; readonly code: number }
  | { readonly kind: "killed"; readonly signal: string; readonly code: number }
  /** It was never started; the code is the one that shells have for it. */
  | { readonly kind: "not_started"; readonly why: string; readonly code: 126 | 127 };

/** What is sent along with an answer. */
export interface Aside extends Notes {
  /** To be written down before the answer is heard. */
  readonly rows: readonly ChangeRow[];
}

export interface ToolsPurpose {
  /** Seconds a command may take where the call does not say. */
  readonly bash_timeout_s: number;
  readonly hooks: Hooks | null;
  /** Whether what the run changes is written down. */
  readonly record: boolean;
  /** Files that the session has changed before; absent: none is known. */
  readonly written?: readonly string[];
  /** Whether the process has other children, which the run leaves alone. Absent: it has none. */
  readonly embedded?: boolean;
  /** The first run's task id for hooks; empty for none. */
  readonly task_id?: string;
  readonly mcp: boolean;
  /** What the kernel can enforce; absent: the worker asks it. */
  readonly support?: Support;
  /** What the editor does that `hamr` was started from; absent: it shares no files, or there is none. */
  readonly editor?: Pick<EditorFiles, "writes">;
}

/** What is sent to the tools worker. The policy comes first. */
export type ToWorker =
  | {
    readonly kind: "policy";
    readonly policy: Policy;
    /** Process id of `hamr`, which children may not signal. */
    readonly pid: number;
  } & ToolsPurpose
  /** What the tools watch, once the policy is in force. Before any call. */
  | {
    readonly kind: "watch";
    /** What tells everything the run starts from all else; null if nothing does. */
    readonly mark: RunMark | null;
    /** What runs in this workspace that were cut off found at their start. */
    readonly stale: readonly Baseline[];
  }
  /** What runs that are still alive found at their start, the oldest last. */
  | { readonly kind: "beside"; readonly live: readonly Baseline[] }
  /** Another run begins: what calls have changed so far is not its doing. */
  | { readonly kind: "run"; readonly task_id: string }
  /** About MCP servers, once the policy is in force; overtakes everything else. */
  | { readonly kind: "mcp"; readonly order: McpOrder }
  /** How long results may be. Before any call. */
  | { readonly kind: "limits"; readonly limits: ResultLimits }
  /** What the editor answers; overtakes everything else. */
  | { readonly kind: "editor"; readonly id: number; readonly answer: string | null }
  /** What became of a `record`; overtakes everything else. */
  | { readonly kind: "recorded"; readonly answer: RecordAnswer }
  /** Asks the `pre_tool` hooks about a call. */
  | { readonly kind: "screen"; readonly id: number; readonly call: CheckedCall }
  | { readonly kind: "calls"; readonly id: number; readonly calls: readonly CheckedCall[] }
  | {
    readonly kind: "verify";
    readonly id: number;
    readonly command: string;
    readonly timeout_s: number;
    /** What it can read; absent: nothing. */
    readonly stdin?: string;
  }
  | { readonly kind: "changes"; readonly id: number }
  /** Asks what has changed since this was last asked; answered by `turn_diff`, where anything has. */
  | { readonly kind: "step_end"; readonly step: number; readonly last: boolean }
  /** Asks for the diff, or the patch, of these files, as `changes` gave them. */
  | {
    readonly kind: "diff" | "patch";
    readonly id: number;
    readonly files: readonly FileChange[];
    readonly chars: number;
  }
  /** Asks what goes on beside the calls. */
  | { readonly kind: "left"; readonly id: number }
  /** Where the worker puts files back. */
  | { readonly kind: "undo"; readonly id: number; readonly request: UndoRequest }
  /** Runs a program with `hamr`'s own input and output. */
  | { readonly kind: "exec"; readonly id: number; readonly argv: readonly string[] }
  /** Ends what was asked by these numbers; without any, all that was asked so far. */
  | { readonly kind: "cancel"; readonly ids?: readonly number[] }
  | { readonly kind: "close"; readonly id: number }
  /** As `close`, but at once: whatever is under way is not waited for. */
  | { readonly kind: "end"; readonly id: number };

/** What comes back. Every `id` but an editor's is answered once, in the order asked. */
export type FromWorker =
  | {
    readonly kind: "ready";
    readonly layers: readonly Layer[];
    readonly policy: Policy;
    /** Where a supervisor has to answer, if anything is asked. */
    readonly listener: FilterListener | null;
  }
  | { readonly kind: "refused"; readonly message: string }
  /** What is kept as it is from here on; null: nothing, as nothing is alive that could change it. No call runs before the first of its run is written down. */
  | { readonly kind: "guarded"; readonly saved: Baseline | null; readonly notes: Aside }
  | {
    readonly kind: "results";
    readonly id: number;
    readonly results: readonly ToolResult[];
    readonly outdated: readonly Outdated[];
    readonly notes: Aside;
  }
  | { readonly kind: "turn_diff"; readonly diff: TurnDiff }
  | { readonly kind: "mcp"; readonly news: McpNews }
  | { readonly kind: "live"; readonly news: LiveNews }
  | { readonly kind: "editor"; readonly id: number; readonly request: EditorRequest }
  /** To be written down; the next one is asked when this is answered, by `recorded`. */
  | { readonly kind: "record"; readonly request: RecordRequest }
  | { readonly kind: "diff"; readonly id: number; readonly text: string }
  | { readonly kind: "patch"; readonly id: number; readonly patch: Patch }
  | { readonly kind: "left"; readonly id: number; readonly commands: readonly string[] }
  | { readonly kind: "undo"; readonly id: number; readonly answer: UndoAnswer }
  | { readonly kind: "executed"; readonly id: number; readonly result: Executed }
  | {
    readonly kind: "screened";
    readonly id: number;
    readonly screened: ScreenOutcome;
    readonly notes: Aside;
  }
  | {
    readonly kind: "verified";
    readonly id: number;
    readonly result: Verified;
    readonly outdated: readonly Outdated[];
    readonly notes: Aside;
  }
  | ({ readonly kind: "changes"; readonly id: number; readonly notes: Aside } & RunChanges)
  /** Nothing of the run is alive anymore; what it has left behind is looked at next. */
  | { readonly kind: "stopped" }
  | { readonly kind: "closed"; readonly id: number; readonly notes: Aside };
