import type {
  Base64ImageSource,
  ContentBlockParam,
  ImageBlockParam,
  MessageCreateParamsBase,
  OutputConfig,
  TextBlockParam,
  Tool,
  ToolResultBlockParam,
} from "@anthropic-ai/sdk/resources/messages";
import { AnthropicCollector } from "./anthropic_reply.ts";
import type { Image, Message, ToolCall } from "../message.ts";
import { rest_of_request } from "../request_fields.ts";
import type { Habits, RequestOptions, Wire } from "../wire.ts";

type Effort = Pick<MessageCreateParamsBase, "thinking" | "output_config">;

type Assistant = Extract<Message, { role: "assistant" }>;

interface Turn {
  readonly role: "user" | "assistant";
  readonly content: ContentBlockParam[];
}

/** Tokens of a reply where nobody limits it: the API wants a number, and every Claude since 4 can write as many. */
const MAX_TOKENS = 32_000;
/** The least budget for thinking that the API takes, in tokens. */
const LEAST_BUDGET = 1024;
/** The part of a reply that may be thinking. */
const SHARES: ReadonlyMap<string, number> = new Map([
  ["minimal", 0.25],
  ["low", 0.25],
  ["medium", 0.5],
  ["high", 0.75],
  ["xhigh", 0.75],
  ["max", 0.75],
]);
/** The part for an effort that is not known here. */
const SOME_SHARE = 0.5;
/** Claudes that choose their thinking themselves and refuse a budget, or will (4.6 and later). All others want a budget. */
const ADAPTIVE =
  /claude-(?!3|instant|2|(?:opus|sonnet|haiku)-4(?:[-.][0-5](?!\d))?(?![-.]?\d{1,2}(?!\d)))/;
/** Stands where there is nothing to say: the API refuses messages and texts of nothing but blanks. */
const NOTHING = "(empty)";
/** What begins like the request before it is read from the cache, if it comes within five minutes. */
const CACHED = { type: "ephemeral" } as const;

/** The Messages API, as Anthropic and llama.cpp serve it, and gateways of many others. */
export function anthropic_messages(habits: () => Habits = () => ({})): Wire {
  let model = "";
  return {
    path: "/v1/messages",
    // The system prompt is not a message, but is right before them.
    before(name) {
      model = name;
      return `{"model":${JSON.stringify(name)},`;
    },
    encode(messages) {
      const [first, ...rest] = messages;
      const { wants_reasoning, refuses_marks } = habits();
      const wanted = wants_reasoning === true;
      if (first?.role !== "system") return joined(messages, wanted);
      // Marks the end of tools and system prompt, which come first for the server: other sessions begin with them too.
      const mark = refuses_marks ? {} : { cache_control: CACHED };
      const system = { type: "text", text: text_of(first.content), ...mark };
      return `"system":[${JSON.stringify(system)}],"messages":[${joined(rest, wanted)}`;
    },
    after(options) {
      const max_tokens = options.max_output_tokens || MAX_TOKENS;
      const thinking = thinking_of(options.reasoning_effort, model, max_tokens);
      const after = {
        max_tokens,
        ...(options.tools.length > 0
          ? { tools: options.tools.map(offer), tool_choice: { type: options.tool_choice } }
          : {}),
        stream: options.stream,
        ...thinking,
        // Where it thinks, the API takes no other temperature than its own.
        temperature: thinking.thinking === undefined ? options.temperature : undefined,
        // Marks the end of the last message. A marker inside of it would have to move on with the next request, and the
        // bytes of what was sent would change.
        cache_control: CACHED,
      };
      return rest_of_request(after, options.without);
    },
    collector: (url) => new AnthropicCollector(url),
  };
}

function offer({ name, description, parameters }: RequestOptions["tools"][number]): Tool {
  return { name, description, input_schema: parameters as Tool["input_schema"] };
}

/** How hard to think, in the words of the model; nothing if nobody says so. */
function thinking_of(effort: string | undefined, model: string, max_tokens: number): Effort {
  if (effort === undefined) return {};
  if (ADAPTIVE.test(model)) {
    if (effort === "none") return { thinking: { type: "disabled" } };
    return {
      thinking: { type: "adaptive", display: "summarized" },
      // The user's own word: the API says which it takes.
      output_config: { effort: effort as OutputConfig["effort"] },
    };
  }
  const share = SHARES.get(effort) ?? SOME_SHARE;
  const budget_tokens = Math.max(LEAST_BUDGET, Math.floor(share * max_tokens));
  if (effort === "none" || budget_tokens >= max_tokens) return {};
  return { thinking: { type: "enabled", budget_tokens } };
}

/** Roles alternate: what comes from one side together, such as all results of a step, is one message. */
function joined(messages: readonly Message[], wanted: boolean): string {
  const turns: Turn[] = [];
  for (const message of messages) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = turns.at(-1);
    const blocks = blocks_of(message);
    if (wanted && message.role === "assistant" && message.kept === undefined) {
      blocks.unshift({
        type: "thinking",
        thinking: text_of(message.reasoning ?? ""),
        signature: "",
      });
    }
    if (last?.role === role) last.content.push(...blocks);
    else turns.push({ role, content: blocks });
  }
  return turns.map(({ role, content }) =>
    JSON.stringify({ role, content: content.length > 0 ? content : said(NOTHING) })
  ).join(",");
}

function blocks_of(message: Message): ContentBlockParam[] {
  switch (message.role) {
    case "system":
      return said(message.content);
    case "user":
      return [...(message.images ?? []).map(image), ...said(message.content)];
    case "assistant":
      return reply_blocks(message);
    case "tool":
      return [{
        type: "tool_result",
        tool_use_id: id_of(message.tool_call_id),
        ...result(message.content, message.images ?? []),
      }];
  }
}

/** A text block; none for blanks. */
function said(text: string): TextBlockParam[] {
  return text.trim() === "" ? [] : [{ type: "text", text: text_of(text) }];
}

function image({ media_type, data }: Image): ImageBlockParam {
  // What is shown is of one of the four kinds: others are not taken (tools/image.ts).
  const kind = media_type as Base64ImageSource["media_type"];
  return { type: "image", source: { type: "base64", media_type: kind, data } };
}

function result(text: string, images: readonly Image[]): Pick<ToolResultBlockParam, "content"> {
  if (images.length > 0) return { content: [...said(text), ...images.map(image)] };
  return text.trim() === "" ? {} : { content: text_of(text) };
}

/** A reply with its signed thinking in place, as the API compares it. What was changed since, such as calls from its text, comes after. */
function reply_blocks({ content, kept, tool_calls = [] }: Assistant): ContentBlockParam[] {
  const items = (kept?.items ?? []) as readonly ContentBlockParam[];
  const text = items.map((item) => item.type === "text" ? item.text : "").join("");
  const calls = new Map(tool_calls.map((call) => [call.id, tool_use(call)]));
  if (text !== content || items.length === 0) {
    const thinking = items.filter(({ type }) => type !== "text" && type !== "tool_use");
    return [...thinking, ...said(content), ...calls.values()];
  }
  const out = items.flatMap((item): ContentBlockParam[] => {
    if (item.type === "text") return said(item.text);
    if (item.type !== "tool_use") return [item];
    const call = calls.get(item.id);
    calls.delete(item.id);
    return call === undefined ? [] : [call];
  });
  return [...out, ...calls.values()];
}

function tool_use({ id, name, arguments: args }: ToolCall): ContentBlockParam {
  const input: unknown = JSON.parse(
    args,
    (_key, value: unknown) => typeof value === "string" ? text_of(value) : value,
  );
  return { type: "tool_use", id: id_of(id), name, input };
}

/** The API takes letters, digits, `_` and `-`; another server, with whose calls a session began, may give others. */
function id_of(id: string): string {
  return id.replace(/[^\w-]/g, (char) => `_${char.charCodeAt(0).toString(16)}`);
}

/** Half of a character that takes two units is replaced: the API calls it no JSON. */
function text_of(text: string): string {
  return text.toWellFormed();
}
