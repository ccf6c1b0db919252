/** A scripted model behind the Responses API: the same replies as `model_server.ts`, on another wire, and as strict. */
import { extends_list, extends_prefix, raw_value } from "./history.ts";
import { writer } from "./model_server.ts";
import { responses_faults } from "./responses_rules.ts";
import { call_id, type Reply as ChatReply } from "./wire.ts";

/** One reply. `reasoning` comes as a summary, with the whole encrypted. */
export interface Reply extends ChatReply {
  readonly refusal?: string;
  readonly phase?: "commentary" | "final_answer";
  /** Leaves the items out of the event that ends the stream, as some gateways do. */
  readonly bare?: boolean;
}

/** An item of a request, as far as tests look at it. */
export interface Item {
  readonly type: string;
  readonly role?: string;
  readonly content?: unknown;
  readonly call_id?: string;
  readonly output?: string;
  readonly encrypted_content?: string;
}

/** One request. */
export interface Recorded {
  readonly body: Readonly<Record<string, unknown>> & { readonly input: readonly Item[] };
  readonly raw: string;
  aborted: boolean;
  sent: number;
}

/** A running scripted model. */
export interface ResponsesServer {
  /** With `/v1`. */
  readonly url: string;
  readonly requests: readonly Recorded[];
  /** What was refused. Empty after a good run. */
  readonly violations: readonly string[];
  close(): Promise<void>;
}

const MODEL = "scripted";

/** What the server has encrypted in its reply to request `n`. */
export function secret(n: number): string {
  return `gAAAA${n}==`;
}

/** The items of the reply to request `n`. */
function items_of(reply: Reply, n: number): Record<string, unknown>[] {
  const status = "completed";
  const reasoning = {
    type: "reasoning",
    id: `rs_${n}`,
    status,
    summary: [{ type: "summary_text", text: reply.reasoning }],
    encrypted_content: secret(n),
  };
  const part = reply.refusal === undefined
    ? { type: "output_text", text: reply.text, annotations: [], logprobs: [] }
    : { type: "refusal", refusal: reply.refusal };
  const message = {
    type: "message",
    id: `msg_${n}`,
    role: "assistant",
    status,
    content: [part],
    ...(reply.phase === undefined ? {} : { phase: reply.phase }),
  };
  const calls = (reply.calls ?? []).map((call, i) => ({
    type: "function_call",
    id: `fc_${n}_${i}`,
    call_id: call_id(call, n, i),
    name: call.name,
    arguments: typeof call.args === "string" ? call.args : JSON.stringify(call.args),
    status,
  }));
  return [
    ...(reply.reasoning === undefined ? [] : [reasoning]),
    ...(reply.text === undefined && reply.refusal === undefined ? [] : [message]),
    ...calls,
  ];
}

function response_of(reply: Reply, n: number, output: readonly unknown[]) {
  const { finish, usage = { prompt_tokens: 10, completion_tokens: 5 } } = reply;
  const reason = finish === "length" ? "max_output_tokens" : finish;
  const incomplete = finish === "length" || finish === "content_filter";
  return {
    id: `resp_${n}`,
    object: "response",
    created_at: 1_700_000_000,
    model: MODEL,
    status: incomplete ? "incomplete" : "completed",
    error: null,
    incomplete_details: incomplete ? { reason } : null,
    output,
    usage: usage === null ? null : {
      input_tokens: usage.prompt_tokens,
      output_tokens: usage.completion_tokens,
      total_tokens: usage.prompt_tokens + usage.completion_tokens,
      input_tokens_details: { cached_tokens: usage.cached_tokens ?? 0 },
      output_tokens_details: { reasoning_tokens: usage.reasoning_tokens ?? 0 },
    },
  };
}

function pieces(text: string, size = Infinity): string[] {
  const characters = [...text];
  const out: string[] = [];
  for (let i = 0; i < characters.length; i += size) {
    out.push(characters.slice(i, i + size).join(""));
  }
  return out;
}

/** The deltas of an item, under their names. */
function deltas_of(item: Record<string, unknown>, reply: Reply): [type: string, text: string][] {
  switch (item["type"]) {
    case "reasoning":
      return [["response.reasoning_summary_text.delta", reply.reasoning ?? ""]];
    case "function_call":
      return [["response.function_call_arguments.delta", String(item["arguments"])]];
    default:
      return reply.refusal === undefined
        ? [["response.output_text.delta", reply.text ?? ""]]
        : [["response.refusal.delta", reply.refusal]];
  }
}

/** The body of a streamed reply to request `n`. */
export function stream_body(reply: Reply, n: number): string {
  const eol = reply.eol ?? "\n";
  const items = items_of(reply, n);
  const events: Record<string, unknown>[] = [];
  const say = (type: string, more: Record<string, unknown>) =>
    events.push({ type, sequence_number: events.length, ...more });
  const begun = { ...response_of(reply, n, []), status: "in_progress", usage: null };
  say("response.created", { response: begun });
  say("response.in_progress", { response: begun });
  items.forEach((item, output_index) => {
    const at = { item_id: item["id"], output_index };
    const empty = {
      ...item,
      status: "in_progress",
      ...("arguments" in item ? { arguments: "" } : {}),
      ...("content" in item ? { content: [] } : {}),
    };
    say("response.output_item.added", { output_index, item: empty });
    for (const [type, text] of deltas_of(item, reply)) {
      for (const delta of pieces(text, reply.fragment)) {
        say(type, { ...at, content_index: 0, summary_index: 0, delta });
      }
    }
    if (item["type"] === "function_call") {
      const { arguments: args } = item;
      say("response.function_call_arguments.done", { ...at, arguments: args });
    }
    say("response.output_item.done", { output_index, item });
  });
  if (reply.finish !== null) {
    const response = response_of(reply, n, reply.bare ? [] : items);
    say(`response.${response.status}`, { response });
  }
  const comment = reply.keep_alive ? `:${eol}${eol}` : "";
  return events.map((event) =>
    `${comment}event: ${event["type"]}${eol}data: ${JSON.stringify(event)}${eol}${eol}`
  ).join("");
}

/** The body of a reply that was not asked for as a stream. */
export function whole_body(reply: Reply, n: number): string {
  return JSON.stringify(response_of(reply, n, items_of(reply, n)));
}

/** Serves a script on loopback until it is closed. A request that breaks a rule is refused, as the real server does. */
export function serve_responses(
  script: readonly Reply[] | ((n: number) => Reply),
  options: {
    readonly key?: string;
    /** False: every request may begin a conversation of its own. */
    readonly one_conversation?: boolean;
    /** What it says to Chat Completions. */
    readonly to_chat?: string;
  } = {},
): ResponsesServer {
  const requests: Recorded[] = [];
  const violations: string[] = [];
  const secrets = new Set<string>();
  const closing = new AbortController();

  function faults_of(record: Recorded, before: Recorded | undefined): string[] {
    const faults = responses_faults(record.body, secrets);
    if (before === undefined || options.one_conversation === false) return faults;
    if (!extends_prefix(before.raw, record.raw, { key: "input" })) {
      faults.push("its items do not begin with the bytes of those of the request before");
    }
    const [had, has] = [raw_value(before.raw, "tools"), raw_value(record.raw, "tools")];
    if (!extends_list(had ?? "", has ?? "")) faults.push("other tools");
    return faults;
  }

  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, onError },
    async (request) => {
      const path = new URL(request.url).pathname;
      const text = await request.text().catch(() => "");
      const { key } = options;
      if (key !== undefined && request.headers.get("authorization") !== `Bearer ${key}`) {
        return refuse(401, "Incorrect API key provided.", "invalid_api_key");
      }
      if (path === "/v1/models") return Response.json({ object: "list", data: [{ id: MODEL }] });
      if (request.method !== "POST" || path !== "/v1/responses") {
        return refuse(404, options.to_chat ?? "not found");
      }
      const record: Recorded = { body: JSON.parse(text), raw: text, aborted: false, sent: 0 };
      const n = requests.push(record) - 1;
      const faults = faults_of(record, requests[n - 1]);
      violations.push(...faults.map((fault) => `request ${n}: ${fault}`));
      if (faults[0] !== undefined) return refuse(400, faults[0]);
      const reply = typeof script === "function" ? script(n) : script[n];
      if (reply === undefined) {
        violations.push(`request ${n}: the script has only ${n} replies`);
        return refuse(500, "the script is at its end");
      }
      secrets.add(secret(n));
      const stream = record.body["stream"] === true;
      const body = reply.body ?? (stream ? stream_body(reply, n) : whole_body(reply, n));
      const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
      const type = stream && reply.status === undefined ? "text/event-stream" : "application/json";
      return new Response(writer(record, reply, bytes, closing.signal), {
        status: reply.status ?? 200,
        headers: { "content-type": reply.type ?? type, ...reply.headers },
      });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    requests,
    violations,
    async close() {
      closing.abort();
      await server.shutdown();
    },
  };
}

/** A body that is cut on purpose is not an error of the server. */
function onError(): Response {
  return new Response(null, { status: 500 });
}

function refuse(status: number, message: string, code: string | null = null): Response {
  const error = { message, type: "invalid_request_error", param: null, code };
  return Response.json({ error }, { status });
}
