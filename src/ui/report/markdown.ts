/** Runs as Markdown: for a job's summary, a comment, or a transcript to keep. */
import { dollars } from "../../model/pricing.ts";
import { duration, first_of, harmless, line, plural, whole_line } from "../text.ts";
import { parted, spent_tokens, token_count } from "../words.ts";
import { basis_of, diff_title, type Line, type Page, verdict_of } from "./page.ts";

/** Longer diffs are read elsewhere. */
const DIFF_LINES = 400;
/** Length of a task that heads its run: what is longer is a text, not a heading. */
const HEADING_CHARS = 120;

/** One run: its verdict and what it rests on; several: a table. */
export function markdown(pages: readonly Page[]): string {
  const [only] = pages;
  if (pages.length === 1 && only !== undefined) return run_markdown(only);
  const rows = pages.map((page) => {
    const { status, steps, usage, cost_usd, duration_ms } = page.result;
    const cells = [
      `${mark(status)} ${cell(heading(page.name))}`,
      cell(parted(verdict_of(page.result))[0]),
      cell(basis_of(page.result)),
      steps,
      token_count([usage]),
      cost_usd === null ? "" : dollars(cost_usd),
      duration_words(duration_ms),
    ];
    return `| ${cells.join(" | ")} |\n`;
  });
  return `# ${totals(pages)}

| run | verdict | rests on | steps | tokens | cost | time |
| --- | --- | --- | ---: | ---: | ---: | ---: |
${rows.join("")}`;
}

export function heading(name: string): string {
  return line(name, HEADING_CHARS);
}

/** `3 of 4 runs done`, with what they took. */
export function totals(pages: readonly Page[]): string {
  const done = pages.filter(({ result }) => result.status === "success").length;
  const cost = pages.reduce((sum, { result }) => sum + (result.cost_usd ?? 0), 0);
  const ms = pages.reduce((sum, { result }) => sum + result.duration_ms, 0);
  const spent = [
    ...spent_tokens(pages.map(({ result }) => result.usage)),
    ...(cost > 0 ? [dollars(cost)] : []),
    duration_words(ms),
  ].join(", ");
  return `${done} of ${plural(pages.length, "run")} done (${spent})`;
}

/** The verdict, what changed, what was checked, what it took, and how to go on. */
export function run_markdown({ name, result, checks, diff, patch, saved = false }: Page): string {
  const { files_changed: files, usage, cost_usd, final_output, session_id, model } = result;
  const counts = [
    plural(result.steps, "step"),
    plural(result.tool_calls, "tool call"),
    ...spent_tokens([usage]),
    ...(cost_usd === null ? [] : [dollars(cost_usd)]),
    duration_words(result.duration_ms),
  ].join(", ");
  const changed = files.map((file) =>
    `| ${
      code(file.path).replaceAll("|", "\\|")
    } | ${file.status} | +${file.added} | -${file.removed} |\n`
  );
  const checked = checks.map(({ ok, name, message }) => {
    const sign = ok === null ? "❔" : ok ? "✅" : "❌";
    return `- ${sign} ${code(name)}: ${cell(message)}\n`;
  });
  const [verdict, printed] = parted(verdict_of(result));
  return [
    `# ${mark(result.status)} ${cell(heading(name))}\n`,
    `**${cell(verdict)}** (${cell(basis_of(result))})\n`,
    ...(printed === "" ? [] : [fence("", printed)]),
    ...(final_output === "" ? [] : [`${quoted(final_output)}\n`]),
    ...(checked.length === 0 ? [] : [`## Checks\n\n${checked.join("")}`]),
    ...(changed.length === 0 ? [] : [
      `## Changes\n\n| file | | | |\n| --- | --- | ---: | ---: |\n${changed.join("")}`,
    ]),
    ...(diff === "" ? [] : [fenced_diff(diff, diff_title(patch))]),
    ...(model === "" ? [] : [`${cell(model)} at ${cell(result.provider)}: ${counts}.\n`]),
    ...(saved && result.exit_code !== 0 && result.steps > 0
      ? [`To continue: ${code(`hamr resume ${session_id}`)}\n`]
      : []),
  ].join("\n");
}

/** The whole conversation, as far as it is for people. */
export function markdown_transcript({ name, lines, result }: Page): string {
  const parts: string[] = [`# ${cell(heading(name))}\n`];
  let step = -1;
  for (const line of lines) {
    if (line.step !== step && line.kind !== "task") parts.push(`## Step ${step = line.step}\n`);
    parts.push(entry(line));
  }
  parts.push("## Result\n", `${mark(result.status)} ${cell(verdict_of(result))}\n`);
  return parts.join("\n");
}

function entry({ kind, text, ok }: Line): string {
  switch (kind) {
    case "task":
      return `${quoted(text)}\n`;
    case "text":
      return `${unloading(text)}\n`;
    case "call":
      return `- ${ok === null ? "…" : ok ? "✓" : "✗"} ${code(text)}\n`;
    case "output":
      return fence("", text);
    case "note":
      return `*${cell(text)}*\n`;
  }
}

function fenced_diff(diff: string, title: string): string {
  const { shown, more } = first_of(diff.trimEnd().split("\n"), DIFF_LINES);
  const text = shown.join("\n") + (more > 0 ? `\n… ${more} more lines` : "");
  return `<details><summary>${title}</summary>\n\n${fence("diff", text)}\n</details>\n`;
}

function fence(language: string, text: string): string {
  const ticks = "`".repeat(Math.max(2, longest_ticks(text)) + 1);
  return `${ticks}${language}\n${harmless(text)}\n${ticks}\n`;
}

/** What loads something as soon as it is shown, by names that GitHub and editors know. */
const LOADING =
  /<(?=(?:img|image|picture|source|video|audio|track|iframe|frame|object|embed|link|script|style|svg|input|base|meta)\b)/gi;
/** Where an image is by reference: `[label]: address` at the start of a line. */
const DEFINITION = /^((?:[ \t>]|[-*+][ \t]|\d+[.)][ \t])*)\[(?=(?:[^[\]\\]|\\.){1,999}\]:)/gmsu;
/** Breaks a mark without being seen, within code too. */
const NOTHING = "\u200b";

/** Markdown of a model, without what its reader would fetch from an address that the model has made up: it may hold what it has read. */
function unloading(text: string): string {
  const blocks = harmless(text).replace(LOADING, `<${NOTHING}`)
    .replace(DEFINITION, `$1[${NOTHING}`).split(/(\n[ \t>]*\n)/);
  return blocks.map((block) =>
    /\][([]/.test(block) ? block.replaceAll("![", `!${NOTHING}[`) : block
  ).join("");
}

function quoted(text: string): string {
  return unloading(text).trim().split("\n").map((one) => `> ${one}`.trimEnd()).join("\n");
}

function code(text: string): string {
  const flat = whole_line(text);
  const ticks = "`".repeat(longest_ticks(flat) + 1);
  return ticks.length === 1 ? `\`${flat}\`` : `${ticks} ${flat} ${ticks}`;
}

function longest_ticks(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
}

/** In a table, in a heading: one line, in which nothing is markup. */
function cell(text: string): string {
  return whole_line(text).replace(/[|<>[\]*_`\\]/g, (char) => `\\${char}`);
}

function mark(status: Page["result"]["status"]): string {
  return { success: "✅", partial: "⚠️", failed: "❌" }[status];
}

/** `1.5 s`, `2 min`. */
export function duration_words(ms: number): string {
  return ms < 10_000 ? `${(ms / 1000).toFixed(1)} s` : duration(ms);
}
