import { field, type ModelError, one_line, server_words } from "./errors.ts";
import type { Finish, Message, Reply, ToolCall, Usage } from "./message.ts";
import type { Ask, Collector, Delta, Wire } from "./wire.ts";

/** A call as its fragments have built it so far. */
interface Draft {
  id: string;
  name: string;
  arguments: string;
}

/** The Chat Completions API, as OpenAI, llama.cpp, Ollama, LM Studio, vLLM and most others serve it. */
export const chat_completions: Wire = {
  path: "/chat/completions",
  encode,
  before: (model) => `{"model":${JSON.stringify(model)},"messages":[`,
  after(ask: Ask) {
    // The tools stand before the messages in every server's template; here they follow them, because then
    // the text of request N is a prefix of the text of request N+1.
    const after = {
      ...(ask.tools.length > 0
        ? { tools: ask.tools.map(offer), tool_choice: ask.tool_choice }
        : {}),
      stream: ask.stream,
      ...(ask.stream ? { stream_options: { include_usage: true } } : {}),
      ...(ask.max_output_tokens > 0 ? { max_tokens: ask.max_output_tokens } : {}),
      ...(ask.temperature !== undefined ? { temperature: ask.temperature } : {}),
      ...(ask.reasoning_effort !== undefined ? { reasoning_effort: ask.reasoning_effort } : {}),
    };
    return `],${JSON.stringify(after).slice(1)}`;
  },
  collector: (url) => new ChatCollector(url),
};

function offer(tool: Ask["tools"][number]) {
  return { type: "function", function: tool };
}

function encode(message: Message): string {
  switch (message.role) {
    case "system":
    case "user":
      return JSON.stringify({ role: message.role, content: message.content });
    case "tool":
      return JSON.stringify({
        role: "tool",
        tool_call_id: message.tool_call_id,
        content: message.content,
      });
    case "assistant":
      return JSON.stringify({
        role: "assistant",
        content: message.content,
        ...(message.tool_calls !== undefined && message.tool_calls.length > 0
          ? {
            tool_calls: message.tool_calls.map(({ id, name, arguments: args }) => ({
              id,
              type: "function",
              function: { name, arguments: args },
            })),
          }
          : {}),
      });
  }
}

/** One path for both: a reply in one piece is a stream of one delta. */
class ChatCollector implements Collector {
  finished = false;
  #content = "";
  #reasoning = "";
  #finish: Finish | null = null;
  #usage: Usage | null = null;
  readonly #drafts: Draft[] = [];
  /** Position in `#drafts` of the call that the server's index N means at present. */
  readonly #by_index = new Map<number, number>();

  constructor(private readonly url: string) {}

  take(value: unknown): Delta[] | ModelError {
    const error = field(value, "error");
    if (error !== undefined && error !== null) {
      const message = `${this.url} reported: ${server_words(JSON.stringify({ error }))}`;
      return { kind: "server", message, status: null };
    }
    this.#usage = usage_of(value) ?? this.#usage;
    const choices = field(value, "choices");
    if (!Array.isArray(choices)) {
      if (field(value, "usage") !== undefined) return [];
      const message = `${this.url} sent JSON without choices: ${one_line(JSON.stringify(value))}`;
      return { kind: "bad_response", message, status: null };
    }
    const choice: unknown = choices[0];
    const finish = field(choice, "finish_reason");
    if (typeof finish === "string" && finish !== "") {
      this.#finish = finish_of(finish);
      this.finished = true;
    }
    return this.#merge(field(choice, "delta") ?? field(choice, "message"));
  }

  reply(): Reply {
    const calls: ToolCall[] = this.#drafts
      .filter((draft) => draft.name !== "" || draft.arguments !== "")
      .map((draft, at) => ({ ...draft, id: draft.id || `call_${at}` }));
    return {
      content: this.#content,
      reasoning: this.#reasoning,
      tool_calls: distinct(calls),
      finish: this.#finish ?? "stop",
      usage: this.#usage,
    };
  }

  #merge(delta: unknown): Delta[] {
    const news: Delta[] = [];
    const reasoning = field(delta, "reasoning_content") ?? field(delta, "reasoning");
    if (typeof reasoning === "string" && reasoning !== "") {
      this.#reasoning += reasoning;
      news.push({ kind: "reasoning", text: reasoning });
    }
    const text = text_of(field(delta, "content"));
    if (text !== "") {
      this.#content += text;
      news.push({ kind: "text", text });
    }
    const calls = field(delta, "tool_calls");
    if (Array.isArray(calls)) { for (const call of calls) this.#fragment(call); }
    return news;
  }

  #fragment(call: unknown): void {
    const draft = this.#draft_for(call);
    const body = field(call, "function");
    const id = field(call, "id");
    if (draft.id === "" && typeof id === "string") draft.id = id;
    const name = field(body, "name");
    // Some gateways repeat the whole name in every fragment; a real one comes in pieces.
    if (typeof name === "string" && name !== draft.name) draft.name += name;
    const args = field(body, "arguments");
    if (typeof args === "string") draft.arguments += args;
    else if (typeof args === "object" && args !== null) draft.arguments += JSON.stringify(args);
  }

  #draft_for(call: unknown): Draft {
    const id = field(call, "id");
    const given = field(call, "index");
    const index = typeof given === "number" ? given : null;
    const known = index === null
      ? (typeof id === "string" && id !== "" ? undefined : this.#drafts.length - 1)
      : this.#by_index.get(index);
    const draft = known === undefined ? undefined : this.#drafts[known];
    // Some gateways send every call of a reply with index 0: another id begins another call.
    const other = typeof id === "string" && id !== "" && draft !== undefined && draft.id !== "" &&
      draft.id !== id;
    if (draft !== undefined && !other) return draft;
    const fresh: Draft = { id: "", name: "", arguments: "" };
    this.#drafts.push(fresh);
    if (index !== null) this.#by_index.set(index, this.#drafts.length - 1);
    return fresh;
  }
}

/** Content is a string, null, or (some gateways) a list of text parts. */
function text_of(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part) => field(part, "text")).filter((text) => typeof text === "string")
    .join("");
}

function finish_of(reason: string): Finish {
  switch (reason) {
    case "length":
    case "content_filter":
    case "tool_calls":
      return reason;
    case "function_call":
      return "tool_calls";
    default:
      return "stop";
  }
}

/** Two calls with one id would get one result: a repeated id is told apart. */
function distinct(calls: readonly ToolCall[]): ToolCall[] {
  const seen = new Set<string>();
  return calls.map((call, at) => {
    const id = seen.has(call.id) ? `${call.id}_${at}` : call.id;
    seen.add(id);
    return { ...call, id };
  });
}

function usage_of(value: unknown): Usage | null {
  const usage = field(value, "usage");
  if (typeof usage !== "object" || usage === null) return null;
  return {
    input_tokens: count(field(usage, "prompt_tokens")),
    output_tokens: count(field(usage, "completion_tokens")),
    cached_tokens: count(
      field(field(usage, "prompt_tokens_details"), "cached_tokens") ??
        // DeepSeek's own name, and llama.cpp's timings where the details are missing.
        field(usage, "prompt_cache_hit_tokens") ?? field(field(value, "timings"), "cache_n"),
    ),
    reasoning_tokens: count(
      field(field(usage, "completion_tokens_details"), "reasoning_tokens"),
    ),
  };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0;
}
