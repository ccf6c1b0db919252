/** The files of `--junit` and `--artifacts`. Loaded where one of them is asked for. */
import type { Stamped, Subscriber } from "../agent/events.ts";
import type { Flags } from "../app/flags.ts";
import { is_inside, real_or_null, why } from "../config/paths.ts";
import { log_file, write_all } from "../ui/log_file.ts";
import { github } from "../ui/github/github.ts";
import { html } from "../ui/report/html.ts";
import { junit } from "../ui/report/junit.ts";
import { markdown_transcript } from "../ui/report/markdown.ts";
import { type Page, PageBuilder } from "../ui/report/page.ts";
import type { Io } from "./base/io.ts";
import { open_file } from "./base/open_file.ts";
import { UsageError } from "./base/usage_error.ts";

/** What each file holds that is written at the end. */
const MADE: Readonly<Record<string, (page: Page) => string>> = {
  "result.json": ({ result }) => `${JSON.stringify(result, null, 2)}\n`,
  "changes.patch": ({ diff }) => diff,
  "transcript.md": markdown_transcript,
  "report.html": (page) => html([page]),
};

/** Who hears a run for its reports: before all others, and after them. */
export interface Reports {
  readonly first: Subscriber;
  readonly last: Subscriber;
}

/**
 * Opens the files of the flags, and those of GitHub Actions: by the end this thread may open no file to write any more. Throws
 * `UsageError`.
 */
export function open_reports(
  flags: Flags,
  { workspace, task, io }: {
    readonly workspace: string;
    readonly task: string;
    readonly io: Io;
  },
): Reports {
  const page = new PageBuilder(task === "" ? "continued" : task, task);
  const files = open_files(flags, workspace);
  const hearing: Subscriber[] = [page.hear];
  if (flags.artifacts !== undefined) {
    const path = `${flags.artifacts}/events.jsonl`;
    const events = open_file("--artifacts", { path, workspace });
    events.truncateSync(0);
    hearing.push(log_file(events, (event) => event));
  }
  const { command } = io;
  // By the end the environment is out of reach, too.
  const root = io.env("GITHUB_WORKSPACE");
  const on_github = command === undefined ? null : github({
    command,
    page: () => page.page(),
    in_repository: (file) => in_repository(file, { workspace, root }),
    summary: appender(io.env("GITHUB_STEP_SUMMARY")),
    output: appender(io.env("GITHUB_OUTPUT")),
  });
  if (on_github !== null) hearing.push(on_github.hear);
  return {
    first: (event: Stamped) => {
      for (const hear of hearing) hear(event);
      if (event.type !== "result") return;
      const made = page.page();
      for (const { file, name, make } of made === null ? [] : files) {
        try {
          if (file.statSync().isFile) file.truncateSync(0);
          write_all(file, new TextEncoder().encode(make(made as Page)));
          file.close();
        } catch (error) {
          io.err(`hamr: ${name} can't be written: ${why(error)}\n`);
        }
      }
    },
    last: (event) => on_github?.end(event),
  };
}

interface ReportFile {
  readonly file: Deno.FsFile;
  readonly name: string;
  readonly make: (page: Page) => string;
}

function open_files({ junit: path, artifacts }: Flags, workspace: string): readonly ReportFile[] {
  const files: ReportFile[] = [];
  if (path !== undefined) {
    if (path.includes("/")) make_folder("--junit", path.slice(0, path.lastIndexOf("/")) || "/");
    const file = open_file("--junit", { path, workspace });
    files.push({ file, name: path, make: (page) => junit([page]) });
  }
  if (artifacts !== undefined) {
    make_folder("--artifacts", artifacts);
    for (const [name, make] of Object.entries(MADE)) {
      const path = `${artifacts}/${name}`;
      files.push({ file: open_file("--artifacts", { path, workspace }), name: path, make });
    }
  }
  return files;
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
    try {
      write_all(file, new TextEncoder().encode(text));
    } catch {
      // A full disk ends a summary, not the run.
    }
  };
}

/** The path of a file that is there, from the root of the repository. */
function in_repository(
  file: string,
  { workspace, root }: { readonly workspace: string; readonly root: string | undefined },
): string | null {
  const path = real_or_null(file.startsWith("/") ? file : `${workspace}/${file}`);
  const top = real_or_null(root ?? workspace);
  if (path === null || top === null || !is_inside(path, top) || path === top) return null;
  return path.slice(top.length).replace(/^\//, "");
}

function make_folder(flag: string, path: string): void {
  try {
    Deno.mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new UsageError(`${flag} ${path}: ${why(error)}`);
  }
}
