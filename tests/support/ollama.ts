/** Ollama's own protocol: what it refuses, and how it answers. */
import { is_object, order_faults } from "./history.ts";
import { call_id, type Reply } from "./wire.ts";

interface Obj {
  readonly [key: string]: unknown;
}

/** What the model is, and what is loaded of it. */
export interface Loaded {
  /** Tokens that it could hold (`model_info.*.context_length`). */
  readonly limit: number;
  /** What it can do; without `tools` or `thinking` requests for these are refused. */
  readonly capabilities: readonly string[];
  /** Tokens of the window as loaded; null before the first request. */
  window: number | null;
}

/** Go's decoder drops unknown keys: a key with a typing error would go unnoticed there, but not here. */
const KEYS: Readonly<Record<string, readonly string[]>> = {
  request: ["model", "messages", "tools", "stream", "truncate", "options", "think", "keep_alive"],
  options: ["num_ctx", "num_predict", "temperature"],
  system: ["role", "content"],
  user: ["role", "content", "images"],
  assistant: ["role", "content", "thinking", "tool_calls"],
  tool: ["role", "content", "tool_name", "tool_call_id", "images"],
};

function unknown_keys(value: Obj, kind: string, where: string): string[] {
  return Object.keys(value).filter((key) => !KEYS[kind]?.includes(key))
    .map((key) => `${where}: unknown key ${key}`);
}

function message_faults(message: Obj, where: string, names: ReadonlyMap<string, string>): string[] {
  const role = String(message["role"]);
  if (KEYS[role] === undefined || role === "request" || role === "options") {
    return [`${where}: role ${role}`];
  }
  const out = unknown_keys(message, role, where);
  // "json: cannot unmarshal object into Go struct field ChatRequest.messages.content of type string".
  if (typeof message["content"] !== "string") out.push(`${where}: content is not text`);
  const images = message["images"] ?? [];
  if (
    !Array.isArray(images) || !images.every((image) => /^[A-Za-z0-9+/]+=*$/.test(String(image)))
  ) {
    out.push(`${where}: images are not base64`);
  }
  const id = String(message["tool_call_id"]);
  if (role === "tool" && message["tool_name"] !== names.get(id)) {
    out.push(`${where}: tool_name ${String(message["tool_name"])}, expected ${names.get(id)}`);
  }
  const calls = message["tool_calls"];
  if (role !== "assistant" || calls === undefined) return out;
  if (!Array.isArray(calls) || calls.length === 0) return [...out, `${where}: no calls`];
  for (const call of calls) {
    const made = is_object(call) ? call["function"] : undefined;
    // "Value looks like object, but can't find closing '}' symbol" to arguments that are a text.
    if (!is_object(made) || !is_object(made["arguments"]) || typeof made["name"] !== "string") {
      out.push(`${where}: not a call: ${JSON.stringify(call)}`);
    }
  }
  return out;
}

/** Everything in a request that Ollama refuses, or drops without a word. */
export function ollama_faults(body: unknown): string[] {
  if (!is_object(body)) return ["the body is not a JSON object"];
  const out = unknown_keys(body, "request", "request");
  const options = body["options"];
  if (!is_object(options)) return [...out, "options is no object"];
  out.push(...unknown_keys(options, "options", "options"));
  for (const name of ["num_ctx", "num_predict"]) {
    // "option "num_ctx" must be of type integer".
    const value = options[name];
    if (value !== undefined && !(Number.isInteger(value) && Number(value) > 0)) {
      out.push(`options.${name}: ${JSON.stringify(value)}`);
    }
  }
  const think = body["think"];
  if (think !== undefined && ![true, false, "low", "medium", "high", "max"].includes(think as "")) {
    out.push(`invalid think value: ${JSON.stringify(think)}`);
  }
  const keep = body["keep_alive"];
  if (keep !== undefined && !/^-?(\d+(\.\d+)?(ms|s|m|h))+$/.test(String(keep))) {
    out.push(`time: invalid duration ${JSON.stringify(keep)}`);
  }
  const messages = body["messages"];
  if (!Array.isArray(messages) || !messages.every(is_object)) return [...out, "messages"];
  const names = new Map<string, string>();
  messages.forEach((message, i) => {
    for (const call of Array.isArray(message["tool_calls"]) ? message["tool_calls"] : []) {
      names.set(String(call?.id), String(call?.function?.name));
    }
    out.push(...message_faults(message, `messages[${i}]`, names));
  });
  return [...out, ...order_faults(messages)];
}

/** Why Ollama refuses a request that is in order; null if it does not. */
export function refusal(
  body: Obj,
  { loaded, names }: { loaded: Loaded; names: readonly string[] },
): Response | null {
  const refuse = (status: number, error: string) => Response.json({ error }, { status });
  const model = String(body["model"]);
  if (!names.some((name) => name === model || name === `${model}:latest`)) {
    return refuse(404, `model '${model}' not found`);
  }
  const { capabilities } = loaded;
  if (body["tools"] !== undefined && !capabilities.includes("tools")) {
    return refuse(
      400,
      `registry.ollama.ai/library/${String(body["model"])} does not support tools`,
    );
  }
  const thinks = body["think"] !== undefined && body["think"] !== false;
  if (thinks && !capabilities.includes("thinking")) {
    return refuse(400, `"${String(body["model"])}" does not support thinking`);
  }
  return null;
}

/** Loads the model with the window that a request asks for, or with the 4096 tokens of a small machine. */
export function load(body: unknown, loaded: Loaded): void {
  const options = is_object(body) && is_object(body["options"]) ? body["options"] : {};
  const asked = options["num_ctx"];
  const wanted = typeof asked === "number" ? asked : loaded.window ?? 4096;
  loaded.window = Math.min(loaded.limit, wanted);
}

/** What is answered without a script, besides the model lists; null if it is none of these. */
export function fixed_ollama(
  path: string,
  names: readonly string[],
  loaded: Loaded,
): Response | null {
  const models = names.map((name) => ({
    name,
    model: name,
    size: 1,
    digest: "0",
    details: { family: "llama", parameter_size: "1M", quantization_level: "Q4_1" },
  }));
  switch (path) {
    case "/":
      return new Response("Ollama is running");
    case "/api/tags":
      return Response.json({ models });
    case "/api/version":
      return Response.json({ version: "0.17.4" });
    case "/api/ps": {
      const context_length = loaded.window;
      if (context_length === null) return Response.json({ models: [] });
      return Response.json({
        models: models.map((model) => ({ ...model, size_vram: 0, context_length })),
      });
    }
    case "/api/show":
      return Response.json({
        details: { family: "llama", parameter_size: "1M" },
        model_info: { "general.architecture": "llama", "llama.context_length": loaded.limit },
        capabilities: loaded.capabilities,
      });
    default:
      return null;
  }
}

/** The body of a reply: objects one a line, the last with the counts; or one object with all. */
export function ollama_body(reply: Reply, n: number, stream: boolean): string {
  const at = { model: "scripted", created_at: "2026-11-21T23:19:12.817213962Z" };
  const usage = reply.usage === null ? null : reply.usage ?? {
    prompt_tokens: 10,
    completion_tokens: 5,
  };
  const end = {
    done: true,
    done_reason: reply.finish === "length" ? "length" : "stop",
    total_duration: 1,
    ...(usage === null
      ? {}
      : { prompt_eval_count: usage.prompt_tokens, eval_count: usage.completion_tokens }),
  };
  const tool_calls = (reply.calls ?? []).map((call, index) => ({
    ...(call.id === "" ? {} : { id: call_id(call, n, index) }),
    function: {
      index,
      name: call.name,
      arguments: typeof call.args === "string" ? JSON.parse(call.args) : call.args,
    },
  }));
  const message = (more: Obj) => ({ role: "assistant", content: "", ...more });
  if (!stream) {
    const whole = message({
      content: reply.text ?? "",
      ...(reply.reasoning === undefined ? {} : { thinking: reply.reasoning }),
      ...(tool_calls.length === 0 ? {} : { tool_calls }),
    });
    return JSON.stringify({ ...at, message: whole, ...end });
  }
  const pieces = (text: string | undefined, size = reply.fragment) => {
    const characters = [...text ?? ""];
    const step = size ?? Math.max(1, characters.length);
    return Array.from(
      { length: Math.ceil(characters.length / step) },
      (_, i) => characters.slice(i * step, (i + 1) * step).join(""),
    );
  };
  const messages = [
    ...pieces(reply.reasoning).map((thinking) => message({ thinking })),
    ...pieces(reply.text).map((content) => message({ content })),
    // Each as soon as it is whole.
    ...tool_calls.map((call) => message({ tool_calls: [call] })),
  ];
  const lines = messages.map((message) => ({ ...at, message, done: false as boolean }));
  if (reply.finish !== null) lines.push({ ...at, message: message({}), ...end });
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}
