import { GO_ON, reached, type Rule, rule } from "./rule.ts";

/** Where cut replies lead; from `[guards]`. */
export interface TruncationLimits {
  /** Cut replies in a row that end the run (seed 000: 3). */
  readonly max_truncations: number;
  /** How often a cut answer is continued in a turn (seeds 003, 004: 2). */
  readonly auto_continues: number;
}

interface Memory {
  readonly in_a_row: number;
  readonly continued: number;
}

/**
 * A reply cut by the output limit: an answer is continued where it stopped and joined; calls are dropped,
 * since the last one is not whole, and asked for in smaller pieces.
 */
export function truncation(limits: TruncationLimits): Rule {
  return rule<Memory>({
    name: "truncation",
    start: { in_a_row: 0, continued: 0 },
    check(moment, _view, memory) {
      if (moment.at !== "reply") return { verdict: GO_ON, memory };
      const { reply } = moment;
      if (reply.finish !== "length") return { verdict: GO_ON, memory: { ...memory, in_a_row: 0 } };
      const in_a_row = memory.in_a_row + 1;
      if (reached(in_a_row, limits.max_truncations)) {
        const text = `${in_a_row} replies in a row were cut by the output limit ` +
          "(raise --max-output-tokens, or the model's context)";
        return {
          verdict: { kind: "stop", reason: "model_error", text },
          memory: { ...memory, in_a_row },
        };
      }
      const answer = reply.tool_calls.length === 0 && reply.content.trim() !== "";
      if (answer && memory.continued < limits.auto_continues) {
        const text = "Your reply was cut by the output limit. " +
          "Continue exactly where it stopped; repeat nothing.";
        const next = { in_a_row, continued: memory.continued + 1 };
        return { verdict: { kind: "nudge", text, keep: true }, memory: next };
      }
      const text = "Your reply was cut by the output limit and its tool calls were not run. " +
        "Go on in smaller pieces: one short call at a time.";
      return { verdict: { kind: "nudge", text }, memory: { ...memory, in_a_row } };
    },
  });
}
