/** A server for tests that says what it likes, byte by byte, and sees what becomes of each connection. */
import v8 from "node:v8";
import vm from "node:vm";
import { chat_completions } from "./protocols/chat_completions.ts";
import { complete, type Completion } from "./completion/complete.ts";
import type { ModelError } from "./errors.ts";
import type { Limits, Sending, Target } from "./http/http.ts";
import type { Reply } from "./message.ts";
import type { Preset } from "./server/provider.ts";
import type { Delta, Prefill } from "./wire.ts";

/** One request, and the socket it came by. */
export interface Exchange {
  /** 0 for the first of the server. */
  readonly n: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Headers;
  readonly body: string;
  /** Sends bytes as they are. Does not fail where the client has gone. */
  write(data: string | Uint8Array): Promise<void>;
  /** Closes the socket: a body that is not whole is cut. */
  close(): void;
  /** Resolves when the client has closed the socket. */
  readonly gone: Promise<void>;
}

/** A running server. */
export interface RawServer {
  readonly port: number;
  readonly origin: string;
  /** Connections that were opened, ever. */
  connections(): number;
  readonly requests: readonly Exchange[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves every request with `handle`; the connection is kept for the next one unless it is closed there. */
export function serve_raw(
  handle: (exchange: Exchange) => Promise<void> | void,
  options: { readonly port?: number; readonly hostname?: string } = {},
): RawServer {
  const { port = 0, hostname = "127.0.0.1" } = options;
  const listener = Deno.listen({ hostname, port });
  const requests: Exchange[] = [];
  const open = new Set<Deno.Conn>();
  const running = new Set<Promise<void>>();
  let connections = 0;
  const accepting = (async () => {
    for await (const connection of listener) {
      connections++;
      open.add(connection);
      const served = converse(connection, { requests, handle })
        .finally(() => {
          open.delete(connection);
          running.delete(served);
        });
      running.add(served);
    }
  })();
  const close = async () => {
    shut(listener);
    for (const connection of open) shut(connection);
    await accepting;
    await Promise.all(running);
  };
  const at = (listener.addr as Deno.NetAddr).port;
  return {
    port: at,
    origin: `http://${hostname}:${at}`,
    connections: () => connections,
    requests,
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function converse(
  connection: Deno.Conn,
  { requests, handle }: {
    requests: Exchange[];
    handle: (exchange: Exchange) => Promise<void> | void;
  },
): Promise<void> {
  const { promise: gone, resolve: leave } = Promise.withResolvers<void>();
  let text = "";
  let wake = () => {};
  let ended = false;
  // Read all the time: only so is it seen that the client has gone.
  const reading = (async () => {
    const decoder = new TextDecoder();
    const buffer = new Uint8Array(65536);
    try {
      for (let n = await connection.read(buffer); n !== null; n = await connection.read(buffer)) {
        text += decoder.decode(buffer.subarray(0, n), { stream: true });
        wake();
      }
    } catch {
      // Closed by one side or the other.
    }
    ended = true;
    leave();
    wake();
  })();
  const more = () => new Promise<void>((resolve) => wake = resolve);
  const tasks: Promise<void>[] = [];
  while (!ended) {
    const request = parse(text);
    if (request === null) {
      await more();
      continue;
    }
    text = request.rest;
    const exchange: Exchange = {
      n: requests.length,
      ...request.parts,
      write: (data) => send(connection, data),
      close: () => shut(connection),
      gone,
    };
    requests.push(exchange);
    tasks.push((async () => await handle(exchange))());
  }
  await reading;
  shut(connection);
  await Promise.all(tasks);
}

type Parts = Pick<Exchange, "method" | "path" | "headers" | "body">;

function parse(text: string): { readonly parts: Parts; readonly rest: string } | null {
  const split = text.indexOf("\r\n\r\n");
  if (split < 0) return null;
  const [first = "", ...lines] = text.slice(0, split).split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const [method = "", path = ""] = first.split(" ");
  const bytes = new TextEncoder().encode(text.slice(split + 4));
  const length = Number(headers.get("content-length") ?? 0);
  if (bytes.length < length) return null;
  const decoder = new TextDecoder();
  const body = decoder.decode(bytes.subarray(0, length));
  return {
    parts: { method, path, headers, body },
    rest: new TextDecoder().decode(bytes.subarray(length)),
  };
}

async function send(connection: Deno.Conn, data: string | Uint8Array): Promise<void> {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  try {
    for (let sent = 0; sent < bytes.length;) sent += await connection.write(bytes.subarray(sent));
  } catch {
    // The client has gone.
  }
}

function shut(socket: Deno.Conn | Deno.Listener): void {
  try {
    socket.close();
  } catch {
    // It is closed.
  }
}

/** The head of an answer. Without a length its body comes in chunks (see `chunk`), or ends with the socket. */
export function head(
  status = 200,
  headers: Readonly<Record<string, string>> = { "content-type": "text/event-stream" },
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Said\r\n${lines.join("")}\r\n`;
}

/** A whole answer with its length. */
export function whole(
  body: string | Uint8Array,
  options: {
    readonly status?: number;
    readonly type?: string;
    readonly headers?: Readonly<Record<string, string>>;
  } = {},
): Uint8Array {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const { status = 200, type = "text/event-stream", headers = {} } = options;
  const begin = head(status, {
    ...(type === "" ? {} : { "content-type": type }),
    "content-length": String(bytes.length),
    ...headers,
  });
  return new Uint8Array([...new TextEncoder().encode(begin), ...bytes]);
}

/** Headers of a body in chunks, as servers stream. */
export const CHUNKED = { "content-type": "text/event-stream", "transfer-encoding": "chunked" };

/** One chunk of a body; of nothing, its end. */
export function chunk(data: string | Uint8Array): Uint8Array {
  const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
  const size = new TextEncoder().encode(`${bytes.length.toString(16)}\r\n`);
  return new Uint8Array([...size, ...bytes, 13, 10]);
}

/** An event for each value; a string goes out as it is. */
export function sse(...values: readonly unknown[]): string {
  return values.map((value) =>
    `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`
  ).join("");
}

/** A chunk of a streamed reply. */
export function delta(value: unknown, finish: string | null = null): unknown {
  return { choices: [{ index: 0, delta: value, finish_reason: finish }] };
}

/** No limit at all. */
export const UNLIMITED: Limits = { connect_ms: 0, first_byte_ms: 0, idle_ms: 0 };

/** Where a request goes in a test. */
export function target(url: string, more: Partial<Target> = {}): Target {
  return { url, headers: {}, key_hint: "set a key in X", key: "", ...more };
}

/** What a test asks for besides an address. */
export interface AskOptions {
  /** Default: none. */
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  readonly target?: Partial<Target>;
  readonly on_delta?: (delta: Delta) => void;
  readonly on_prefill?: (prefill: Prefill) => void;
  readonly works?: Sending["works"];
}

/** The body of every request of `ask`. */
export const REQUEST = '{"hello":"wörld"}';

/** One request by the Chat Completions wire. */
export async function ask(url: string, options: AskOptions = {}): Promise<Completion> {
  return await complete(chat_completions, new TextEncoder().encode(REQUEST), {
    target: target(url, options.target),
    limits: { ...UNLIMITED, ...options.limits },
    signal: options.signal ?? new AbortController().signal,
    on_delta: options.on_delta ?? (() => {}),
    on_prefill: options.on_prefill ?? (() => {}),
    ...(options.works === undefined ? {} : { works: options.works }),
  });
}

/** One request to a server that answers in this way. */
export async function answered(
  handle: (exchange: Exchange) => Promise<void> | void,
  options: AskOptions = {},
): Promise<Completion> {
  await using server = serve_raw(handle);
  return await ask(server.origin + PATH, options);
}

/** Where a server of this wire takes requests. */
export const PATH = "/v1/chat/completions";

/** The text of a reply and its finish, or kind and message of the error. */
export function shown(completion: Completion): string {
  return completion.kind === "reply"
    ? `${completion.reply.content} (${completion.reply.finish})`
    : `${completion.error.kind}: ${completion.error.message}`;
}

/** How a request fails, and after how many milliseconds. */
export async function failure(
  url: string,
  options: AskOptions = {},
): Promise<ModelError & { readonly ms: number }> {
  const began = performance.now();
  const completion = await ask(url, options);
  if (completion.kind === "reply") throw new Error("a reply instead of a failure");
  return { ...completion.error, ms: performance.now() - began };
}

/** Waits, in milliseconds. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** A port whose queue of connections is full: the kernel leaves a new one unanswered, as a dead host does. */
export async function full_port(): Promise<{ url: string; close: () => void }> {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0, tcpBacklog: 1 });
  const { port } = listener.addr as Deno.NetAddr;
  const open: Deno.Conn[] = [];
  for (;;) {
    const late = AbortSignal.timeout(100);
    try {
      open.push(await Deno.connect({ hostname: "127.0.0.1", port, signal: late }));
    } catch {
      break;
    }
  }
  return {
    url: `http://127.0.0.1:${port}${PATH}`,
    close() {
      for (const connection of open) connection.close();
      listener.close();
    },
  };
}

/** Decodes values in the order given; fails where one of them is an error. */
export function decode(...values: readonly unknown[]): Reply & { readonly deltas: Delta[] } {
  const collector = chat_completions.collector("u");
  const deltas: Delta[] = [];
  for (const value of values) {
    const news = collector.take(JSON.parse(JSON.stringify(value)));
    if ("kind" in news) throw new Error(news.message);
    deltas.push(...news);
  }
  return { ...collector.reply(), deltas };
}

/** A provider of which nothing is set. */
export const PRESET: Preset = {
  api_mode: "",
  base_url: "",
  api_key_env: "",
  api_key_file: "",
  api_key_cmd: "",
  model: "",
  headers: {},
  context_window: undefined,
  price_in: undefined,
  price_out: undefined,
};

/** Bodies by path; with a status where it is not 200. */
export type Answers = Readonly<Record<string, unknown | readonly [number, unknown]>>;

/** The JSON of a recording in `tests/wire`. */
export function recorded(name: string): unknown {
  const url = new URL(`../../tests/wire/${name}.body`, import.meta.url);
  return JSON.parse(Deno.readTextFileSync(url));
}

/** Answers one request. */
export function answer(answers: Answers, { path, write }: Exchange): Promise<void> {
  const given = answers[path];
  const [status, body] = given === undefined
    ? [404, { error: { message: "File Not Found" } }]
    : Array.isArray(given)
    ? given
    : [200, given];
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return write(whole(text, { status, type: "application/json" }));
}

/** A server that says the same to every question. */
export function serve(answers: Answers): RawServer {
  return serve_raw((exchange) => answer(answers, exchange));
}

/** Makes V8 collect what nothing refers to. */
export function collector(): () => void {
  v8.setFlagsFromString("--expose-gc");
  try {
    return vm.runInNewContext("gc");
  } catch {
    // Deno 2.6 has no `gc` there: enough garbage does it too.
    return () => {
      for (let i = 0; i < 60; i++) Array.from({ length: 300_000 }).fill(i);
    };
  }
}
