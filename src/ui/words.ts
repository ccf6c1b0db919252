/** How the log words things. */
import type { Detail } from "../agent/call_detail.ts";
import type { EventOf, Result } from "../agent/events.ts";
import type { StopReason } from "../guards/rule.ts";
import type { Prefill, Writing } from "../model/wire.ts";
import { find_tool } from "../tools/declared/every_tool.ts";
import type { TodoItem } from "../tools/declared/agent_level_tools.ts";
import {
  duration,
  first_of,
  harmless,
  last_of,
  line,
  percent,
  plural,
  short,
  tokens,
  whole_line,
} from "./text.ts";

/** A command may hold a whole file: of a longer one, or of more lines, the beginning is shown, and how much there is more. */
const COMMAND_CHARS = 1000, COMMAND_LINES = 20;
/** Length of an ending's name in a session that someone else wrote. */
const REASON_CHARS = 100;

/** `87%`: the part of the prompt that the server did not have to read again; null if it is less than one. */
export function cached_share(
  { cached_tokens, input_tokens }: Pick<Result["usage"], "cached_tokens" | "input_tokens">,
): string | null {
  const whole = percent(cached_tokens, input_tokens);
  return cached_tokens > 0 && whole !== "<1%" ? whole : null;
}

type TokenCounts = Pick<Result["usage"], "input_tokens" | "output_tokens">;

function all_of(usages: readonly TokenCounts[]): number {
  return usages.reduce((sum, usage) => sum + usage.input_tokens + usage.output_tokens, 0);
}

/** `4.1k`; empty where no server has sent a count: what is not known is not told as none. */
export function token_count(usages: readonly TokenCounts[]): string {
  const all = all_of(usages);
  return all === 0 ? "" : short(all);
}

/** The token count as an item of a list, with its unit. */
export function spent_tokens(usages: readonly TokenCounts[]): readonly string[] {
  const all = all_of(usages);
  return all === 0 ? [] : [tokens(all)];
}

/** Of the facts that speak against an answer: the rest is in what the model is told. */
const FACT_CHARS = 200;

/** Why the model is asked once more, where nothing else in the log tells it: null if it does. `whole`: what shows all of it. */
export function why_asked_again({ name, message }: EventOf<"nudge">, whole: string): string | null {
  const [fault = ""] = message.split("\n");
  if (name === "schema") return `   ↻ asking again: ${whole_line(fault)}`;
  if (name !== "doubtful") return null;
  const facts = line(message.replace(/ If something is left to do[^]*/, ""), FACT_CHARS);
  return `   ↩ the model is asked again, as its answer is doubtful. ${facts} (${whole})`;
}

/** That a server is asked again; why is said once, as it stays the same while a server is away. */
export function retry_words({ wait_ms, reason }: EventOf<"retry">, was_said: boolean): string {
  const when = wait_ms > 0 ? ` in ${(wait_ms / 1000).toFixed(1)} s` : "";
  return `   ↻ asking again${when}${was_said ? "" : `: ${whole_line(reason)}`}`;
}

/** Lines of the output of a command that failed, and of one that went well (section 7 of the contract). */
const FAILED_LINES = 10, PASSED_LINES = 5;

export function printed_end({ text, ok }: Pick<EventOf<"output">, "text" | "ok">): Detail {
  const lines = text.split("\n").filter((one) => one.trim() !== "");
  const { shown, more } = last_of(lines, ok ? PASSED_LINES : FAILED_LINES);
  return { kind: "output", lines: shown, more };
}

/** `⇅ POST http://127.0.0.1:8080/v1/chat/completions, 12.3k bytes: answered in 0.8 s`. */
export function request_line({ url, bytes, ms, error }: EventOf<"request">): string {
  const end = error === null ? "answered" : `failed (${whole_line(error)})`;
  return `   ⇅ POST ${url}, ${short(bytes)} bytes: ${end} in ${(ms / 1000).toFixed(1)} s`;
}

/** `5000 tokens in (4350 cached, 87%), 120 out`. */
export function tokens_of(event: EventOf<"usage">): string {
  const { input_tokens, cached_tokens, output_tokens } = event;
  const share = cached_share(event);
  const cached = `${cached_tokens} cached${share === null ? "" : `, ${share}`}`;
  return `${plural(input_tokens, "token")} in (${cached}), ${output_tokens} out`;
}

/** Cells of a bar: half a narrow terminal has room for the words around it. */
const BAR_CELLS = 20;

/** `████████░░░░░░░░░░░░ 41% of 5.4k tokens`. */
export function bar({ read, total }: Prefill): string {
  const full = Math.floor((read / total) * BAR_CELLS);
  const cells = "█".repeat(full) + "░".repeat(BAR_CELLS - full);
  return `${cells} ${percent(read, total)} of ${tokens(total)}`;
}

/** `write, 1.2k characters`. */
export function called({ name, chars }: Writing): string {
  return [...(name === "" ? [] : [line(name, 40)]), tokens(chars).replace("token", "character")]
    .join(", ");
}

/** A message without what a command printed, and that. */
export function parted(message: string): readonly [said: string, printed: string] {
  const [said = "", printed = ""] = message.split(/ The end of its output:\n+/, 2);
  return [said, printed];
}

/** `2 files +45 -12`. */
export function counted_files(files: Result["files_changed"]): string {
  const added = files.reduce((sum, file) => sum + file.added, 0);
  const removed = files.reduce((sum, file) => sum + file.removed, 0);
  return `${plural(files.length, "file")} +${added} -${removed}`;
}

/** What the verdict rests on: that a command passed, or nothing but the changes themselves. */
export function rests_on({ verification, files_changed: files }: Result): string {
  if (verification?.exit_code === 0) {
    return `; verified: ${command_on_a_line(verification.command)}`;
  }
  return files.length === 0 ? "" : `; not verified${verification === null ? " (no --verify)" : ""}`;
}

/** `12 s, 3 tool calls, 1 file +4 -2; verified: npm test`: what a task came to that did something; null for one that did not. */
export function came_to(result: Result): string | null {
  if (result.tool_calls === 0) return null;
  const { duration_ms, files_changed: files, verification } = result;
  return [
    ...(duration_ms < 1000 ? [] : [duration(duration_ms)]),
    plural(result.tool_calls, "tool call"),
    ...(files.length === 0 ? [] : [counted_files(files)]),
  ].join(", ") + (verification?.exit_code === 0 ? rests_on(result) : "");
}

export function command_on_a_line(text: string): string {
  return clipped(whole_line(text));
}

function clipped(text: string): string {
  const more = text.length - COMMAND_CHARS;
  return more <= 0 ? text : `${text.slice(0, COMMAND_CHARS)} … ${plural(more, "more character")}`;
}

/** A call as a person reads it: `bash → npm test`, and the lines of a longer command as typed, without blank lines. */
export function call_lines(
  call: { readonly name: string; readonly arguments: unknown; readonly mcp?: string },
): { readonly lines: readonly string[]; readonly more: number } {
  const { name, mcp } = call;
  const all = harmless(summary(call)).split("\n").filter((one) => one.trim() !== "");
  const { shown: [first = "", ...rest], more } = first_of(all, COMMAND_LINES);
  const begun = mcp === undefined
    ? `${line(name, 40)} → ${command_on_a_line(first)}`
    : `${line(name.slice(mcp.length + 2), 64)} → ${command_on_a_line(first)} (MCP: ${mcp})`;
  const typed = rest.map((one) => `> ${clipped(one.replaceAll("\t", "  ").trimEnd())}`);
  return { lines: [begun, ...typed], more };
}

/** Changed files that are named for a step; the result has all of them. A folder of data has 100,000. */
const MOST_NAMED = 50;

/** It may be printed after the next step has begun, so it names its own. */
export function changed_words({ step, files }: EventOf<"turn_diff">): string {
  const names = files.slice(0, MOST_NAMED).map(({ path }) => path).join(", ");
  const more = files.length - MOST_NAMED;
  return `Step ${step} changed ${counted_files(files)}: ${names}` +
    (more > 0 ? `, and ${more} more` : "");
}

const MARKS: Readonly<Record<TodoItem["status"], string>> = {
  pending: "☐",
  in_progress: "▸",
  completed: "☑",
};

export function todo_lines(items: readonly TodoItem[]): string | null {
  const lines = items.map(({ text, status }) => `      ${MARKS[status]} ${whole_line(text)}`);
  return lines.length === 0 ? null : lines.join("\n");
}

/** Lines of a diff with their numbers in the file, where these are known. */
export function numbered({ lines, line }: Detail): readonly string[] {
  if (line === undefined) return lines;
  const far_of = (one: string) => Number(/^… (\d+) /.exec(one)?.[1] ?? 0);
  const width = String(lines.reduce((sum, one) => sum + 1 + far_of(one), line)).length;
  let [old, fresh] = [line, line];
  return lines.map((one) => {
    const far = far_of(one);
    if (far > 0) {
      [old, fresh] = [old + far, fresh + far];
      return `${" ".repeat(width)} ${one}`;
    }
    const number = one.startsWith("-") ? old : fresh;
    if (!one.startsWith("+")) old++;
    if (!one.startsWith("-")) fresh++;
    return `${String(number).padStart(width)} ${one}`;
  });
}

/** What a call is about; its arguments may not fit the tool. */
export function summary(event: { name: string; arguments: unknown }): string {
  const plain = JSON.stringify(event.arguments);
  try {
    const tool = find_tool(event.name);
    const { properties = {}, required = [] } = tool?.parameters ?? {};
    const given = new Map(Object.entries(event.arguments ?? {}));
    const words: unknown = tool?.summary(event.arguments);
    const as_meant = required.every((name) => given.has(name)) &&
      [...given].every(([name, value]) =>
        typeof value !== "object" || properties[name]?.["type"] !== "string"
      );
    return typeof words === "string" && as_meant ? words : plain;
  } catch {
    return plain;
  }
}

const ENDINGS: Readonly<Record<StopReason, string>> = {
  llm_done: "Finished",
  llm_error: "Model error",
  model_error: "Unusable calls",
  tool_error: "Repeated reads",
  loop_detected: "Stuck in a loop",
  empty_response: "Empty replies",
  policy_violation: "Policy violation",
  internal_error: "Internal error",
  max_steps: "Step limit",
  max_tool_calls: "Call limit",
  budget_exceeded: "Over budget",
  budget_exhausted: "Context full",
  context_full: "Context full",
  verification_failed: "Tests failed",
  contract_unsatisfied: "Not confirmed",
  evaluation_failed: "Review failed",
  schema_unmet: "Answer has the wrong form",
  findings: "Findings",
  not_done: "Not done",
  config_error: "Not started",
  auth_error: "Key refused",
  timeout: "Timed out",
  user_interrupt: "Stopped",
};

/** How a task ended, for a person. An import may hold a reason that is not ours. */
export function ended(reason: string): string {
  return Object.hasOwn(ENDINGS, reason)
    ? ENDINGS[reason as StopReason]
    : line(reason, REASON_CHARS);
}
