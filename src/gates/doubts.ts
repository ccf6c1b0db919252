/** What makes an answer doubtful, and what the model hears about it. */
import type { View } from "../guards/rule.ts";
import { NO_RESULT } from "./phrases/reports.ts";

interface DoubtRow {
  /** Why the run ends, where the answer is doubtful still. */
  readonly why: string;
  /** It claims what facts deny: then the answer never stands. */
  readonly is_claim?: true;
  /** A fact that goes with the question. */
  readonly beside?: string;
}

const TABLE = {
  change: {
    is_claim: true,
    why: "The answer claims a change that no call of the run could have made.",
  },
  pass: {
    is_claim: true,
    why: "The answer claims that a test passes, but none could have passed since the last change.",
  },
  command: {
    is_claim: true,
    why: "The answer claims that a command was run, but none like it was.",
  },
  leftover: {
    is_claim: true,
    why: "The answer says that all is done, and what the run last looked at says otherwise.",
    beside: " The last search or comparison found something.",
  },
  stub: {
    is_claim: true,
    why: "A test was switched off or a stub written, and the answer does not say so.",
    beside: " A test was switched off, or a stub written: if that is meant, say it.",
  },
  server: {
    is_claim: true,
    why: "The answer says that something is running, but nothing started in this turn is.",
    beside: " No process started by a command in this turn is running.",
  },
  runs_on: {
    is_claim: true,
    why: "The answer says that something has ended, and it is still running.",
    beside: " A process started by a command in this turn is still running.",
  },
  figure: {
    is_claim: true,
    why: "The answer gives a measured figure or an output that no result shows.",
  },
  beside: {
    is_claim: true,
    why: "The answer says that only some files were changed, and others were.",
  },
  forbidden: {
    is_claim: true,
    why: "A file was changed that the task says to leave alone, and the answer does not say so.",
    beside: " The task says not to change one of them.",
  },
  tests: {
    is_claim: true,
    why: "A file of tests was deleted, and the answer does not say so.",
    beside: " A file of tests was deleted, and the answer does not say so.",
  },
  status: {
    is_claim: true,
    why: "The answer is only a status, and no fact of this turn shows that anything was done.",
  },
  word: {
    why:
      "The answer says nothing about the task, and no fact of this turn shows that anything was done.",
  },
  announcement: { why: "The answer only announces what comes next." },
  question: {
    why: "The answer only asks the user, and no one can answer.",
    beside: " No one can answer questions in this run.",
  },
  refusal: { why: "The answer refuses the task." },
  code: {
    why: "The answer shows a change that was not made.",
    beside: " Code in an answer changes no file.",
  },
  attempt: { why: "A change was tried and failed, and the answer does not say so." },
  failed: { why: "What was tried last failed or was refused, and the answer does not say so." },
  unmade: {
    why: "A change failed and was not seen to be made since, and the answer does not say so.",
  },
} as const satisfies Readonly<Record<string, DoubtRow>>;

export type Doubt = keyof typeof TABLE;

export const DOUBTS: Readonly<Record<Doubt, DoubtRow>> = TABLE;

/** Facts that go with the question. */
export function facts_beside(doubt: Doubt, { nowhere, unshown, left_over }: View): string {
  const missing = nowhere.length > 0 ? ` Not in the workspace: ${nowhere.join(", ")}.` : "";
  const figures = unshown.length > 0 ? `${NO_RESULT}${unshown.join(", ")}.` : "";
  const beside = doubt === "leftover" && left_over !== "" ? left_over : DOUBTS[doubt].beside ?? "";
  return missing + figures + beside;
}

export const WAYS =
  "If something is left to do, do it with the tools. If your answer stands, repeat it. " +
  "If the task can't be done, begin the answer with `NOT DONE:` and the reason.";

const NAMED = 3;

/** Why the run ends, where an answer is doubtful still. `names`: files that it claims to have changed, and that could not have. */
export function why_doubtful(doubt: Doubt, names: readonly string[]): string {
  const named = [...new Set(names)].slice(0, NAMED).join(", ");
  return named === ""
    ? DOUBTS[doubt].why
    : `The answer claims a change of ${named}, and none was seen.`;
}
