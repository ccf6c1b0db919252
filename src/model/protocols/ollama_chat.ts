import { fields } from "../../config/json.ts";
import { Pile } from "../../config/text_pieces.ts";
import { field, from_error, type ModelError, stray } from "../errors.ts";
import type { Finish, Message, Reply, ToolCall, Usage } from "../message.ts";
import { json_text, string_of, usage_in } from "./reply_fields.ts";
import { Thinking } from "./thinking.ts";
import {
  type Collector,
  type Delta,
  type Habits,
  MOST_CALLS,
  type RequestOptions,
  type Wire,
} from "../wire.ts";

/** Levels of thinking that Ollama knows; others are refused with "invalid think value". */
const LEVELS: readonly string[] = ["low", "medium", "high", "max"];
const NO_THINKING: readonly string[] = ["none", "off", "false"];

/** Ollama's own API: the only one where a request asks for a window, and where too long a prompt is an error instead of being cut. */
export function ollama_chat(habits: () => Habits = () => ({})): Wire {
  const calls = new Calls();
  return {
    path: "/api/chat",
    encode: (messages) => messages.map((message) => encode(message, calls, habits())).join(","),
    before: (model) => `{"model":${JSON.stringify(model)},"messages":[`,
    after: (options) => `],${JSON.stringify(settings(options)).slice(1)}`,
    collector: (url) => new OllamaCollector(url, calls),
  };
}

function settings(options: RequestOptions) {
  const { tools, stream, max_output_tokens, temperature, reasoning_effort, ollama } = options;
  // What is undefined is left out.
  return {
    // Ollama knows no tool_choice. Where no call is wanted the tools go along all the same: they are at the head of the
    // prompt, and without them nothing of the server's cache could be used. Whoever asks ignores the calls then.
    tools: tools.length > 0
      ? tools.map((tool) => ({ type: "function", function: tool }))
      : undefined,
    stream,
    // Since 0.12.6 a prompt that is too long is refused then; before that it is ignored.
    truncate: false,
    options: {
      num_ctx: ollama?.num_ctx,
      num_predict: max_output_tokens || undefined,
      temperature,
    },
    think: reasoning_effort === undefined ? undefined : think_of(reasoning_effort),
    keep_alive: ollama?.keep_alive || undefined,
  };
}

function think_of(effort: string): boolean | string {
  if (NO_THINKING.includes(effort)) return false;
  if (effort === "minimal") return "low";
  return LEVELS.includes(effort) ? effort : true;
}

/** Ids of calls, which older servers do not give, and the names that results are sent back under. */
class Calls {
  readonly #names = new Map<string, string>();
  #made = 0;

  /** The id of a new call: its own, or where it has none or a taken one, one that no other call has. */
  id_of(given: string, name: string): string {
    let id = given;
    while (id === "" || this.#names.has(id)) id = `call_${++this.#made}`;
    this.#names.set(id, name);
    return id;
  }

  /** A call that is part of the history, perhaps of one that was loaded. */
  learn({ id, name }: ToolCall): void {
    this.#names.set(id, name);
  }

  name_of(id: string): string {
    return this.#names.get(id) ?? "";
  }
}

/** Half of a character that takes two units is replaced, as for the other wires. */
function encode(message: Message, calls: Calls, { takes_reasoning }: Habits): string {
  const content = message.content.toWellFormed();
  switch (message.role) {
    case "system":
      return JSON.stringify({ role: "system", content });
    case "user":
      return JSON.stringify({ role: "user", content, ...images_of(message) });
    case "tool": {
      const { tool_call_id } = message;
      const about = { tool_name: calls.name_of(tool_call_id), tool_call_id };
      return JSON.stringify({ role: "tool", content, ...about, ...images_of(message) });
    }
    case "assistant": {
      const made = message.tool_calls ?? [];
      made.forEach((call) => calls.learn(call));
      return JSON.stringify({
        role: "assistant",
        content,
        thinking: (takes_reasoning && message.reasoning?.toWellFormed()) || undefined,
        // A text in the place of the object would get "Value looks like object, but can't find closing '}' symbol".
        tool_calls: made.length === 0 ? undefined : made.map(({ id, name, arguments: args }) => (
          { id, function: { name, arguments: fields(JSON.parse(args)) } }
        )),
      });
    }
  }
}

function images_of({ images = [] }: Extract<Message, { role: "user" | "tool" }>) {
  return images.length === 0 ? {} : { images: images.map(({ data }) => data) };
}

/** Collects the objects of a stream, one a line, or the one of a reply in one piece. */
class OllamaCollector implements Collector {
  finished = false;
  readonly #thinking = new Thinking();
  readonly #reasoning = new Pile();
  #finish: Finish = "stop";
  #usage: Usage | null = null;
  readonly #made: ToolCall[] = [];

  constructor(private readonly url: string, private readonly calls: Calls) {}

  take(value: unknown): Delta[] | ModelError {
    if (field(value, "error")) return from_error(value, this.url);
    const message = field(value, "message");
    const done = field(value, "done") === true;
    if (typeof message !== "object" && !done) {
      return stray(this.url, "without a message", value);
    }
    const news: Delta[] = [];
    const reasoning = string_of(field(message, "thinking"));
    if (reasoning !== "") news.push({ kind: "reasoning", text: reasoning });
    this.#reasoning.add(reasoning);
    news.push(...this.#thinking.push(string_of(field(message, "content"))));
    const calls = field(message, "tool_calls");
    if (Array.isArray(calls)) calls.forEach((call) => this.#take_call(call));
    if (!done) return news;
    this.#finish = field(value, "done_reason") === "length" ? "length" : "stop";
    this.#usage = usage_of(value);
    this.finished = true;
    return [...news, ...this.#thinking.end()];
  }

  reply(): Reply {
    this.#thinking.end();
    const { content, reasoning } = this.#thinking.result();
    const called = this.#made.length > 0 && this.#finish === "stop";
    return {
      content,
      reasoning: this.#reasoning.text + reasoning,
      tool_calls: this.#made,
      finish: called ? "tool_calls" : this.#finish,
      usage: this.#usage,
    };
  }

  #take_call(call: unknown): void {
    const body = field(call, "function");
    const name = string_of(field(body, "name"));
    // Proxies that speak for other servers send the text of it.
    const args = json_text(field(body, "arguments") ?? {});
    const id = string_of(field(call, "id"));
    const again = id !== "" &&
      this.#made.some((made) => made.id === id && made.name === name && made.arguments === args);
    // A line that comes twice is one call.
    if (again || this.#made.length > MOST_CALLS) return;
    this.#made.push({ id: this.calls.id_of(id, name), name, arguments: args });
  }
}

/** Null if the prompt was not counted: versions before 0.4 do not where all of it was in their cache. */
function usage_of(value: unknown): Usage | null {
  const input = field(value, "prompt_eval_count");
  if (!Number.isSafeInteger(input)) return null;
  const usage = usage_in({ input, output: field(value, "eval_count"), cached: 0, reasoning: 0 });
  return usage.input_tokens === 0 ? null : usage;
}
