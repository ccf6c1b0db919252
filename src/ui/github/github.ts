/** A run in GitHub Actions: one group per step, faults beside the code, a summary, and outputs for later steps. */
import { type Stamped, type Subscriber, unstamped } from "../../agent/events.ts";
import { whole_line } from "../text.ts";
import { run_markdown } from "../report/markdown.ts";
import { type Page, verdict_of } from "../report/page.ts";
import { type Annotation, annotations } from "./annotations.ts";

/** GitHub shows ten of a step. */
const MOST_ANNOTATIONS = 9;

type Annotated = Pick<Annotation, "file" | "line" | "message"> & {
  readonly level: Annotation["level"] | "note";
  readonly column?: number | null;
};

export interface GithubOptions {
  /** Writes a line that the runner takes for a command; everything else that is written is made harmless. */
  readonly command: (line: string) => void;
  /** The path of a file of the repository, as the runner wants it; null for any other. */
  readonly in_repository: (file: string) => string | null;
  readonly page: () => Page | null;
  readonly found?: (() => readonly Annotated[]) | undefined;
  /** Appends to the job's summary, and to the step's outputs. */
  readonly summary: (markdown: string) => void;
  readonly output: (lines: string) => void;
}

/** Hears the events of a run; `end` comes after everything else about the result. */
export function github(
  options: GithubOptions,
): { readonly hear: Subscriber; readonly end: Subscriber } {
  const { command, page, summary, output } = options;
  let open = false;
  let printed: { readonly ok: boolean; readonly text: string } | null = null;
  let deaf_until = "";
  /** Gives commands. Until the next ones, or to the end, the runner takes nothing for one: nobody else knows the word that ends that. */
  const give = (lines: readonly string[], { last = false } = {}) => {
    if (deaf_until !== "") command(`::${deaf_until}::`);
    for (const line of lines) command(line);
    deaf_until = last ? "" : `hamr_${crypto.randomUUID()}`;
    if (!last) command(`::stop-commands::${deaf_until}`);
  };
  const close = () => {
    if (open) give(["::endgroup::"]);
    open = false;
  };
  give([]);
  const hear = (event: Stamped) => {
    if (event.agent !== undefined) return;
    if (event.type === "step_start") {
      give([...(open ? ["::endgroup::"] : []), `::group::Step ${event.step}`]);
      open = true;
    }
    if (event.type === "output") printed = event;
    if (event.type === "result" || event.type === "verification") close();
  };
  const end = (event: Stamped) => {
    if (event.type !== "result") return;
    const faults = [
      ...printed === null || printed.ok ? [] : annotations(printed.text),
      ...options.found?.() ?? [],
    ];
    const result = unstamped(event);
    const words = value(whole_line(verdict_of(result)));
    const level = { success: "notice", partial: "error", failed: "error" }[result.status];
    give([...shown(faults, options), `::${level} title=hamr::${words}`], { last: true });
    const made = page();
    if (made !== null) summary(`${run_markdown(made)}\n`);
    const outputs = {
      "status": result.status,
      "exit-code": result.exit_code,
      "stop-reason": result.stop_reason,
      "session-id": result.session_id,
      "result": JSON.stringify(result),
    };
    output(
      Object.entries(outputs).map(([name, text]) => {
        // Nobody can know where it ends beforehand, and close it with a line of their own.
        const mark = `hamr_${crypto.randomUUID()}`;
        return `${name}<<${mark}\n${text}\n${mark}\n`;
      }).join(""),
    );
  };
  return { hear, end };
}

function shown(
  faults: readonly Annotated[],
  { in_repository }: Pick<GithubOptions, "in_repository">,
): readonly string[] {
  return faults.flatMap(({ file: named, line, column = null, level, message }) => {
    const path = in_repository(named);
    if (path === null) return [];
    const at = column === null ? "" : `,col=${column}`;
    const command = level === "note" ? "notice" : level;
    const file = value(path).replaceAll(":", "%3A").replaceAll(",", "%2C");
    return [`::${command} file=${file},line=${line}${at}::${value(whole_line(message))}`];
  }).slice(0, MOST_ANNOTATIONS);
}

function value(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
