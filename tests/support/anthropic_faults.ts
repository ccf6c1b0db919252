/** What the Messages API of Anthropic refuses in a request, each in the words it uses where these are known. */
import { is_object } from "./history.ts";

type Obj = Readonly<Record<string, unknown>>;

/** A block of a message, with where it is. */
interface Placed {
  readonly block: Obj;
  readonly at: string;
}

const TOP = [
  ...["model", "max_tokens", "messages", "system", "tools", "tool_choice", "stream"],
  ...["temperature", "thinking", "output_config", "cache_control", "metadata", "stop_sequences"],
];

/** Fields of each kind of block: "Extra inputs are not permitted". */
const BLOCKS: Readonly<Record<string, readonly string[]>> = {
  text: ["text", "cache_control"],
  image: ["source", "cache_control"],
  tool_use: ["id", "name", "input", "cache_control"],
  tool_result: ["tool_use_id", "content", "is_error", "cache_control"],
  thinking: ["thinking", "signature"],
  redacted_thinking: ["data"],
};

/** Who may say what. */
const SPEAKERS: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "tool_result"],
  assistant: ["text", "thinking", "redacted_thinking", "tool_use"],
};

const MOST_MARKERS = 4;
const LEAST_BUDGET = 1024;

/** Everything that the API would refuse. `signed` knows the signatures that were given out. */
export function anthropic_faults(
  body: unknown,
  signed: (thinking: string, signature: string) => boolean,
): string[] {
  if (!is_object(body)) return ["the body is not a JSON object"];
  const { messages } = body;
  const out = Object.keys(body).filter((key) => !TOP.includes(key))
    .map((key) => `${key}: Extra inputs are not permitted`);
  if (typeof body["model"] !== "string" || body["model"] === "") out.push("model: Field required");
  const tokens = body["max_tokens"];
  if (!Number.isInteger(tokens) || Number(tokens) < 1) out.push("max_tokens: Field required");
  out.push(...system_faults(body["system"]), ...tools_faults(body), ...thinking_faults(body));
  const markers = JSON.stringify(body).split('"cache_control":{"type":"ephemeral"}').length - 1;
  if (markers > MOST_MARKERS) {
    out.push(`A maximum of 4 blocks with cache_control, found ${markers}`);
  }
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(is_object)) {
    return [...out, "messages: at least one message is required"];
  }
  messages.forEach((message, n) => out.push(...message_faults(message, n, signed)));
  return [...out, ...order_faults(messages)];
}

function system_faults(system: unknown): string[] {
  if (system === undefined || typeof system === "string") return [];
  if (!Array.isArray(system)) return ["system: Input should be a valid list"];
  return system.flatMap((block: unknown, n) =>
    is_object(block) && block["type"] === "text"
      ? block_faults({ block, at: `system.${n}` })
      : [`system.${n}: Input should be a text block`]
  );
}

function tools_faults({ tools, tool_choice }: Obj): string[] {
  if (tools === undefined) {
    return tool_choice === undefined ? [] : ["tool_choice: may only be specified with tools"];
  }
  if (!Array.isArray(tools) || tools.length === 0) return ["tools: not a list of tools"];
  const choice = is_object(tool_choice) ? tool_choice["type"] : tool_choice ?? "auto";
  const takes = is_object(tool_choice) || tool_choice === undefined;
  const out = takes && (choice === "auto" || choice === "none")
    ? []
    : [`tool_choice: ${String(choice)}`];
  return [
    ...out,
    ...tools.flatMap((tool: unknown, n) => {
      if (!is_object(tool)) return [`tools.${n}: not an object`];
      const schema = tool["input_schema"];
      const known = ["name", "description", "input_schema", "cache_control"];
      const extra = Object.keys(tool).filter((key) => !known.includes(key));
      return [
        ...extra.map((key) => `tools.${n}.${key}: Extra inputs are not permitted`),
        ...(is_object(schema) && schema["type"] === "object"
          ? []
          : [`tools.${n}.input_schema: Field required`]),
        ...(/^[a-zA-Z0-9_-]{1,128}$/.test(String(tool["name"])) ? [] : [`tools.${n}.name`]),
      ];
    }),
  ];
}

function thinking_faults({ thinking, temperature, max_tokens }: Obj): string[] {
  if (thinking === undefined) {
    return temperature === undefined || (Number(temperature) >= 0 && Number(temperature) <= 1)
      ? []
      : ["temperature: range: 0..1"];
  }
  if (!is_object(thinking)) return ["thinking: Input should be an object"];
  const out = thinking["type"] !== "disabled" && temperature !== undefined && temperature !== 1
    ? ["`temperature` may only be set to 1 when thinking is enabled"]
    : [];
  if (thinking["type"] !== "enabled") return out;
  const budget = Number(thinking["budget_tokens"]);
  if (!(budget >= LEAST_BUDGET)) out.push("thinking.budget_tokens: greater than or equal to 1024");
  if (!(budget < Number(max_tokens))) {
    out.push("`max_tokens` must be greater than `thinking.budget_tokens`");
  }
  return out;
}

function message_faults(
  message: Obj,
  n: number,
  signed: (thinking: string, signature: string) => boolean,
): string[] {
  const { role, content } = message;
  const kinds = SPEAKERS[String(role)];
  if (kinds === undefined) return [`messages.${n}.role: ${String(role)}`];
  const out = Object.keys(message).filter((key) => key !== "role" && key !== "content")
    .map((key) => `messages.${n}.${key}: Extra inputs are not permitted`);
  if (!Array.isArray(content) || content.length === 0) {
    return [...out, `messages.${n}: all messages must have non-empty content`];
  }
  content.forEach((block: unknown, i) => {
    const at = `messages.${n}.content.${i}`;
    if (!is_object(block) || !kinds.includes(String(block["type"]))) {
      out.push(`${at}: no block of a message of ${String(role)}`);
      return;
    }
    out.push(...block_faults({ block, at }));
    const { type, thinking, signature } = block;
    if (type === "thinking" && !signed(String(thinking), String(signature))) {
      out.push(`${at}: Invalid \`signature\` in \`thinking\` block`);
    }
  });
  return out;
}

function block_faults({ block, at }: Placed): string[] {
  const type = String(block["type"]);
  const known = ["type", ...(BLOCKS[type] ?? [])];
  const out = Object.keys(block).filter((key) => !known.includes(key))
    .map((key) => `${at}.${type}.${key}: Extra inputs are not permitted`);
  switch (type) {
    case "text":
      if (typeof block["text"] !== "string" || block["text"].trim() === "") {
        out.push(`${at}: text content blocks must contain non-whitespace text`);
      }
      break;
    case "image": {
      const source = is_object(block["source"]) ? block["source"] : {};
      const { type, media_type, data } = source;
      if (type !== "base64" || !/^image\/(png|jpeg|gif|webp)$/.test(String(media_type)) || !data) {
        out.push(`${at}.image.source: not an image in base64`);
      }
      break;
    }
    case "tool_use":
      if (!/^[a-zA-Z0-9_-]+$/.test(String(block["id"]))) {
        out.push(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
      }
      if (!is_object(block["input"])) out.push(`${at}.tool_use.input: not a dictionary`);
      break;
    case "tool_result": {
      const { content } = block;
      const parts: unknown[] = Array.isArray(content) ? content : [];
      if (content === "") out.push(`${at}.tool_result.content: empty`);
      parts.forEach((part, i) =>
        out.push(
          ...(is_object(part) ? block_faults({ block: part, at: `${at}.content.${i}` }) : []),
        )
      );
    }
  }
  return out;
}

/** Roles take turns; each call has its result in the very next message, before anything else, and no result is without. */
function order_faults(messages: readonly Obj[]): string[] {
  const out: string[] = [];
  const seen = new Set<string>();
  let owed: string[] = [];
  messages.forEach((message, n) => {
    const role = n % 2 === 0 ? "user" : "assistant";
    if (message["role"] !== role) out.push(`messages.${n}: roles must alternate`);
    const content: unknown[] = Array.isArray(message["content"]) ? message["content"] : [];
    const blocks = content.filter(is_object);
    const results = blocks.filter(({ type }) => type === "tool_result");
    for (const [i, { tool_use_id }] of results.entries()) {
      const id = String(tool_use_id);
      if (!owed.includes(id)) {
        out.push(
          `messages.${n}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}`,
        );
      }
      if (blocks[i] !== results[i]) out.push(`messages.${n}: results come first`);
      owed = owed.filter((other) => other !== id);
    }
    if (owed.length > 0) {
      const ids = owed.join(", ");
      out.push(`messages.${n}: \`tool_use\` ids without \`tool_result\` blocks after: ${ids}`);
    }
    owed = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => String(id));
    for (const id of owed) {
      if (seen.has(id)) out.push(`messages.${n}: \`tool_use\` ids must be unique: ${id}`);
      seen.add(id);
    }
  });
  if (messages.at(-1)?.["role"] !== "user") {
    out.push("the conversation must end with a user message");
  }
  return out;
}
