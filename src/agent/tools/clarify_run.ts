import type { ClarifyArgs } from "../../tools/declared/agent_level_tools.ts";
import type { CheckedCall } from "../../tools/protocol.ts";
import type { Done } from "../../tools/tool.ts";
import type { Session } from "../session.ts";

const NO_ANSWER: Done = {
  ok: false,
  text: "The user did not answer. Decide by yourself, and say what you assumed.",
  summary: "no answer",
};

/** Gives the person's answer. Only the run's own limit and an interrupt end the wait: people take their time. */
export async function run_clarify(call: CheckedCall, session: Session): Promise<Done> {
  const { question, choices = [] } = call.args as ClarifyArgs;
  const { clarify, clock, tape, emit } = session;
  const { id } = call;
  if (clarify === null) return NO_ANSWER;
  const { run_hooks } = await session.services();
  emit({ type: "question", id, question, choices });
  const answer = await clock.lend((lent) => {
    const signal = lent.begin_check();
    return tape.ask("clarify", () => {
      void run_hooks?.("notification", { kind: "question", question, choices });
      return clarify({ id, question, choices }, signal);
    });
  });
  return answer === null || answer.trim() === ""
    ? NO_ANSWER
    : { ok: true, text: `The user says: ${answer}`, summary: "answered" };
}
