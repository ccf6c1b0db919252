import type { Reply, ToolCall } from "../model/message.ts";
import { GO_ON, type GuardLimits, reached, type Rule, rule } from "./rule.ts";

/** No tool's name is longer (OpenAI: `^[a-zA-Z0-9_-]{1,64}$`). */
const NAME_CHARS = 64;
const CUT = "Your reply was cut by the output limit";
const CONTINUE = `${CUT}. Continue exactly where it stopped; repeat nothing.`;
const NOTHING =
  `${CUT} before it reached a call or an answer. Think less, and make the next call or give your final answer.`;
const SHORTER = "Go on in smaller pieces: one short call at a time.";
const IN_PARTS =
  "Write a long file in parts: its beginning with write, then each further part with edit, " +
  "where old is the last line so far and new is that line and what follows.";

/** A reply cut by the output limit: an answer is continued and joined; calls are dropped and asked for in smaller pieces, whole ones in text run. */
export function truncation(limits: Pick<GuardLimits, "max_truncations" | "auto_continues">): Rule {
  return rule<{
    /** Cut calls since the last whole reply. */
    readonly calls: number;
    readonly continued: number;
  }>({
    name: "truncation",
    start: { calls: 0, continued: 0 },
    check(moment, _view, memory) {
      if (moment.at !== "reply") return { verdict: GO_ON, memory };
      const { reply } = moment;
      if (reply.finish !== "length") return { verdict: GO_ON, memory: { ...memory, calls: 0 } };
      if (reply.tool_calls.length === 0 && reply.dropped !== true && reply.content.trim() !== "") {
        if (memory.continued >= limits.auto_continues) return { verdict: GO_ON, memory };
        const next = { ...memory, continued: memory.continued + 1 };
        return { verdict: { kind: "nudge", text: CONTINUE, keep: true }, memory: next };
      }
      const next = { ...memory, calls: memory.calls + 1 };
      if (reached(next.calls, limits.max_truncations)) {
        const text =
          `${next.calls} replies in a row were cut by the output limit before their calls ` +
          "were complete (raise --max-output-tokens, or the model's context)";
        return { verdict: { kind: "stop", reason: "model_error", text }, memory: next };
      }
      const { tool_calls: calls } = reply;
      // A call read out of text has its end; one that a server was building up has none to trust.
      if (calls.length > 0 && calls.every(({ dialect }) => dialect !== undefined)) {
        const text = `${CUT}. Only its complete calls were run (${named(calls)}); ` +
          `their results are above. ${advice(calls)}`;
        return { verdict: { kind: "nudge", text, run: true }, memory: next };
      }
      return { verdict: { kind: "nudge", text: not_run(reply) }, memory: next };
    },
  });
}

function not_run({ tool_calls: calls, dropped }: Reply): string {
  if (calls.length === 0 && dropped !== true) return NOTHING;
  const which = calls.length === 0 ? "" : ` (${named(calls)})`;
  return `${CUT} and its tool calls were not run${which}. ${advice(calls)}`;
}

function advice(calls: readonly ToolCall[]): string {
  const writes = calls.length === 0 ||
    calls.some(({ name }) => name === "write" || name === "edit");
  return writes ? `${SHORTER} ${IN_PARTS}` : SHORTER;
}

/** A model that goes in circles may have made a hundred calls of one tool. */
function named(calls: readonly ToolCall[]): string {
  return [...Map.groupBy(calls, ({ name }) => name.slice(0, NAME_CHARS))]
    .map(([name, { length }]) => length === 1 ? name : `${name} ${length} times`).join(", ");
}
