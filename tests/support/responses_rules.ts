/**
 * What a strict server of the Responses API refuses, each rule with its words where they are known. A server that is asked
 * for the whole conversation each time (`store: false`) has nothing else to go by.
 */
import { is_object } from "./history.ts";

type Obj = Readonly<Record<string, unknown>>;

/** OpenAI: "Unknown parameter: 'x'." */
const PARAMETERS = [
  ...["model", "input", "tools", "tool_choice", "parallel_tool_calls", "store", "include"],
  ...["stream", "max_output_tokens", "temperature", "reasoning"],
];

/** OpenAI: "Unknown parameter: 'input[1].status'." */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  system: ["type", "role", "content"],
  user: ["type", "role", "content"],
  assistant: ["type", "role", "status", "content", "phase"],
  function_call: ["type", "call_id", "name", "arguments"],
  function_call_output: ["type", "call_id", "output"],
  reasoning: ["type", "id", "summary", "encrypted_content"],
};

/** OpenAI: "Invalid 'tools[0].name': string does not match pattern". */
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

function unknown_keys(value: Obj, known: readonly string[], where: string): string[] {
  return Object.keys(value).filter((key) => !known.includes(key))
    .map((key) => `Unknown parameter: '${where}${key}'.`);
}

function parameter_faults(body: Obj): string[] {
  const out = unknown_keys(body, PARAMETERS, "");
  const { model, store, include, stream, max_output_tokens: most, temperature, reasoning } = body;
  if (typeof model !== "string" || model === "") out.push("no model");
  if (store !== false) out.push("something would be stored");
  if (stream !== undefined && typeof stream !== "boolean") out.push("stream is not true or false");
  if (include !== undefined && JSON.stringify(include) !== '["reasoning.encrypted_content"]') {
    out.push(`include: ${JSON.stringify(include)}`);
  }
  if (most !== undefined && !(Number.isInteger(most) && Number(most) >= 16)) {
    out.push("Invalid 'max_output_tokens': integer below minimum value.");
  }
  if (temperature !== undefined && typeof temperature !== "number") out.push("temperature");
  if (
    reasoning !== undefined && !(is_object(reasoning) && typeof reasoning["effort"] === "string")
  ) {
    out.push("reasoning");
  }
  return [...out, ...tool_faults(body)];
}

function tool_faults({ tools, tool_choice, parallel_tool_calls }: Obj): string[] {
  if (tools === undefined) {
    return tool_choice === undefined && parallel_tool_calls === undefined
      ? []
      : ["tool_choice or parallel_tool_calls without tools"];
  }
  if (!Array.isArray(tools) || tools.length === 0) return ["tools is empty"];
  const out = tool_choice === "auto" || tool_choice === "none"
    ? []
    : [`tool_choice ${tool_choice}`];
  for (const [i, given] of tools.entries()) {
    const where = `tools[${i}].`;
    const tool: Obj = is_object(given) ? given : {};
    out.push(
      ...unknown_keys(tool, ["type", "name", "description", "parameters", "strict"], where),
    );
    const { type, name, description, parameters, strict } = tool;
    if (type !== "function") out.push(`Invalid value: '${where}type'`);
    if (typeof name !== "string") out.push(`Missing required parameter: '${where}name'.`);
    else if (!NAME.test(name)) out.push(`Invalid '${where}name'`);
    if (typeof description !== "string") out.push(`${where}description`);
    if (!is_object(parameters) || parameters["type"] !== "object") out.push(`${where}parameters`);
    // True if it is left out, and then every argument must be required.
    if (strict !== false) out.push(`Invalid schema for function '${name}': strict`);
  }
  return out;
}

function content_faults(role: string, content: unknown, where: string): string[] {
  if (role !== "assistant" && typeof content === "string") {
    return content === "" ? [`${where} is empty`] : [];
  }
  if (!Array.isArray(content) || content.length === 0) return [`${where} is no list of parts`];
  const known = role === "assistant"
    ? ["output_text"]
    : role === "user"
    ? ["input_text", "input_image"]
    : [];
  return content.flatMap((part: unknown, i) => {
    const type = is_object(part) ? String(part["type"]) : "?";
    if (!is_object(part) || !known.includes(type)) {
      return [
        `Invalid value: '${type}'. ${where}[${i}] supports ${known.join(", ") || "text only"}.`,
      ];
    }
    if (type === "input_image") {
      const { image_url, detail } = part;
      return /^data:image\/\w+;base64,[\w+/]+=*$/.test(String(image_url)) && detail === "auto"
        ? []
        : [`${where}[${i}]: no image`];
    }
    if (typeof part["text"] !== "string") {
      return [`Missing required parameter: '${where}[${i}].text'.`];
    }
    return type === "output_text" && !Array.isArray(part["annotations"])
      ? [`Missing required parameter: '${where}[${i}].annotations'.`]
      : [];
  });
}

function item_faults(item: Obj, where: string, secrets: ReadonlySet<string>): string[] {
  const type = String(item["type"]);
  const role = String(item["role"]);
  const kind = type === "message" ? role : type;
  const keys = KEYS[kind];
  if (keys === undefined) return [`Invalid value: '${kind}'. ${where}`];
  const out = unknown_keys(item, keys, `${where}.`);
  const { content, call_id, name, arguments: args, output, summary, encrypted_content } = item;
  if (type === "message") out.push(...content_faults(role, content, `${where}.content`));
  if (role === "assistant" && item["status"] !== "completed") out.push(`${where}.status`);
  if (type.startsWith("function_call") && !/^.{1,64}$/.test(String(call_id))) {
    out.push(`Invalid '${where}.call_id': string too long.`);
  }
  if (type === "function_call") {
    if (!NAME.test(String(name))) out.push(`Invalid '${where}.name'`);
    if (!is_object(parsed(args))) out.push(`${where}.arguments do not parse: ${args}`);
  }
  // In lists some servers refuse images here (sglang#34927), and others all lists.
  if (type === "function_call_output" && typeof output !== "string") out.push(`${where}.output`);
  if (type === "reasoning") {
    if (!Array.isArray(summary)) out.push(`Missing required parameter: '${where}.summary'.`);
    if (!secrets.has(String(encrypted_content))) {
      out.push(`The encrypted content for ${where} could not be verified.`);
    }
  }
  return out;
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

/** What an item is in the order of a conversation: a reply is reasoning, text and calls, then come all the outputs. */
type Place = "start" | "said" | "reasoning" | "answer" | "call" | "output";

function order_faults(items: readonly Obj[]): string[] {
  const out: string[] = [];
  const calls = new Set<string>();
  const owed = new Set<string>();
  let place: Place = "start";
  for (const [i, item] of items.entries()) {
    const where = `input[${i}]`;
    const id = String(item["call_id"]);
    const next = place_of(item);
    if (next === "call") {
      if (calls.has(id)) out.push(`${where}: one call_id for two calls: ${id}`);
      calls.add(id);
      owed.add(id);
    } else if (next === "output") {
      if (!owed.delete(id)) {
        out.push(`No tool call found for function call output with call_id ${id}.`);
      }
    } else if (owed.size > 0) {
      out.push(`No tool output found for function call ${[...owed].join(", ")}.`);
      owed.clear();
    }
    if (item["role"] === "system" && i !== 0) out.push(`${where}: system after the first`);
    const shown = next === "said" && Array.isArray(item["content"]);
    if (!follows(place, next, shown) && !(i === 1 && items[0]?.["role"] === "system")) {
      out.push(`${where}: ${next} after ${place}`);
    }
    place = next;
  }
  if (owed.size > 0) out.push(`No tool output found for function call ${[...owed].join(", ")}.`);
  if (place !== "said" && place !== "output") out.push(`the last item is of ${place}`);
  return out;
}

function place_of({ type, role }: Obj): Place {
  switch (type) {
    case "reasoning":
      return "reasoning";
    case "function_call":
      return "call";
    case "function_call_output":
      return "output";
    default:
      return role === "assistant" ? "answer" : "said";
  }
}

/** OpenAI, where it does not: "Item 'rs_1' of type 'reasoning' was provided without its required following item." */
function follows(before: Place, next: Place, shown: boolean): boolean {
  switch (before) {
    case "start":
      return next === "said";
    case "said":
      return next === "reasoning" || next === "answer" || next === "call";
    case "reasoning":
      return next === "reasoning" || next === "answer" || next === "call";
    case "answer":
      return next === "said" || next === "reasoning" || next === "call";
    case "call":
      return next === "call" || next === "reasoning" || next === "output";
    case "output":
      // What a tool has shown is after all outputs; nothing else may be said there.
      return next === "output" || next === "reasoning" || next === "answer" || next === "call" ||
        (next === "said" && shown);
  }
}

/** Everything in a request that a strict server would answer with an error. `secrets`: what it has encrypted so far. */
export function responses_faults(body: unknown, secrets: ReadonlySet<string>): string[] {
  if (!is_object(body)) return ["the body is not a JSON object"];
  const { input } = body;
  const out = parameter_faults(body);
  if (!Array.isArray(input) || input.length === 0 || !input.every(is_object)) {
    return [...out, "input is not a list of items"];
  }
  input.forEach((item, i) => out.push(...item_faults(item, `input[${i}]`, secrets)));
  return [...out, ...order_faults(input)];
}
