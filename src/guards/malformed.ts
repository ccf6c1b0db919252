import { GO_ON, type Rule, rule, type Verdict, type View } from "./rule.ts";

/** The first calls that fit nothing are answered with what is wrong with each; this many steps of them call for more. */
const STEPS = 2;

/** A form that fits every tool, to be filled in (seed 000). */
const TEMPLATE =
  "None of your last calls could be run. A call has the name of a tool and its arguments as one JSON object, such as: " +
  'read {"path": "src/main.ts"}. Make one call in this form, or give your final answer.';

/**
 * Calls that no tool can run, step after step: an example of the form, and in the end the run stops. A call that stands in the
 * text of a reply and cannot be read is none: the model is told so.
 */
export function malformed(): Rule {
  return rule<null>({
    name: "malformed_call",
    start: null,
    check(moment, view) {
      if (moment.at === "reply" && moment.reply.unread !== undefined) {
        return {
          verdict: not_run(moment.reply.unread, moment.reply.tool_calls.length > 0),
          memory: null,
        };
      }
      if (moment.at !== "request" || invalid_steps(view) < STEPS) {
        return { verdict: GO_ON, memory: null };
      }
      const recovers = { scenario: "malformed_tool_call", otherwise: "model_error" } as const;
      return { verdict: { kind: "nudge", text: TEMPLATE, recovers }, memory: null };
    },
  });
}

function not_run(unread: string, run: boolean): Verdict {
  const text =
    `Your reply has a call in its text that cannot be read, and was not run (${unread}). ` +
    "Make it again, whole, or give your final answer.";
  const recovers = { scenario: "malformed_tool_call", otherwise: "model_error" } as const;
  return { kind: "nudge", text, recovers, ...(run ? { run } : {}) };
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
