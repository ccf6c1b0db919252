/**
 * What strict servers refuse in a chat request, each rule with who enforces it. A test that talks to the
 * scripted model fails when the program sends anything below.
 */

interface Obj {
  readonly [key: string]: unknown;
}

/** Whether `value` is a JSON object. */
export function is_object(value: unknown): value is Obj {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parse_object(text: unknown): Obj | null {
  if (typeof text !== "string") return null;
  try {
    const value: unknown = JSON.parse(text);
    return is_object(value) ? value : null;
  } catch {
    return null;
  }
}

/** Groq: `property 'messages.1.reasoning_content' is unsupported`; OpenAI: `Additional properties are not allowed`. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  system: ["role", "content", "name"],
  user: ["role", "content", "name"],
  assistant: ["role", "content", "name", "tool_calls", "refusal"],
  tool: ["role", "content", "tool_call_id"],
};

function call_faults(value: unknown, where: string): string[] {
  if (!is_object(value) || !is_object(value["function"])) return [`${where}: not a tool call`];
  const out: string[] = [];
  const fn = value["function"];
  if (value["type"] !== "function") out.push(`${where}: type is not "function"`);
  if (typeof value["id"] !== "string" || value["id"] === "") out.push(`${where}: no id`);
  // OpenAI: "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'".
  if (typeof fn["name"] !== "string" || !/^[a-zA-Z0-9_-]{1,64}$/.test(fn["name"])) {
    out.push(`${where}: name ${JSON.stringify(fn["name"])}`);
  }
  // llama.cpp: 500 "Failed to parse tool call arguments as JSON", on every later request.
  if (parse_object(fn["arguments"]) === null) {
    out.push(`${where}: arguments are not the text of a JSON object: ${String(fn["arguments"])}`);
  }
  return out;
}

/** OpenAI takes text and images (PNG, JPEG, GIF, WebP) from a user, and nothing but text in a tool's result. */
function part_faults(part: unknown, where: string): string[] {
  if (!is_object(part)) return [`${where}: not a part`];
  if (part["type"] === "text") {
    return typeof part["text"] === "string" && part["text"] !== ""
      ? []
      : [`${where}: a part without text`];
  }
  const image = part["image_url"];
  const url = is_object(image) ? String(image["url"]) : "";
  return part["type"] === "image_url" &&
      /^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/.test(url)
    ? []
    : [`${where}: neither text nor an image`];
}

function message_faults(message: Obj, where: string): string[] {
  const role = String(message["role"]);
  const keys = KEYS[role];
  if (keys === undefined) return [`${where}: role ${JSON.stringify(message["role"])}`];
  const out = Object.keys(message).filter((key) => !keys.includes(key))
    .map((key) => `${where}: unknown property ${key} of a ${role} message`);
  const content = message["content"];
  const calls = message["tool_calls"];
  if (role === "assistant") {
    if (calls !== undefined) {
      // OpenAI: "[] is too short - 'messages.N.tool_calls'".
      if (!Array.isArray(calls) || calls.length === 0) out.push(`${where}: tool_calls is empty`);
      else calls.forEach((c, i) => out.push(...call_faults(c, `${where}.tool_calls[${i}]`)));
    } else if (typeof content !== "string" || content === "") {
      // Anthropic behind a gateway, Mistral: an assistant message must have content or tool calls.
      out.push(`${where}: an assistant message with neither content nor tool_calls`);
    }
    if (content !== null && content !== undefined && typeof content !== "string") {
      out.push(`${where}: content is not text`);
    }
  } else if (role === "user" && Array.isArray(content)) {
    content.forEach((part, i) => out.push(...part_faults(part, `${where}.content[${i}]`)));
  } else if (typeof content !== "string" || (content === "" && role !== "tool")) {
    out.push(`${where}: ${role} message without content`);
  }
  return out;
}

/** What is amiss in the order of messages. */
export function order_faults(messages: readonly Obj[]): string[] {
  const out: string[] = [];
  let owed: string[] = [];
  let before = "start";
  messages.forEach((message, i) => {
    const role = String(message["role"]);
    const where = `messages[${i}]`;
    if (owed.length > 0 && role !== "tool") {
      // OpenAI: "An assistant message with 'tool_calls' must be followed by tool messages".
      out.push(`${where}: ${role} while calls wait for an answer: ${owed.join(", ")}`);
      owed = [];
    }
    if (role === "system" && i !== 0) out.push(`${where}: system message after the first`);
    if (role === "user" && before !== "start" && before !== "system" && before !== "assistant") {
      // Mistral's template: "roles must alternate user/assistant/user/assistant".
      out.push(`${where}: user after ${before}`);
    }
    if (role === "assistant" && before !== "user" && before !== "tool") {
      out.push(`${where}: assistant after ${before}`);
    }
    if (role === "tool") {
      const id = String(message["tool_call_id"]);
      if (owed[0] === id) owed.shift();
      else {
        out.push(`${where}: answers ${id}, expected ${owed[0] ?? "nothing"}`);
        owed = owed.filter((other) => other !== id);
      }
    }
    if (role === "assistant" && Array.isArray(message["tool_calls"])) {
      owed = message["tool_calls"].map((c: unknown) => is_object(c) ? String(c["id"]) : "?");
      if (new Set(owed).size !== owed.length) out.push(`${where}: one id for two calls`);
    }
    before = role;
  });
  if (owed.length > 0) out.push(`calls without an answer: ${owed.join(", ")}`);
  if (before !== "user" && before !== "tool") out.push(`the last message is of ${before}`);
  return out;
}

function tools_faults(body: Obj): string[] {
  const tools = body["tools"];
  if (tools === undefined) {
    // OpenAI: "'tool_choice' is only allowed when 'tools' are specified".
    return body["tool_choice"] === undefined ? [] : ["tool_choice without tools"];
  }
  if (!Array.isArray(tools) || tools.length === 0) return ["tools is empty"];
  return tools.flatMap((tool: unknown, i) => {
    const fn = is_object(tool) ? tool["function"] : undefined;
    if (!is_object(tool) || tool["type"] !== "function" || !is_object(fn)) {
      return [`tools[${i}] is not a function`];
    }
    const parameters = fn["parameters"];
    return typeof fn["name"] === "string" && typeof fn["description"] === "string" &&
        is_object(parameters) && parameters["type"] === "object"
      ? []
      : [`tools[${i}]: name, description or parameters are amiss`];
  });
}

/** Everything in a chat request that a strict server would answer with an error. */
export function request_faults(body: unknown): string[] {
  if (!is_object(body)) return ["the body is not a JSON object"];
  const out: string[] = [];
  if (typeof body["model"] !== "string" || body["model"] === "") out.push("no model");
  // OpenAI: "The 'stream_options' parameter is only allowed when 'stream' is enabled".
  if (body["stream_options"] !== undefined && body["stream"] !== true) {
    out.push("stream_options without stream");
  }
  out.push(...tools_faults(body));
  const messages = body["messages"];
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(is_object)) {
    return [...out, "messages is not a list of messages"];
  }
  messages.forEach((message, i) => out.push(...message_faults(message, `messages[${i}]`)));
  return [...out, ...order_faults(messages)];
}

/** The bytes of the value of a top-level key of a JSON object's text; null if there is no such key. */
export function raw_value(text: string, key: string): string | null {
  let depth = 0;
  let from = -1;
  for (let i = 0; i < text.length; i++) {
    const c = text[i];
    if (c === '"') {
      const start = i;
      for (i++; text[i] !== '"'; i++) if (text[i] === "\\") i++;
      const is_key = depth === 1 && from < 0 && text.slice(start, i + 1) === JSON.stringify(key);
      const colon = is_key ? /^\s*:/.exec(text.slice(i + 1, i + 16)) : null;
      if (colon !== null) {
        i += colon[0].length;
        from = i + 1;
      }
    } else if (c === "{" || c === "[") depth++;
    else if ((c === "," || c === "}" || c === "]") && depth === 1 && from >= 0) {
      return text.slice(from, i).trim();
    } else if (c === "}" || c === "]") depth--;
  }
  return null;
}

/** A reminder is at the end of one request and is not kept: all that the next one may leave out (section 9). */
const REMINDER = /\\n\\n<hamr>\\nReminder: (?:(?!<hamr>).)*<\/hamr>(?="(?:\}(?:\]\})*)+\]?$)/;

/** Whether one request's messages begin with those of the one before it, byte for byte, except for a reminder. */
export function extends_prefix(
  before: string,
  after: string,
  { key = "messages" }: { key?: string } = {},
): boolean {
  const a = raw_value(before, key);
  const b = raw_value(after, key);
  if (a === null || b === null) return false;
  return extends_list(a, b) || extends_list(a.replace(REMINDER, ""), b);
}

/** Whether one list of a request's text begins with all of another. */
export function extends_list(before: string, after: string): boolean {
  return before === after || after.startsWith(before.slice(0, -1) + ",");
}
