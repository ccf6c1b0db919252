/** A scripted Claude on loopback, as strict as Anthropic's own server. */
import { anthropic_faults } from "./anthropic_faults.ts";
import {
  type ClaudeReply,
  error_body,
  signature_of,
  stream_message,
  whole_message,
} from "./anthropic_wire.ts";
import { extends_list, extends_prefix, raw_value } from "./history.ts";
import { CUT, sleep, until_aborted, writer } from "./model_server.ts";

export * from "./anthropic_wire.ts";

/** A block of a message, as far as tests look at it. */
export interface ClaudeBlock {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: string;
  readonly tool_use_id?: string;
  readonly content?: unknown;
  readonly source?: unknown;
}

/** A request, as far as tests look at it. */
export interface ClaudeRequest {
  readonly max_tokens: number;
  readonly messages: readonly { readonly role: string; readonly content: readonly ClaudeBlock[] }[];
  readonly stream: boolean;
  readonly tools?: readonly unknown[];
  readonly tool_choice?: unknown;
  readonly temperature?: number;
  readonly thinking?: unknown;
  readonly output_config?: unknown;
  readonly system: readonly { readonly cache_control?: unknown }[];
  readonly cache_control?: unknown;
}

/** A running scripted Claude. */
export interface ClaudeServer {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly origin: string;
  readonly requests: readonly ClaudeRequest[];
  /** What was refused. Empty after a good run. */
  readonly violations: readonly string[];
  readonly paths: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

/** The key it asks for. */
export const KEY = "sk-ant-0123456789";

/** Serves the replies in their order. */
export function serve_claude(
  script: readonly ClaudeReply[],
  { one_conversation = true }: {
    /** False: every request may begin a conversation of its own. */
    one_conversation?: boolean;
  } = {},
): ClaudeServer {
  const raws: string[] = [];
  const requests: ClaudeRequest[] = [];
  const violations: string[] = [];
  const paths: string[] = [];
  const closing = new AbortController();

  function refuse(status: number, type: string, fault: string): Response {
    violations.push(`request ${requests.length - 1}: ${fault}`);
    return new Response(error_body(type, fault), {
      status,
      headers: { "content-type": "application/json" },
    });
  }

  async function handle(request: Request): Promise<Response> {
    const path = new URL(request.url).pathname;
    paths.push(`${request.method} ${path}`);
    const raw = await request.text();
    if (request.method !== "POST" || path !== "/v1/messages") {
      return new Response(error_body("not_found_error", path), { status: 404 });
    }
    const { headers } = request;
    if (headers.get("x-api-key") !== KEY || headers.has("authorization")) {
      return refuse(401, "authentication_error", "invalid x-api-key");
    }
    if (headers.get("anthropic-version") !== "2023-06-01") {
      return refuse(400, "invalid_request_error", "anthropic-version: header is required");
    }
    const body: ClaudeRequest = JSON.parse(raw);
    const before = raws.at(-1);
    raws.push(raw);
    const n = requests.push(body) - 1;
    const faults = anthropic_faults(body, (text, signature) => signature_of(text) === signature);
    if (faults.length > 0) return refuse(400, "invalid_request_error", faults.join("; "));
    if (before !== undefined && one_conversation) {
      if (!extends_prefix(before, raw)) return refuse(400, "cache", "other messages than before");
      const [had, has] = [raw_value(before, "tools"), raw_value(raw, "tools")];
      if (!extends_list(had ?? "", has ?? "")) return refuse(400, "cache", "other tools");
      if (raw_value(before, "system") !== raw_value(raw, "system")) {
        return refuse(400, "cache", "another system prompt");
      }
    }
    const reply = script[n];
    if (reply === undefined) return refuse(500, "api_error", `the script has only ${n} replies`);
    return await respond(reply, { n, stream: body.stream });
  }

  async function respond(
    reply: ClaudeReply,
    { n, stream }: { n: number; stream: boolean },
  ): Promise<Response> {
    if (reply.silent) await until_aborted(closing.signal);
    if (reply.delay_ms !== undefined) await sleep(reply.delay_ms, closing.signal);
    const body = reply.body ?? (stream ? stream_message(reply, n) : whole_message(reply, n));
    const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
    const record = { aborted: false, sent: 0 };
    const streamed = stream && reply.status === undefined;
    return new Response(writer(record, reply, bytes, closing.signal), {
      status: reply.status ?? 200,
      headers: { "content-type": streamed ? "text/event-stream" : "application/json" },
    });
  }

  const server = Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: () => {},
    onError: (error) => {
      if (error !== CUT) violations.push(`the scripted model itself failed: ${error}`);
      return new Response(null, { status: 500 });
    },
  }, handle);
  return {
    origin: `http://127.0.0.1:${server.addr.port}`,
    requests,
    violations,
    paths,
    async [Symbol.asyncDispose]() {
      closing.abort();
      await server.shutdown();
    },
  };
}
