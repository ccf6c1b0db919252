import type { Reply } from "../model/message.ts";
import { GO_ON, type Rule, rule } from "./rule.ts";

/** One nudge; the reply before it was already asked for twice, with and without streaming (seeds 000, 004). */
const NUDGES = 1;

const NOTHING: Readonly<Partial<Record<Reply["finish"], string>>> = {
  content_filter: "the server's content filter left nothing of the model's replies",
  refusal: "the server marked the model's replies as refusals, and they held no words",
};

/** A reply without text or calls; reasoning alone is not an answer. */
export function empty(): Rule {
  return rule<number>({
    name: "empty",
    start: 0,
    check(moment, _view, in_a_row) {
      if (moment.at !== "reply") return { verdict: GO_ON, memory: in_a_row };
      const { reply } = moment;
      const { content, tool_calls, unread } = reply;
      if (content.trim() !== "" || tool_calls.length > 0 || unread !== undefined) {
        return { verdict: GO_ON, memory: 0 };
      }
      if (in_a_row >= NUDGES) {
        const text = NOTHING[reply.finish] ?? "the model's replies held no answer and no call";
        return { verdict: { kind: "stop", reason: "empty_response", text }, memory: in_a_row + 1 };
      }
      const text = "Your last reply was empty. Call a tool to go on, or give your final answer.";
      const recovers = { scenario: "empty_response", otherwise: "empty_response" } as const;
      return { verdict: { kind: "nudge", text, recovers }, memory: in_a_row + 1 };
    },
  });
}
