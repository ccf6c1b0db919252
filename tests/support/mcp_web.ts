/** An MCP server over HTTP in this process: every call finds it. */

/** It runs until it is closed. */
export interface McpWeb extends AsyncDisposable {
  readonly host: string;
  readonly url: string;
  /** Of each request: its method, and the header `x-key`. */
  readonly seen: readonly string[];
}

const SEARCH = { name: "search", description: "Search.", inputSchema: { type: "object" } };

/** `first`: nothing is answered before. */
export function serve_mcp(
  { tools = [SEARCH], first, stream, answer }: {
    tools?: readonly unknown[];
    first?: Promise<unknown>;
    /** Events for whoever asks for them; absent: there are none to be asked for. */
    stream?: string;
    /** What a call is answered with, in place of "found it"; null: that. */
    answer?: (request: Request, id: unknown) => Response | null;
  } = {},
): McpWeb {
  const seen: string[] = [];
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    async (request) => {
      await first;
      seen.push(`${request.method} ${request.headers.get("x-key")}`);
      if (request.method === "GET" && stream !== undefined) {
        return new Response(stream, { headers: { "content-type": "text/event-stream" } });
      }
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = await request.json();
      if (id === undefined) return new Response(null, { status: 202 });
      const other = method === "tools/call" ? answer?.(request, id) ?? null : null;
      if (other !== null) return other;
      const results: Record<string, unknown> = {
        "initialize": {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "web", version: "1" },
        },
        "tools/list": { tools },
        "tools/call": { content: [{ type: "text", text: "found it" }] },
      };
      return Response.json({ jsonrpc: "2.0", id, result: results[method] });
    },
  );
  const host = `127.0.0.1:${server.addr.port}`;
  const url = `http://${host}/mcp`;
  return { host, url, seen, [Symbol.asyncDispose]: () => server.shutdown() };
}
