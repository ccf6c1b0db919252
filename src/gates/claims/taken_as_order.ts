/** An answer that reports work, to a message whose words are no order: "Done. Updated `a.json`", to "can we ignore the cache?" */
import type { View } from "../../guards/rule.ts";
import { type FinalAnswer, GREETS_NOBODY, is_status } from "../answer/answer.ts";
import { asked_for, type AskedFor, JUDGED_TASK_CHARS } from "../answer/task.ts";
import { unmade } from "../facts/failed_changes.ts";
import { is_done } from "../facts/facts.ts";
import { plain } from "../answer/text.ts";
import { IMPERATIVE } from "../phrases/orders.ts";
import * as says from "../phrases/triggers.ts";
import { disbelieved_by, is_idle } from "./idle.ts";

/**
 * What the task wants, as the run took it: changes were tried, and failed, or the answer reports work. By its words alone only where
 * the session holds no fact: else the report may be of those.
 */
export function taken_for(answer: FinalAnswer, view: View): AskedFor {
  const wanted = asked_for(view.asked);
  const is_other = wanted.words || wanted.echo || wanted.greeting || wanted.work || wanted.manner;
  if (is_other || !(has_tried(view) || is_report(answer, view))) return wanted;
  return { ...wanted, question: false, theory: false, work: true };
}

/** Whether each change that was tried in this turn failed, and nothing else could be one. */
function has_tried(view: View): boolean {
  return unmade(view.turn, { seen: true }).length > 0 && is_idle(view);
}

function is_report(answer: FinalAnswer, view: View): boolean {
  const task = plain(view.asked.slice(0, JUDGED_TASK_CHARS));
  return reports_work(answer, task) && !is_done(view.ledger, disbelieved_by(view)) &&
    (is_fanfare(answer) || !HOW_IT_STANDS.test(task));
}

/** "Is everything in place?", "check whether it is done": there a state is an answer. */
const HOW_IT_STANDS =
  /(?:^|[.!?\n] *)(?:(?:and|so|but|ok(?:ay)?),? )*(?:is|are|was|were|did|do|does|has|have|ist|sind|hat|hast|habt|haben|wurden?|est|sont|as|avez|esta|estan|hay)\b[^.!?\n]*\?|\b(?:check|see|verify|confirm|sure|tell|look|know)\b[^.!?\n]*\b(?:if|whether|that|how far)\b|\bstatus\b|\bhow far\b|\bwhat(?:'s| is| has been| have (?:you|we)) (?:left|done|missing|open|changed)\b|\bwhere (?:are|do) we\b/;

/** "Done." is no answer to a question, nor is "Updated `a.ts`" with a list of changes; and "what I've done" is told of work. */
function reports_work(answer: FinalAnswer, task: string): boolean {
  const { said } = answer;
  const [head = ""] = said;
  const [first = ""] = said.filter((one) => !says.fills(one));
  return said.length > 1 && is_status(head, GREETS_NOBODY) || is_fanfare(answer) ||
    says.opens_with_change(first) && !says.denies(first) &&
      (said.some(says.lists_changes) || WE_COULD.test(task)) ||
    said.some((one) => says.lists_changes(one) && says.in_first_person(one));
}

/** "Can we make it wider?" */
const WE_COULD = new RegExp(
  `\\b(?:(?:can|could) we (?:also |just |maybe |please |potentially )*|what we need (?:to do )?(?:now )?is (?:to )?)${IMPERATIVE}`,
);

/** "Perfect! Now the buttons should work": cheered is what was done. */
export function is_fanfare({ said: [head = "", next = ""] }: FinalAnswer): boolean {
  return CHEER.test(head) && RESULT.test(next);
}

const CHEER = /^(?:perfect|excellent|great|awesome|success|done|all set)\W*$/;
const RESULT =
  /^now,? (?:the|when(?:ever)?|both|you|your|all|every|each|it|everything)\b.*\b(?:should|will|correctly|properly|works?|fixed|resolved|instead|much|cleaner|better|faster|simpler)\b/;
