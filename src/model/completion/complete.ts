import { bad_response, type ModelError } from "../errors.ts";
import { type HttpAnswer, post, safe_url, type Sending, type Target } from "../http/http.ts";
import type { Reply } from "../message.ts";
import { redact } from "../secrets.ts";
import { after_waiting } from "../../config/timer.ts";
import {
  type Delta,
  type Leaks,
  MOST_CALLS,
  type Prefill,
  type Wire,
  type Writing,
} from "../wire.ts";

export type Completion =
  | { readonly kind: "reply"; readonly reply: Reply }
  /** `shown`: what of a reply was seen to come before that. */
  | { readonly kind: "failed"; readonly error: ModelError; readonly shown?: string };

/** Some gateways put into an id what a model has signed, which takes some thousands. */
const MOST_ID_CHARS = 65_536;
/** After `finish_reason` only usage and `[DONE]` can follow, at once; a server that keeps the socket open is not waited for, */
const AFTER_FINISH_MS = 1000;
/** nor one that goes on sending. */
const ALL_AFTER_FINISH_MS = 3000;
/** What may follow the end of a reply: a last empty chunk. More is not read for the sake of the connection. */
const AFTER_END_BYTES = 65536;

/** One request and its whole reply, streamed or not. Never throws. */
export async function complete(
  wire: Wire,
  body: Uint8Array<ArrayBuffer>,
  options: Sending & {
    readonly target: Target;
    readonly on_delta: (delta: Delta) => void;
    /** Calls that are in the text of the reply are read out of it; absent: they are text. */
    readonly leaks?: Leaks;
    /** Told each time the server says how far it has read the prompt. */
    readonly on_prefill?: (prefill: Prefill) => void;
    readonly on_writing?: (writing: Writing) => void;
    readonly transport?: typeof post;
  },
): Promise<Completion> {
  const { target, on_delta, leaks, on_prefill, on_writing, transport = post, ...sending } = options;
  const answer = await transport(target, body, sending);
  if ("kind" in answer) return await unless_a_call(answer, leaks, on_delta);
  const url = safe_url(target.url);
  const collector = wire.collector(url);
  const { BodyReader } = await import("../http/body.ts");
  const filter = leaks === undefined
    ? null
    : new (await import("../protocols/leaks.ts")).LeakFilter(leaks);
  const reader = new BodyReader(collector, { url, content_type: answer.content_type });
  const failed = (error: ModelError): Promise<Completion> => {
    answer.close();
    answer.spoilt?.();
    return unless_a_call({ ...error, message: redact(error.message, target) }, leaks);
  };
  let stop_idle: (() => void) | undefined;
  let stop_waiting: (() => void) | undefined;
  let begun = false;
  try {
    for (;;) {
      const prefill = collector.prefill ?? null;
      if (prefill !== null) on_prefill?.(prefill);
      const chunk = await answer.read({ prefill: begun && (prefill !== null || reader.waits) });
      begun = true;
      if (chunk !== null && "kind" in chunk) {
        if (collector.finished && chunk.kind !== "cancelled") break;
        return await failed(chunk);
      }
      const news = chunk === null ? reader.end() : reader.push(chunk);
      if ("kind" in news) return await failed(news);
      (filter === null ? news : await filter.take(news)).forEach(on_delta);
      const writing = collector.writing ?? null;
      if (writing !== null) on_writing?.(writing);
      if (chunk === null || reader.done) break;
      if (!collector.finished) continue;
      stop_idle?.();
      stop_idle = after_waiting(AFTER_FINISH_MS, answer.close);
      stop_waiting ??= after_waiting(ALL_AFTER_FINISH_MS, answer.close);
    }
  } finally {
    stop_idle?.();
    stop_waiting?.();
  }
  if (!collector.finished && !reader.done) {
    const message = `${url} ended the reply before it was complete`;
    return await failed({ kind: "cut", message, status: null });
  }
  void drain(answer);
  const whole = collector.reply();
  const { reply, shown } = await filter?.end(whole) ?? { reply: whole, shown: "" };
  const excess = excess_of(reply);
  if (excess !== null) return await failed(bad_response(`${url} sent ${excess}`));
  if (shown !== "") on_delta({ kind: "text", text: shown });
  return { kind: "reply", reply };
}

/** An error, unless the server sends along what the model wrote, and there are calls in it. */
async function unless_a_call(
  error: ModelError,
  leaks: Leaks | undefined,
  on_delta?: (delta: Delta) => void,
): Promise<Completion> {
  const { written } = error;
  if (written === undefined || leaks === undefined) return { kind: "failed", error };
  const { reply_in } = await import("../protocols/leaked_calls.ts");
  const reply = reply_in(written, leaks);
  if (reply === null || excess_of(reply) !== null) return { kind: "failed", error };
  if (reply.content !== "") on_delta?.({ kind: "text", text: reply.content });
  return { kind: "reply", reply };
}

/** What no model means, in words: it would be in every request from here on. */
function excess_of({ tool_calls }: Reply): string | null {
  if (tool_calls.length > MOST_CALLS) return `more than ${MOST_CALLS} calls in one reply`;
  const long = tool_calls.some(({ id, name }) => Math.max(id.length, name.length) > MOST_ID_CHARS);
  return long ? `a call whose id or name is longer than ${MOST_ID_CHARS} characters` : null;
}

/** Reads the end of the body, so that the connection can serve the next step; closes it where none comes. */
async function drain(answer: HttpAnswer): Promise<void> {
  const stop = after_waiting(AFTER_FINISH_MS, answer.close);
  let bytes = 0;
  while (bytes < AFTER_END_BYTES) {
    const chunk = await answer.read();
    if (!(chunk instanceof Uint8Array)) break;
    bytes += chunk.length;
  }
  stop();
  answer.close();
}
