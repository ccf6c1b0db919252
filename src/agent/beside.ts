/** A question beside the conversation: the model sees what was said so far, and nothing of the question is kept. */
import { complete } from "../model/completion/complete.ts";
import { cost_of, price_of } from "../model/pricing.ts";
import type { Message } from "../model/message.ts";
import { request_target, rest_of_body } from "./ask.ts";
import { without_echo } from "./echo.ts";
import { History, internal } from "./history.ts";
import type { Session } from "./session.ts";

/** Told the model, which may be in the middle of a task. */
const BESIDE = "This is asked beside the task and is not kept. " +
  "Answer in a few words, from what was said so far; no tool can be called.";
/** Instead of a result. */
const UNDER_WAY = "[under way: no result yet]";

export interface AskedBeside {
  /** Empty if the model said nothing, or wanted a tool; or why it could not be asked. */
  readonly answer: string | { readonly fault: string };
  readonly tokens: number;
  /** Dollars; null if the price is not known. */
  readonly cost: number | null;
}

/** Asks once. The run's budget, its replay and its history know nothing of it. */
export async function ask_beside(
  session: Session,
  question: string,
  signal: AbortSignal,
): Promise<AskedBeside> {
  const { wire, endpoint, tools, limits: { http, stream } } = session;
  const history = new History(wire, endpoint.model);
  history.restore(answered(session.history.messages), session.history.opening);
  history.hear(`${question}\n\n${internal(BESIDE)}`);
  const quiet = { reminder: null, shown: false, most_tokens: 0, constrain: false };
  const request = { ...quiet, history, tools, tool_choice: "none" as const, signal, stream };
  const completion = await complete(wire, history.request(rest_of_body(session, request)), {
    ...{ target: request_target(session), limits: http, signal },
    on_delta: () => {},
  });
  if (completion.kind === "failed") {
    return { answer: { fault: completion.error.message }, tokens: 0, cost: null };
  }
  const { content, usage } = completion.reply;
  const price = price_of(endpoint);
  return {
    answer: without_echo(content).trim(),
    tokens: (usage?.input_tokens ?? 0) + (usage?.output_tokens ?? 0),
    cost: price === null || usage === null ? null : cost_of(usage, price),
  };
}

/** With a result for each call under way: servers refuse calls without one, and it may be what is asked about. */
function answered(messages: readonly Message[]): readonly Message[] {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const reply = messages[at];
  const calls = reply?.role === "assistant" ? reply.tool_calls ?? [] : [];
  const has_result = (id: string) =>
    messages.some((one, i) => i > at && one.role === "tool" && one.tool_call_id === id);
  const results = calls.filter(({ id }) => !has_result(id))
    .map(({ id }) => ({ role: "tool", tool_call_id: id, content: UNDER_WAY }) as const);
  return [...messages, ...results];
}
