/** One run at the command line: signals, questions, subscribers, exit code. */
import type { Subscriber } from "../agent/events.ts";
import { Lifecycle } from "../app/lifecycle.ts";
import type { RunOptions } from "../app/run_options.ts";
import { real_or_null } from "../config/paths.ts";
import { later } from "../config/timer.ts";
import type { AskPerson } from "../permission/approval.ts";
import { Audience } from "./audience.ts";
import type { HeardRun } from "./reports.ts";
import { signals_of_run } from "./base/signals.ts";
import { StartError } from "../config/error.ts";

/** A run that is not under way by then waits for what its server says of itself. */
const LISTEN_AFTER_MS = 50;

export interface Job
  extends HeardRun, Omit<RunOptions, keyof HeardRun | "io" | "session_id" | "interrupt"> {
  /** Who is asked about calls; absent: the terminal. */
  readonly ask?: AskPerson;
}

/** Runs it and gives the exit code. Throws `StartError` before anything was started. */
export async function run_job(job: Job): Promise<number> {
  const { flags, io, endpoint, place: { settings, workspace } } = job;
  const session_id = job.resumed?.reopened?.info.uuid ?? flags.session_id ?? crypto.randomUUID();
  const audience = await Audience.open(job);
  let lifecycle: Lifecycle | null = null;
  const signals = signals_of_run((words) => {
    // A terminal shows the key, at the end of what stands there.
    const mark = audience.screen.end_line() || !Deno.stderr.isTerminal() ? "" : "\n";
    if (!flags.quiet) io.err(`${mark}${words}\n`);
  }, async (on) => await lifecycle?.stand_still(on));
  let on_terminal: AskPerson | null = null;
  const ask: AskPerson = async (question, signal) => {
    const { terminal_ask } = await import("./base/ask.ts");
    return await (on_terminal ??= terminal_ask(io, audience))(question, signal);
  };
  endpoint.heard_by?.((words) => {
    signals.attach();
    if (!flags.quiet) audience.say(`⏳ ${words}\n`);
  }, signals.interrupt);
  // Listening costs a millisecond: where the server need not be asked first, it waits for the first request.
  if (settings.provider.model === "") signals.attach();
  const unhurried = later(LISTEN_AFTER_MS, signals.attach);
  const refused = new Set<string>();
  let kept_back = false;
  const refusals: Subscriber = (event) => {
    if (event.type === "refusal") event.flags.forEach((flag) => refused.add(flag));
    kept_back ||= event.type === "tool_result" && event.refused === "command";
  };
  try {
    lifecycle = new Lifecycle({
      ...job,
      session_id,
      interrupt: signals.interrupt,
      leave: signals.leave,
      begun: signals.attach,
      // With `--steer`, what is typed is said to the model.
      ask: job.ask ?? (flags.steer ? null : ask),
      subscribe: async () => [...await audience.subscribers(), refusals],
    });
    const { result, resumable } = await lifecycle.run();
    const code = result.exit_code;
    if (!flags.quiet && resumable && result.stop_reason !== "findings") {
      const planned = settings.agent.mode === "plan";
      // The newest session is found in its own folder only.
      const newest = code !== 0 && real_or_null(".") === workspace;
      const resume = newest ? "hamr resume" : `hamr resume ${session_id}`;
      io.err(how_to_go_on(resume, { code, planned, refused, kept_back }));
    }
    return audience.exit_code(code);
  } catch (error) {
    if (error instanceof StartError) await audience.never_began(error);
    throw error;
  } finally {
    unhurried();
    signals.release();
  }
}

/** Empty where nothing is left to be done. */
function how_to_go_on(resume: string, { code, planned, refused, kept_back }: {
  code: number;
  planned: boolean;
  refused: ReadonlySet<string>;
  kept_back: boolean;
}): string {
  if (code === 0) return planned ? `   To carry out the plan in auto mode: ${resume} "go"\n` : "";
  const wider = [resume, ...refused].join(" ");
  return `   To continue: ${resume}\n` +
    (refused.size === 0 ? "" : `   To allow what the sandbox refused: ${wider}\n`) +
    (kept_back ? `   To be asked before what was refused: ${resume} --confirm sensitive\n` : "");
}
