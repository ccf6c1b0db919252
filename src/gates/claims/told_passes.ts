/** Tests, builds and checks of which an answer says that they pass. */
import type { View } from "../../guards/rule.ts";
import { asks, type FinalAnswer, parsed } from "../answer/answer.ts";
import { asked_for } from "../answer/task.ts";
import { could_test, parts_of } from "../facts/commands.ts";
import { made } from "../facts/facts.ts";
import { commands, ended_well } from "../facts/outcomes.ts";
import { plain, shows_program, unwrapped } from "../answer/text.ts";
import { counts_failures, tells_of_others } from "../phrases/reports.ts";
import * as says from "../phrases/triggers.ts";
import {
  affirmed,
  could_pass,
  names_failed,
  names_passed,
  parts_that_pass,
  tells_of_pass,
} from "./passes.ts";
import { is_red, tells_of_failed } from "./unsaid_failure.ts";

/** Whether one is said to pass that failed when it ran last, or none could have passed since the last change. */
export function claims_unshown_pass(answer: FinalAnswer, view: View): boolean {
  if (tells_of_failure(answer, view)) return false;
  const { work, theory } = asked_for(view.asked);
  const said = answer.said.filter((sentence) => !asks(sentence));
  if (said.some((one) => !says.supposes_pass(one) && names_failed(one, view))) return true;
  if (theory) return false;
  const rows = in_table(answer, view);
  const passes = [...said, ...rows, ...affirmed(said, view)].filter((one) =>
    (tells_of_pass(one, view) || rows.includes(one) && ROW_PASSES.test(one)) &&
    !says.supposes_pass(one) && !names_passed(one, view)
  );
  const task = plain(view.asked);
  const told = {
    taken_back: said.some(says.takes_back),
    history: !work,
    short: said.some(says.falls_short),
  };
  return passes.flatMap((one) => parts_that_pass(one, view)).some((claim) =>
    !could_pass(view, {
      ...told,
      claim,
      tests: says.speaks_of_tests(claim) ||
        !says.speaks_of_builds(claim) && says.speaks_of_tests(task),
      whole: says.speaks_of_all_tests(claim, task),
    })
  );
}

/** Whether the answer tells of something that failed: then no other word of it is a false claim. */
export function tells_of_failure(answer: FinalAnswer, view: View): boolean {
  // "`pytest --cov-fail-under=90` passes" tells of none.
  const plainly = [...answer.said, ...in_table(answer, view)].map((one) =>
    one.replace(/--\S+|\b\d+ (?:expected failures?|x-?failed)\b/g, "")
  );
  return tells_of_failed(answer.said, view) ||
    plainly.some((one) =>
      (says.tells_failure(one) || counts_failures(one) || /: fail/.test(one)) &&
      is_of_checks(one) && !(OF_ITS_CAUSE.test(one) && !fails_since_change(view))
    ) ||
    is_red(view) && (says.marks_failure(answer.text) ||
        answer.said.some((one) =>
          says.excepts(one) ||
          made(view.turn).length === 0 && tells_of_others(one) && says.claims_pass(one)
        ));
}

/** Whether something that could be a test has failed since the last change. */
function fails_since_change({ turn }: View): boolean {
  const last = turn.findLastIndex(({ kind }) => kind === "file");
  return commands(turn.slice(last + 1)).some((row) =>
    !ended_well(row) && parts_of(row.command).some(could_test)
  );
}

/** "It fails only without a terminal, as expected" tells of no check. In other languages the word is enough. */
function is_of_checks(sentence: string): boolean {
  return !/\bfail|\d ?(?:of|out of|\/) ?\d/.test(sentence) ||
    OF_CHECKS.test(sentence) && !NOT_NOW.test(sentence);
}

const OF_CHECKS =
  /test|spec|\b(?:suites?|builds?|lint\w*|checks?|ci|cases?|scenarios?|pass\w*|green|assert\w*|compil\w+|types?|pipeline|jobs?|command|run|one|two|three|others?|rest|everything|both|all|still|\d+ (?:\w+ )?fail\w+)\b|^\S+ (?:still )?fails?\b/;
/** "The failure came from the last commit" tells of none that is left, where no check has failed since the last change. */
const OF_ITS_CAUSE =
  /^(?!.*\b(?:still|remain\w*|others?|rest|unrelated|pre-?existing|left)\b)(?:so |and )?(?:the|this|that|both|all|your|our)(?: (?!last\b)\S+){0,4}? failures? (?:in \S+ |of \S+ )?(?:came|comes|stem(?:s|med)|arose|arises|(?:was|were|is|are) (?:\w+ )?(?:caused|due|because|from|fixed|gone|resolved))\b/;
const NOT_NOW = /\b(?:when (?:inverted|reverted)|as expected|on purpose)\b/;

const ROW_PASSES = /: (?:pass(?:es|ed|ing)?|ok|green)\W*$/;
/** The rows of tables, and what stands in a block that is all of an answer. */
function in_table({ text, said, blocks }: FinalAnswer, { asked }: View): readonly string[] {
  const { work, question } = asked_for(asked);
  if (!work || question) return [];
  if (said.length === 0) return shows_program(text) ? [] : parsed(unwrapped(text)).said;
  const rows = blocks.flatMap(({ lines }) => lines).filter((line) => /^\|.*\|/.test(line));
  return parsed(unwrapped(rows.join("\n"))).said;
}
