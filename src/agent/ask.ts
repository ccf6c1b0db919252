import { complete, type Completion } from "../model/complete.ts";
import type { Reply } from "../model/message.ts";
import { later } from "../model/timer.ts";
import type { Session } from "./session.ts";
import { add_usage } from "./state.ts";

/** The rest of the program is begun once the request is on its way; that blocks this thread for some milliseconds. */
const LATE_AFTER_MS = 3;

/**
 * One reply of the model. A stream that was cut, stalled or brought nothing is asked for once more in one
 * piece. What of it was seen is gone then: a partial reply never gets into the history.
 */
export async function ask(
  session: Session,
  options: { readonly tool_choice: "auto" | "none"; readonly signal: AbortSignal },
): Promise<Completion> {
  const { stream } = session.limits;
  const first = await once(session, { ...options, stream });
  const reason = stream ? worth_another(first) : null;
  if (reason === null || options.signal.aborted) return first;
  session.emit({ type: "retry", reason, attempt: 1, wait_ms: 0 });
  return await once(session, { ...options, stream: false });
}

/** Why a streamed reply should be asked for again without streaming; null where it should not. */
function worth_another(completion: Completion): string | null {
  if (completion.kind === "reply") {
    return is_empty(completion.reply) ? "the reply was empty" : null;
  }
  const { kind, message } = completion.error;
  return kind === "cut" || kind === "stalled" ? message : null;
}

/** Whether a reply says nothing and asks for nothing. */
export function is_empty(reply: Reply): boolean {
  return reply.content.trim() === "" && reply.tool_calls.length === 0 && reply.finish !== "length";
}

async function once(
  session: Session,
  options: {
    readonly tool_choice: "auto" | "none";
    readonly signal: AbortSignal;
    readonly stream: boolean;
  },
): Promise<Completion> {
  const { endpoint, wire, limits, history, emit } = session;
  const after = wire.after({
    tools: session.tools,
    tool_choice: options.tool_choice,
    stream: options.stream,
    max_output_tokens: output_tokens(session),
    temperature: limits.temperature,
    reasoning_effort: limits.reasoning_effort,
  });
  // After a stall even a local server gets a limit before its first byte.
  const patience = options.stream === limits.stream
    ? limits.http.first_byte_ms
    : limits.http.idle_ms;
  const not_yet = later(LATE_AFTER_MS, session.late);
  let last: "text_delta" | "reasoning_delta" = "text_delta";
  let began = false;
  const completion = await complete(wire, history.request(after), {
    target: {
      url: endpoint.base_url + wire.path,
      headers: endpoint.headers,
      key: endpoint.key,
      key_hint: endpoint.key === ""
        ? `set a key in ${endpoint.key_env}`
        : `the key in ${endpoint.key_env} was refused`,
    },
    limits: { ...limits.http, first_byte_ms: patience },
    signal: options.signal,
    on_delta: ({ kind, text }) => {
      began = true;
      last = kind === "text" ? "text_delta" : "reasoning_delta";
      emit({ type: last, text });
    },
  });
  not_yet();
  if (began || completion.kind === "reply") emit({ type: last, text: "", finished: true });
  if (completion.kind === "reply") record(session, completion.reply);
  return completion;
}

function record(session: Session, reply: Reply): void {
  const { state, emit } = session;
  if (reply.usage === null) return;
  state.usage = add_usage(state.usage, reply.usage);
  const { input_tokens, output_tokens, cached_tokens } = reply.usage;
  emit({ type: "usage", input_tokens, output_tokens, cached_tokens, cost_usd: null });
}

/** A reply may take a quarter of a known window at most, or too little is left for the prompt (issue on guards). */
function output_tokens({ limits, endpoint }: Session): number {
  const { max_output_tokens } = limits;
  if (max_output_tokens === 0 || !endpoint.window_known) return max_output_tokens;
  return Math.min(max_output_tokens, Math.floor(endpoint.context_window / 4));
}
