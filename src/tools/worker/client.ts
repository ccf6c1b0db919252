import { Answers } from "./answers.ts";
import { within } from "../../config/within.ts";
import { NOT_LOOKED, on_giving_up, REMOVE_MS, wait_for_end } from "./closing.ts";
import { message_of } from "../../config/text.ts";
import type { Layer } from "../../sandbox/enforce/apply.ts";
import { linux_libc } from "../../sandbox/kernel/libc.ts";
import type { Policy } from "../../sandbox/policy.ts";
import { mark_run } from "../../sandbox/processes/run_mark.ts";
import { supervise, type Supervisor } from "../../sandbox/supervisor/supervisor.ts";
import type { RecordAnswer, RecordRequest } from "../../store/recorder.ts";
import { ToolsError } from "../failure.ts";
import { last_resort, type LastResort, remove_unused, WITH_RIGHTS } from "./last_resort.ts";
import type { Notes } from "../../persistence_guard/words.ts";
import { Journal } from "../../persistence_guard/journal.ts";
import { UNKNOWN } from "../../persistence_guard/left_running.ts";
import type { McpLink } from "../mcp_server.ts";
import {
  LookingOn,
  type RunOfTools,
  started_thread,
  type ToolsClientOptions,
  type VerifyOptions,
} from "./client_options.ts";
import type { ScreenOutcome } from "../hook.ts";
import type {
  CheckedCall,
  Executed,
  FromWorker,
  ToWorker,
  Verified,
  WorkerAnswers,
  WorkerQuestion,
} from "../protocol.ts";
import { is_shell, not_run } from "../work/runner.ts";
import { may_lack_a_name, refusal_notes, with_refusals } from "./refusals.ts";
import { changes_file } from "../ledger.ts";
import type { Outdated } from "../seen.ts";
import type { ToolResult } from "../tool.ts";
import type { Patch } from "../../changes/patch.ts";
import type { FileChange, RunChanges } from "../../changes/turn_diff.ts";
import type { UndoAnswer, Undoing, UndoRequest } from "../../changes/undo_protocol.ts";

type Ready = Extract<FromWorker, { kind: "ready" }>;

/** After this the main thread can only talk to the model and to files that are open already. */
const GIVEN_UP = ["run", "write", "ffi", "env", "sys"] as const;

/** The only link from the main thread to the tools worker. The policy is sent and acknowledged before any call; then this thread gives up its rights. */
export class ToolsClient {
  /** The layers of the sandbox in force, and the policy as they enforce it. Rejects with `ToolsError`. */
  readonly ready: Promise<{ readonly layers: readonly Layer[]; readonly policy: Policy }>;
  readonly #worker: Worker;
  readonly #answers = new Answers((message) => this.#send(message), () => this.#recorded);
  #outdated: readonly Outdated[] = [];
  readonly #folders: readonly string[];
  #last_resort: LastResort = WITH_RIGHTS;
  #supervisor: Supervisor | null = null;
  readonly #journal: Journal | null;
  readonly #mcp: McpLink | null;
  /** Whether files may have changed since a step ended. */
  #changed = false;
  #run: Pick<ToolsClientOptions, "on_turn_diff" | "record">;
  readonly live = new LookingOn();
  /** All that was asked to be written down so far. */
  #recorded: Promise<unknown> = Promise.resolve();
  #warn: (message: string) => void;
  readonly #warned = new Set<string>();
  #violation: string | null = null;
  #closed = false;
  #ended = false;
  readonly #stopped = Promise.withResolvers<void>();
  readonly #removed = Promise.withResolvers<void>();
  /** What must stay as it is, is written down. */
  #kept: Promise<void>;
  #on_kept: () => void = () => {};
  #limited: Promise<void>;

  constructor(policy: Policy, options: ToolsClientOptions) {
    const { watch } = options;
    this.#warn = watch?.warn ?? (() => {});
    this.#run = options;
    this.live.heard = options.on_live;
    const libc = watch === undefined ? null : linux_libc();
    // What a program around it starts would carry the mark, too.
    const mark = libc === null || options.embedded ? null : mark_run(libc);
    this.#journal = watch === undefined ? null : Journal.open(policy, { ...watch, mark });
    if (this.#journal === null && watch?.cut_off === true) this.#warn(UNKNOWN);
    this.#kept = this.#to_be_kept();
    const thread = options.thread ?? started_thread(policy, options);
    this.#worker = thread.worker;
    void thread.stopped.then((why) => {
      this.#answers.fail(new ToolsError(`the tools worker stopped: ${why}`, "internal_error"));
    });
    let ready: (message: Ready) => void;
    const applied = this.#answers.hope<Ready>((resolve) => ready = resolve);
    thread.hear((message) => {
      if (message.kind === "ready") ready(message);
      else if (message.kind === "refused") {
        remove_unused(policy.tmp);
        this.#answers.fail(new ToolsError(message.message, "config_error"));
      } else this.#take(message);
    });
    this.#folders = [policy.tmp, policy.spill];
    this.ready = applied.then(async ({ layers, listener, net }) => {
      const in_force = { ...policy, net };
      await options.first;
      if (listener !== null) this.#supervisor = supervise({ listener, policy: in_force });
      if (options.embedded === undefined) {
        this.#last_resort = last_resort();
        for (const name of GIVEN_UP) Deno.permissions.revokeSync({ name });
      }
      return { layers, policy: in_force };
    });
    this.ready.catch(() => {});
    const mcp = this.#mcp = options.mcp ?? null;
    // No process is started before it is written down what must stay as it is.
    if (mcp !== null) {
      this.#begun().then(
        () => mcp.begin((order) => this.#send({ kind: "mcp", order })),
        () => mcp.close(),
      );
    }
    this.#send({ kind: "watch", mark, stale: this.#journal?.stale ?? [] });
    this.#limited = this.#limit(options.limits);
  }

  /** Another run begins, after one that has ended: what was changed so far is not its doing. What runs in the background goes on. */
  begin_run(run: RunOfTools, asked_ports: readonly number[] = []): void {
    this.#supervisor?.keep(asked_ports);
    this.#warn = run.warn;
    this.#run = run;
    this.live.heard = run.on_live;
    this.#changed = false;
    this.#kept = this.#to_be_kept();
    this.#send({ kind: "run", task_id: run.task_id });
    this.#limited = this.#limit(run.limits);
  }

  #limit(limits: RunOfTools["limits"]): Promise<void> {
    const told = Promise.resolve(limits).then((limits) => this.#send({ kind: "limits", limits }));
    told.catch(() => {}); // Heard by whoever asks for something.
    return told;
  }

  /** Whether no other run can use it: it is lost or closed, or what was planted could not be put back. */
  get is_over(): boolean {
    return this.#closed || this.#answers.is_lost || this.#violation !== null;
  }

  /** Runs calls one after the other; results in the same order. `signal` gives up the one under way. */
  async run(calls: readonly CheckedCall[], signal: AbortSignal): Promise<readonly ToolResult[]> {
    await this.#begun(signal);
    if (signal.aborted) return calls.map(() => ({ ...not_run(), ms: 0 }));
    const results = await this.#ask("calls", calls, signal);
    this.#changed ||= results.some(({ facts }) => changes_file(facts));
    const at = calls.findLastIndex((call, at) => is_shell(call) || results[at]?.hooks);
    const last = results[at];
    const lookups = last !== undefined && may_lack_a_name(last);
    const refusals = this.#supervisor?.take_refusals(lookups) ?? [];
    return with_refusals(results, { at, refusals });
  }

  async screen(call: CheckedCall, signal: AbortSignal): Promise<ScreenOutcome> {
    await this.#begun(signal);
    const screened = await this.#ask("screen", call, signal);
    const refusals = refusal_notes(this.#supervisor?.take_refusals() ?? []);
    const { screening, ...rest } = screened;
    this.#changed ||= changes_file(screened.facts);
    if (screening.kind !== "refused") return screened;
    return { screening: { ...screening, reason: screening.reason + refusals }, ...rest };
  }

  /** Runs the verify command in a process group of its own. */
  async verify(command: string, options: VerifyOptions): Promise<Verified> {
    const { signal, printed, ...rest } = options;
    await this.#begun(signal);
    this.live.printed = printed;
    const result = await this.#ask("verify", { command, ...rest }, signal);
    this.live.printed = undefined;
    this.#changed = true;
    const ok = result.exit_code === 0;
    const lookups = may_lack_a_name({ ok, text: result.output });
    const refusals = this.#supervisor?.take_refusals(lookups) ?? [];
    if (ok) return result;
    return { ...result, output: result.output + refusal_notes(refusals) };
  }

  /** Runs a program with `hamr`'s own input and output; with it, what the supervisor refused in the meantime. */
  async execute(argv: readonly string[]): Promise<Executed & { readonly refusals: string[] }> {
    await this.#begun();
    const result = await this.#ask("exec", argv);
    const failed = result.kind === "ended" && result.code !== 0;
    return { ...result, refusals: this.#supervisor?.take_refusals(failed) ?? [] };
  }

  async undo<K extends keyof Undoing>(request: UndoRequest<K>): Promise<UndoAnswer<K>> {
    await this.#begun();
    return await this.#ask("undo", request) as UndoAnswer<K>;
  }

  /** `ends`: the worker is closed next, and looks once more when nothing is left alive. */
  async changes(ends = false): Promise<RunChanges> {
    await this.ready;
    return await this.#ask("changes", { ends });
  }

  /** Files that are no longer as the model has read them, as of the last calls or the last verify command. */
  get outdated(): readonly Outdated[] {
    return this.#outdated;
  }

  /** Ends a step once the worker is ready: its changes are told before the next answer. Nobody waits for it. `last`: the run ends, too. */
  end_step(step: number, last = false): void {
    if (this.#run.on_turn_diff === undefined || !(this.#changed || last)) return;
    this.#changed = false;
    this.#send({ kind: "step_end", step, last });
  }

  /** Resolves when all that the worker has reported so far is written down. */
  get recorded(): Promise<unknown> {
    return this.#recorded;
  }

  /** The unified diff of `files`, as `changes()` gave them, in at most about `chars` characters. */
  async diff(files: readonly FileChange[], chars: number): Promise<string> {
    return await this.#ask("diff", { files, chars });
  }

  async patch(files: readonly FileChange[], chars: number): Promise<Patch> {
    return await this.#ask("patch", { files, chars });
  }

  readonly left = () => this.#ask("left", null);

  readonly is_busy = async (): Promise<boolean | null> => (await this.left()).length > 0;

  /** Which of these files are nowhere in the workspace. */
  readonly absent = (paths: readonly string[]) => this.#ask("absent", paths);

  /** How many processes of runs killed here could not be ended; a warning has named them. */
  get survivors(): number {
    return this.#journal?.survivors ?? 0;
  }

  /** What a command planted and could not be put back, in one line; null if nothing. The run is to end. */
  get violation(): string | null {
    return this.#violation;
  }

  /** Throws a `ToolsError` where there is a violation. */
  hold(): void {
    if (this.#violation !== null) throw new ToolsError(this.#violation, "policy_violation");
  }

  /** Before this process is stopped, and once it is awake: stops what the run has started, and puts back what that has planted; lets it go on. */
  async stand_still(on: boolean): Promise<void> {
    if (this.#closed) return;
    await this.#mcp?.stand_still(on);
    await this.#answers.to((id) => ({ kind: "still", id, on })).catch(() => {});
  }

  /** Ends all processes of the run and the worker. Never throws or hangs. A command gets time to end, unless `at_once`. */
  async close(at_once = false): Promise<void> {
    if (this.#ended) return;
    this.#closed = true;
    this.#send({ kind: "cancel" });
    void this.#mcp?.close();
    const kind = at_once ? "end" : "close";
    // Its end waits for all that runs below this process.
    const apart = this.ready.then(() => this.#mcp?.end_apart() ?? true);
    const closed = apart.then(() => this.#answers.to((id) => ({ kind, id })))
      .then(() => apart, () => false);
    const ended = await wait_for_end({ stopped: this.#stopped.promise, closed });
    if (this.#ended) return;
    this.#ended = true;
    if (ended === null) this.#violation ??= NOT_LOOKED;
    if (ended !== true) {
      this.#worker.terminate();
      this.#last_resort.end_processes();
    }
    this.#journal?.end({ clean: ended === true && this.#violation === null });
    if (ended === true) {
      const removed = this.#removed.promise.then(() => true);
      if (await within(REMOVE_MS, removed) === null) {
        this.#warn(
          `the run's temporary folder holds too much to be removed now: ${this.#folders[0]}`,
        );
      }
      this.#worker.terminate();
    }
    this.#supervisor?.clear();
    for (const folder of this.#folders) this.#last_resort.remove_empty(folder);
  }

  #to_be_kept(): Promise<void> {
    const kept = this.#answers.hope<void>((resolve) => this.#on_kept = resolve);
    kept.catch(() => {}); // Heard by whoever waits for an answer.
    return kept;
  }

  async #begun(signal: AbortSignal | null = null): Promise<void> {
    const over = on_giving_up(signal, { lose: this.#answers.fail });
    await Promise.all([this.ready, this.#kept, this.#limited]).finally(over);
  }

  #write_down({ saved }: Extract<FromWorker, { kind: "guarded" }>): void {
    const live = saved === null ? [] : this.#journal?.beside() ?? [];
    if (live.length > 0) this.#send({ kind: "beside", live });
    try {
      this.#journal?.begin(saved);
      this.#journal?.restored();
    } catch (error) {
      this.#warn(`if this run is killed, what it planted is not put back: ${message_of(error)}`);
    }
    if (saved !== null) this.#on_kept(); // Null: the run rests.
  }

  #record(request: RecordRequest): Promise<RecordAnswer> {
    const answer = this.#recorded.then(async () =>
      await (await this.#run.record)?.take(request) ?? { ok: false, unknown: [] }
    );
    this.#recorded = answer;
    return answer;
  }

  /** Each line once: what is planted in a loop is put back as often. */
  #hear({ warnings, violation }: Notes): void {
    for (const line of warnings) {
      if (!this.#warned.has(line)) this.#warn(line);
      this.#warned.add(line);
    }
    this.#violation ??= violation;
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #ask<K extends keyof WorkerAnswers>(
    question: K,
    given: WorkerQuestion<K>["given"],
    signal: AbortSignal | null = null,
  ): Promise<Awaited<ReturnType<WorkerAnswers[K]>>> {
    return this.#answers.to((id) => ({ kind: "ask", id, question, given }), signal);
  }

  #take(message: Exclude<FromWorker, { kind: "ready" | "refused" }>): void {
    if ("notes" in message && message.notes !== undefined) {
      this.#hear(message.notes);
      const { rows } = message.notes;
      if (rows.length > 0) void this.#record({ kind: "changes", rows });
    }
    if ("outdated" in message) this.#outdated = message.outdated ?? [];
    if (message.kind === "guarded") return this.#write_down(message);
    const recorded = (answer: RecordAnswer) => this.#send({ kind: "recorded", answer });
    if (message.kind === "record") return void this.#record(message.request).then(recorded);
    if (message.kind === "stopped") return this.#stopped.resolve();
    if (message.kind === "removed") return this.#removed.resolve();
    if (message.kind === "mcp") return this.#mcp?.take(message.news);
    if (message.kind === "turn_diff") return this.#run.on_turn_diff?.(message.diff);
    if (message.kind === "live") return this.live.take(message.news);
    if (message.kind === "answer") this.#answers.take(message);
  }
}
