/** What makes an answer doubtful, and what the model hears about it. */

export type Doubt =
  | "change"
  | "pass"
  | "command"
  | "leftover"
  | "server"
  | "figure"
  | "beside"
  | "forbidden"
  | "status"
  | "word"
  | "announcement"
  | "question"
  | "refusal"
  | "code"
  | "attempt"
  | "failed"
  | "unmade";

export const CLAIMS: ReadonlySet<Doubt> = new Set([
  "change",
  "pass",
  "command",
  "leftover",
  "server",
  "figure",
  "beside",
  "forbidden",
  "status",
]);

/** A fact that goes with the question. */
export const FACTS_BESIDE: Partial<Readonly<Record<Doubt, string>>> = {
  leftover: " The last search found something.",
  forbidden: " The task says not to change one of them.",
  question: " No one can answer questions in this run.",
  server: " No process started by a command in this turn is running.",
  code: " Code in an answer changes no file.",
};
export const WAYS =
  "If something is left to do, do it with the tools. If your answer stands, repeat it. " +
  "If the task can't be done, begin the answer with `NOT DONE:` and the reason.";

const NAMED = 3;

/** Why the run ends, where an answer is doubtful still. `names`: files that it claims to have changed, and that could not have. */
export function why_doubtful(doubt: Doubt, names: readonly string[]): string {
  const named = [...new Set(names)].slice(0, NAMED).join(", ");
  return named === "" ? WHY[doubt] : `The answer claims a change of ${named}, and none was seen.`;
}

const WHY: Readonly<Record<Doubt, string>> = {
  change: "The answer claims a change that no call of the run could have made.",
  pass: "The answer claims that a test passes, but none could have passed since the last change.",
  command: "The answer claims that a command was run, but none like it was.",
  leftover: "The answer says that nothing is left, and the last search found something.",
  server: "The answer says that something is running, but nothing started in this turn is.",
  word:
    "The answer says nothing about the task, and no fact of this turn shows that anything was done.",
  beside: "The answer says that only some files were changed, and others were.",
  forbidden:
    "A file was changed that the task says to leave alone, and the answer does not say so.",
  figure: "The answer gives a measured figure or an output that no result shows.",
  status: "The answer is only a status, and no fact of this turn shows that anything was done.",
  announcement: "The answer only announces what comes next.",
  question: "The answer only asks the user, and no one can answer.",
  refusal: "The answer refuses the task.",
  code: "The answer shows a change that was not made.",
  attempt: "A change was tried and failed, and the answer does not say so.",
  failed: "What was tried last failed or was refused, and the answer does not say so.",
  unmade: "A change failed and was not seen to be made since, and the answer does not say so.",
};
