/** Detects that a server has lost its prompt cache: each request begins with the bytes of the one before it. */
import { origin_of } from "../model/server/address.ts";
import { shared_start } from "../config/text.ts";
import { field } from "../model/errors.ts";
import { ANSWER_MS, json_answer } from "../model/server/inquiry.ts";
import type { Usage } from "../model/message.ts";
import type { Session } from "./session.ts";

/** Small losses are not counted: a reminder is in one request only, templates drop words, caches go by blocks. The larger of both limits counts. */
const UNFELT_TOKENS = 256;
const UNFELT_PART = 0.05;

/** Servers of one's own that promise a cache. Hosted services keep theirs as long as they like. */
const PROMISE: readonly unknown[] = ["llama.cpp", "vllm", "lmstudio"];

type Asked = Pick<Session, "endpoint" | "wire" | "state" | "history" | "tools" | "tape" | "emit">;

/** Counts the tokens that were read again, and says so once in a run, with the reason where the server can tell it. */
export async function count_cache_loss(session: Asked, usage: Usage | null): Promise<void> {
  const { endpoint, state, history, tools, emit } = session;
  const before = state.window.held;
  state.window.held = usage === null ? null : {
    by: `${endpoint.base_url} ${endpoint.model}`,
    rewritten: history.rewritten,
    tools: tools.length,
    messages: history.messages.length,
    tokens: usage.input_tokens,
  };
  if (before === null || usage === null || !PROMISE.includes(endpoint.server)) return;
  // A server that never had anything in a cache does not count, or has no cache.
  const counts = state.spending.usage.cached_tokens > 0;
  const { by, rewritten, tools: offered } = before;
  const same = { ...state.window.held, by, rewritten, tools: offered };
  const lost = before.tokens - usage.cached_tokens;
  const felt = Math.max(UNFELT_TOKENS, UNFELT_PART * before.tokens);
  if (!counts || lost <= felt || JSON.stringify(same) !== JSON.stringify(state.window.held)) return;
  const { cache_lost_tokens = 0 } = state.spending.usage;
  state.spending.usage = { ...state.spending.usage, cache_lost_tokens: cache_lost_tokens + lost };
  if (cache_lost_tokens > 0) return;
  const reason = await session.tape.ask("cache_loss", () => reason_of(session, before.messages));
  const message = `the server read ${lost} tokens again that it had already read${reason}`;
  emit({ type: "warning", message });
}

/** By what llama.cpp renders: whether the prompt before is the beginning of this one. */
async function reason_of({ endpoint, wire, history, tools }: Asked, sent: number): Promise<string> {
  if (endpoint.server !== "llama.cpp" || endpoint.api_mode !== "chat_completions") return "";
  const after = wire.after({
    ...{ tools, tool_choice: "auto", stream: false, max_output_tokens: 0 },
    ...{ temperature: undefined, reasoning_effort: undefined },
  });
  const { base_url, headers, model } = endpoint;
  const render = async (count: number) => {
    const text = wire.before(model) + wire.encode(history.messages.slice(0, count)) + after;
    const asking = { headers, limit_ms: ANSWER_MS, body: JSON.parse(text) };
    const url = `${origin_of(base_url)}/apply-template?autoload=false`;
    return field(await json_answer(url, asking), "prompt");
  };
  const [was, is] = [await render(sent), await render(history.messages.length)];
  if (typeof was !== "string" || typeof is !== "string") return "";
  return shared_start(was, is) < (1 - UNFELT_PART) * was.length
    ? `: the template of ${model} rewrites earlier messages (docs/local-models.md)`
    : ": something else used its cache in the meantime, such as another run, or it was restarted";
}
