import { Pile } from "../../config/text_pieces.ts";
import { field, from_error, type ModelError, short_line, stray } from "../errors.ts";
import type { Finish, Image, Message, Reply, Usage } from "../message.ts";
import { ArgumentsSoFar } from "./arguments_so_far.ts";
import {
  json_text,
  server_count,
  string_of,
  usage_named,
  with_unique_ids,
} from "./reply_fields.ts";
import { rest_of_request } from "../request_fields.ts";
import { add_details, returned, to_return } from "./returned.ts";
import { Thinking } from "./thinking.ts";
import {
  type Collector,
  type Delta,
  type Habits,
  MOST_CALLS,
  type Prefill,
  type RequestOptions,
  type Wire,
  type Writing,
} from "../wire.ts";

/** A call as its fragments have built it so far. */
interface Draft {
  /** What the server calls its place; null if it says nothing. */
  readonly index: number | null;
  id: string;
  name: string;
  readonly arguments: ArgumentsSoFar;
  extra?: unknown;
}

/** The Chat Completions API, as OpenAI, llama.cpp, Ollama, LM Studio, vLLM and most others serve it. */
export const chat_completions: Wire = {
  path: "/chat/completions",
  encode: (messages) => encoded(messages, {}),
  before: (model) => `{"model":${JSON.stringify(model)},"messages":[`,
  after(options: RequestOptions) {
    const { without, response_format, reasoning_effort } = options;
    // The tools stand before the messages in every server's template; here they follow them, because then
    // the text of request N is a prefix of the text of request N+1.
    const { tools, stream, max_output_tokens, temperature } = options;
    // What is undefined is left out.
    const after = {
      ...(tools.length > 0
        ? {
          tools: tools.map((tool) => ({ type: "function", function: tool })),
          tool_choice: options.tool_choice,
        }
        : {}),
      stream,
      stream_options: stream ? { include_usage: true } : undefined,
      return_progress: (stream && options.progress) || undefined,
      [without?.has("max_tokens") ? "max_completion_tokens" : "max_tokens"]: max_output_tokens ||
        undefined,
      ...(temperature === undefined ? {} : { temperature }),
      ...{ ...options.sampling, response_format, reasoning_effort },
    };
    return rest_of_request(after, without);
  },
  collector: (url) => new ChatCollector(url),
};

/** Chat completions for a server whose template is known, as soon as it is. */
export function wire_for_habits(habits: () => Habits): Wire {
  return { ...chat_completions, encode: (messages) => encoded(messages, habits()) };
}

function encoded(messages: readonly Message[], habits: Habits): string {
  return messages.flatMap((message, at) => encode_at(message, { at, all: messages, habits }))
    .join(",");
}

/** Said for the model, so that roles alternate: Mistral and strict templates refuse a user after a tool. */
const LOOKING = "Let me look at it.";
const SHOWN = "<hamr>\nThe images of the results above, in order.\n</hamr>";

/**
 * A message; behind the results of a reply their images, as the user's: OpenAI and servers as strict take nothing but text in a
 * result. Others put images there too (Kimi, AgentHub), most without the reply between.
 */
function encode_at(
  message: Message,
  { at, all, habits }: { at: number; all: readonly Message[]; habits: Habits },
): string[] {
  const encoded = [encode(message, habits)];
  if (message.role !== "tool" || all[at + 1]?.role === "tool") return encoded;
  let first = at;
  while (all[first - 1]?.role === "tool") first--;
  const images = all.slice(first, at + 1)
    .flatMap((result) => result.role === "tool" ? result.images ?? [] : []);
  if (images.length === 0) return encoded;
  const shown: Message = { role: "user", content: SHOWN, images };
  return [...encoded, encode({ role: "assistant", content: LOOKING }, habits), encode(shown, {})];
}

/** Images stand before the text: what is said last is last. */
function parts(text: string, images: readonly Image[]) {
  return [
    ...images.map(({ media_type, data }) => ({
      type: "image_url",
      image_url: { url: `data:${media_type};base64,${data}` },
    })),
    { type: "text", text },
  ];
}

/** Replaces half of a two-unit character (a cut text): llama.cpp and others refuse it ("surrogate U+D800..U+DBFF must be followed by …"). */
function encode(message: Message, habits: Habits): string {
  const { hides_calls, takes_reasoning, wants_reasoning, nudges_as_results } = habits;
  switch (message.role) {
    case "system":
      return JSON.stringify({ role: "system", content: message.content.toWellFormed() });
    case "user": {
      const text = message.content.toWellFormed();
      if (nudges_as_results && message.after !== undefined) {
        return JSON.stringify({ role: "tool", tool_call_id: message.after, content: text });
      }
      const content = message.images === undefined ? text : parts(text, message.images);
      return JSON.stringify({ role: "user", content });
    }
    case "tool":
      return JSON.stringify({
        role: "tool",
        tool_call_id: message.tool_call_id,
        content: message.content.toWellFormed(),
      });
    case "assistant": {
      const back = returned(message, habits.signs_calls === true);
      const reasoning = message.reasoning?.toWellFormed() ?? "";
      const text = (hides_calls ? with_calls(message) : message.content).toWellFormed();
      return JSON.stringify({
        role: "assistant",
        content: text === "" && habits.refuses_empty_text ? null : text,
        // Templates drop it themselves, at the next message of the user or never, each as its model was trained.
        reasoning_content: wants_reasoning
          ? reasoning
          : (takes_reasoning && reasoning) || undefined,
        ...back.message,
        tool_calls: message.tool_calls?.length
          ? message.tool_calls.map(({ id, name, arguments: args }, at) => {
            return { id, type: "function", ...back.calls[at], function: { name, arguments: args } };
          })
          : undefined,
      });
    }
  }
}

/** What the model has said, with the calls in the form that most models write them. */
function with_calls({ content, tool_calls = [] }: Extract<Message, { role: "assistant" }>): string {
  const calls = tool_calls.map(({ name, arguments: args }) =>
    `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${args}}\n</tool_call>`
  );
  return [content, ...calls].filter((part) => part !== "").join("\n");
}

/** One path for both: a reply in one piece is a stream of one delta. */
class ChatCollector implements Collector {
  finished = false;
  prefill: Prefill | null = null;
  readonly #thinking = new Thinking();
  readonly #reasoning = new Pile();
  #finish: Finish | null = null;
  #refused = false;
  /** The pieces have a place for the finish reason, so one is to come. */
  #to_finish = false;
  /** Behind its end the reply has begun once more. */
  #is_over = false;
  #usage: Usage | null = null;
  readonly #drafts: Draft[] = [];
  readonly #details: unknown[] = [];

  constructor(private readonly url: string) {}

  get writing(): Writing | null {
    const draft = this.finished ? undefined : this.#drafts.at(-1);
    return draft === undefined ? null : { name: draft.name, chars: draft.arguments.length };
  }

  take(value: unknown): Delta[] | ModelError {
    const error = field(value, "error");
    if (error) return from_error({ error }, this.url);
    // vLLM before 0.10 does not wrap it: {"object":"error","message":"…","type":"BadRequestError","code":400}
    if (field(value, "object") === "error") return from_error(value, this.url);
    const timings = field(value, "timings");
    this.#usage = usage_named("prompt", "completion", value, timings) ?? this.#usage;
    this.prefill = prefill_of(value);
    const choices = field(value, "choices");
    if (!Array.isArray(choices)) {
      if (field(value, "usage") !== undefined) return [];
      return stray(this.url, "without choices", value);
    }
    const news: Delta[] = [];
    // Copilot and Bedrock give Claude's text and each of its calls a choice of its own (karthink/gptel#1284, Portkey-AI/gateway#814).
    for (const choice of choices) {
      const told = this.#take_choice(choice);
      if (!Array.isArray(told)) return told;
      news.push(...told);
    }
    return news;
  }

  #take_choice(choice: unknown): Delta[] | ModelError {
    // OpenRouter: {"choices":[{"error":{"code":502,"message":"…"},"finish_reason":"error"}]}
    const broken = field(choice, "error");
    if (broken) return from_error({ error: broken }, this.url);
    this.#is_over ||= this.finished && begins(choice);
    if (this.#is_over) return [];
    const news = this.#merge(choice);
    const finish = field(choice, "finish_reason");
    this.#to_finish ||= finish === null;
    // KoboldCpp 1.76 has "null", a string, in every chunk but the last.
    if (typeof finish !== "string" || finish === "" || finish === "null") return news;
    // OpenRouter has "stop" there for what broke off, and the truth beside it.
    const broke = [finish, string_of(field(choice, "native_finish_reason"))]
      .find((reason) => BROKEN_OFF.test(reason));
    if (broke !== undefined) {
      const message = `${this.url} broke off its reply (finish_reason "${short_line(broke)}")`;
      return { kind: "server", message, status: null };
    }
    // Gemini: "content_filter: PROHIBITED_CONTENT".
    const [said = ""] = finish.toLowerCase().split(/(?<=^content_filter):/);
    this.#finish = FINISHES.get(said) ?? "stop";
    this.finished = true;
    return [...news, ...this.#thinking.end()];
  }

  reply(): Reply {
    const drafts = this.#drafts.filter(({ name, arguments: { length } }) =>
      name !== "" || length > 0
    );
    const calls = with_unique_ids(
      drafts.map((draft) => ({ ...draft, arguments: draft.arguments.text })),
    );
    this.#thinking.end();
    const { content, reasoning } = this.#thinking.result();
    return {
      content,
      reasoning: this.#reasoning.text + reasoning,
      tool_calls: calls,
      finish: this.#refused && calls.length === 0
        ? "refusal"
        : this.#finish ?? (calls.length > 0 ? "tool_calls" : "stop"),
      ...(this.#thinking.open ? { still_thinking: true } : {}),
      ...(this.#to_finish && this.#finish === null && this.#usage === null && calls.length === 0
        ? { unfinished: true }
        : {}),
      ...to_return(this.#details, drafts.map(({ extra }) => extra)),
      usage: this.#usage,
    };
  }

  #merge(choice: unknown): Delta[] {
    const message = field(choice, "message");
    const delta = field(choice, "delta") ?? message;
    const news: Delta[] = [];
    // DeepSeek and llama.cpp say `reasoning_content`, Ollama and OpenRouter `reasoning`, vLLM says both.
    const reasoning = string_of(field(delta, "reasoning_content")) ||
      string_of(field(delta, "reasoning"));
    if (reasoning !== "") news.push({ kind: "reasoning", text: reasoning });
    this.#reasoning.add(reasoning);
    add_details(this.#details, field(delta, "reasoning_details"));
    // OpenAI puts the words of a refusal there, and none into the content.
    const refusal = string_of(field(delta, "refusal"));
    this.#refused ||= refusal !== "";
    news.push(...this.#thinking.push(text_of(field(delta, "content")) || refusal));
    // TGI has sent one object where others send a list (its guide to tools, using_guidance.md).
    for (const call of [field(delta, "tool_calls") ?? []].flat()) {
      // In one piece each is a call of its own, whatever ids and indices they share.
      const draft = delta === message ? this.#begin(call) : this.#draft_for(call);
      if (draft !== null) add_fragment(draft, call);
    }
    return news;
  }

  #begin(call: unknown): Draft {
    const empty = { id: "", name: "", arguments: new ArgumentsSoFar() };
    const draft: Draft = { index: index_of(call), ...empty };
    if (this.#drafts.length <= MOST_CALLS) this.#drafts.push(draft);
    return draft;
  }

  /** The call that a fragment belongs to; null if it only repeats what is there. */
  #draft_for(call: unknown): Draft | null {
    const id = string_of(field(call, "id"));
    const draft = this.#known(id, index_of(call));
    if (draft === undefined) return this.#begin(call);
    const { name, args } = function_of(call);
    const is_same = id === "" || draft.id === "" || id === draft.id;
    // Behind the end of the reply what was whole comes once more.
    if (this.finished && is_same && draft.arguments.is_whole) return null;
    if (name === "") return draft;
    // Ollama sends every call of a reply with index 0 (ollama#15457): another id and name begin another call.
    if (id !== "" && draft.id !== "" && id !== draft.id) return this.#begin(call);
    // So does a name with arguments where those before are whole: nothing can follow a whole object.
    if (args.trim() === "" || !draft.arguments.is_whole) return draft;
    const again = id !== "" && name === draft.name && args === draft.arguments.text;
    return again ? null : this.#begin(call);
  }

  /** By place and id, by place, or where the server gives no places (ollama#7881) by id, or the last. */
  #known(id: string, index: number | null): Draft | undefined {
    const here = this.#drafts.filter((draft) => draft.index === index);
    const same = id === "" ? undefined : here.findLast((draft) => draft.id === id);
    if (same !== undefined) return same;
    const last = here.at(-1);
    return index === null && id !== "" && last?.id !== "" ? undefined : last;
  }
}

/** Whether a piece is the first of a reply: it says whose it is. Calls may come behind the end, too, and say that as well. */
function begins(choice: unknown): boolean {
  const delta = field(choice, "delta");
  return field(delta, "role") !== undefined && field(delta, "tool_calls") === undefined;
}

/** Generation ended by the server's fault: OpenRouter and Mistral, vLLM and SGLang, DeepSeek, GLM; or with a call that Gemini could not read. */
const BROKEN_OFF =
  /^(error|abort|insufficient_system_resource|network_error|(function_call_filter: )?malformed_function_call)$/i;

const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ["length", "length"],
  ["content_filter", "content_filter"],
  ["tool_calls", "tool_calls"],
  ["function_call", "tool_calls"],
  ["model_length", "length"], // Mistral: the window is full.
  ["max_tokens", "length"], // Gateways in front of Anthropic and Gemini.
  ["max_output_tokens", "length"],
  ["model_context_window_exceeded", "length"], // GLM
  ["sensitive", "content_filter"], // GLM
]);

function index_of(call: unknown): number | null {
  const index = field(call, "index");
  return typeof index === "number" ? index : null;
}

function function_of(call: unknown): { readonly name: string; readonly args: string } {
  const body = field(call, "function");
  return { name: string_of(field(body, "name")), args: json_text(field(body, "arguments") ?? "") };
}

function add_fragment(draft: Draft, call: unknown): void {
  const { name, args } = function_of(call);
  draft.id ||= string_of(field(call, "id"));
  draft.extra ??= field(call, "extra_content") ?? undefined;
  // Some gateways repeat the whole name in every fragment; a real one comes in pieces.
  if (name !== draft.name) draft.name += name;
  draft.arguments.add(args);
}

/** Content is a string, null, or (some gateways) a list of parts, of which those of thinking are no answer. */
function text_of(content: unknown): string {
  if (!Array.isArray(content)) return string_of(content);
  return content.map((part: unknown) => {
    if (typeof part === "string") return part;
    const type = field(part, "type") ?? "text";
    return type === "text" || type === "output_text" ? string_of(field(part, "text")) : "";
  }).join("");
}

/** llama.cpp: {"total":5365,"cache":24,"processed":2072,"time_ms":10591}; what came out of its cache is among `processed`. */
function prefill_of(value: unknown): Prefill | null {
  const progress = field(value, "prompt_progress");
  const total = server_count(field(progress, "total"));
  return total === 0
    ? null
    : { total, read: Math.min(server_count(field(progress, "processed")), total) };
}
