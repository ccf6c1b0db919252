/** The parts of the tools worker, created once its policy is in force. */
import { Changes } from "../../changes/changes.ts";
import { further_folders } from "../../changes/further_folders.ts";
import { undoing } from "../../changes/put_back.ts";
import { roots_of } from "../../changes/roots.ts";
import type { Undoing } from "../../changes/undo_protocol.ts";
import { is_inside } from "../../config/paths.ts";
import { FolderScan } from "../../persistence_guard/folder_scan.ts";
import { Guarded } from "../../persistence_guard/guarded.ts";
import { Named } from "../../persistence_guard/named.ts";
import { guarded_place } from "../../persistence_guard/places.ts";
import type { OutputLimits, ResultLimits } from "../limits.ts";
import type { Pipes } from "../mcp/pipes.ts";
import type { FromWorker, ToWorker } from "../protocol.ts";
import type { Policy } from "../../sandbox/policy.ts";
import { Files } from "../work/machine/files.ts";
import { IgnoreRules } from "../work/machine/ignore_rules.ts";
import type { Machine } from "../work/machine/machine.ts";
import { ReadCache } from "../work/machine/read_cache.ts";
import { ShownFiles } from "../work/machine/shown_files.ts";
import { Shell } from "../work/shell/shell.ts";
import { Calls } from "./calls.ts";
import type { InForce } from "./enforce.ts";
import type { Recording } from "./recording.ts";
import { Watch } from "./watch.ts";

export interface Now {
  call: string;
  /** Ends the work on the message that is being handled. */
  end: AbortController;
  /** From the message before the first call on. */
  limits: ResultLimits;
  task_id: string;
}

export interface WorkerParts {
  readonly machine: Machine;
  readonly watch: Watch;
  readonly calls: Calls;
  readonly undo: Undoing;
  readonly pipes: Pipes | null;
  readonly embedded: boolean;
  /** The next run of the process: what the one before has changed is not this one's. */
  begin_run(): Promise<void>;
}

export async function open_parts(
  { stale, mark }: Extract<ToWorker, { kind: "watch" }>,
  in_force: InForce,
  { now, recording, post }: { now: Now; recording: Recording; post: (message: FromWorker) => void },
): Promise<WorkerParts> {
  const { policy, raw, loaded, loaded_mcp, ...purpose } = in_force;
  const restored: string[] = [];
  const after_a_cut = (lines: readonly string[]) =>
    restored.push(...lines.map((line) => `after a run that was cut off: ${line}`));
  for (const saved of stale) after_a_cut(await Guarded.restore(policy, saved, raw));
  now.task_id = purpose.task_id ?? "";
  const rules = new Rules(policy);
  const sights = new FolderScan((path) => rules.covers(path));
  const write_down = purpose.record ? recording.write_down : null;
  const around = { policy, raw, ignoring: (folder: string) => rules.of(folder), listener: sights };
  const shared = { ...around, made: new Set<string>(), written: new Set(purpose.written) };
  const fresh = () => new Changes({ ...shared, write_down });
  let changes = fresh();
  const find = () => {
    for (const { look } of roots_of({ ...around, first() {} }, null)) {
      look.look();
      look.release();
    }
  };
  const guarded = Guarded.start(policy, { sights, raw });
  const named = new Named(policy, {
    raw,
    sights,
    get saved() {
      return guarded.saved;
    },
  });
  for (const saved of stale) {
    if (saved.named === undefined) continue;
    find();
    after_a_cut(new Named(policy, { raw, sights, saved }, saved.named).lines());
  }
  const ignore = rules.of(policy.workspace);
  const machine = machine_of(in_force, { now, ignore, mark, post, changes: () => changes });
  const is_guarded = (full: string) => guarded_place(full, policy) !== null;
  const undo = undoing({ policy, raw, ignoring: ignore, is_guarded });
  const hooks = loaded === null || purpose.hooks === null
    ? null
    : new loaded.HookRunner(purpose.hooks, machine);
  const embedded = purpose.embedded ?? false;
  const has_started = loaded_mcp !== null;
  const watch = new Watch(machine, { guarded, named, embedded, has_started, find, post });
  const pipes = loaded_mcp === null
    ? null
    : new loaded_mcp.Pipes(machine, (news) => post({ kind: "mcp", news }));
  const calls = new Calls(machine, {
    watch,
    hooks,
    pipes,
    now,
    is_judged: purpose.is_judged ?? false,
  });
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

/** Ignore rules of the workspace, and of each folder besides that is watched as it is. */
class Rules {
  readonly #all: ReadonlyMap<string, IgnoreRules>;

  constructor(private readonly policy: Policy) {
    const folders = [policy.workspace, ...further_folders(policy)];
    this.#all = new Map(folders.map((folder) => [folder, new IgnoreRules(folder)]));
  }

  of(folder: string): IgnoreRules {
    return this.#all.get(folder) ?? new IgnoreRules(folder);
  }

  /** A path relative to the workspace, or an absolute one; all that is in no such folder is ignored. */
  covers(path: string): boolean {
    if (!path.startsWith("/")) return this.of(this.policy.workspace).covers(path);
    const top = [...this.#all.keys()].find((folder) =>
      folder !== this.policy.workspace && is_inside(path, folder)
    );
    return top === undefined || this.of(top).covers(path.slice(top.length + 1));
  }
}

function machine_of(
  { policy, raw, bash_timeout_s, editor }: InForce,
  { now, ignore, mark, post, changes }: {
    now: Now;
    ignore: IgnoreRules;
    mark: Extract<ToWorker, { kind: "watch" }>["mark"];
    post: (message: FromWorker) => void;
    changes: () => Changes;
  },
): Machine {
  const of_commands: OutputLimits = {
    get lines() {
      return now.limits.lines;
    },
    get bytes() {
      return now.limits.bash_bytes;
    },
  };
  return {
    ...{ policy, bash_timeout_s, ignore, editor },
    get limits() {
      return now.limits;
    },
    files: new Files(policy),
    folders: raw,
    shown: new ShownFiles(),
    read_cache: new ReadCache(),
    get changes() {
      return changes();
    },
    shell: new Shell(policy, of_commands, mark),
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
}
