/** One run at the command line: its signals, its questions, who hears of it, and its exit code. */
import type { PendingEndpoint } from "../app/endpoint.ts";
import { exit_code } from "../app/exit_codes.ts";
import type { Flags } from "../app/flags.ts";
import { Lifecycle, type RunOptions } from "../app/lifecycle.ts";
import { StartError } from "../app/start_error.ts";
import { message_of } from "../config/text.ts";
import { later } from "../model/http/timer.ts";
import type { Result, Stamped, Subscriber } from "../agent/events.ts";
import type { AskPerson } from "../permission/approval.ts";
import type { Io } from "./base/io.ts";
import type { OutputFile } from "./base/open_file.ts";
import type { Found } from "./reports.ts";
import { signals_of_run } from "./base/signals.ts";

/** A run that is not under way by then waits for what its server says of itself. */
const LISTEN_AFTER_MS = 50;

/** What a task comes to, for which no model is needed. */
export interface Settled {
  readonly output: string;
  readonly warnings: readonly string[];
}

/** What a run is made from. */
export interface Job extends
  Pick<
    RunOptions,
    | "task"
    | "context"
    | "images"
    | "place"
    | "flags"
    | "overrides"
    | "steering"
    | "resumed"
    | "judge"
    | "clarify"
  > {
  /** The model; or what the task comes to without one. */
  readonly endpoint: PendingEndpoint | Settled;
  readonly io: Io;
  /** Who is asked about calls; absent: the terminal. */
  readonly ask?: AskPerson;
  /** What is wrong with the workspace, where the task was to say so; asked at the end. */
  readonly found?: () => readonly Found[];
}

/** Runs it and gives the exit code. Throws `StartError` before anything was started. */
export async function perform(job: Job): Promise<number> {
  const { flags, io, place: { workspace, settings } } = job;
  const session_id = job.resumed?.reopened?.info.uuid ?? flags.session_id ?? crypto.randomUUID();
  const log = flags.log_file === undefined
    ? null
    : (await import("./base/open_file.ts")).open_file("--log-file", {
      path: flags.log_file,
      workspace,
      io,
    });
  // By the end this thread may no longer open a file to write.
  const answer = flags.answer_file === undefined
    ? null
    : new (await import("./base/open_file.ts")).OutputFile("-o", {
      path: flags.answer_file,
      workspace,
      io,
    });
  // Whoever asked for a file and has none can't do with an exit code of 0.
  let unwritten = false;
  const put = (written: boolean) => {
    unwritten ||= !written;
  };
  const lost: string[] = [];
  // At the end the verdict may say it.
  let held: string[] | null = null;
  const tell = (line: string) => {
    lost.push(line.replace(/^hamr: |\n$/g, ""));
    if (held === null) io.err(line);
    else held.push(line);
  };
  const hold = (event: Stamped) => {
    if (event.type === "result") held = [];
  };
  const let_go = (event: Stamped) => {
    if (event.type !== "result") return;
    if (!fails_for(event, unwritten)) { for (const line of held ?? []) io.err(line); }
    held = null;
  };
  const reported = flags.junit ?? flags.artifacts ?? flags.code_quality ?? io.command;
  const reports = reported === undefined
    ? null
    : (await import("./reports.ts")).open_reports(flags, {
      ...job,
      io: { ...io, err: tell },
      workspace,
      saved: settings.sessions.save,
      put,
    });
  const signals = signals_of_run((text) => flags.quiet || io.err(text));
  // A run goes on to its end, and is saved, though nobody can be told.
  const stdout: { fault: string | null } = { fault: null };
  const out = (text: string) => {
    try {
      if (stdout.fault === null) io.out(text);
    } catch (error) {
      stdout.fault = message_of(error);
    }
  };
  const screen = { asking: false };
  const subscribe = async () => {
    const { subscribe } = await import("./subscribers.ts");
    const colorless = flags.no_color || io.env("NO_COLOR") !== undefined;
    const asking = () => screen.asking;
    // What is judged is told in words of its own: what the model wrote is nothing to watch.
    const { judge } = job;
    const { output_schema: _, ...unformed } = flags;
    const shown: Flags = judge === undefined ? flags : unformed;
    const all = subscribe(shown, {
      io: { ...io, out },
      colorless,
      asking,
      log: log && { file: log, tell },
    });
    const hearing = judge === undefined || flags.output === "jsonl" ? all : all.map(without_text);
    return [
      hold,
      ...(answer === null
        ? []
        : [put_answer(answer, { formed: shown.output_schema !== undefined, tell, put })]),
      ...(reports === null ? [] : [reports.first]),
      let_go,
      ...hearing.map((hear): Subscriber => (event) => hear(with_lost(event, { lost, unwritten }))),
      ...(reports === null ? [] : [reports.last]),
    ];
  };
  let on_terminal: AskPerson | null = null;
  const ask: AskPerson = async (question, signal) => {
    const { terminal_ask } = await import("./base/ask.ts");
    return await (on_terminal ??= terminal_ask(io, screen))(question, signal);
  };
  const { endpoint } = job;
  if ("first" in endpoint) {
    endpoint.heard_by?.((words) => {
      signals.attach();
      if (!flags.quiet) io.err(`⏳ ${words}\n`);
    }, signals.interrupt);
  }
  // Listening costs a millisecond: where the server need not be asked first, it waits for the first request.
  if (settings.provider.model === "") signals.attach();
  const unhurried = later(LISTEN_AFTER_MS, signals.attach);
  try {
    const { result, resumable } = !("first" in endpoint)
      ? await tell_settled(endpoint, subscribe)
      : await new Lifecycle({
        ...job,
        endpoint,
        session_id,
        interrupt: signals.interrupt,
        leave: signals.leave,
        begun: signals.attach,
        // With `--steer`, what is typed is said to the model.
        ask: job.ask ?? (flags.steer ? null : ask),
        subscribe,
      }).run();
    const code = result.exit_code;
    if (!flags.quiet && resumable && result.stop_reason !== "findings") {
      io.err(how_to_go_on(session_id, { code, planned: settings.agent.mode === "plan" }));
    }
    if (stdout.fault !== null) {
      io.err(`hamr: ${stdout.fault}\n`);
    } else if (!unwritten) return code;
    return code === 0 ? exit_code("internal_error") : code;
  } catch (error) {
    // Whoever reads these files is owed a result, too.
    if (reports !== null && error instanceof StartError) {
      const { result_never_begun } = await import("./result.ts");
      const { reason, message } = error;
      const result = { ...result_never_begun({ reason, message }), t: 0, step: 0 };
      reports.first(result);
      reports.last(result);
    }
    throw error;
  } finally {
    unhurried();
    signals.release();
  }
}

async function tell_settled(
  { output, warnings }: Settled,
  subscribe: () => Promise<readonly Subscriber[]>,
): Promise<{ readonly result: Result; readonly resumable: boolean }> {
  const { result_without_run } = await import("./result.ts");
  const ending = { reason: "llm_done", output, error: null } as const;
  const result = { ...result_without_run(ending), warnings };
  for (const hear of await subscribe()) hear({ ...result, t: 0, step: 0 });
  return { result, resumable: false };
}

/** The result as those hear it who come after the files: with what is in none of them, and with the code of the process. */
function with_lost(
  event: Stamped,
  { lost, unwritten }: { readonly lost: readonly string[]; readonly unwritten: boolean },
): Stamped {
  if (event.type !== "result" || lost.length === 0) return event;
  const warnings = [...event.warnings, ...lost];
  if (!fails_for(event, unwritten)) return { ...event, warnings };
  const stop_reason = "internal_error";
  const error = { kind: stop_reason, message: lost.join("; ") };
  return {
    ...event,
    ...{ status: "failed", stop_reason, exit_code: exit_code(stop_reason), warnings, error },
  };
}

/** Whether a run that went well has failed, as a file that was asked for could not be written. */
function fails_for({ exit_code }: Result, unwritten: boolean): boolean {
  return unwritten && exit_code === 0;
}

function without_text(hear: Subscriber): Subscriber {
  return (event) => {
    if (event.type !== "text_delta") hear(event);
  };
}

/** Puts the answer, alone, into its file, before anybody else hears that the run has ended. */
function put_answer(
  file: OutputFile,
  { formed, tell, put }: {
    readonly formed: boolean;
    readonly tell: (line: string) => void;
    readonly put: (written: boolean) => void;
  },
): (event: Stamped) => void {
  return (event) => {
    if (event.type !== "result") return;
    // Who asks for a form reads nothing else.
    const answer = formed && event.status !== "success" ? "" : event.final_output;
    put(file.put(answer === "" ? "" : line_of(answer), tell));
  };
}

function line_of(answer: string): string {
  return answer.endsWith("\n") ? answer : `${answer}\n`;
}

/** Empty where nothing is left to be done. */
function how_to_go_on(
  id: string,
  { code, planned }: { readonly code: number; readonly planned: boolean },
): string {
  if (code !== 0) return "   To continue: hamr resume\n";
  return planned ? `   To carry out the plan in auto mode: hamr resume ${id} "go"\n` : "";
}
