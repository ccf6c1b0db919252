/** The files of `--junit` and `--artifacts`. Loaded where one of them is asked for. */
import type { Stamped, Subscriber } from "../agent/events.ts";
import type { Flags } from "../app/flags.ts";
import { why } from "../config/paths.ts";
import { log_file, write_all } from "../ui/log_file.ts";
import { html } from "../ui/report/html.ts";
import { junit } from "../ui/report/junit.ts";
import { markdown_transcript } from "../ui/report/markdown.ts";
import { type Page, PageBuilder } from "../ui/report/page.ts";
import { open_file } from "./base/open_file.ts";
import { UsageError } from "./base/usage_error.ts";

/** What each file holds that is written at the end. */
const MADE: Readonly<Record<string, (page: Page) => string>> = {
  "result.json": ({ result }) => `${JSON.stringify(result, null, 2)}\n`,
  "changes.patch": ({ diff }) => diff,
  "transcript.md": markdown_transcript,
  "report.html": (page) => html([page]),
};

/** Opens them: by the end this thread may open no file to write any more. Throws `UsageError`. */
export function open_reports(
  { junit: junit_file, artifacts }: Flags,
  { workspace, task, warn }: {
    readonly workspace: string;
    readonly task: string;
    /** Told what could not be written. */
    readonly warn: (text: string) => void;
  },
): Subscriber {
  const page = new PageBuilder(task === "" ? "continued" : task, task);
  const files: { file: Deno.FsFile; name: string; make: (page: Page) => string }[] = [];
  const hearing: Subscriber[] = [page.hear];
  if (junit_file !== undefined) {
    if (junit_file.includes("/")) {
      make_folder("--junit", junit_file.slice(0, junit_file.lastIndexOf("/")) || "/");
    }
    const file = open_file("--junit", { path: junit_file, workspace });
    files.push({ file, name: junit_file, make: (page) => junit([page]) });
  }
  if (artifacts !== undefined) {
    make_folder("--artifacts", artifacts);
    const open = (name: string) =>
      open_file("--artifacts", { path: `${artifacts}/${name}`, workspace });
    for (const [name, make] of Object.entries(MADE)) {
      files.push({ file: open(name), name: `${artifacts}/${name}`, make });
    }
    const events = open("events.jsonl");
    events.truncateSync(0);
    hearing.push(log_file(events, (event) => event));
  }
  return (event: Stamped) => {
    for (const hear of hearing) hear(event);
    if (event.type !== "result") return;
    const made = page.page();
    for (const { file, name, make } of made === null ? [] : files) {
      try {
        if (file.statSync().isFile) file.truncateSync(0);
        write_all(file, new TextEncoder().encode(make(made as Page)));
        file.close();
      } catch (error) {
        warn(`hamr: ${name} can't be written: ${why(error)}\n`);
      }
    }
  };
}

function make_folder(flag: string, path: string): void {
  try {
    Deno.mkdirSync(path, { recursive: true });
  } catch (error) {
    throw new UsageError(`${flag} ${path}: ${why(error)}`);
  }
}
