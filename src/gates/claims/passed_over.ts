/** Changes that failed, and that an answer passes over. */
import type { View } from "../../guards/rule.ts";
import { type FinalAnswer, GREETS_NOBODY, is_status } from "../answer/answer.ts";
import { names_file } from "../answer/files.ts";
import { asked_for } from "../answer/task.ts";
import { given_up, unmade } from "../facts/failed_changes.ts";
import { made } from "../facts/facts.ts";
import * as says from "../phrases/triggers.ts";
import { claim_of } from "./claimed.ts";
import { is_idle } from "./idle.ts";
import { left_undone } from "./never_made.ts";

/**
 * It says nothing of a file whose change failed and was not made in another way, and claims changes, or the task names that
 * file; or it is the answer to a task for a change, or only a status, and nothing was changed.
 */
export function passes_over(answer: FinalAnswer, view: View): boolean {
  const { question, change, work, optional, conditional } = asked_for(view.asked);
  const unsaid = (paths: readonly string[]) => paths.some((path) => !names_file(answer.text, path));
  const missing = unmade(view.turn);
  const is_over_all = () =>
    work && answer.said.some((one) => says.tells_of_all(one.replace(ALL_TESTS, "")));
  if (unsaid(missing) && (is_over_all() || claim_of(answer, view).length > 0)) return true;
  if (change && !optional && !conditional && unsaid(left_undone(view))) return true;
  const status = is_status(answer.text, GREETS_NOBODY);
  const wanted = missing.filter((path) => names_file(view.asked, path, { stem: true }));
  if (change && !status && unsaid(wanted)) return true;
  return (change || !question && status) &&
    unsaid(given_up(view.turn, { acts: !change }));
}

const ALL_TESTS = /\b(?:all|both|each|every) (?:\S+ ){0,2}?(?:tests?|specs?|checks|suites?)\b/g;

/** Whether a claim can only be the change that failed: the task names its file or nothing else was done, and no file has changed. */
export function claims_unmade(answer: FinalAnswer, view: View): boolean {
  const claims = is_status(answer.text, GREETS_NOBODY) || claim_of(answer, view).length > 0;
  const missing = unmade(view.turn);
  return claims && asked_for(view.asked).work && made(view.run).length === 0 &&
    given_up(view.turn, { acts: false })
      .some((path) =>
        missing.includes(path) && (names_file(view.asked, path, { stem: true }) || is_idle(view))
      );
}
