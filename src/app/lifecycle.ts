/** Drives a run: begins it, takes its turns, saves it and ends what it started. Prints nothing. */
import { within } from "../config/within.ts";
import type { Event, From, Result, Stamped, Subscriber } from "../agent/events.ts";
import { compact_only, resume_run, run as run_agent } from "../agent/run.ts";
import type { Services, Session } from "../agent/session.ts";
import { type Ending, enter, step_of } from "../agent/state.ts";
import { type FileChange, not_in_patch, not_listed } from "../changes/turn_diff.ts";
import { later } from "../config/timer.ts";
import type { Endpoint } from "../model/server/provider.ts";
import type { AskPerson } from "../permission/approval.ts";
import { compose } from "./compose.ts";
import { refuse_images, refuse_small_window } from "./preconditions.ts";
import { CallbackError } from "./agent_events.ts";
import type { PendingEndpoint } from "./endpoint.ts";
import { exit_code } from "./exit_codes.ts";
import type { Run } from "./run.ts";
import type { RunOptions } from "./run_options.ts";
import { StartError } from "../config/error.ts";

/** How long the worker may take to look at the workspace for the result. */
const LAST_LOOK_MS = 30_000;
const NO_LOOK =
  "hamr could not look at the workspace at the end: what the run changed is not listed";
/** The server is asked what it is after the first request, as a fast reply waits for the tools worker; without a request, after this time. */
const ASK_AFTER_MS = 50;
/** A larger patch is of no use to anyone. */
const PATCH_CHARS = 32 * 1024 * 1024;
/** How long a run that is left at once may take to end what it started. */
const LEAVE_MS = 500;
/** The same where this process goes on: the session's next run makes the same folder. */
const LEAVE_KEPT_MS = 10_000;
/** Longer than hamr waits for another process to release the database. */
const LAST_SAVE_MS = 10_000;

const INTERRUPTED: Ending = {
  reason: "user_interrupt",
  output: "Interrupted by the user.",
  error: { kind: "user_interrupt", message: "interrupted twice: quit without finishing" },
};

const EARLY = { kind: "user_interrupt", message: "interrupted before it was under way" } as const;

/** The time limit of the whole run passed before the run began. */
const TIMED_OUT: Ending = {
  reason: "timeout",
  output: "",
  error: {
    kind: "timeout",
    message: "the time limit was reached before the model's server had said what it serves",
  },
};

export interface LifecycleOptions extends RunOptions {
  /** Settles when the run has to stop at once, whatever it is doing; `interrupt` lets it end in order. */
  readonly leave: Promise<void>;
  /** Asks the user; null if nobody can be asked. */
  readonly ask: AskPerson | null;
  /** Opens the subscribers, who hear every event, the result last. Called once: when the server is known, or at the end of the run. */
  subscribe(): Promise<readonly Subscriber[]>;
  /** Turns the ending into the one that is reported. Absent: it is reported unchanged. */
  judge?(ending: Ending, session: Session | null): Ending;
  /** Keep the tools worker and the store for the next run of this session in this process. Absent: both are closed. */
  readonly keep?: true;
  /** Called just before the first request is sent. */
  begun?(): void;
}

export interface Finished {
  readonly result: Result;
  readonly resumable: boolean;
  /** The run itself; null if it never began. */
  readonly run: Run | null;
}

export class Lifecycle {
  readonly #began = performance.now();
  #run: Run | null = null;
  /** Step numbers of events never decrease, though an event between two steps could count for either. */
  #step = 0;
  #subscribing: Promise<readonly Subscriber[]> | null = null;
  #subscribers: readonly Subscriber[] | null = null;
  /** Events wait here until the server is known, because `session_start` comes first and names the window. */
  #held: Stamped[] | null = [];
  #is_told_begun = false;
  #files: readonly FileChange[] = [];
  #asked: Endpoint | null = null;
  #met: Promise<unknown> = Promise.resolve();

  readonly #endpoint: PendingEndpoint;
  readonly #over = new AbortController();

  constructor(private readonly options: LifecycleOptions) {
    this.#endpoint = until_over(options, this.#over.signal);
  }

  /** Runs it, once. Throws `StartError` if the run can't begin, or the server can't do the task. */
  async run(): Promise<Finished> {
    const { interrupt, leave, place: { settings: { agent } } } = this.options;
    const stop = agent.timeout_s === 0
      ? () => {}
      : later(agent.timeout_s * 1000, () => this.#over.abort());
    try {
      const run = this.#run = await compose({ ...this.options, endpoint: this.#endpoint }, {
        began: this.#began,
        emit: (event, from) => this.#emit(event, from),
        ask: (question, signal) => this.#ask(question, signal),
        met: () => this.#met,
      });
      for (const message of run.warnings) this.#emit({ type: "warning", message });
      const ended = end_of(run, this.options.keep ?? false);
      this.options.begun?.();
      this.#met = this.#meet(run);
      const last = await Promise.race([
        Promise.all([ended, this.#met]).then(([end]) => end),
        leave.then(() => null),
      ]).catch(async (error: unknown) => {
        // The surrounding program ended the run: report what has changed so far.
        if (error instanceof CallbackError) return { ...await ended, ending: await broken(error) };
        await leave_at_once(run, this.options.keep ? LEAVE_KEPT_MS : LEAVE_MS);
        throw error;
      });
      if (last !== null) return await this.#finish(last.ending, last.files);
      await leave_at_once(run, LEAVE_MS);
      return await this.#finish(INTERRUPTED);
    } catch (error) {
      if (interrupt.aborted && !(error instanceof CallbackError)) {
        return await this.#finish({ ...INTERRUPTED, error: EARLY });
      }
      if (error instanceof StartError) throw error;
      if (error === this.#over.signal.reason) return await this.#finish(TIMED_OUT);
      return await this.#finish(await broken(error));
    } finally {
      stop();
    }
  }

  /** Null before it is put together. */
  get session(): Session | null {
    return this.#run?.session ?? null;
  }

  /** Has all that the run has started stand still, with nothing planted, before this process is stopped; or go on. */
  async stand_still(on: boolean): Promise<void> {
    const tools_client = await this.#run?.resources.tools?.catch(() => null);
    await tools_client?.stand_still(on);
  }

  #emit(event: Event, from?: From): void {
    const session = this.#run?.session;
    if (event.type === "warning") session?.state.notes.warnings.push(event.message);
    const stamped = this.#stamp(event, from);
    session?.pending?.hear(stamped);
    if (this.#held === null) this.#tell(stamped);
    else this.#held.push(stamped);
  }

  #stamp(event: Event, from?: From): Stamped {
    const t = Math.round(performance.now() - this.#began);
    // An event that is reported late names its own step.
    if (event.type === "turn_diff") return { ...event, ...from, t };
    const state = this.#run?.session.state ?? { steps: 0 };
    this.#step = Math.max(this.#step, from === undefined ? step_of(state, event) : state.steps);
    return { ...event, ...from, t, step: this.#step };
  }

  #tell(event: Stamped): void {
    this.#subscribers?.forEach((hear) => hear(event));
  }

  async #meet({ session, system, resources }: Run): Promise<void> {
    const unasked = session.endpoint;
    await new Promise<void>((resolve) => {
      const cancel = later(ASK_AFTER_MS, resolve);
      void resources.tools_starting.then(() => {
        cancel();
        resolve();
      });
    });
    session.is_asking = true;
    const endpoint = this.#asked = await this.#endpoint.full().finally(() =>
      session.is_asking = false
    );
    // By now another server may have taken over.
    if (session.endpoint !== unasked) return await this.#open();
    const { images, task, flags: { rubric } } = this.options;
    refuse_images(endpoint, { images, describes: session.describes });
    await refuse_small_window(endpoint, { system, tools: session.tools, task, images });
    if (rubric !== undefined) {
      const { refuse_long_rubric } = await import("./rubric.ts");
      refuse_long_rubric(endpoint, rubric);
    }
    session.tape.tell({ kind: "met" });
    session.endpoint = endpoint;
    return await this.#open();
  }

  /** Emits the events that were held back; from now on events are emitted at once. */
  async #open(): Promise<void> {
    const subscribers = await (this.#subscribing ??= this.options.subscribe());
    const { session_start } = await import("./session_start.ts");
    this.#subscribers ??= subscribers;
    const [run, held] = [this.#run, this.#held];
    if (held === null || run === null) return;
    if (!this.#is_told_begun) {
      this.#is_told_begun = true;
      const first = session_start(run, this.#asked ?? run.session.endpoint);
      held.unshift({ ...first, t: held[0]?.t ?? 0, step: 0 });
    }
    // Each event is reported once, even if a subscriber throws.
    for (let next = held.shift(); next !== undefined; next = held.shift()) this.#tell(next);
    this.#held = null;
  }

  async #ask(...[question, signal]: Parameters<AskPerson>): ReturnType<AskPerson> {
    const { ask } = this.options;
    if (ask === null) return "nobody";
    // Open the log first, so that a question stands below what led to it.
    await this.#met;
    this.#emit({ type: "approval", ...question });
    const state = this.#run?.session.state;
    if (state !== undefined) enter(state, "waiting_for_input");
    const answer = await ask(question, signal);
    if (state !== undefined) enter(state, "running");
    return answer;
  }

  async #finish(reached: Ending, files = this.#files): Promise<Finished> {
    this.#files = files;
    await this.#open();
    const ending = this.options.judge?.(reached, this.#run?.session ?? null) ?? reached;
    const { steering, flags, session_id } = this.options;
    for (const text of steering?.take() ?? []) {
      const message = `the run ended before the model could be told: ${text}`;
      this.#emit({ type: "warning", message });
    }
    const run = this.#run;
    const code = exit_code(ending.reason, flags.exit_code_on_partial);
    const session = run?.session ?? null;
    const cost_usd = session === null
      ? null
      : (await import("../agent/spending.ts")).cost_so_far(session.state);
    const { result_of } = await import("./result.ts");
    const began = this.#began;
    const result = result_of(session, { ending, files, code, session_id, began, cost_usd });
    if (run !== null) {
      const { ended, keep = false } = this.options;
      const kept = ended !== undefined && ending.reason === "llm_done" ? ended : ending.reason;
      const { session, resources } = run;
      session.pending?.hear(this.#stamp(result));
      session.tape.tell({ kind: "end" });
      const saved = resources.started?.then(async ({ save, store }) => {
        await save(session, kept);
        if (!keep) store?.close();
      }).catch(() => {}); // It was never begun, so there is nothing to save.
      await within(LAST_SAVE_MS, saved);
    }
    this.#tell(this.#stamp(result));
    // The result is the last event, even while something is still closing.
    this.#subscribers = [];
    // A request that was refused would be refused again.
    const resumable = ending.error?.kind !== "bad_request" && session !== null &&
      session.pending !== null && session.state.steps > 0;
    return { result, resumable, run };
  }
}

/** The server. An interrupt or the end of the run's time does not wait for what it says; then a run that has begun goes on without it. */
function until_over(
  { endpoint, interrupt }: RunOptions,
  over: AbortSignal,
): PendingEndpoint {
  const interrupted = aborted(interrupt);
  const late = aborted(over);
  const first = Promise.race([endpoint.first, interrupted, late]);
  first.catch(() => {});
  const full = () => Promise.race([endpoint.full(), interrupted, late.catch(() => first)]);
  return { ...endpoint, first, full };
}

function aborted(signal: AbortSignal): Promise<never> {
  const promise = new Promise<never>((_, reject) => {
    const give_up = () => reject(signal.reason);
    if (signal.aborted) give_up();
    signal.addEventListener("abort", give_up, { once: true });
  });
  promise.catch(() => {}); // Handled by whoever waits for it.
  return promise;
}

export async function take_turns(run: Run): Promise<Ending> {
  const { session, system, task, images, context, before, resumed, compacts } = run;
  if (resumed === undefined) {
    return await run_agent(session, { system, task, images, context, before });
  }
  await resumed.restore(session);
  if (compacts) return await compact_only(session);
  return await resume_run(session, { task, images, context });
}

async function broken(error: unknown): Promise<Ending> {
  return (await import("./result.ts")).crashed_ending(error);
}

/** What a run has started, and what saves it: a server may have refused the first request before that was wanted. */
async function services_at_end(
  { resources, session }: Run,
  { reason }: Ending,
): Promise<Services | null> {
  const never_began = reason === "config_error" || reason === "user_interrupt";
  return await (resources.started ??
    (never_began ? null : session.services().catch(() => null)));
}

/** Runs the agent, looks at what changed, and ends what it started, except for what the next run is to `keep`. Rejects if its tools never started. */
async function end_of(
  run: Run,
  keep: boolean,
): Promise<{ ending: Ending; files: readonly FileChange[] }> {
  const { session } = run;
  let ending: Ending;
  try {
    ending = await take_turns(run);
  } catch (error) {
    ending = await broken(error);
  }
  session.clock.stop();
  ending = (await import("./result.ts")).where_it_was(ending, run.place.workspace);
  const services = await services_at_end(run, ending);
  if (ending.reason !== "user_interrupt") await services?.settle(session);
  const tools_client = services?.tools_client;
  const look = await within(LAST_LOOK_MS, tools_client?.changes(!keep).catch(() => null)) ?? null;
  // Report what has changed since the end of the last step, before the worker is closed.
  if (look !== null) tools_client?.end_step(session.state.steps, true);
  // Tools that could not start have changed nothing.
  const unsaid = tools_client === undefined || ending.reason === "config_error" ? [] : [NO_LOOK];
  for (const message of look === null ? unsaid : not_listed(look)) {
    session.emit({ type: "warning", message });
  }
  if (run.flags.artifacts !== undefined && tools_client !== undefined && look !== null) {
    const patch = await within(LAST_LOOK_MS, tools_client.patch(look.files, PATCH_CHARS));
    session.emit({ type: "patch", diff: patch?.text ?? "" });
    const left_out = patch?.left_out ?? look.files.map(({ path }) => path);
    if (left_out.length > 0) session.emit({ type: "warning", message: not_in_patch(left_out) });
  }
  const { reason: stop_reason, output: final_output } = ending;
  const files = look?.files ?? [];
  // Not after an interrupt: nobody is to wait then.
  if (stop_reason !== "user_interrupt") {
    await services?.run_hooks?.("turn_end", { stop_reason, final_output, files });
  }
  if (!keep || tools_client?.violation !== null) await tools_client?.close();
  const violation = tools_client?.violation ?? null;
  if (violation !== null && ending.reason !== "user_interrupt") {
    const reason = "policy_violation";
    ending = { ...ending, reason, error: { kind: reason, message: violation } };
  }
  enter(session.state, ending.reason);
  return { ending, files };
}

async function leave_at_once({ resources }: Run, most_ms: number): Promise<void> {
  await within(most_ms, resources.started?.then(({ tools_client }) => tools_client.close(true)));
}
