import type { Stop, StopReason, Verdict } from "../guards/rule.ts";
import type { Completion } from "../model/completion/complete.ts";
import type { ModelError } from "../model/errors.ts";
import type { Reply } from "../model/message.ts";
import { measure, most_output } from "./ask.ts";
import { ask_rules, remind } from "./ask_rules.ts";
import { ask_fitting, fit_window } from "./fit_window.ts";
import { type History, INTERRUPTED, NO_REPLY } from "./history.ts";
import { halted, interrupted, interruptible } from "./interrupt.ts";
import type { Session } from "./session.ts";
import { begin_turn, type Ending } from "./state.ts";

const CUT: Readonly<Record<string, string>> = {
  length: "the answer was cut by the output limit (raise --max-output-tokens)",
  content_filter: "the server's content filter ended the answer: a part may be missing",
  refusal: "the server marked the answer as a refusal: a part may be missing",
};

/** One turn: asks the model and runs its calls until the gates accept its answer, or a guard ends the run. Control flow only. */
export async function turn(session: Session): Promise<Ending> {
  const { state, history, clock } = session;
  let last_text = "";
  let continued = false;
  let constrain = false;
  for (;;) {
    const halt = halted(session);
    if (halt !== null) return await end_early(session, halt, last_text);
    if (session.steering?.pending) begin_turn(state, session.guards);
    const on_request = ask_rules(session, session.guards, { at: "request" });
    if (on_request.kind === "stop") return await end_early(session, on_request, last_text);
    if (on_request.kind === "nudge") history.say(on_request.text);
    constrain ||= on_request.kind === "nudge" && on_request.constrain === true;
    hear(session);

    const signal = clock.begin_step();
    const reminded = { ...state.notes.reminded };
    const answer = await interruptible(session, () => next_reply(session, { signal, constrain }));
    constrain = false;
    if (interrupted(session)) {
      state.notes.reminded = reminded;
      keep_shown(history, answer);
      continue;
    }
    if (answer.kind === "stop") return await end_early(session, answer, last_text);
    if (answer.kind === "failed") {
      keep_shown(history, answer);
      return await unanswered(session, answer.error, last_text);
    }
    state.steps++;
    // From here on: all guards, the gates and the tools.
    const services = await session.services();
    const reply = services.repair_calls(answer.reply, history.call_ids);
    last_text = state.turn.kept + reply.content || last_text;
    if (reply.finish === "length") allow_longer(session);

    const on_reply = ask_rules(session, session.guards, { at: "reply", reply });
    if (on_reply.kind === "stop") return await end_early(session, on_reply, last_text);
    if (on_reply.kind === "nudge" && !on_reply.run) {
      keep(session, reply, on_reply);
      continued ||= on_reply.keep === true;
      constrain = on_reply.constrain === true;
      history.say(on_reply.text);
      continue;
    }

    history.append(services.assistant(reply, session.endpoint.base_url));
    if (reply.tool_calls.length > 0) {
      // This reply continues an answer that was cut.
      if (continued) state.turn.kept += reply.content;
      continued = false;
      const stopped = await services.execute(session, reply.tool_calls, signal);
      if (stopped !== null) return await end_early(session, stopped, last_text);
      if (on_reply.kind === "nudge") history.say(on_reply.text);
      continue;
    }

    const text = state.turn.kept + reply.content;
    state.turn.kept = "";
    continued = false;
    // The user said more meanwhile, so this answer is not the last.
    if (interrupted(session) || session.steering?.pending) continue;
    const ended = await answered(session, reply, text);
    if (ended !== null) return ended;
  }
}

/** The stop reason for each kind of model error; `llm_error` for all others. */
const REASONS: { readonly [Kind in ModelError["kind"]]?: StopReason } = {
  auth: "auth_error",
  context_overflow: "context_full",
  truncated: "config_error",
};

async function unanswered(session: Session, error: ModelError, last_text: string): Promise<Ending> {
  // A limit or an interrupt canceled it: the watchdogs know which.
  if (error.kind === "cancelled") {
    const verdict = ask_rules(session, session.guards, { at: "request" });
    if (verdict.kind === "stop") return await end_early(session, verdict, last_text);
  }
  return { reason: REASONS[error.kind] ?? "llm_error", output: last_text, error };
}

/** Ends a turn with its answer; null if a gate has sent the model back to work. */
async function answered(session: Session, reply: Reply, text: string): Promise<Ending | null> {
  const services = await session.services();
  const { ending } = await services.gates();
  await services.look_for_left(session, text);
  const verdict = ask_rules(session, ending, {
    at: "ending",
    text,
    refused: reply.finish === "refusal",
  });
  if (verdict.kind === "stop") return await end_early(session, verdict, text);
  if (verdict.kind === "nudge") {
    session.history.say(verdict.text);
    return null;
  }
  session.clock.stop();
  const cut = CUT[reply.finish];
  if (cut !== undefined) session.emit({ type: "warning", message: cut });
  const output = verdict.kind === "go_on" ? verdict.answer ?? text : text;
  return { reason: "llm_done", output, error: null };
}

async function next_reply(
  session: Session,
  { signal, constrain }: { signal: AbortSignal; constrain: boolean },
): Promise<Completion | Stop> {
  const full = await fit_window(session, signal);
  if (full !== null) return full;
  // The last step, before the model reads about it; before the first request there is nothing to save.
  const { state: { steps, before }, history: { messages }, emit } = session;
  if (steps > before.steps) await (await session.services()).save(session, null);
  emit({ type: "step_start", messages: messages.length, tokens: measure(session) });
  return await ask_fitting(session, { signal, constrain, reminder: remind(session) });
}

/** Ends a turn early. The code for that is loaded only when needed, because few turns do. */
export async function end_early(session: Session, stop: Stop, last_text: string): Promise<Ending> {
  const closing = await import("./closing.ts");
  return await closing.close_turn(session, stop, last_text);
}

/** Adds what the user has said in the meantime, each as a message of the user's. */
function hear(session: Session): void {
  const { history, state, steering, tape, emit } = session;
  const interrupt = interrupted(session) ? { interrupt: true } as const : {};
  for (const text of steering?.take() ?? []) {
    tape.tell({ kind: "steer", text });
    history.hear(text);
    state.turn.asked = text;
    emit({ type: "steer", text, ...interrupt });
  }
}

/** After a cut reply, lets the next one be twice as long, up to a quarter of the window. */
function allow_longer(session: Session): void {
  const { limits } = session;
  const max_output_tokens = Math.min(2 * limits.max_output_tokens, most_output(session));
  if (max_output_tokens > limits.max_output_tokens) {
    session.limits = { ...limits, max_output_tokens };
  }
}

/** Keeps a reply that a guard rejected: the beginning of an answer as it is, anything else as a placeholder. */
function keep(session: Session, reply: Reply, verdict: Extract<Verdict, { kind: "nudge" }>): void {
  const { state, history } = session;
  if (verdict.keep) state.turn.kept += reply.content;
  history.append({ role: "assistant", content: verdict.keep ? reply.content : NO_REPLY });
}

/** Keeps what was seen of an answer that did not come to its end: what the user says next may be about it. */
function keep_shown(history: History, answer: Completion | Stop): void {
  if (answer.kind === "stop") return;
  const shown = answer.kind === "reply" ? answer.reply.content : answer.shown ?? "";
  if (shown.trim() === "") return;
  history.append({ role: "assistant", content: `${shown.trimEnd()}\n\n${INTERRUPTED}` });
}
