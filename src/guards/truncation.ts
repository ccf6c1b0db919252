import type { ToolCall } from "../model/message.ts";
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
 * since the last one is not whole, and asked for in smaller pieces. Of calls in text the whole ones are known, and run.
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
      const called = reply.tool_calls.length > 0 || reply.dropped === true;
      const answer = !called && reply.content.trim() !== "";
      if (answer && memory.continued < limits.auto_continues) {
        const text = "Your reply was cut by the output limit. " +
          "Continue exactly where it stopped; repeat nothing.";
        const next = { in_a_row, continued: memory.continued + 1 };
        return { verdict: { kind: "nudge", text, keep: true }, memory: next };
      }
      if (reply.tool_calls.length > 0 && reply.tool_calls.every(is_whole)) {
        const text = salvaged(reply.tool_calls);
        return { verdict: { kind: "nudge", text, run: true }, memory: { ...memory, in_a_row } };
      }
      const text = "Your reply was cut by the output limit and its tool calls were not run. " +
        "Go on in smaller pieces: one short call at a time.";
      return { verdict: { kind: "nudge", text }, memory: { ...memory, in_a_row } };
    },
  });
}

/** What is read out of text has its end; what a server was building up has none that can be trusted. */
function is_whole(call: ToolCall): boolean {
  return call.dialect !== undefined;
}

function salvaged(calls: readonly ToolCall[]): string {
  const names = calls.map(({ name }) => name).join(", ");
  return `Your reply was cut by the output limit. Of its calls only the whole ones were taken (${names}); ` +
    "their results stand above. What came after was dropped. " +
    "Go on in smaller pieces: one short call at a time.";
}
