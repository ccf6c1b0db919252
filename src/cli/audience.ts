/** Who hears a run at the command line. The files that flags name come first, so that the others can report what is missing in them. */
import type { Result, Stamped, Subscriber } from "../agent/events.ts";
import { exit_code } from "../app/exit_codes.ts";
import { real_or } from "../config/paths.ts";
import { places_written } from "../app/settings.ts";
import { message_of } from "../config/text.ts";
import { new_screen } from "../ui/human_log_options.ts";
import { resolved } from "../permission/paths.ts";
import type { Sink } from "../permission/put_beside.ts";
import { type Terminal, terminal_of } from "./base/colors.ts";
import type { Lost, OutputFile } from "./base/open_file.ts";
import type { HeardRun, Reports } from "./reports.ts";
import { type StartError, UsageError } from "../config/error.ts";

/** The files that flags name, open from the start: by the end this thread may no longer open one to write. */
interface NamedFiles {
  readonly log: Sink | null;
  readonly answer: OutputFile | null;
  readonly reports: Reports | null;
}

export class Audience {
  /** What the log has in common with those who write beside it. */
  readonly screen = new_screen(() => this.asking);
  asking = false;
  /** What is in none of the files, for the result's warnings. */
  readonly #lost: string[] = [];
  /** A caller that asked for a file and has none must not see an exit code of 0. */
  #unwritten = false;
  /** A run goes on to its end, and is saved, though nobody can be told. */
  #stdout_fault: string | null = null;

  private constructor(
    private readonly run: HeardRun,
    private readonly files: NamedFiles,
    private readonly terminal: Terminal,
  ) {}

  /** Opens the files. Throws `UsageError` for one that can't be written. */
  static async open(run: HeardRun): Promise<Audience> {
    const { flags, io, place } = run;
    const opening = () => import("./base/open_file.ts");
    const named = (path: string) => ({ path, written: places_written(place), io });
    const { log_file, answer_file, junit, artifacts, code_quality } = flags;
    each_its_own({
      "--log-file": log_file,
      "-o": answer_file,
      "--junit": junit,
      "--code-quality": code_quality,
    });
    const log = log_file === undefined
      ? null
      : (await opening()).open_file("--log-file", named(log_file));
    const answer = answer_file === undefined
      ? null
      : new (await opening()).OutputFile("-o", named(answer_file));
    const is_reported = (junit ?? artifacts ?? code_quality ?? io.command) !== undefined;
    const reports = is_reported ? (await import("./reports.ts")).open_reports(run) : null;
    return new Audience(run, { log, answer, reports }, terminal_of(flags.no_color, io));
  }

  async subscribers(): Promise<readonly Subscriber[]> {
    const { subscribe } = await import("./subscribers.ts");
    const { flags, io, judge } = this.run;
    // A judged answer is printed in words of its own: what the model writes is not worth watching.
    const { output_schema: _, ...unformed } = flags;
    const { log } = this.files;
    const all = subscribe(judge === undefined ? flags : unformed, {
      io: { ...io, out: this.#out },
      terminal: this.terminal,
      screen: this.screen,
      log: log === null ? null : {
        file: log,
        broke: (why) => this.#lose([{ words: why, is_unwritten: false }]),
      },
    });
    const reads_text = judge === undefined || flags.output === "jsonl";
    return [
      this.#write,
      ...all.map((hear): Subscriber => (event) => {
        if (reads_text || event.type !== "text_delta") hear(this.#with_lost(event));
      }),
      ...(this.files.reports === null ? [] : [this.files.reports.last]),
    ];
  }

  /** Readers of the reports are owed a result of a run that never began, too. */
  async never_began({ reason, message }: StartError): Promise<void> {
    if (this.files.reports === null) return;
    const { result_never_begun } = await import("./result.ts");
    const result = { ...result_never_begun({ reason, message }), t: 0, step: 0 };
    this.#lose(this.files.reports.first(result));
    this.files.reports.last(result);
  }

  /** Prints lines beside the log, in the middle of which what is streamed may be. */
  say(lines: string): void {
    this.screen.end_line();
    this.run.io.err(lines);
  }

  /** The exit code of a run that ended in `code`: not 0 where something that was asked for could not be written. */
  exit_code(code: Result["exit_code"]): number {
    if (this.#stdout_fault !== null) this.run.io.err(`hamr: ${this.#stdout_fault}\n`);
    const is_whole = this.#stdout_fault === null && !this.#unwritten;
    return is_whole || code !== 0 ? code : exit_code("internal_error");
  }

  readonly #out = (text: string) => {
    try {
      if (this.#stdout_fault === null) this.run.io.out(text);
    } catch (error) {
      this.#stdout_fault = message_of(error);
    }
  };

  /** Writes the files, before anybody else hears that the run has ended. */
  readonly #write = (event: Stamped) => {
    const { answer, reports } = this.files;
    const of_answer = answer === null || event.type !== "result"
      ? null
      : answer.put(answer_of(event, this.run));
    const lost = [...of_answer === null ? [] : [of_answer], ...reports?.first(event) ?? []];
    this.#lose(lost, event);
  };

  /** Prints them, except where the verdict says the same. */
  #lose(lost: readonly Lost[], at?: Stamped): void {
    this.#lost.push(...lost.map(({ words }) => words));
    this.#unwritten ||= lost.some(({ is_unwritten }) => is_unwritten);
    if (at?.type === "result" && this.#fails(at)) return;
    for (const { words } of lost) this.say(`hamr: ${words}\n`);
  }

  /** Whether a run that went well has failed, as a file that was asked for could not be written. */
  #fails({ exit_code }: Result): boolean {
    return this.#unwritten && exit_code === 0;
  }

  /** The result for those who come after the files: with what could not be written, and with the exit code of the process. */
  #with_lost(event: Stamped): Stamped {
    if (event.type !== "result" || this.#lost.length === 0) return event;
    const warnings = [...event.warnings, ...this.#lost];
    if (!this.#fails(event)) return { ...event, warnings };
    const stop_reason = "internal_error";
    const error = { kind: stop_reason, message: this.#lost.join("; ") };
    return {
      ...event,
      ...{ status: "failed", stop_reason, exit_code: exit_code(stop_reason), warnings, error },
    };
  }
}

/** What `-o` holds. Whoever asks for a form reads nothing else; what is judged has words of its own. */
function answer_of({ status, final_output }: Result, { flags, judge }: HeardRun): string {
  if (judge === undefined && flags.output_schema !== undefined && status !== "success") return "";
  return final_output === "" || final_output.endsWith("\n") ? final_output : `${final_output}\n`;
}

/** What two flags wrote into one file, only the last would stand there. Throws `UsageError`. */
function each_its_own(named: Readonly<Record<string, string | undefined>>): void {
  const flags = new Map<string, string>();
  for (const [flag, path] of Object.entries(named)) {
    if (path === undefined || path.startsWith("/dev/") || path.startsWith("/proc/")) continue;
    const place = real_or(resolved(Deno.cwd(), path));
    const other = flags.get(place);
    if (other !== undefined) {
      throw new UsageError(`${other} and ${flag} both name ${path}: each needs a file of its own`);
    }
    flags.set(place, flag);
  }
}
