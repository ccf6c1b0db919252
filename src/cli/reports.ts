/** The files of `--junit`, `--code-quality` and `--artifacts`. Loaded if one of them is requested. */
import { attempt } from "../config/attempt.ts";
import type { Result, Stamped, Subscriber } from "../agent/events.ts";
import type { Flags } from "../app/flags.ts";
import type { LifecycleOptions } from "../app/lifecycle.ts";
import type { ARTIFACTS } from "../app/own_output.ts";
import { places_written } from "../app/settings.ts";
import { is_inside, real_or_null } from "../config/paths.ts";
import { write_on } from "../permission/put_beside.ts";
import { log_file } from "../ui/log_file.ts";
import { annotations } from "../ui/github/annotations.ts";
import { github, type GithubOptions } from "../ui/github/github.ts";
import { code_quality, type QualityFault } from "../ui/report/code_quality.ts";
import { html } from "../ui/report/html.ts";
import { junit } from "../ui/report/junit.ts";
import { markdown_transcript } from "../ui/report/markdown.ts";
import { type Page, PageBuilder } from "../ui/report/page.ts";
import type { Io } from "./base/io.ts";
import { type Lost, type NamedFile, open_file, OutputFile } from "./base/open_file.ts";

const MADE: Readonly<
  Record<Exclude<(typeof ARTIFACTS)[number], "events.jsonl">, (page: Page) => string>
> = {
  "result.json": ({ result }) => `${JSON.stringify(result, null, 2)}\n`,
  "changes.patch": ({ patch = "" }) => patch,
  "transcript.md": markdown_transcript,
  "report.html": (page) => html([page]),
};

/** A fault that the run itself has found, in a file as it names it. */
export type Found = Omit<QualityFault, "path"> & { readonly file: string };

export interface HeardRun extends Pick<LifecycleOptions, "task" | "place" | "flags" | "judge"> {
  readonly io: Io;
  /** What is wrong with the workspace, where the task was to say so; asked at the end. */
  readonly found?: () => readonly Found[];
}

/** Who hears a run for its reports: before all others, and after them. */
export interface Reports {
  readonly first: (event: Stamped) => readonly Lost[];
  readonly last: Subscriber;
}

/** Opens the files of the flags and of GitHub Actions now: at the end this thread may not open files to write. Throws `UsageError`. */
export function open_reports({ task, place, flags, io, found }: HeardRun): Reports {
  const { workspace, settings: { sessions: { save: saved } } } = place;
  const written = places_written(place);
  const page = new PageBuilder(task === "" ? "continued" : task, task);
  const files = open_files(flags, { written, io });
  const hearing: Subscriber[] = [page.hear];
  let lost: Lost[] = [];
  const root = io.env("GITHUB_WORKSPACE") ?? io.env("CI_PROJECT_DIR");
  const repository_path = (file: string) => {
    const path = real_or_null(file.startsWith("/") ? file : `${workspace}/${file}`);
    const top = real_or_null(root ?? workspace);
    if (path === null || top === null || !is_inside(path, top) || path === top) return null;
    return path.slice(top.length).replace(/^\//, "");
  };
  if (flags.code_quality !== undefined) {
    const faults = new Faults(found);
    hearing.push(faults.hear);
    files.push({
      file: new OutputFile("--code-quality", { path: flags.code_quality, written, io }),
      make: () =>
        code_quality(
          faults.now().flatMap(({ file, ...fault }) => {
            const path = repository_path(file);
            return path === null ? [] : [{ path, ...fault }];
          }),
        ),
    });
  }
  if (flags.artifacts !== undefined) {
    const path = `${flags.artifacts}/events.jsonl`;
    const events = open_file("--artifacts", { path, written, io }, { emptied: true });
    const broke = (why: string) =>
      void lost.push({ words: `${path} can't be written: ${why}`, is_unwritten: true });
    hearing.push(log_file(events, { entry: (event) => event, broke }));
  }
  const { command } = io;
  // By the end the environment is out of reach, too.
  const on_github = command === undefined ? null : github({
    command,
    page: () => {
      const made = page.page();
      return made === null ? null : { ...made, saved };
    },
    in_repository: repository_path,
    found,
    ...appenders(io),
  });
  if (on_github !== null) hearing.push(on_github.hear);
  return {
    first: (event: Stamped) => {
      lost = [];
      for (const hear of hearing) hear(event);
      const made = event.type === "result" ? page.page() : null;
      const unlike = made === null ? [] : files.map(({ file, make }) => file.put(make(made)));
      return [...lost, ...unlike.filter((one) => one !== null)];
    },
    last: (event) => on_github?.end(event),
  };
}

interface ReportFile {
  readonly file: OutputFile;
  readonly make: (page: Page) => string;
}

/** What the last verification complains of, where it failed, and what the run has found. */
class Faults {
  #printed: { readonly ok: boolean; readonly text: string } | null = null;
  #by = "";

  constructor(private readonly found: (() => readonly Found[]) | undefined) {}

  readonly hear = (event: Stamped): void => {
    if (event.agent !== undefined) return;
    if (event.type === "output") this.#printed = event;
    if (event.type === "verification") this.#by = event.command;
  };

  now(): readonly Found[] {
    const complaints = this.#printed === null || this.#printed.ok
      ? []
      : annotations(this.#printed.text);
    return [...complaints.map((one) => ({ ...one, by: this.#by })), ...this.found?.() ?? []];
  }
}

function open_files(
  { junit: path, artifacts }: Flags,
  place: Omit<NamedFile, "path">,
): ReportFile[] {
  const files: ReportFile[] = [];
  if (path !== undefined) {
    files.push({
      file: new OutputFile("--junit", { path, ...place }),
      make: (page) => junit([page]),
    });
  }
  if (artifacts !== undefined) {
    for (const [name, make] of Object.entries(MADE)) {
      const path = `${artifacts}/${name}`;
      files.push({ file: new OutputFile("--artifacts", { path, ...place }), make });
    }
  }
  return files;
}

export function tell_github(result: Result, io: Io): void {
  const { command } = io;
  if (command === undefined) return;
  github({ command, page: () => null, in_repository: () => null, ...appenders(io) })
    .end({ ...result, t: 0, step: 0 });
}

function appenders(io: Io): Pick<GithubOptions, "summary" | "output"> {
  return {
    summary: appender(io.env("GITHUB_STEP_SUMMARY")),
    output: appender(io.env("GITHUB_OUTPUT")),
  };
}

/** Appends to a file that the runner names; to none where it names none, or none that can be written. */
function appender(path: string | undefined): (text: string) => void {
  if (path === undefined) return () => {};
  let file: Deno.FsFile;
  try {
    file = Deno.openSync(path, { append: true, create: true });
  } catch {
    return () => {};
  }
  return (text) => {
    // A full disk ends a summary, not the run.
    attempt(() => write_on(file, new TextEncoder().encode(text)));
  };
}
