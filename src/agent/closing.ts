import type { Stop, StopReason } from "../guards/rule.ts";
import { next_reply } from "./ask.ts";
import type { Session } from "./session.ts";
import type { Ending } from "./state.ts";

/** The last words may not take longer than this, in milliseconds: a summary of a slow local model takes so long. */
const CLOSING_MS = 60_000;
/** After a time limit the last words get a tenth of what the run took, or a quarter of it up to this: `--timeout 3` is over in 4 s. */
const SHORT_CLOSING_MS = 5000;
const LEAST_CLOSING_MS = 500;

export const CLOSING_WORDS: Partial<Readonly<Record<StopReason, string>>> = {
  max_steps: "The step limit is reached.",
  max_tool_calls: "The tool call limit is reached.",
  timeout: "The time limit is reached.",
  budget_exceeded: "The budget is used up.",
  context_full: "The context window is full.",
  loop_detected: "The same call was made again after it was shown to change nothing.",
  tool_error: "The same text was read again after it was shown unchanged.",
  model_error: "Too many calls in a row could not be run.",
};

export const LAST_WORDS = "No more tools can be called. " +
  "Say in a few sentences what is done, what is not, and what should come next.";

/** Ends a turn for a rule's reason. After a watchdog or a loop the model gets one more call to report, even over a budget. */
export async function close_turn(session: Session, stop: Stop, said: string): Promise<Ending> {
  const { reason, text } = stop;
  const error = { kind: reason, message: text };
  if (reason === "user_interrupt") {
    // What a call gave until then is known, and whoever goes on hears it.
    session.history.seal();
    return { reason, output: "Interrupted by the user.", error };
  }
  const over = session.subagent && reason === "timeout";
  const instruction = over ? undefined : CLOSING_WORDS[reason];
  if (instruction === undefined) return { reason, output: said || text, error };
  session.history.say(`${instruction} ${LAST_WORDS}`);
  const signal = session.clock.begin_closing(closing_ms(session, reason));
  const most_tokens = reason === "budget_exceeded" ? session.limits.reserve_tokens : 0;
  const last = await next_reply(session, { tool_choice: "none", signal, most_tokens });
  session.clock.stop();
  if (session.clock.interrupted) {
    return close_turn(session, { ...stop, reason: "user_interrupt" }, said);
  }
  const words = last.kind === "reply" ? last.reply.content.trim() : "";
  if (words !== "") session.history.append({ role: "assistant", content: words });
  return { reason, output: words || said || `The run stopped: ${text}`, error };
}

function closing_ms(session: Session, reason: StopReason): number {
  if (reason !== "timeout") return CLOSING_MS;
  const { elapsed_ms } = session.clock;
  const share = Math.max(elapsed_ms / 10, Math.min(elapsed_ms / 4, SHORT_CLOSING_MS));
  return Math.min(CLOSING_MS, Math.max(LEAST_CLOSING_MS, share));
}
