/** What an answer that has to be JSON reports of the work that was ordered: all else in it may be data about anything. */
import { repair } from "../../dialects/repair.ts";
import type { View } from "../../guards/rule.ts";
import { asked_for, JUDGED_TASK_CHARS, ordered } from "../answer/task.ts";
import { plain } from "../answer/text.ts";
import { claims_pass } from "../phrases/triggers.ts";

const REPORTS = /^(?:summary|message|report|explanation|notes?|details|description)$/;
const OUTCOMES = /^(?:status|state|result|outcome|verdict)$/;
const FILES =
  /^(?:files? (?:changed|modified|edited|updated|created)|(?:changed|modified|edited) files?)$/;
const CHANGES = /^(?:changes? (?:made|applied)|(?:changed|applied))$/;
const OF_CHECKS = /\b(?:tests?|builds?|lint\w*|checks?|suite)\b/;
const PASSED = /^(?:all )?(?:pass(?:es|ed|ing)?|ok|green|success(?:ful)?)\W*$/i;
/** What came with the task, and is no order. */
const QUOTED = /"[^"]*"|“[^”]*”|^ *```[^]*?^ *```/gm;

const CHECKS = "(?:tests?|(?:test )?suite|build|lint(?:er|ing)?|type ?check(?:er|s)?|checks?)";
const RUNNERS =
  "(?:pytest|tox|jest|vitest|eslint|tsc|mypy|ruff|(?:npm|pnpm|yarn|bun)(?: run)? (?:test|build|lint)|(?:cargo|go|deno|dotnet|mvn|make|gradle) (?:test|build|check|lint))";
/** Checks are to be run, and their end to be told: a log of them that comes along is none of the run's. */
const TO_CHECK = new RegExp(
  `^(?:please |can you |could you )?(?:(?:re-?)?(?:run|execute) (?:(?:all|the|our|my|full|whole|entire|unit|integration|e2e|python|project's) )*(?:${CHECKS}|${RUNNERS})|` +
    `(?:(?:check|verify|confirm|make sure|ensure) (?:that |whether |if )?|do |does )(?:all |the |our |my )*${CHECKS} (?:still |now |all )*(?:pass|succeed|work|(?:is|are) green)(?:es|s)?(?: now)?(?=[.,;?]|$| and\\b))\\b`,
);

/** Its sentences, a line each; empty where neither a change nor a check was ordered, or nothing is reported. */
export function reported_work(text: string, { asked }: View): string {
  const [task = "", ...more] = asked.replace(QUOTED, '""').split(/\n\s*\n/);
  const { change, question, plan, words, optional, conditional } = asked_for(task);
  const to_check = more.length === 0 && TO_CHECK.test(plain(task.slice(0, JUDGED_TASK_CHARS)));
  if (plan || words || optional || conditional) return "";
  if (!to_check && (!change || question)) return "";
  const order = ordered(task);
  const is_ordered = (deed: string) => {
    const [stem = ""] = /^[a-z]{3,6}/.exec(deed.replace(/e?d$/, "")) ?? [];
    return stem !== "" && new RegExp(`\\b${stem}`).test(order);
  };
  const of_checks = to_check || OF_CHECKS.test(plain(task.slice(0, JUDGED_TASK_CHARS)));
  const told = Object.entries(repair(text) ?? {}).flatMap(([name, value]): readonly string[] => {
    const key = spaced(name);
    const deed = /(\w+ed|done)$/.exec(key)?.[1] ?? "";
    if (value === true) {
      if (claims_pass(key)) return of_checks ? [`${key}.`] : [];
      if (CHANGES.test(key)) return ["I changed it."];
      return is_ordered(deed) ? [`I ${deed} it.`] : [];
    }
    if (typeof value === "string") {
      if (REPORTS.test(key)) return [value];
      if (of_checks && OF_CHECKS.test(key) && PASSED.test(value)) return ["All tests pass."];
      return OUTCOMES.test(key) && is_ordered(plain(value)) ? [`I ${plain(value)} it.`] : [];
    }
    return FILES.test(key) && Array.isArray(value) && value.length > 0
      ? [`I changed ${value.filter((one) => typeof one === "string").join(", ")}.`]
      : [];
  });
  return told.join("\n");
}

/** "testsPassed" and "tests_passed" as words. */
function spaced(name: string): string {
  return name.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ").toLowerCase();
}
