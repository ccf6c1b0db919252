/** The tools worker, the only thread that touches the machine: it takes the policy, lets the kernel enforce it, and runs calls in order. */
import { changed_files, turn_diff, whole_diff } from "../../changes/turn_diff.ts";
import { close_score, ended_first } from "../../sandbox/processes/out_of_memory.ts";
import { end_descendants } from "../../sandbox/processes/processes.ts";
import { sweep } from "../../sandbox/processes/sweep.ts";
import { linux_libc } from "../../sandbox/kernel/libc.ts";
import { NO_RESULTS } from "../limits.ts";
import type { Executed, FromWorker, ToWorker, WorkerAnswers } from "../protocol.ts";
import { enforce, type InForce } from "./enforce.ts";
import { ended_with, left_by_commands, may_be_alive, remove_folders } from "./left_behind.ts";
import { type Now, open_parts, type WorkerParts } from "./parts.ts";
import { Recording } from "./recording.ts";
import type { Policy } from "../../sandbox/policy.ts";
import { limit_self } from "../../sandbox/processes/rlimits.ts";
import { wrapper } from "../../sandbox/enforce/seatbelt.ts";
import { git_place, object_format } from "../../changes/git_index.ts";
import type { Machine } from "../work/machine/machine.ts";

/** The part of a worker's global scope that is used; Deno's types know only the window's. */
const port = self as unknown as {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker, transfer?: Transferable[]): void;
};
const post = (message: FromWorker) => port.postMessage(message);

/** Null before the policy, and where it was refused. */
let in_force: InForce | null = null;
/** Null before the first message after that. */
let opened: WorkerParts | null = null;
const now: Now = { call: "", end: new AbortController(), limits: NO_RESULTS, task_id: "" };
const recording = new Recording((...said) => port.postMessage(...said));
/** Of every message that has come and is not done. */
const open_ends = new Map<AbortController, number | null>();
/** Everything asked is done one after the other; only `cancel`, `still` and `end` overtake. */
let queue: Promise<void> = Promise.resolve();

port.onmessage = ({ data }) => {
  if (data.kind === "cancel") {
    for (const [end, id] of open_ends) {
      if (data.ids === undefined || (id !== null && data.ids.includes(id))) end.abort();
    }
    return;
  }
  if (data.kind === "editor") return opened?.machine.editor?.take(data);
  if (data.kind === "recorded") return recording.answered(data.answer);
  if (data.kind === "end") return void end_all(data.id);
  if (data.kind === "still") return void stand_still(data);
  if (data.kind === "mcp") return opened?.pipes?.take(data.order);
  const end = new AbortController();
  open_ends.set(end, "id" in data ? data.id : null);
  queue = queue.then(async () => {
    now.end = end;
    await handle(data);
    open_ends.delete(end);
  });
};

type Queued = Exclude<ToWorker, { kind: "cancel" | "end" | "recorded" | "mcp" | "editor" }>;

async function handle(message: Queued): Promise<void> {
  switch (message.kind) {
    case "policy":
      in_force = await enforce(message, post);
      return;
    case "watch":
      if (in_force !== null) opened = await open_parts(message, in_force, { now, recording, post });
      return;
    case "limits":
      now.limits = message.limits;
      return;
    default:
      if (opened === null) throw new Error("the tools worker was asked before it had a policy");
      return await work(message, opened);
  }
}

async function work(
  message: Exclude<Queued, { kind: "policy" | "watch" | "limits" }>,
  parts: WorkerParts,
): Promise<void> {
  const { machine, watch, pipes, begin_run } = parts;
  switch (message.kind) {
    case "beside":
      return watch.heed(message.live);
    case "run":
      now.task_id = message.task_id;
      return await begin_run();
    case "step_end": {
      machine.changes.step_ended(message.step);
      const diff = await turn_diff(message.step, machine.changes, shows(machine));
      return diff === null ? undefined : post({ kind: "turn_diff", diff });
    }
    case "ask": {
      const { id, question, given } = message;
      const answer = await answers(parts)[question](given as never);
      const outdated = SHOWS_FILES.has(question) ? { outdated: machine.files.outdated() } : {};
      const notes = LOOKS.has(question) ? { notes: watch.notes() } : {};
      post({ kind: "answer", id, answer, ...outdated, ...notes });
      return question === "changes" && notes.notes?.violation === null ? watch.rest() : undefined;
    }
    case "close":
      await pipes?.close();
      return await end_all(message.id);
  }
}

/** Questions after which the model's files may be others, and those with a look around. */
const SHOWS_FILES: ReadonlySet<keyof WorkerAnswers> = new Set(["calls", "verify"]);
const LOOKS: ReadonlySet<keyof WorkerAnswers> = new Set(["calls", "screen", "verify", "changes"]);

function answers({ machine, watch, calls, undo, pipes, embedded }: WorkerParts): WorkerAnswers {
  return {
    calls: (all) => calls.all(all),
    screen: (call) => calls.screen(call),
    verify: (asked) => calls.verify(asked),
    async changes({ ends }) {
      // To be sure of it all processes of the machine are read.
      const alone = !ends && pipes === null && !may_be_alive(machine.shell, { embedded });
      await watch.look_over({ alone });
      const files = await changed_files(machine.changes);
      return { files, ...machine.changes.gaps() };
    },
    diff: ({ files, chars }) => whole_diff(files, { chars, ...view_of(machine) }),
    async patch({ files, chars }) {
      const { patch_of_files } = await import("../../changes/patch.ts");
      const ids = object_format(git_place(machine.policy));
      const how = { chars, ...view_of(machine, Infinity), object_format: ids };
      return await patch_of_files(files, how);
    },
    absent: async (paths) => {
      const { absent_of } = await import("../work/search/named_path.ts");
      return absent_of(paths, machine);
    },
    left: () => left_by_commands(machine.shell, { embedded }),
    undo: async ({ kind, given }) => await undo[kind](given as never),
    exec: async (argv) => (await watch.around("", () => run_program(argv, machine.policy))).of,
  };
}

/** While hamr itself is stopped nothing of the run may plant anything, nor stay planted: the person's prompt is back, and asks git. */
async function stand_still({ id, on }: Extract<ToWorker, { kind: "still" }>): Promise<void> {
  const libc = linux_libc(), key = in_force?.sweep_key ?? null;
  const all = (to: "stop" | "go on") => libc !== null && key !== null && sweep(libc, key, to);
  // The terminal stops what a look has started, too, and that is waited for.
  all("go on");
  await opened?.watch.stand_still(on ? () => void all("stop") : null);
  post({ kind: "answer", id });
}

/** Ends what the run has started, and deletes its temporary files. */
async function end_all(id: number): Promise<void> {
  const { machine, watch, embedded = false } = opened ?? {};
  const ended = machine === undefined ? [] : ended_with(machine.shell);
  end_descendants({
    sweep_key: in_force?.sweep_key ?? null,
    ...(embedded ? { sessions: machine?.shell.sessions ?? new Set() } : {}),
  });
  post({ kind: "stopped" });
  // Nobody is left to change anything after this look.
  await watch?.end();
  const notes = watch?.notes() ?? { warnings: [], violation: null, rows: [] };
  const changed = watch?.lines() ?? [];
  await machine?.changes.finish();
  machine?.changes[Symbol.dispose]();
  close_score();
  const warnings = [...notes.warnings, ...changed, ...ended];
  post({ kind: "answer", id, notes: { ...notes, warnings } });
  // What is known by now is not lost where this takes its time.
  if (machine !== undefined) remove_folders(machine.policy);
  post({ kind: "removed" });
}

/** Runs one program in the workspace under the policy, with the input and output of `hamr` itself. Never throws. */
async function run_program(argv: readonly string[], policy: Policy): Promise<Executed> {
  const [program = "", ...args] = [...wrapper(policy), ...argv];
  if (policy.sandbox !== "off") limit_self();
  try {
    const command = new Deno.Command(program, {
      args,
      cwd: policy.workspace,
      env: { ...policy.env },
      clearEnv: true,
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    });
    const { code, signal } = await ended_first(() => command.spawn()).status;
    return signal === null ? { kind: "ended", code } : { kind: "killed", signal, code };
  } catch (error) {
    const is_missing = error instanceof Deno.errors.NotFound;
    const why = is_missing
      ? "there is no such program"
      : error instanceof Deno.errors.PermissionDenied
      ? "permission denied"
      : error instanceof Error
      ? error.message
      : String(error);
    return { kind: "not_started", why, code: is_missing ? 127 : 126 };
  }
}

/** What of a file may be shown, and how it was and is; a large one only in part, without `most`. */
function view_of(on: Machine, most?: number) {
  return { shown: shows(on), sides: (path: string) => on.changes.sides(path, most) };
}

/** Whether the model may be shown what is in a file. */
function shows({ files, policy: { workspace } }: Machine): (path: string) => boolean {
  return (path) =>
    files.shows(path.startsWith("/") ? path : `${workspace === "/" ? "" : workspace}/${path}`);
}
