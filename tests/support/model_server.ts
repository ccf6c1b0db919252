import { setImmediate } from "node:timers";
import { extends_list, extends_prefix, is_object, raw_value, request_faults } from "./history.ts";
import { fixed_ollama, load, type Loaded, ollama_body, ollama_faults, refusal } from "./ollama.ts";
import { type Reply, stream_body, whole_body } from "./wire.ts";

export * from "./wire.ts";

/** A message of a request, as far as tests look at it. */
export interface WireMessage {
  readonly role: string;
  readonly content: string | null;
  readonly tool_call_id?: string;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
}

/** A chat request, as far as tests look at it. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly {
    readonly function: { readonly name: string; readonly parameters: unknown };
  }[];
  readonly tool_choice?: unknown;
  readonly stream?: boolean;
  readonly temperature?: number;
}

/** One request to the chat endpoint. */
export interface Recorded {
  /** 0 for the first. */
  readonly n: number;
  readonly body: ChatRequest;
  /** In Ollama's own protocol. */
  readonly native: boolean;
  /** The body as it was sent. */
  readonly raw: string;
  readonly headers: Headers;
  /** `performance.now()` at which the whole request was there. */
  readonly at: number;
  /** The client closed the socket before the reply was whole. */
  aborted: boolean;
  /** `performance.now()` at which the last byte of the reply was handed to the socket; 0 before. */
  sent: number;
}

/** Replies in the order they are wanted, or a function that makes them. */
export type Script =
  | readonly Reply[]
  | ((request: Recorded, n: number) => Reply | Promise<Reply>);

/** What the server is besides its script. */
export interface ServerOptions {
  /** Default 0: a free port. */
  readonly port?: number;
  /** Ids under `/v1/models`; default `["scripted"]`. Null: 404. */
  readonly models?: readonly string[] | null;
  /** Answers `/props` and `/v1/models` as llama.cpp does, with this window in tokens. */
  readonly llama_ctx?: number;
  /** Whether its models can see; default: no. Told in `/props`, and by Ollama in `/api/show`. */
  readonly vision?: boolean;
  /** What llama.cpp's `/apply-template` makes of a request; default: 404, as of old servers. */
  readonly llama_renders?: (request: ChatRequest) => string;
  /** The same says that the model's template leaves tools out. */
  readonly llama_no_tools?: true;
  /**
   * Speaks as Ollama does, `/api/chat` too, with a window of this many tokens loaded; null: nothing is loaded before the
   * first request. A request of its own protocol loads what it asks for.
   */
  readonly ollama_ctx?: number | null;
  /** Tokens that Ollama's model could hold; default 131,072. */
  readonly ollama_limit?: number;
  /** What Ollama's model can do; default `completion` and `tools`. */
  readonly ollama_can?: readonly string[];
  /** Whether it is still loading its model: as llama.cpp, it answers 503 to everything. */
  readonly loading?: () => boolean;
  /** Milliseconds before it answers what is not a chat. */
  readonly slow_ms?: number;
  /** Tokens of the window that `/v1/models` tells where none of the above does; default 131,072. Null: none. */
  readonly window?: number | null;
  /** A request without this bearer key is answered with 401. */
  readonly key?: string;
  /** False: requests are not judged (for measurements). */
  readonly validate?: boolean;
  /** False: every chat request may begin a conversation of its own. */
  readonly one_conversation?: boolean;
}

/** A running scripted model. */
export interface ModelServer {
  readonly port: number;
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly origin: string;
  /** The same with `/v1`. */
  readonly url: string;
  /** Requests to the chat endpoint, oldest first. */
  readonly requests: readonly Recorded[];
  /** `METHOD /path` of every request to any endpoint. */
  readonly paths: readonly string[];
  /** What a strict server would have refused. Empty after a good run. */
  readonly violations: readonly string[];
  /** Results of tools in the newest request, oldest first. */
  results(): string[];
  close(): Promise<void>;
}

const encoder = new TextEncoder();

/** Why a body fails that the script cuts. */
export const CUT = new Error("cut by the script");

/** Serves a script on loopback until it is closed. */
export function serve_model(script: Script, options: ServerOptions = {}): ModelServer {
  const requests: Recorded[] = [];
  const paths: string[] = [];
  const violations: string[] = [];
  const closing = new AbortController();
  const loaded: Loaded = {
    limit: options.ollama_limit ?? 131_072,
    capabilities: options.ollama_can ??
      ["completion", "tools", ...(options.vision ? ["vision"] : [])],
    window: options.ollama_ctx ?? null,
  };

  function judge(record: Recorded): void {
    if (options.validate === false) return;
    const add = (fault: string) => violations.push(`request ${record.n}: ${fault}`);
    const faults = record.native ? ollama_faults : request_faults;
    faults(record.body).forEach(add);
    const before = requests[record.n - 1];
    if (before === undefined || options.one_conversation === false) return;
    if (!extends_prefix(before.raw, record.raw)) {
      add("its messages do not begin with the bytes of those of the request before");
    }
    const [had, has] = [raw_value(before.raw, "tools"), raw_value(record.raw, "tools")];
    if (!extends_list(had ?? "", has ?? "")) add("other tools");
  }

  async function chat(request: Request, native: boolean): Promise<Response> {
    let bytes: ArrayBuffer;
    try {
      bytes = await request.arrayBuffer();
    } catch {
      // The client left before it had said all: there is nobody to answer.
      return new Response(null, { status: 400 });
    }
    const at = performance.now();
    let raw: string;
    let body: unknown;
    try {
      raw = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
      body = JSON.parse(raw);
    } catch (error) {
      violations.push(`request ${requests.length}: not JSON in UTF-8: ${error}`);
      return Response.json({ error: { message: "bad JSON" } }, { status: 400 });
    }
    if (!is_object(body)) {
      violations.push(`request ${requests.length}: not an object`);
      return Response.json({ error: { message: "not an object" } }, { status: 400 });
    }
    const record: Recorded = {
      n: requests.length,
      body: body as unknown as ChatRequest,
      native,
      raw,
      headers: request.headers,
      at,
      aborted: false,
      sent: 0,
    };
    requests.push(record);
    judge(record);
    const refused = native
      ? refusal(body, { loaded, names: options.models ?? ["scripted"] })
      : null;
    if (refused !== null) return refused;
    const reply = typeof script === "function" ? await script(record, record.n) : script[record.n];
    if (reply === undefined) {
      violations.push(`request ${record.n}: the script has only ${record.n} replies`);
      return Response.json({ error: { message: "the script is at its end" } }, { status: 500 });
    }
    return await respond(record, reply);
  }

  async function respond(record: Recorded, reply: Reply): Promise<Response> {
    if (reply.silent) await until_aborted(closing.signal);
    if (reply.delay_ms !== undefined) await sleep(reply.delay_ms, closing.signal);
    while (reply.after !== undefined && !paths.includes(reply.after) && !closing.signal.aborted) {
      await sleep(10, closing.signal);
    }
    load(record.body, loaded);
    const stream = record.body.stream === true;
    const made = () =>
      record.native
        ? ollama_body(reply, record.n, stream)
        : stream
        ? stream_body(reply, record.n, include_usage)
        : whole_body(reply, record.n);
    const options_of = (record.body as unknown as Record<string, unknown>)["stream_options"];
    const include_usage = is_object(options_of) && options_of["include_usage"] === true;
    const body = reply.body ?? made();
    const bytes = typeof body === "string" ? encoder.encode(body) : body;
    const raw_type = reply.body === undefined || reply.status === undefined;
    const streamed = record.native ? "application/x-ndjson" : "text/event-stream";
    const type = reply.type ??
      (stream && raw_type ? streamed : "application/json; charset=utf-8");
    return new Response(writer(record, reply, bytes, closing.signal), {
      status: reply.status ?? 200,
      headers: { "content-type": type, "cache-control": "no-cache", ...reply.headers },
    });
  }

  async function handle(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    paths.push(`${request.method} ${path}`);
    const key = options.key;
    if (key !== undefined && request.headers.get("authorization") !== `Bearer ${key}`) {
      await request.body?.cancel();
      return Response.json(
        { error: { message: "Invalid API Key", type: "authentication_error", code: 401 } },
        { status: 401 },
      );
    }
    if (options.loading?.()) {
      await request.body?.cancel();
      const error = { message: "Loading model", type: "unavailable_error", code: 503 };
      return Response.json({ error }, { status: 503 });
    }
    const native = options.ollama_ctx !== undefined && path === "/api/chat";
    if (request.method === "POST" && (native || path === "/v1/chat/completions")) {
      return await chat(request, native);
    }
    if (options.llama_renders !== undefined && path === "/apply-template") {
      return Response.json({ prompt: options.llama_renders(await request.json()) });
    }
    await request.body?.cancel();
    if (options.slow_ms !== undefined) await sleep(options.slow_ms, closing.signal);
    const asked = request.method === (path === "/api/show" ? "POST" : "GET");
    const found = asked ? fixed(path, options, loaded) : null;
    return found ?? Response.json({ error: { message: "not found" } }, { status: 404 });
  }

  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: options.port ?? 0,
    onListen: () => {},
    onError: (error) => {
      // Deno reports a body that fails here as well, when its headers have long been sent.
      if (error !== CUT) violations.push(`the scripted model itself failed: ${error}`);
      return new Response(null, { status: 500 });
    },
  }, handle);
  const origin = `http://127.0.0.1:${server.addr.port}`;
  return {
    port: server.addr.port,
    origin,
    url: `${origin}/v1`,
    requests,
    paths,
    violations,
    results: () =>
      (requests.at(-1)?.body.messages ?? []).filter((message) => message.role === "tool")
        .map((message) => message.content ?? ""),
    async close() {
      closing.abort();
      await server.shutdown();
    },
  };
}

/** What is answered without a script. */
function fixed(path: string, options: ServerOptions, loaded: Loaded): Response | null {
  const names = options.models === undefined ? ["scripted"] : options.models;
  const { llama_ctx, ollama_ctx, window = 131_072 } = options;
  if (path === "/v1/models" && names !== null) {
    const n_ctx = llama_ctx ?? (ollama_ctx === undefined ? window : null);
    const meta = n_ctx === null ? {} : { meta: { n_ctx, n_ctx_train: 131072 } };
    const data = names.map((id) => ({
      id,
      object: "model",
      created: 0,
      owned_by: "tests",
      ...meta,
    }));
    return Response.json({ object: "list", data });
  }
  if (llama_ctx !== undefined && path === "/props") {
    return Response.json({
      default_generation_settings: { n_ctx: llama_ctx, params: { max_tokens: -1 } },
      total_slots: 1,
      model_alias: names?.[0] ?? "scripted",
      model_path: "./model",
      modalities: { vision: options.vision ?? false, audio: false },
      chat_template_caps: {
        supports_tool_calls: options.llama_no_tools !== true,
        supports_tools: options.llama_no_tools !== true,
      },
      build_info: "b1-0c1e570",
    });
  }
  if (llama_ctx !== undefined && path === "/health") return Response.json({ status: "ok" });
  return ollama_ctx === undefined ? null : fixed_ollama(path, names ?? [], loaded);
}

/** The response body, with every accident the reply asks for. */
export function writer(
  record: Pick<Recorded, "aborted" | "sent">,
  reply: Reply,
  bytes: Uint8Array,
  closing: AbortSignal,
): ReadableStream<Uint8Array> {
  const end = Math.min(reply.cut_after ?? bytes.length, reply.stall_after ?? bytes.length);
  let at = 0;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // A turn of the event loop between two pieces, so that each is an HTTP chunk of its own: a reader gets
      // it by itself, in whatever packet it travels.
      if (reply.every !== undefined) await new Promise<void>((turn) => setImmediate(turn));
      if (at < end) {
        const next = Math.min(end, at + (reply.every ?? bytes.length));
        controller.enqueue(bytes.slice(at, next));
        at = next;
        if (at < bytes.length) return;
      }
      if (reply.stall_after !== undefined) await until_aborted(closing);
      else if (reply.cut_after !== undefined && reply.cut !== "clean" && end > 0) {
        // What was enqueued must leave before the socket is torn down.
        await sleep(20, closing);
        controller.error(CUT);
        return;
      }
      record.sent = performance.now();
      try {
        controller.close();
      } catch {
        // The client has gone: `cancel` has been called.
      }
    },
    cancel() {
      record.aborted = true;
    },
  }, { highWaterMark: 0 });
}

/** Waits that long, or until the signal comes. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done);
    if (signal.aborted) done();
  });
}

/** Waits for the signal. */
export function until_aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
