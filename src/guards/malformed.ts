import { GO_ON, type Rule, rule, type Verdict, type View } from "./rule.ts";

/** The first calls that fit nothing are answered with what is wrong with each; this many steps of them call for more. */
const STEPS = 2;

/** A form that fits every tool, to be filled in (seed 000). */
const TEMPLATE =
  "None of your last calls could be run. A call has the name of a tool and its arguments as one JSON object, such as: " +
  'read {"path": "src/main.ts"}. Make one call in this form, or give your final answer.';

/** Calls that no tool can run, step after step: an example, and at last a stop. The memory is how many came in a row. */
export function malformed(): Rule {
  return rule<number>({
    name: "malformed_call",
    start: 0,
    check(moment, view, before) {
      if (moment.at === "reply") {
        const { unread, shown_call: shown, tool_calls } = moment.reply;
        if (unread === undefined) {
          const asks = shown !== undefined && before === 0;
          return asks ? { verdict: is_meant(shown), memory: 1 } : { verdict: GO_ON, memory: 0 };
        }
        const memory = before + 1;
        return { verdict: not_run(unread, { run: tool_calls.length > 0, times: memory }), memory };
      }
      if (moment.at !== "request" || invalid_steps(view) < STEPS) {
        return { verdict: GO_ON, memory: before };
      }
      const verdict = {
        kind: "nudge",
        text: TEMPLATE,
        recovers: RECOVERS,
        constrain: true,
      } as const;
      return { verdict, memory: before };
    },
  });
}

const RECOVERS = { scenario: "malformed_tool_call", otherwise: "model_error" } as const;

function not_run(unread: string, { run, times }: { run: boolean; times: number }): Verdict {
  const text =
    `Your reply contains a call that could not be read, so it was not run (${unread}). ` +
    "Send the whole call again, or give your final answer.";
  const constrain = times >= STEPS ? { constrain: true } as const : {};
  return { kind: "nudge", text, recovers: RECOVERS, ...constrain, ...(run ? { run } : {}) };
}

/** Asked once: an answer that shows the call again is an answer. */
function is_meant(shown: string): Verdict {
  const text =
    `Your reply shows a call of ${shown} in its text, which was not run. If you mean it, send it with nothing before it; ` +
    "if it is part of your answer, give the answer again.";
  return { kind: "nudge", text, recovers: RECOVERS };
}

/** Steps at the end of the turn, up to `STEPS`, in which no call could be run for its form. */
function invalid_steps({ actions, steps }: View): number {
  let count = 0;
  for (let at = actions.length - 1, step = steps; at >= 0 && count < STEPS; step--, count++) {
    if (actions[at]?.step !== step) break;
    for (; actions[at]?.step === step; at--) if (actions[at]?.valid) return count;
  }
  return count;
}
