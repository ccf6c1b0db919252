/** `hamr report FILE... | ID`: one page from saved results, or from a session. */
import { attempt, or_throw } from "../config/attempt.ts";
import type { Stamped } from "../agent/events.ts";
import { why } from "../config/paths.ts";
import { one_line } from "../config/text.ts";
import { session_rows } from "../store/sessions.ts";
import { html } from "../ui/report/html.ts";
import { junit } from "../ui/report/junit.ts";
import { markdown } from "../ui/report/markdown.ts";
import { type Page, PageBuilder } from "../ui/report/page.ts";
import { fault_of_page } from "../ui/report/page_shape.ts";
import type { Parsed } from "./args/args.ts";
import { laid_out } from "./base/laid_out.ts";
import type { Io } from "./base/io.ts";
import { named_session, opened, sound } from "../app/saved_sessions.ts";
import { StartError, UsageError } from "../config/error.ts";

const MOST_BYTES = 256 * 1024 * 1024;

/** Prints the page. Exit code 0, or 3 where something can't be read. Throws `UsageError` or `StartError`. */
export async function report(parsed: Parsed, io: Io): Promise<number> {
  const { flags } = parsed;
  const operands = parsed.operands.map((one) => one === "-" ? "/dev/stdin" : one);
  const kinds = (["html", "markdown", "junit"] as const).filter((kind) => flags[`as_${kind}`]);
  if (kinds.length > 1) throw new UsageError(`--${kinds.join(" and --")}: give only one`);
  const files = operands.filter(is_there);
  const ids = operands.filter((one) => !files.includes(one));
  const pages: Page[] = files.flatMap(pages_of_file);
  for (const id of operands.length === 0 ? [undefined] : ids) {
    pages.push(await page_of_session(parsed, io, id));
  }
  const page = { html, markdown, junit }[kinds[0] ?? "markdown"](pages);
  const shown = kinds.length > 0 ? null : await laid_out(flags.no_color, io);
  io.out(shown === null ? page : shown(page));
  return 0;
}

function is_there(path: string): boolean {
  const is_id = !/[^0-9a-z-]/i.test(path);
  const found = attempt(() => Deno.statSync(path), null);
  if (found?.isFile || found?.isFifo) return true;
  if (found?.isDirectory && (!is_id || is_there(`${path}/result.json`))) {
    throw new UsageError(
      `report: ${path} is a folder; give files in it, such as ${path}/result.json`,
    );
  }
  if (is_id) return false;
  if (found !== null) throw new UsageError(`report: ${path} is not a file`);
  // Whoever names the page means where it is to go.
  const to = /\.(?:html|md)$/.test(path) ? `; the page is printed: hamr report … > ${path}` : "";
  throw new UsageError(`report: there is no file ${path}${to}`);
}

/** Result objects, or the events of runs, each with its result as the last. Beside a result of `--artifacts` lie its events, which tell more. */
function pages_of_file(path: string): readonly Page[] {
  const pages = pages_in(path);
  const beside = path.replace(/(^|\/)result\.json$/, "$1events.jsonl");
  try {
    // Whoever named one file waits for no pipe beside it.
    const whole = beside !== path && Deno.statSync(beside).isFile ? pages_in(beside) : pages;
    return whole[0]?.result.session_id === pages[0]?.result.session_id ? whole : pages;
  } catch {
    return pages;
  }
}

function pages_in(path: string): readonly Page[] {
  const refuse = (why: string) => new UsageError(`report: ${path} ${why}`);
  if (Deno.statSync(path).size > MOST_BYTES) throw refuse("is too large for a result");
  const text = or_throw(
    () => Deno.readTextFileSync(path),
    (error) => refuse(`can't be read: ${why(error)}`),
  ).trim();
  const name = name_of(path);
  const pages: Page[] = [];
  let builder = new PageBuilder(name);
  try {
    // Indented, an object takes many lines.
    for (const object of text.split(/\n(?=\{)/)) {
      builder.hear(JSON.parse(object) as Stamped);
      const page = builder.page();
      if (page === null) continue;
      pages.push(page);
      builder = new PageBuilder(`${name} (${pages.length + 1})`);
    }
  } catch {
    throw refuse("is neither a result (--json) nor events (--output jsonl)");
  }
  if (pages.length === 0) throw refuse("has no result");
  const fault = pages.map(fault_of_page).find((one) => one !== null);
  if (fault !== undefined) throw refuse(`has no result: ${one_line(fault)}`);
  return pages;
}

/** `OUT/ID/result.json` is known by its folder. */
function name_of(path: string): string {
  const parts = path.split("/").filter((part) => part !== "" && part !== ".");
  const last = parts.at(-1) ?? path;
  return /^(result\.json|events\.jsonl)$/.test(last) ? parts.at(-2) ?? last : last;
}

async function page_of_session(parsed: Parsed, io: Io, id: string | undefined): Promise<Page> {
  using saved = await opened(parsed, io);
  const info = named_session(saved, id);
  return await sound(info, async () => {
    const builder = new PageBuilder(info.task, info.task);
    const rows = await session_rows(saved.db, { session: info.id, table: "events" });
    for (const { body } of rows) builder.hear(JSON.parse(body) as Stamped);
    const page = builder.page();
    if (page === null) {
      throw new StartError(
        `session ${info.uuid} has no result: it is still running, or it was cut off`,
      );
    }
    const fault = fault_of_page(page);
    if (fault !== null) throw new TypeError(fault);
    return { ...page, workspace: info.workspace, saved: true };
  });
}
