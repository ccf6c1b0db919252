import { GO_ON, type Rule, rule, type View } from "./rule.ts";

/** How many commands in a row may fail before the model hears of it; fewer are how one finds out. */
const FAILURES = 3;

const ADVICE = `Your last ${FAILURES} commands failed. If you did not expect that, ` +
  "read their output, find the cause and fix it, or try another way.";

/** Commands that fail in a row without a change between; `grep` without a match is no failure. The memory is the count when last said. */
export function bash_failure(): Rule {
  return rule<number>({
    name: "bash_failure",
    start: 0,
    check(moment, view, told) {
      if (moment.at !== "request" || view.calls < told + FAILURES || !all_failed(view)) {
        return { verdict: GO_ON, memory: told };
      }
      return { verdict: { kind: "nudge", text: ADVICE }, memory: view.calls };
    },
  });
}

function all_failed({ actions, changes }: View): boolean {
  const last = actions.slice(-FAILURES);
  return last.length === FAILURES &&
    last.every((action) =>
      action.name === "bash" && action.ran && !action.ok && !action.looks &&
      action.changes === changes
    );
}
