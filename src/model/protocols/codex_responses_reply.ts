import { Pile } from "../../config/text_pieces.ts";
import type { ResponseStreamEvent } from "openai/resources/responses/responses";
import { string_of, usage_named } from "./reply_fields.ts";
import { GAP, type ReplyItems, said_by } from "./codex_responses_items.ts";
import { field, from_error, type ModelError, short_line, stray } from "../errors.ts";
import type { Finish, Reply, Usage } from "../message.ts";
import { Thinking } from "./thinking.ts";
import type { Collector, Delta } from "../wire.ts";

/** A reply is made of whole items, in one piece or as the last event; deltas are only shown, so a lost one never makes another call. */
export class ResponsesCollector implements Collector {
  finished = false;
  readonly #items = new Map<string, unknown>();
  readonly #open = new Set<string>();
  readonly #shown = { text: new ShownText(), reasoning: new ShownText() };
  #thinking = new Thinking();
  /** Which of the two kinds of reasoning deltas there are: some servers send the same text as both. */
  #thoughts = "";
  #finish: Finish | null = null;
  #usage: Usage | null = null;
  #said: ReplyItems | null = null;

  constructor(
    private readonly url: string,
    private readonly asked: {
      /** Tokens that the reply may take; 0: the server decides. */
      readonly most_tokens: number;
      readonly taken: Iterable<string>;
    },
  ) {}

  take(value: unknown): Delta[] | ModelError {
    if (this.finished) return [];
    const type = field(value, "type");
    const error = field(value, "error") ?? (type === "error" ? value : null);
    if (error) return failure(error, this.url);
    if (field(value, "object") === "response") return this.#end(value, value);
    if (typeof type !== "string") {
      return stray(this.url, "that is not a Responses API reply", value);
    }
    return this.#event(type as ResponseStreamEvent["type"], value);
  }

  reply(): Reply {
    // Null after [DONE] without the event that says how the reply ended: what was still open then was cut off.
    const said = this.#said ?? this.#conclude().said;
    const { content, reasoning } = this.#thinking.result();
    const cut = this.#finish === null && this.#open.size > 0;
    return {
      content,
      reasoning: said.reasoning + reasoning,
      tool_calls: said.calls,
      finish: this.#finish ?? (cut ? "length" : finish_of(said)),
      ...(said.kept.length === 0 ? {} : { kept: { wire: "codex_responses", items: said.kept } }),
      usage: this.#usage,
    };
  }

  #event(type: ResponseStreamEvent["type"], value: unknown): Delta[] | ModelError {
    switch (type) {
      case "response.output_item.added":
        if (this.#items.has(key_of(value))) return [];
        this.#open.add(key_of(value));
        this.#items.set(key_of(value), field(value, "item"));
        return [];
      case "response.function_call_arguments.done": {
        const item = this.#items.get(key_of(value));
        if (typeof item !== "object") return [];
        this.#open.delete(key_of(value));
        this.#items.set(key_of(value), { ...item, arguments: field(value, "arguments") });
        return [];
      }
      case "response.output_item.done":
        this.#open.delete(key_of(value));
        this.#items.set(key_of(value), field(value, "item"));
        return [];
      case "response.output_text.delta":
      case "response.refusal.delta":
        return this.#thinking.push(this.#shown.text.add(value, place_of(value)));
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta": {
        if ((this.#thoughts ||= type) !== type) return [];
        const part = field(value, "summary_index") ?? field(value, "content_index") ?? 0;
        const text = this.#shown.reasoning.add(value, `${place_of(value)} ${part}`);
        return text === "" ? [] : [{ kind: "reasoning", text }];
      }
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        return this.#end(field(value, "response"), value);
      default:
        return [];
    }
  }

  /** The reply as a whole, with how it ended. */
  #end(response: unknown, event: unknown): Delta[] | ModelError {
    const named = string_of(field(event, "type")).replace("response.", "");
    const own = string_of(field(response, "status")) || "completed";
    // If the two differ, the reply's own status is the better one: a gateway may call every end "completed".
    const status = named === "" || OTHER_ENDS.has(own) ? own : named;
    const error = field(response, "error");
    if (status === "failed" && error) return failure(error, this.url);
    if (status !== "completed" && status !== "incomplete") {
      const message = `${this.url} broke off its reply (status "${short_line(status)}")`;
      return { kind: "server", message, status: null };
    }
    const output = field(response, "output");
    // Some gateways leave it out where every item had an event of its own.
    if (Array.isArray(output) && output.length > 0) {
      this.#items.clear();
      this.#open.clear();
      for (const [at, item] of output.entries()) this.#items.set(String(at), item);
    }
    this.#usage = usage_named("input", "output", response, field(event, "timings"));
    const { said, news } = this.#conclude();
    const { most_tokens } = this.asked;
    // llama.cpp says "completed" of a reply that its limit has cut.
    const full = most_tokens > 0 && (this.#usage?.output_tokens ?? 0) >= most_tokens;
    this.#finish = status === "incomplete"
      ? why_incomplete(response)
      : full
      ? "length"
      : finish_of(said);
    this.finished = true;
    return news;
  }

  /** What the items say, and what of it had no delta. Incomplete calls don't count. */
  #conclude(): { readonly said: ReplyItems; readonly news: Delta[] } {
    const items = [...this.#items].filter(([key]) => !this.#open.has(key)).map(([, item]) => item);
    const whole = said_by(items, this.asked.taken);
    const { text, reasoning } = this.#shown;
    const said = this.#said = {
      ...whole,
      text: whole.text || text.all,
      reasoning: whole.reasoning || reasoning.all,
    };
    const thought = reasoning.rest(said.reasoning) ?? "";
    const news: Delta[] = thought === "" ? [] : [{ kind: "reasoning", text: thought }];
    const rest = text.rest(said.text);
    if (rest !== null) news.push(...this.#thinking.push(rest));
    news.push(...this.#thinking.end());
    if (rest === null) {
      // The deltas said something else. The items are right, and nobody is shown a text twice.
      this.#thinking = new Thinking();
      this.#thinking.push(said.text);
      this.#thinking.end();
    }
    return { said, news };
  }
}

const OTHER_ENDS: ReadonlySet<string> = new Set(["incomplete", "failed", "cancelled"]);

class ShownText {
  readonly #all = new Pile();
  #place = "";

  get all(): string {
    return this.#all.text;
  }

  /** The next piece, with a gap before it where it begins another message or part. */
  add(event: unknown, place: string): string {
    const delta = string_of(field(event, "delta"));
    const gap = this.#all.length > 0 && delta !== "" && place !== this.#place ? GAP : "";
    if (delta !== "") this.#place = place;
    this.#all.add(gap + delta);
    return gap + delta;
  }

  /** The part of the whole that was not shown; null if what was shown differs from it. */
  rest(whole: string): string | null {
    return whole.startsWith(this.all) ? whole.slice(this.#all.length) : null;
  }
}

/** Some gateways give an item another id in every event: its place comes first. llama.cpp gives no place, and a call no id. */
function key_of(event: unknown): string {
  const item = field(event, "item");
  return String(
    field(event, "output_index") ?? field(event, "item_id") ?? field(item, "id") ??
      field(item, "call_id") ?? "",
  );
}

function place_of(event: unknown): string {
  return String(field(event, "output_index") ?? field(event, "item_id") ?? "");
}

function finish_of({ calls, refused }: ReplyItems): Finish {
  if (calls.length > 0) return "tool_calls";
  return refused ? "refusal" : "stop";
}

function why_incomplete(response: unknown): Finish {
  const reason = field(field(response, "incomplete_details"), "reason");
  return reason === "content_filter" ? "content_filter" : "length";
}

/** What an error inside a reply would have had as its status, by its type and code. */
const STATUS: readonly (readonly [RegExp, number])[] = [
  [/invalid_api_key|authentication|permission/, 401],
  [/rate_limit|quota/, 429],
  [/invalid_|image|policy|residency|not_found|context_length/, 400],
];

function failure(error: unknown, url: string): ModelError {
  const code = field(error, "code");
  const type = field(error, "type");
  const signs = [type, code].filter((sign) => typeof sign === "string").join(" ");
  const status = STATUS.find(([sign]) => sign.test(signs))?.[1];
  // A number is a status already.
  if (status === undefined || typeof code === "number") return from_error({ error }, url);
  const known = { message: field(error, "message"), type: signs, code: status };
  return from_error({ error: known }, url);
}
