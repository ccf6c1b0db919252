import type {
  FunctionTool,
  ResponseCreateParamsBase,
  ResponseInputItem,
  ResponseInputMessageContentList,
  ResponseOutputMessage,
} from "openai/resources/responses/responses";
import type { KeptItem, KeptReasoning } from "./codex_responses_items.ts";
import { ResponsesCollector } from "./codex_responses_reply.ts";
import type { Image, Message } from "../message.ts";
import { rest_of_request } from "../request_fields.ts";
import type { RequestOptions, Wire } from "../wire.ts";

/** An earlier reply has no id of its own: nothing is stored that it could be the id of. */
type Item = ResponseInputItem | Omit<ResponseOutputMessage, "id"> | KeptReasoning;

/** OpenAI: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16". */
const LEAST_OUTPUT_TOKENS = 16;
/** OpenAI: "Invalid 'input[2].call_id': string too long. Expected a string with maximum length 64". */
const ID_CHARS = 64;
/** OpenAI's models that do not reason: "Encrypted content is not supported with this model." (400) */
const NEVER_REASON = /^(?:openai\/)?(?:gpt-[34]|chatgpt-|gpt-5-chat)/;

/** The Responses API. Nothing stays at the server (`store: false`): requests have the whole conversation, and reasoning encrypted. */
export function codex_responses(): Wire {
  const ids = new CallIds();
  let model = "";
  let most_tokens = 0;
  return {
    path: "/responses",
    encode: (messages) => items_of(messages, ids).map((item) => JSON.stringify(item)).join(","),
    before(name) {
      model = name;
      return `{"model":${JSON.stringify(name)},"input":[`;
    },
    after(options) {
      most_tokens = options.max_output_tokens > 0
        ? Math.max(options.max_output_tokens, LEAST_OUTPUT_TOKENS)
        : 0;
      const { tools, tool_choice, stream, temperature, reasoning_effort } = options;
      // What is undefined is left out.
      const rest: ResponseCreateParamsBase = {
        ...(tools.length > 0
          ? { tools: tools.map(offer), tool_choice, parallel_tool_calls: true }
          : {}),
        store: false,
        include: NEVER_REASON.test(model) ? undefined : ["reasoning.encrypted_content"],
        stream,
        max_output_tokens: most_tokens || undefined,
        temperature,
        reasoning: reasoning_effort === undefined
          ? undefined
          : { effort: reasoning_effort as Effort },
      };
      return rest_of_request(rest, options.without);
    },
    collector: (url) => new ResponsesCollector(url, { most_tokens, taken: ids.sent }),
  };
}

class CallIds {
  /** Ids of all calls that were sent: another call with such an id would be answered twice. */
  readonly sent = new Set<string>();
  readonly #shortened = new Map<string, string>();

  /** The same id for the same call, however often it is encoded. */
  of(id: string): string {
    if (id.length <= ID_CHARS) return id;
    const known = this.#shortened.get(id);
    if (known !== undefined) return known;
    const short = `call_long_${this.#shortened.size}`;
    this.#shortened.set(id, short);
    return short;
  }
}

/** Servers know more efforts than the types do. */
type Effort = NonNullable<NonNullable<ResponseCreateParamsBase["reasoning"]>["effort"]>;

/** `strict` is true if it is left out, and then OpenAI and llama.cpp refuse optional arguments. */
function offer({ name, description, parameters }: RequestOptions["tools"][number]): FunctionTool {
  return { type: "function", name, description, parameters: { ...parameters }, strict: false };
}

function items_of(messages: readonly Message[], ids: CallIds): Item[] {
  const items: Item[] = [];
  // OpenAI takes images in the output of a call, too; older servers refuse that, in every request from then on (llama.cpp:
  // "Output of tool call should be 'Input text'", sglang#34927). In a message that follows all outputs all understand them.
  let seen: ResponseInputMessageContentList = [];
  const flush = () => {
    if (seen.length > 0) items.push({ type: "message", role: "user", content: seen });
    seen = [];
  };
  for (const message of messages) {
    if (message.role === "tool") {
      const { tool_call_id, content, images = [] } = message;
      const call_id = ids.of(tool_call_id);
      items.push({ type: "function_call_output", call_id, output: content.toWellFormed() });
      if (images.length > 0) seen.push(text_part(`Output of ${call_id}:`), ...images.map(picture));
      continue;
    }
    flush();
    items.push(...(message.role === "assistant" ? reply_items(message, ids) : [said(message)]));
  }
  flush();
  return items;
}

/** The system message is an item, not `instructions`, so that the list only grows. Halves of two-unit characters are replaced. */
function said(message: Extract<Message, { role: "system" | "user" }>): ResponseInputItem {
  const { role } = message;
  const content = message.content.toWellFormed();
  const images = message.role === "user" ? message.images ?? [] : [];
  return images.length === 0
    ? { type: "message", role, content }
    : { type: "message", role, content: [text_part(content), ...images.map(picture)] };
}

/** Reasoning is before what it led to: without that OpenAI refuses it ("without its required following item"). */
function reply_items(message: Extract<Message, { role: "assistant" }>, ids: CallIds): Item[] {
  const { content, tool_calls = [], kept: given } = message;
  const kept = (given?.items ?? []) as readonly KeptItem[];
  const led_to = (id: string) =>
    kept.flatMap((one) => one.kind === "reasoning" && one.before === id ? [one.item] : []);
  const phase = kept.find((one) => one.kind === "phase");
  // As OpenAI sends it: older llama.cpp takes no plain string here, and strict servers want `status` and `annotations`.
  const answer: Omit<ResponseOutputMessage, "id"> = {
    ...{ type: "message", role: "assistant", status: "completed" },
    content: [{ type: "output_text", text: content.toWellFormed(), annotations: [] }],
    ...(phase && { phase: phase.phase }),
  };
  return [
    ...(content === "" && tool_calls.length > 0 ? [] : [...led_to(""), answer]),
    ...tool_calls.flatMap(({ id, name, arguments: args }): Item[] => {
      const call_id = ids.of(id);
      ids.sent.add(call_id);
      return [...led_to(id), { type: "function_call", call_id, name, arguments: args }];
    }),
  ];
}

function text_part(text: string): { readonly type: "input_text"; readonly text: string } {
  return { type: "input_text", text };
}

function picture({ media_type, data }: Image): ResponseInputMessageContentList[number] {
  return { type: "input_image", image_url: `data:${media_type};base64,${data}`, detail: "auto" };
}
