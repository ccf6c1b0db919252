/** What the count of a reply says of the model's window. */
import { origin_of } from "../model/address.ts";
import { ANSWER_MS } from "../model/inquiry.ts";
import type { Endpoint } from "../model/endpoint.ts";
import type { ModelError } from "../model/errors.ts";
import { safe_url } from "../model/http.ts";
import { assumed_window, larger_window } from "../model/larger_window.ts";
import type { Message, Usage } from "../model/message.ts";
import { lazy } from "../lazy.ts";
import { window_of } from "./ask.ts";
import type { Session } from "./session.ts";
import type { State } from "./state.ts";

/** What a window must hold besides the prompt that it was seen to hold: else the next request would be too long. */
const LEAST_ROOM = 2048;

type Heeded = Pick<
  Session,
  "endpoint" | "state" | "history" | "tool_tokens" | "limits" | "tape" | "emit"
>;

/**
 * Compares what the server counted with what was sent. After the first reply Ollama is asked what it has loaded; a window
 * that was only assumed is raised to what it was seen to hold. The error where a part of the prompt was left out.
 *
 * @param usage null where the server did not count
 */
export async function heed(session: Heeded, usage: Usage | null): Promise<ModelError | null> {
  const { endpoint, state, history, tool_tokens } = session;
  const by = `${endpoint.base_url} ${endpoint.model}`;
  const first = state.steps === 0 && state.counted_by !== by;
  if (state.counted_by !== by) {
    Object.assign(state, { counted_by: by, window: null, counted: 0, counts_all: false });
    const known = is_ollama(endpoint) && await read_back(session);
    if (!known && !endpoint.window_known) {
      session.emit({ type: "warning", message: assumed_window(endpoint) });
    }
  }
  if (usage === null) return null;
  const sent = { estimate: history.tokens + tool_tokens, messages: history.messages, first };
  const window = endpoint.window_known || state.window?.known ? window_of(session) : null;
  const counted = usage.input_tokens;
  if (is_truncated(counted, { sent, window, state, ollama: is_ollama(endpoint) })) {
    return truncated(endpoint, { counted, sent, window });
  }
  state.counts_all ||= state.counted > 0 && counted >= state.counted;
  state.counted = counted;
  const held = counted + usage.output_tokens;
  if (window === null && held > window_of(session)) {
    const least = held + session.limits.max_output_tokens + LEAST_ROOM;
    // Windows are powers of two, most of them.
    state.window = { tokens: 2 ** Math.ceil(Math.log2(least)), known: false };
  }
  return null;
}

function is_ollama({ api_mode, server }: Endpoint): boolean {
  return api_mode === "ollama_chat" || server === "ollama";
}

/** Asks Ollama how large the window is that it has loaded, now that it has loaded one; whether it says so. */
async function read_back({ endpoint, state, tape, emit }: Heeded): Promise<boolean> {
  const { model, context_window, window_known } = endpoint;
  const loaded = await tape.ask("loaded", () => loaded_now(endpoint));
  if (loaded === undefined) return false;
  if (window_known && loaded < context_window) {
    const message = `Ollama has loaded ${model} with a window of ${loaded} tokens, ` +
      `not of ${context_window} (${endpoint.window_source})`;
    emit({ type: "warning", message });
  }
  const tokens = window_known ? Math.min(loaded, context_window) : loaded;
  state.window = { tokens, known: true };
  return true;
}

async function loaded_now({ base_url, model, headers }: Endpoint): Promise<number | undefined> {
  const { loaded_by_ollama } = await lazy<typeof import("../model/discover.ts")>(
    "../model/discover.ts",
    import.meta.url,
  );
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), ANSWER_MS);
  const loaded = await loaded_by_ollama(origin_of(base_url), model, {
    headers,
    signal: over.signal,
  });
  clearTimeout(timer);
  return loaded;
}

/** A request, as far as it says how many tokens it has. */
export interface Sent {
  /** Tokens, uncorrected. */
  readonly estimate: number;
  readonly messages: readonly Pick<Message, "content">[];
  /** The first of its conversation. */
  readonly first: boolean;
}

/** A prompt of fewer words than this fits any window there is. */
const LEAST_WORDS = 1500;
/** Part of its words that a whole prompt has as tokens, at least: a tokeniser has one for each, but for a few that it joins. */
const LEAST_PART = 0.8;
/** Servers that only pretend to count say 0, 1 or 10; a prompt that was cut to a window has as many tokens as this. */
const LEAST_COUNT = 512;
/** A reminder stands in one request only, and the next may be shorter by that. */
const REMINDER_TOKENS = 256;

/**
 * Whether a part of the prompt was left out, beyond doubt. How a server cuts differs: Ollama's `/v1` keeps as much as fits, in
 * newer versions half of that, and its `/api/chat` drops whole messages. Versions before 0.4 do not count what is in their
 * cache: that a later request has fewer tokens says something only where it was seen to count them all.
 */
export function is_truncated(
  counted: number,
  { sent, window, state, ollama }: {
    readonly sent: Sent;
    /** Tokens; null where it is not known. */
    readonly window: number | null;
    readonly state: Pick<State, "counted" | "counts_all">;
    readonly ollama: boolean;
  },
): boolean {
  if (counted === 0) return false;
  if (ollama && state.counts_all && counted < state.counted - REMINDER_TOKENS) return true;
  const could_be = window === null ? sent.first : sent.estimate > window;
  if (!could_be) return false;
  if (window !== null && counted >= window) return true;
  const words = words_in(sent.messages);
  if (window !== null && words > window) return true;
  return sent.first && words >= LEAST_WORDS && counted < LEAST_PART * words &&
    (ollama || counted >= LEAST_COUNT);
}

/** Words of two letters and more: no tokeniser in use takes two of them for one token. */
function words_in(messages: Sent["messages"]): number {
  return messages.reduce(
    (sum, { content }) => sum + (content.match(/[A-Za-z]{2,}/g)?.length ?? 0),
    0,
  );
}

function truncated(
  endpoint: Endpoint,
  { counted, sent, window }: {
    readonly counted: number;
    readonly sent: Sent;
    readonly window: number | null;
  },
): ModelError {
  const has = window === null ? "" : `; its window is ${window}`;
  const message = `${safe_url(endpoint.base_url)} has cut the prompt without a word: about ` +
    `${sent.estimate} tokens were sent, ${counted} were read${has}; ` +
    larger_window(endpoint, sent.estimate + LEAST_ROOM);
  return { kind: "truncated", message, status: null };
}
