/** Shared parts of MCP: lists in pages, progress, roots, and why a server can't be used. */
import {
  type Client,
  type JsonSchemaValidatorResult,
  SdkHttpError,
  StreamableHTTPClientTransport,
} from "@modelcontextprotocol/client";
import { fields } from "../../config/json.ts";
import { fetch_words, message_of } from "../../config/text.ts";
import { later } from "../../config/timer.ts";
import { MOST_UNASKED } from "./pipe_transport.ts";
import type { McpServer } from "../mcp_server.ts";
import { harmless_text } from "./described.ts";

/** Pages of a list; a server that gives more goes round in circles. */
const MOST_PAGES = 64;
/** Characters of all pages together: what a server lists is held in memory. */
const MOST_CHARS = 16 * 1024 * 1024;
export const ANYTHING = {
  "~standard": { version: 1 as const, vendor: "hamr", validate: (value: unknown) => ({ value }) },
};

/** Results are not believed for their form, so nobody has to check it. */
export const NO_CHECK = {
  getValidator: <T>() => (input: unknown): JsonSchemaValidatorResult<T> => ({
    valid: true,
    data: input as T,
    errorMessage: undefined,
  }),
};

/** All that a list has. Throws where the server says no, or never comes to its end. */
export async function pages(client: Client, { method, of, timeout }: {
  method: string;
  of: string;
  /** Milliseconds for each page. */
  timeout: number;
}): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let cursor: unknown;
  let left = MOST_CHARS;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = fields(await client.request({ method, params }, ANYTHING, { timeout }));
    const items = answer[of];
    if (!Array.isArray(items)) throw new Error(`the answer to ${method} has no list`);
    left -= JSON.stringify(items).length;
    if (left < 0) throw new Error(`the answer to ${method} is too long`);
    for (const item of items) all.push(item);
    cursor = answer["nextCursor"];
    if (typeof cursor !== "string") return all;
  }
  throw new Error(`${method} has more than ${MOST_PAGES} pages`);
}

export function root_of(folder: string): { readonly uri: string; readonly name: string } {
  const url = new URL("file:///");
  url.pathname = folder.replaceAll("%", "%25");
  return { uri: url.href, name: folder.slice(folder.lastIndexOf("/") + 1) || "/" };
}

export function why_not_open(error: unknown): string {
  if (!(error instanceof SdkHttpError)) {
    const words = fetch_words(error);
    return /refused/i.test(words) ? "connection refused: is it running there?" : words;
  }
  const { status } = error;
  if (status === 401 || status === 403) {
    return `it refused hamr (HTTP ${status}): it needs a token, such as ` +
      'headers = { Authorization = "Bearer ${NAME}" }; hamr has no sign-in of its own (OAuth)';
  }
  return `HTTP ${status}: ${message_of(error).replace(/^Error POSTing to endpoint: /, "")}`;
}

/** What a server over HTTP says, with none of the keys that it was sent. */
export function without_keys(text: string, { by }: Pick<McpServer, "by">): string {
  const secrets = by.kind === "http" ? by.secrets : [];
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "***"), text);
}

/** How soon and how late it is asked again for a stream of events that has ended. */
const SOONEST_MS = 500, LATEST_MS = 60_000;

export function web_transport(
  { url, headers }: Extract<McpServer["by"], { kind: "http" }>,
): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers },
    redirectPolicy: "same-origin",
    fetch: bounded_fetch,
    // A stream that ends may be asked for again without end, and the server says when: at once, if it likes.
    reconnectionScheduler: (again, delay) =>
      later(Math.min(Math.max(delay, SOONEST_MS), LATEST_MS), again),
  });
}

/** Ends a connection over HTTP on which a server says too much that nobody asked for, as `PipeTransport` does. A request whose answer ends without a result fails at once: none would come. */
export function watch_answers(
  transport: Pick<StreamableHTTPClientTransport, "onmessage" | "send" | "close">,
): void {
  const heard = transport.onmessage;
  const send = transport.send.bind(transport);
  const waiting = new Set<unknown>();
  let unasked = 0;
  transport.onmessage = (message) => {
    if ("method" in message) {
      if (++unasked > MOST_UNASKED) return void transport.close();
    } else {
      unasked = 0;
      waiting.delete(message.id);
    }
    heard?.(message);
  };
  transport.send = (message, options) => {
    if (Array.isArray(message) || !("method" in message && "id" in message)) {
      return send(message, options);
    }
    const { id } = message;
    waiting.add(id);
    const onRequestStreamEnd = () => {
      if (waiting.delete(id)) heard?.({ jsonrpc: "2.0", id, error: NO_RESULT });
    };
    return send(message, { ...options, onRequestStreamEnd });
  };
}

const NO_RESULT = {
  code: -32603,
  message: "the server's answer ended without a result; whether the call took effect is not known",
};

/** The specification has 404 for a session that the server does not know anymore; many say 400 "No valid session ID provided", or "Server not initialized". */
export function is_lost_session(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false;
  const { status = 0, message } = error;
  return status === 404 ||
    status >= 400 && status < 500 && /session|not initialized|expect initialize/i.test(message);
}

/** The revision of the protocol without a hello, from which servers may refuse one. */
const WITHOUT_HELLO = "2026-07-28";
/** What speaks it, and nothing else. */
export const NEWER = { versionNegotiation: { mode: { pin: WITHOUT_HELLO } } } as const;

/** "Unsupported protocol version", with those that it speaks. */
export function wants_newer(error: unknown): boolean {
  return JSON.stringify([fields(error)["data"], message_of(error)]).includes(WITHOUT_HELLO);
}

export function fault_words(error: unknown): string {
  return harmless_text(message_of(error)).slice(0, 2000) || "it failed";
}

/** Of one answer, or of the events of one stream. */
const MOST_BYTES = 64 * 1024 * 1024;

/** An answer whose body breaks off with an error where there is too much of it. */
async function bounded_fetch(url: string | URL, init?: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  let left = MOST_BYTES;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(bytes, controller) {
        left -= bytes.length;
        if (left < 0) controller.error(new Error("the answer is larger than 64 MiB"));
        // What was packed comes in pieces of 4 kB, each of which holds 64 kB as long as it is there.
        else controller.enqueue(bytes.buffer.byteLength > 2 * bytes.length ? bytes.slice() : bytes);
      },
    }),
  );
  const { status, statusText, headers } = response;
  const bounded = new Response(counted, { status, statusText, headers });
  // What a redirect is judged by.
  Object.defineProperty(bounded, "url", { value: response.url });
  Object.defineProperty(bounded, "redirected", { value: response.redirected });
  return bounded;
}
