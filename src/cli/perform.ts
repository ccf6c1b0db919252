/** One run, from its model to its result. */
import type { Event, From, Result, Stamped, Subscriber } from "../agent/events.ts";
import type { StopReason } from "../guards/rule.ts";
import { go_on, run as run_agent } from "../agent/run.ts";
import { type Ending, enter, NO_USAGE, step_of } from "../agent/state.ts";
import type { Steering } from "../agent/steering.ts";
import type { Override } from "../config/load.ts";
import type { Endpoint } from "../model/provider.ts";
import type { Image } from "../model/message.ts";
import type { Ask } from "../permission/approval.ts";
import { HatchError } from "../tools/failure.ts";
import type { FileChange } from "../changes/turn_diff.ts";
import { later } from "../model/timer.ts";
import { StartError } from "./error.ts";
import { exit_code, status } from "./exit_codes.ts";
import type { Asked } from "./endpoint.ts";
import type { Flags } from "./flag.ts";
import type { Io } from "./io.ts";
import { lazy } from "../lazy.ts";
import type { Place } from "./settings.ts";
import { signals_of_run } from "./signals.ts";
import { refuse_images, refuse_small_window, start, type Started } from "./start.ts";
import type { Resumed } from "./start_options.ts";

/** How long the worker may take to look at the workspace for the result. */
const LAST_LOOK_MS = 30_000;
/** What a server is, is asked once the first request is on its way. */
const ASK_AFTER_MS = 3;
/** A second signal leaves at once; what the run started is ended if that takes no longer than this. */
const LEAVE_MS = 500;
/** More than another process can hold up a transaction. */
const LAST_SAVE_MS = 10_000;

/** What a run is made from. */
export interface Job {
  readonly task: string;
  /** Shown with the task. */
  readonly images?: readonly Image[];
  readonly place: Place;
  readonly flags: Flags;
  /** The flags that are settings. */
  readonly overrides: readonly Override[];
  readonly io: Io;
  /** The model; the server may still be being asked. */
  readonly endpoint: Asked;
  /** Through which the person can talk to the run; absent: not at all. */
  readonly steering?: Steering;
  /** The session that goes on; `task` is what the person says more, empty for nothing. Absent: a new one begins. */
  readonly resumed?: Resumed;
}

/** One run, from its model to its result. Throws `StartError` before anything was started. */
export async function perform(job: Job): Promise<number> {
  const began = performance.now();
  const { flags, io } = job;
  const session_id = job.resumed?.reopened.info.uuid ?? crypto.randomUUID();
  const colorless = flags.no_color || io.env("NO_COLOR") !== undefined;
  const log = flags.log_file === undefined
    ? null
    : await opened("--log-file", { path: flags.log_file, workspace: job.place.workspace });
  // By the end this thread may open no file to write any more.
  const answer = flags.answer_file === undefined
    ? null
    : await opened("-o", { path: flags.answer_file, workspace: job.place.workspace });
  const signals = signals_of_run((text) => flags.quiet || io.err(text));
  let started: Started | null = null;
  // What is said between two steps belongs to either; steps do not run back.
  let step = 0;
  const stamp = (event: Event, from: From | undefined): Stamped => {
    const t = Math.round(performance.now() - began);
    // What took time to find out says itself which step it is of.
    if (event.type === "turn_diff") return { ...event, ...from, t };
    const state = started?.session.state ?? { steps: 0 };
    step = Math.max(step, from === undefined ? step_of(state, event) : state.steps);
    return { ...event, ...from, t, step };
  };
  let subscribers: readonly Subscriber[] | null = null;
  let asked: Endpoint | null = null;
  const tell = (event: Stamped) => subscribers?.forEach((hear) => hear(event));
  // Until the server has said what it is, nothing is told: `session_start` comes first, and names the window.
  let held: Stamped[] | null = [];
  const emit = (event: Event, from?: From) => {
    if (event.type === "warning") started?.session.state.warnings.push(event.message);
    const stamped = stamp(event, from);
    started?.session.unsaved?.hear(stamped);
    if (held === null) tell(stamped);
    else held.push(stamped);
  };
  const open = async () => {
    const { subscribe } = await lazy<typeof import("./subscribers.ts")>(
      "./subscribers.ts",
      import.meta.url,
    );
    const { session_start } = await lazy<typeof import("./session_start.ts")>(
      "./session_start.ts",
      import.meta.url,
    );
    subscribers ??= subscribe(flags, { io, colorless, asking: () => screen.asking, log });
    if (held === null || started === null) return;
    // By now another one may have taken over.
    const session = { ...started.session, endpoint: asked ?? started.session.endpoint };
    const first = session_start({ ...started, session }, session_id);
    tell({ ...first, t: held[0]?.t ?? 0, step: 0 });
    held.forEach(tell);
    held = null;
  };
  const finish = async (ending: Ending, files: readonly FileChange[]): Promise<number> => {
    await open();
    const reason = ending.reason;
    for (const text of job.steering?.take() ?? []) {
      emit({ type: "warning", message: `the run had ended before the model was told: ${text}` });
    }
    const code = exit_code(reason, flags.exit_code_on_partial);
    const cost_usd = started === null ? null : await cost_of_session(started);
    const result = result_of(started, { ending, files, code, session_id, began, cost_usd });
    if (started !== null) await save_end(started, stamp(result, undefined), reason);
    put_answer(answer, result.final_output);
    tell(stamp(result, undefined));
    if (!flags.quiet && is_resumable(started, ending)) {
      io.err(how_to_go_on(started, session_id, code));
    }
    // The result is the last event, also where something is still being ended.
    subscribers = [];
    return code;
  };
  // A question stands below what led to it: the log is opened first.
  let met: Promise<unknown> = Promise.resolve();
  const screen = { asking: false };
  let on_terminal: Ask | null = null;
  const ask: Ask = async (question, signal) => {
    // What is typed then is said to the model.
    if (flags.steer) return "nobody";
    await met;
    const asker = started?.session.state;
    if (asker !== undefined) enter(asker, "waiting_for_input");
    const { terminal_ask } = await lazy<typeof import("./ask.ts")>("./ask.ts", import.meta.url);
    const answer = await (on_terminal ??= terminal_ask(io, screen))(question, signal);
    if (asker !== undefined) enter(asker, "running");
    return answer;
  };
  job.endpoint.heard_by?.((words) => {
    signals.attach();
    if (!flags.quiet) io.err(`⏳ ${words}\n`);
  }, signals.interrupt);
  // Listening costs a millisecond: where the server need not be asked first, it waits for the first request.
  if (job.place.settings.provider.model === "") signals.attach();
  try {
    const begun = started = await start({
      ...job,
      session_id,
      interrupt: signals.interrupt,
      emit,
      ask,
      met: () => met,
    });
    for (const message of begun.warnings) emit({ type: "warning", message });
    const ended = end_of(begun, job);
    signals.attach();
    const { endpoint: unasked } = begun.session;
    met = after(ASK_AFTER_MS).then(job.endpoint.full).then(async (endpoint) => {
      asked = endpoint;
      if (begun.session.endpoint !== unasked) return open();
      refuse_images(endpoint, { images: job.images, describes: begun.session.describes });
      await refuse_small_window(endpoint, { ...begun, tools: begun.session.tools, ...job });
      if (flags.rubric !== undefined) {
        const { refuse_long_rubric } = await lazy<typeof import("./rubric.ts")>(
          "./rubric.ts",
          import.meta.url,
        );
        refuse_long_rubric(endpoint, flags.rubric);
      }
      begun.session.tape.tell({ kind: "met" });
      begun.session.endpoint = endpoint;
      return open();
    });
    const last = await Promise.race([
      Promise.all([ended, met]).then(([end]) => end),
      signals.leave.then(() => null),
    ]).catch(async (error: unknown) => {
      await leave(begun);
      throw error;
    });
    if (last !== null) return await finish(last.ending, last.files);
    await leave(begun);
    return await finish(INTERRUPTED, []);
  } catch (error) {
    if (signals.interrupt.aborted) return await finish(INTERRUPTED, []);
    if (error instanceof StartError) throw error;
    return await finish(broken(error), []);
  } finally {
    signals.release();
  }
}

/** Loaded only where a flag names a file. */
async function opened(
  ...file: Parameters<typeof import("./open_file.ts").open_file>
): Promise<Deno.FsFile> {
  const { open_file } = await lazy<typeof import("./open_file.ts")>(
    "./open_file.ts",
    import.meta.url,
  );
  return open_file(...file);
}

/** The answer, alone, in its file. */
function put_answer(file: Deno.FsFile | null, answer: string): void {
  if (file === null) return;
  const bytes = new TextEncoder().encode(answer === "" ? "" : `${answer}\n`);
  if (file.statSync().isFile) file.truncateSync(0);
  for (let at = 0; at < bytes.length;) at += file.writeSync(bytes.subarray(at));
  file.close();
}

function after(ms: number): Promise<void> {
  return new Promise((resolve) => void later(ms, resolve));
}

const INTERRUPTED: Ending = {
  reason: "user_interrupt",
  output: "Interrupted by the user.",
  error: { kind: "user_interrupt", message: "interrupted twice: left at once" },
};

async function cost_of_session({ session: { state } }: Started): Promise<number | null> {
  const { cost_so_far } = await lazy<typeof import("../agent/spending.ts")>(
    "../agent/spending.ts",
    import.meta.url,
  );
  return cost_so_far(state);
}

/** Empty where nothing is left to be done. */
function how_to_go_on(started: Started | null, id: string, code: number): string {
  if (code !== 0) return "   hamr resume goes on from here\n";
  if (started?.session.state.mode !== "plan") return "";
  return `   hamr resume ${id} "go" carries the plan out, in auto mode\n`;
}

/** Whether there is something saved to go on with. A request that was refused would be refused again. */
function is_resumable(started: Started | null, { error }: Ending): boolean {
  const { session } = started ?? {};
  return error?.kind !== "bad_request" && session !== undefined && session.unsaved !== null &&
    session.state.steps > 0;
}

/** The result is saved before it is told. */
async function save_end(started: Started, result: Stamped, reason: StopReason): Promise<void> {
  const { session } = started;
  session.unsaved?.hear(result);
  session.tape.tell({ kind: "end" });
  const saved = started.late()?.then(async ({ save, store }) => {
    await save(session, reason);
    store?.close();
  }).catch(() => {}); // It was never begun, and so is nothing of the session.
  await within(LAST_SAVE_MS, saved);
}

/** Ends at once what the run has started. */
async function leave(started: Started): Promise<void> {
  await within(LEAVE_MS, started.late()?.then(({ hatch }) => hatch.close(true)));
}

/** Runs the agent, looks at what it left, and ends what it started. Never throws. */
async function end_of(
  started: Started,
  { task, images, resumed }: Pick<Job, "task" | "images" | "resumed">,
): Promise<{ ending: Ending; files: readonly FileChange[] }> {
  const { session, system } = started;
  let ending: Ending;
  try {
    const said = { task, ...(images === undefined ? {} : { images }) };
    if (resumed === undefined) ending = await run_agent(session, { system, ...said });
    else {
      await resumed.restore(session);
      ending = await go_on(session, said);
    }
  } catch (error) {
    ending = broken(error);
  }
  session.clock.stop();
  const hatch = (await started.late())?.hatch;
  const look = await within(LAST_LOOK_MS, hatch?.changes().catch(() => null));
  // What has changed since the last step's end; it is told before the worker is closed.
  if (look !== null) hatch?.end_step(session.state.steps, true);
  if (look?.overflow) {
    session.emit({
      type: "warning",
      message:
        "the workspace has more files than are watched; changes of the others are not listed",
    });
  }
  await hatch?.close();
  const violation = hatch?.violation ?? null;
  if (violation !== null && ending.reason !== "user_interrupt") {
    const reason = "policy_violation";
    ending = { ...ending, reason, error: { kind: reason, message: violation } };
  }
  enter(session.state, ending.reason);
  return { ending, files: look?.files ?? [] };
}

function broken(error: unknown): Ending {
  const message = error instanceof Error ? error.message : String(error);
  const reason = error instanceof HatchError ? error.cause_of_end : "internal_error";
  return { reason, output: "", error: { kind: reason, message } };
}

async function within<T>(ms: number, work: Promise<T> | undefined): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve) => timer = setTimeout(() => resolve(null), ms));
  try {
    return await Promise.race([work ?? null, late]);
  } finally {
    clearTimeout(timer);
  }
}

function result_of(
  started: Started | null,
  run: {
    readonly ending: Ending;
    readonly files: readonly FileChange[];
    readonly code: number;
    readonly session_id: string;
    readonly began: number;
    /** Of the whole session. */
    readonly cost_usd: number | null;
  },
): Result {
  const state = started?.session.state;
  const endpoint = started?.session.endpoint;
  const { steps = 0, before } = state ?? {};
  const ledger = state?.ledger.slice(before?.ledger) ?? [];
  const checks = ledger.filter((row) => row.kind === "verification");
  const last = checks.at(-1);
  const { ending } = run;
  return {
    type: "result",
    schema: 1,
    session_id: run.session_id,
    status: status(ending.reason),
    stop_reason: ending.reason,
    exit_code: run.code,
    final_output: ending.output.toWellFormed(),
    model: endpoint?.model ?? "",
    provider: endpoint?.provider ?? "",
    steps: steps - (before?.steps ?? 0),
    tool_calls: state?.calls ?? 0,
    usage: state?.usage ?? NO_USAGE,
    cost_usd: run.cost_usd,
    duration_ms: Math.round(performance.now() - run.began),
    files_changed: run.files,
    verification: last === undefined
      ? null
      : { command: last.command, exit_code: last.exit_code, attempts: checks.length },
    evidence: {
      mutations: ledger.filter((row) => row.kind === "file").length,
      commands: ledger.filter((row) => row.kind === "command").length,
      verified: last?.exit_code === 0,
      refused: state?.refused ?? 0,
    },
    warnings: state?.warnings ?? [],
    error: ending.error === null
      ? null
      : { kind: ending.error.kind, message: ending.error.message },
  };
}
