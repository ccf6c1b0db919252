/** What is not a rule of the two lists, but behaves like one: the rows for reminders, judges and compaction. */
import { REPLACED } from "../../src/agent/fit_window.ts";
import { internal } from "../../src/agent/history.ts";
import {
  QUIET_STEPS,
  type Reminder,
  REMINDERS,
  type ReminderView,
} from "../../src/agent/reminders.ts";
import { FIX_NOW } from "../../src/agent/run.ts";
import { SUMMARIZER } from "../../src/context/summary.ts";
import { evaluator } from "../../src/gates/judges/evaluator.ts";
import { tokens_in } from "../../src/context/estimate.ts";
import type { Judge } from "../../src/gates/judges/judge.ts";
import { rubric } from "../../src/gates/judges/rubric.ts";
import type { StopReason } from "../../src/guards/rule.ts";

/** Something that speaks up without being a `Rule`. */
export interface Beside {
  readonly name: string;
  readonly about: string;
  readonly settings: readonly string[];
  /** What it tells the model, and where. */
  readonly tells: readonly { readonly where: string; readonly text: string }[];
  /** For which reasons the run ends because of it, and the file that says so. */
  readonly ends: readonly StopReason[];
  readonly ends_in_file: string | null;
  readonly costs: string;
}

/** What a reminder says; throws if it says nothing. */
function reminded(name: string, sight: Partial<ReminderView>): string {
  const reminder: Reminder | undefined = REMINDERS.find((one) => one.name === name);
  const whole: ReminderView = {
    steps: 0,
    outdated: [],
    todos: [],
    todos_step: 0,
    asked: "",
    ...sight,
  };
  const text = reminder?.check(whole, reminder.start).text ?? null;
  if (text === null) throw new Error(`no reminder ${name} in this scene`);
  return internal(text);
}

/** What the model is told to fix after a judge has said this; throws if the judge would let it pass. */
function repaired(judge: Judge, reply: Record<string, unknown>): string {
  const opinion = judge.read(JSON.stringify(reply));
  if (opinion?.kind !== "lacks" || !opinion.fixable) {
    throw new Error(`${judge.name} finds nothing`);
  }
  return internal(`${opinion.text}\n${FIX_NOW}`);
}

const self_eval = evaluator();
const grader = rubric("The answer names the cause.");
const JUDGED = "task, record, diff and answer, cut to fit the window";

/** Reminders, in the order in which they are asked before each request. */
export const REMINDED: readonly Beside[] = [
  {
    name: "changed_files",
    about: "A file that the model has read changed on disk; each change once.",
    settings: ["reminders.enabled"],
    tells: [{
      where: "`src/a.ts` was changed",
      text: reminded("changed_files", { outdated: [{ path: "src/a.ts", gone: false, change: 1 }] }),
    }],
    ends: [],
    ends_in_file: null,
    costs: "Its tokens once: a reminder is at the end of one request and is not kept.",
  },
  {
    name: "stale_todos",
    about: `Open todos that were not touched for ${QUIET_STEPS} steps; again after as many more.`,
    settings: ["reminders.enabled"],
    tells: [{
      where: "one is open",
      text: reminded("stale_todos", {
        steps: QUIET_STEPS,
        todos: [{ text: "Fix the parser", status: "in_progress" }],
      }),
    }],
    ends: [],
    ends_in_file: null,
    costs: "Its tokens once: a reminder is at the end of one request and is not kept.",
  },
];

/** Who is asked about the work once the gates have nothing against it, in this order. */
export const JUDGES: readonly Beside[] = [
  {
    name: self_eval.name,
    about:
      "The model judges its own work, if `verify.self_eval` is `basic` or `full`; with `full` it fixes what it finds.",
    settings: ["verify.self_eval", "verify.self_eval_retries"],
    tells: [{
      where: "it finds something missing, with `full`",
      text: repaired(self_eval, {
        completed: false,
        issues: ["The empty list is not handled."],
      }),
    }],
    ends: ["evaluation_failed"],
    ends_in_file: "src/agent/run.ts",
    costs: `A request without tools after each turn that would end well: ` +
      `${tokens_in(self_eval.system)} tokens of instructions, with ${JUDGED}. ` +
      "With `full` up to {verify.self_eval_retries} turns to fix it, with all their requests.",
  },
  {
    name: grader.name,
    about:
      "A grader that sees the evidence, not the conversation, checks the work against your `--rubric`.",
    settings: ["verify.rubric_rounds"],
    tells: [{
      where: "a point is not met",
      text: repaired(grader, {
        verdict: "needs_revision",
        feedback: "The cause is not named.",
      }),
    }],
    ends: ["evaluation_failed"],
    ends_in_file: "src/agent/run.ts",
    costs: `A request without tools after each turn that would end well: ` +
      `${tokens_in(grader.system)} tokens of instructions, with the rubric and ${JUDGED}. ` +
      "Up to {verify.rubric_rounds} turns to fix it, with all their requests.",
  },
];

/** What keeps a conversation within the model's window. */
export const CONTEXT: Beside = {
  name: "context",
  about:
    "Shrinks the conversation when it has grown too large for the window; ends the run if that does not help. " +
    "Stage 0 cleans and stubs old results; 1 replaces all but the last messages with a summary; 2 and 2b keep " +
    "fewer of those; 3 also shortens the summary. The first stage that makes enough room is used. The task is never changed.",
  settings: [
    "context.strategy",
    "context.compact_at",
    "context.critical_at",
    "context.protect_last",
    "context.summarize_after_steps",
    "agent.context_budget_tokens",
  ],
  tells: [{ where: "older messages were replaced, before the summary", text: internal(REPLACED) }],
  ends: ["budget_exhausted", "context_full"],
  ends_in_file: "src/agent/fit_window.ts",
  costs:
    `Nothing for stage 0, which stubs old results. Beyond that a request for a summary without tools ` +
    `(${tokens_in(SUMMARIZER)} tokens of instructions, and the older messages), if more than ` +
    "{context.summarize_after_steps} steps are left out; and the server's cache of the prompt, since what follows the task is new.",
};
