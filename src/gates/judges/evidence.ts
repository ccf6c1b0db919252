/** What a judge gets to see of a run, as one message that fits the model's window. */
import { defused } from "../../config/text.ts";
import { CHARS_PER_TOKEN, quarters_of, tokens_in } from "../../context/estimate.ts";
import { short_line } from "../../model/errors.ts";
import type { LedgerRow } from "../../tools/ledger.ts";
import { outcome } from "../facts/summary.ts";
import type { FileChange } from "../../changes/turn_diff.ts";

export interface JudgedEvidence {
  readonly task: string;
  readonly ledger: readonly LedgerRow[];
  readonly refused: number;
  /** What differs from the start of the run, and how. */
  readonly files: readonly FileChange[];
  readonly diff: string;
  readonly answer: string;
}

// Shares of the window. What is left of it, a quarter of it is the reply's, holds the judge's instructions.
const TASK_SHARE = 1 / 8;
/** A rubric is never cut: a point that is left out would count as met. One that takes more is refused at the start. */
export const RUBRIC_SHARE = 1 / 8;
const RECORD_SHARE = 1 / 16;
/** Share of the diff, which is what is judged. */
export const DIFF_SHARE = 1 / 4;
const ANSWER_SHARE = 1 / 8;

/** Named in the record, the first files and the last commands; a model loses count long before. */
const MOST_NAMED = 50;
const COMMAND_CHARS = 200;

/** The message for a judge; `window` is the model's, in tokens. */
export function present(
  evidence: JudgedEvidence,
  { rubric, window }: { rubric: string | null; window: number },
): string {
  const { task, diff, answer } = evidence;
  return [
    fenced("task", head_and_tail(task, window * TASK_SHARE)),
    ...(rubric === null ? [] : [fenced("rubric", rubric)]),
    fenced("record", head_and_tail(record(evidence), window * RECORD_SHARE)),
    fenced("diff", head_and_tail(diff === "" ? "(nothing differs)" : diff, window * DIFF_SHARE)),
    fenced("answer", head_and_tail(answer, window * ANSWER_SHARE)),
    "Your verdict, as one JSON object and nothing else:",
  ].join("\n\n");
}

/** Head and tail of a text that is estimated at more than `tokens`; the text itself where it is not. */
export function head_and_tail(text: string, tokens: number): string {
  if (tokens_in(text) <= tokens) return text;
  const half = tokens * CHARS_PER_TOKEN / 2; // In quarters of a token.
  let head = 0;
  for (let spent = 0; (spent += quarters_of(text.charCodeAt(head))) <= half;) head++;
  let tail = text.length;
  for (let spent = 0; (spent += quarters_of(text.charCodeAt(tail - 1))) <= half;) tail--;
  return `${text.slice(0, head)}\n[${tail - head} characters left out]\n${text.slice(tail)}`;
}

/** Nothing inside can close the tag, or open another one of its kind. */
function fenced(name: string, text: string): string {
  return `<graded-${name}>\n${defused(text.trim(), "graded-[\\w-]*")}\n</graded-${name}>`;
}

function record({ ledger, files, refused }: JudgedEvidence): string {
  const outcomes = (of: "command" | "verification") =>
    ledger.flatMap((row) =>
      row.kind === of ? [`${outcome(row)}: ${short_line(row.command, COMMAND_CHARS)}`] : []
    );
  const differ = files.map(({ status, path, added, removed }) =>
    `${status} ${path.replace(/\p{Cc}/gu, "?")} +${added} -${removed}`
  );
  return [
    ...listed("Files that differ from the start of the run", differ, [0, MOST_NAMED]),
    ...listed("Commands that the agent ran, in order", outcomes("command"), [-MOST_NAMED]),
    ...listed("Verification by hamr, in order", outcomes("verification"), [-MOST_NAMED]),
    ...(refused > 0 ? [`Calls that were refused: ${refused}`] : []),
  ].join("\n");
}

function listed(
  title: string,
  lines: readonly string[],
  shown: readonly [from: number, to?: number],
): string[] {
  if (lines.length === 0) return [`${title}: none`];
  const named = lines.slice(...shown);
  const more = lines.length - named.length;
  return [
    `${title}:`,
    ...named.map((line) => `  ${line}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

/** A line break in a name would make a line of the record. */
