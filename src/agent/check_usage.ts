/** What the token count of a reply reveals about the model's window. */
import { plural } from "../config/text.ts";
import { origin_of } from "../model/server/address.ts";
import { own_key } from "../model/server/credentials.ts";
import { ANSWER_MS } from "../model/server/inquiry.ts";
import { type Endpoint, is_ollama } from "../model/server/endpoint.ts";
import type { ModelError } from "../model/errors.ts";
import { safe_url } from "../model/http/http.ts";
import { assumed_window, larger_window } from "../model/server/larger_window.ts";
import type { Message, Reply } from "../model/message.ts";
import { window_of } from "./ask.ts";
import { count_cache_loss } from "./cache_loss.ts";
import type { Session } from "./session.ts";
import type { State } from "./state.ts";

/** What a window must hold besides the prompt that it was seen to hold: else the next request would be too long. */
const LEAST_ROOM = 2048;

type CheckedSession =
  & Pick<
    Session,
    "endpoint" | "wire" | "tools" | "state" | "history" | "tool_tokens" | "tape" | "emit"
  >
  & { readonly limits: Pick<Session["limits"], "max_output_tokens"> };

/** Compares the server's count with what was sent, and learns the window and whether tools are read. Returns the error if a part was left out. */
export async function check_usage(
  session: CheckedSession,
  { usage, tool_calls, unfinished }: Pick<Reply, "usage" | "tool_calls" | "unfinished">,
): Promise<ModelError | Pick<Endpoint, "no_tools"> | null> {
  const { endpoint, state, history, tool_tokens } = session;
  if (unfinished) {
    const message = `${safe_url(endpoint.base_url)} ended a reply with [DONE], but without a ` +
      "finish_reason: it may have been cut off";
    session.emit({ type: "warning", message });
  }
  const by = `${endpoint.base_url} ${endpoint.model}`;
  const met = state.window.counted_by !== by;
  const first = state.steps === 0 && met;
  if (met) {
    Object.assign(state.window, {
      counted_by: by,
      learned: null,
      counted: 0,
      counts_all: false,
      tools_seen: false,
    });
    const known = is_ollama(endpoint) && await read_back(session);
    if (!known && !endpoint.window_known) {
      session.emit({ type: "warning", message: assumed_window(endpoint) });
    }
  }
  await count_cache_loss(session, usage);
  // A model that calls a tool has seen it.
  state.window.tools_seen ||= tool_calls.length > 0;
  if (usage === null) {
    // llama-cpp-python counts no stream, but what comes in one piece.
    return met || state.window.tools_seen ? null : await lost_tools(session, null);
  }
  const sent = { estimate: history.tokens + tool_tokens, messages: history.messages, first };
  const window = endpoint.window_known || state.window.learned?.known ? window_of(session) : null;
  const counted = usage.input_tokens;
  if (is_truncated(counted, { sent, window, counts: state.window, ollama: is_ollama(endpoint) })) {
    const has = window === null ? "" : `; its window is ${window}`;
    const message = `${safe_url(endpoint.base_url)} silently cut the prompt: about ` +
      `${sent.estimate} tokens were sent, ${counted} were read${has}; ` +
      larger_window(endpoint, sent.estimate + LEAST_ROOM);
    return { kind: "truncated", message, status: null };
  }
  state.window.counts_all ||= state.window.counted > 0 && counted >= state.window.counted;
  const grew = state.window.counted > 0 && counted > state.window.counted;
  state.window.counted = counted;
  const held = counted + usage.output_tokens;
  if (window === null && held > window_of(session)) {
    const least = held + session.limits.max_output_tokens + LEAST_ROOM;
    // Windows are powers of two, most of them.
    state.window.learned = { tokens: 2 ** Math.ceil(Math.log2(least)), known: false };
  }
  // A count that does not grow with its prompt counts nothing.
  return grew && !state.window.tools_seen ? await lost_tools(session, counted) : null;
}

/** An estimate may be wrong by as much, either way: code has fewer characters to a token than prose, other languages more. */
const ESTIMATE_ERROR = 0.4;

/** Beside messages of more than this many times their length tools make no difference to a count; and to try it may cost a cache that was slow to fill. */
const MOST_MESSAGES = 4;

/** Whether a prompt may have been read without its tools, by its count. Fewer tokens than the messages say nothing: cached ones may not count. */
export function may_lack_tools(
  counted: number | null,
  { messages, tools }: { messages: number; tools: number },
): boolean {
  if (messages > MOST_MESSAGES * tools) return false;
  return counted === null ||
    (counted >= messages * (1 - ESTIMATE_ERROR) && counted <= messages * (1 + ESTIMATE_ERROR));
}

/** A count alone proves nothing, so it is tried. llama.cpp and Ollama say it themselves, and hosted models are told about tools. */
async function lost_tools(
  { endpoint, wire, state, history, tool_tokens, tape }: CheckedSession,
  counted: number | null,
): Promise<Pick<Endpoint, "no_tools"> | null> {
  const { api_mode, server, base_url, model } = endpoint;
  const known = server === "llama.cpp" || is_ollama(endpoint) || own_key(base_url).length > 0 ||
    api_mode !== "chat_completions";
  if (known || wire.tools_in_text || tool_tokens === 0) return null;
  if (!may_lack_tools(counted, { messages: history.tokens, tools: tool_tokens })) return null;
  state.window.tools_seen = true;
  const reads = await tape.ask("reads_tools", async () => {
    const { reads_tools } = await import("../model/server/probe_tools.ts");
    return await reads_tools(endpoint);
  });
  if (reads !== false) return null;
  return { no_tools: `${model} does not see them: a prompt takes as many tokens without them` };
}

/** Asks Ollama how large the window is that it has loaded, now that it has loaded one; whether it says so. */
async function read_back({ endpoint, state, tape, emit }: CheckedSession): Promise<boolean> {
  const { model, context_window, window_known } = endpoint;
  const loaded = await tape.ask("loaded", async () => {
    const { loaded_by_ollama } = await import("../model/server/discover.ts");
    const asked = { headers: endpoint.headers, signal: AbortSignal.timeout(ANSWER_MS) };
    return await loaded_by_ollama(origin_of(endpoint.base_url), model, asked);
  });
  if (loaded === undefined) return false;
  if (window_known && loaded < context_window) {
    const message = `Ollama has loaded ${model} with a window of ${plural(loaded, "token")}, ` +
      `not of ${context_window} (${endpoint.window_source})`;
    emit({ type: "warning", message });
  }
  const tokens = window_known ? Math.min(loaded, context_window) : loaded;
  state.window.learned = { tokens, known: true };
  return true;
}

/** A request, as far as it says how many tokens it has. */
interface SentRequest {
  /** Tokens, uncorrected. */
  readonly estimate: number;
  readonly messages: readonly Pick<Message, "content">[];
  /** The first of its conversation. */
  readonly first: boolean;
}

/** A prompt of fewer words than this fits any window there is. */
const LEAST_WORDS = 1500;
/** Part of its words that a whole prompt has as tokens, at least: a tokenizer has one for each, except for a few that it joins. */
const LEAST_PART = 0.8;
/** Servers that only pretend to count say 0, 1 or 10; a prompt that was cut to a window has as many tokens as this. */
const LEAST_COUNT = 512;
/** A reminder is in one request only, and the next may be shorter by that. */
const REMINDER_TOKENS = 256;

/** Whether a part of the prompt was left out, beyond doubt. Ollama cuts in several ways, and before 0.4 does not count what is cached. */
export function is_truncated(counted: number, { sent, window, counts, ollama }: {
  sent: SentRequest;
  /** Tokens; null if it is not known. */
  window: number | null;
  counts: Pick<State["window"], "counted" | "counts_all">;
  ollama: boolean;
}): boolean {
  if (counted === 0) return false;
  if (ollama && counts.counts_all && counted < counts.counted - REMINDER_TOKENS) return true;
  const could_be = window === null ? sent.first : sent.estimate > window;
  if (!could_be) return false;
  if (window !== null && counted >= window) return true;
  // Of two letters and more: no tokenizer in use takes two of them for one token.
  const words = sent.messages.reduce(
    (sum, { content }) => sum + (content.match(/[A-Za-z]{2,}/g)?.length ?? 0),
    0,
  );
  if (window !== null && words > window) return true;
  return sent.first && words >= LEAST_WORDS && counted < LEAST_PART * words &&
    (ollama || counted >= LEAST_COUNT);
}
