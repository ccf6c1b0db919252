/** What the tools worker works with once its policy is in force. */
import { Changes } from "../../changes/changes.ts";
import { further_folders } from "../../changes/further.ts";
import type { Undoing } from "../../changes/undo_protocol.ts";
import { is_inside } from "../../config/paths.ts";
import { FolderScan } from "../../persistence_guard/folder_scan.ts";
import { Guarded } from "../../persistence_guard/guarded.ts";
import { Named } from "../../persistence_guard/named.ts";
import { guarded_place } from "../../persistence_guard/places.ts";
import type { OutputLimits, ResultLimits } from "../limits.ts";
import type { Pipes } from "../mcp/pipes.ts";
import type { FromWorker, ToWorker } from "../protocol.ts";
import { Files } from "../work/files.ts";
import { IgnoreRules } from "../work/ignore_rules.ts";
import type { Machine } from "../work/machine.ts";
import { ReadCache } from "../work/read_cache.ts";
import { ShownFiles } from "../work/shown_files.ts";
import { Shell } from "../work/shell.ts";
import { Calls } from "./calls.ts";
import type { InForce } from "./enforce.ts";
import type { Recording } from "./recording.ts";
import { Watch } from "./watch.ts";

/** What changes from message to message. */
export interface Now {
  /** The call under way. */
  call: string;
  /** Ends the work on the message that is being handled. */
  end: AbortController;
  /** From the message before the first call on. */
  limits: ResultLimits;
  /** The run's task id for hooks. */
  task_id: string;
}

/** All that a message may need. */
export interface WorkerParts {
  readonly machine: Machine;
  readonly watch: Watch;
  readonly calls: Calls;
  /** Puts files back; null in a run. */
  readonly undo: Undoing | null;
  /** MCP servers; null if none are asked for. */
  readonly pipes: Pipes | null;
  /** Whether the process has other children. */
  readonly embedded: boolean;
  /** The next run of the process: what the one before has changed is not this one's. */
  begin_run(): Promise<void>;
}

/** Puts back what earlier runs have left planted, and opens the rest. */
export async function open_parts(
  { stale, mark }: Extract<ToWorker, { kind: "watch" }>,
  { policy, raw, loaded, loaded_undo, loaded_mcp, record: is_recorded, ...purpose }: InForce,
  { now, recording, post }: {
    readonly now: Now;
    readonly recording: Recording;
    readonly post: (message: FromWorker) => void;
  },
): Promise<WorkerParts> {
  const restored: string[] = [];
  for (const saved of stale) restored.push(...await Guarded.restore(policy, saved, raw));
  now.task_id = purpose.task_id ?? "";
  const embedded = purpose.embedded ?? false;
  const ignore = new IgnoreRules(policy.workspace);
  const further = new Map(
    further_folders(policy).map((folder) => [folder, new IgnoreRules(folder)]),
  );
  const ignoring = (folder: string) =>
    folder === policy.workspace ? ignore : further.get(folder) ?? new IgnoreRules(folder);
  const sights = new FolderScan((path) => {
    if (!path.startsWith("/")) return ignore.covers(path);
    const [top, rules] = [...further].find(([folder]) => is_inside(path, folder)) ?? [];
    return rules?.covers(path.slice(top!.length + 1)) ?? true;
  });
  const write_down = is_recorded ? recording.write_down : null;
  const made = new Set<string>();
  const written = new Set(purpose.written);
  const shared = { listener: sights, made, written };
  const fresh = () => new Changes({ policy, raw, ignoring, ...shared, write_down });
  let changes = fresh();
  const of_commands: OutputLimits = {
    get lines() {
      return now.limits.lines;
    },
    get bytes() {
      return now.limits.bash_bytes;
    },
  };
  const guarded = Guarded.start(policy, { sights, raw });
  const named = new Named(policy, {
    raw,
    sights,
    get saved() {
      return guarded.saved;
    },
  });
  const machine: Machine = {
    policy,
    get limits() {
      return now.limits;
    },
    bash_timeout_s: purpose.bash_timeout_s,
    ignore,
    files: new Files(policy),
    folders: raw,
    shown: new ShownFiles(),
    read_cache: new ReadCache(),
    get changes() {
      return changes;
    },
    shell: new Shell(policy, of_commands, mark),
    editor: purpose.editor,
    get task_id() {
      return now.task_id;
    },
    get call() {
      return now.call;
    },
    get signal() {
      return now.end.signal;
    },
    tell: (news) => post({ kind: "live", news }),
  };
  const is_guarded = (full: string) => guarded_place(full, policy) !== null;
  const undo = loaded_undo?.undoing({ policy, raw, ignoring: ignore, is_guarded }) ?? null;
  const hooks = loaded === null || purpose.hooks === null
    ? null
    : new loaded.HookRunner(purpose.hooks, machine);
  const has_started = loaded_mcp !== null;
  const watch = new Watch(machine, { guarded, named, embedded, has_started, post });
  const pipes = loaded_mcp === null
    ? null
    : new loaded_mcp.Pipes(machine, (news) => post({ kind: "mcp", news }));
  const calls = new Calls(machine, { watch, hooks, pipes, now });
  watch.tell_guarded([...restored, ...hooks?.warnings() ?? []]);
  return {
    ...{ machine, watch, calls, undo, pipes, embedded },
    begin_run: () =>
      watch.begin_run(async () => {
        await changes.finish();
        changes[Symbol.dispose]();
        changes = fresh();
      }),
  };
}
