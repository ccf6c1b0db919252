import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  ask,
  type AskOptions,
  chunk,
  CHUNKED,
  delta,
  type Exchange,
  failure,
  full_port,
  head,
  PATH,
  REQUEST,
  serve_raw,
  sleep,
  sse,
  target,
  UNLIMITED,
  whole,
} from "../_testing.ts";
import type { ModelError } from "../errors.ts";
import { type Heard, is_loopback, type Limits, post, safe_url } from "./http.ts";

/** How a request to a server that answers in this way fails, and how many it saw. */
async function refused_by(
  handle: (exchange: Exchange) => Promise<void> | void,
  options: AskOptions = {},
): Promise<ModelError & { ms: number; requests: number }> {
  await using server = serve_raw(handle);
  const error = await failure(server.origin + PATH, options);
  return { ...error, requests: server.requests.length };
}

const WORD = sse(delta({ content: "a" }));

Deno.test("a request is sent as it is", async () => {
  await using server = serve_raw(({ write }) => write(whole(WORD + sse("[DONE]"))));
  await ask(server.origin + PATH, {
    target: { headers: { "authorization": "Bearer k", "x-a": "b", "User-Agent": "mine" } },
  });
  const [request] = server.requests;
  deepStrictEqual([request?.method, request?.path], ["POST", PATH]);
  strictEqual(request?.body, REQUEST);
  strictEqual(request?.headers.get("content-type"), "application/json");
  strictEqual(request?.headers.get("authorization"), "Bearer k");
  strictEqual(request?.headers.get("x-a"), "b");
  strictEqual(request?.headers.get("user-agent"), "mine");
});

/** Where a server stalls, and the limit that ends it. */
const STALLS: Readonly<
  Record<string, readonly [(exchange: Exchange) => Promise<void> | void, Partial<Limits>, RegExp]>
> = {
  "before the head": [
    () => {},
    { first_byte_ms: 80 },
    /sent no part of a reply in time \(agent\.idle_timeout_s is [\d.]+ s\)/,
  ],
  "after the head": [
    ({ write }) => write(head()),
    { first_byte_ms: 80, idle_ms: 5000 },
    /sent no part of a reply in time \(agent\.idle_timeout_s is [\d.]+ s\)/,
  ],
  "in the middle of the head": [
    ({ write }) => write(head().slice(0, 20)),
    { first_byte_ms: 80 },
    /sent no part/,
  ],
  "after the first byte": [
    ({ write }) => write(`${head()}d`),
    { first_byte_ms: 5000, idle_ms: 80 },
    /stopped sending in the middle of a reply \(agent\.idle_timeout_s is the limit\)/,
  ],
  "between two events": [
    async ({ write }) => {
      await write(head(200, CHUNKED));
      for (let i = 0; i < 4; i++) {
        await write(chunk(WORD));
        await sleep(160);
      }
    },
    { idle_ms: 1000, first_byte_ms: 600 },
    /stopped sending/,
  ],
  "in the middle of an event": [
    ({ write }) => write(head() + WORD.slice(0, 30)),
    { idle_ms: 80 },
    /stopped sending/,
  ],
};

for (const [name, [handle, limits, expected]] of Object.entries(STALLS)) {
  Deno.test(`a server that stalls ${name}`, async () => {
    await using server = serve_raw(handle);
    const error = await failure(server.origin + PATH, { limits });
    strictEqual(error.kind, "stalled");
    match(error.message, expected);
    ok(error.ms >= 70 && error.ms < 100_000, `${error.ms} ms`);
    await server.requests[0]?.gone;
  });
}

Deno.test("a server that is slow but within the limits is waited for", async () => {
  await using server = serve_raw(async ({ write }) => {
    await sleep(60);
    await write(head(200, CHUNKED));
    await sleep(60);
    for (let i = 0; i < 3; i++) {
      await write(chunk(":\n\n"));
      await sleep(60);
    }
    await write(chunk(WORD + sse(delta({}, "stop"))));
    await write(chunk(""));
  });
  const limits = { connect_ms: 5_000, first_byte_ms: 10_000, idle_ms: 10_000 };
  strictEqual((await ask(server.origin + PATH, { limits })).kind, "reply");
});

Deno.test("an address that does not answer is given up at the connect limit", async () => {
  const port = await full_port();
  const error = await failure(port.url, { limits: { connect_ms: 300 } });
  port.close();
  strictEqual(error.kind, "connection");
  match(
    error.message,
    /^no connection to http:\/\/127\.0\.0\.1:\d+\/v1\/chat\/completions within 0\.3 s$/,
  );
  ok(error.ms >= 290 && error.ms < 100_000, `${error.ms} ms`);
});

Deno.test("the connect limit counts until TLS stands", async () => {
  await using server = serve_raw(() => {});
  const url = `https://127.0.0.1:${server.port}${PATH}`;
  const error = await failure(url, { limits: { connect_ms: 300 } });
  strictEqual(error.kind, "connection");
  match(error.message, /within 0\.3 s/);
});

Deno.test("a server that is slow with its head is not taken for one that is not there", async () => {
  await using server = serve_raw(async ({ write }) => {
    await sleep(250);
    await write(whole(WORD + sse("[DONE]")));
  });
  const completion = await ask(server.origin + PATH, { limits: { connect_ms: 100 } });
  strictEqual(completion.kind, "reply");
  // The look at it was a second connection, and left no request.
  deepStrictEqual([server.requests.length, server.connections()], [1, 2]);
});

Deno.test("a server that takes no further connection is not taken for one that is not there", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr as Deno.NetAddr;
  const asked = ask(`http://127.0.0.1:${port}${PATH}`, { limits: { connect_ms: 100 } });
  const connection = await listener.accept();
  listener.close();
  await sleep(200);
  await connection.write(whole(WORD + sse("[DONE]")));
  strictEqual((await asked).kind, "reply");
  connection.close();
});

Deno.test("a connection that ends before the head, in it, and after it", async () => {
  const before = await refused_by(({ close }) => close());
  strictEqual(before.kind, "connection");
  match(before.message, /^no answer from http:.*: connection closed before message completed/);
  strictEqual(before.requests, 1);
  const within = await refused_by(async ({ write, close }) => {
    await write("HTTP/1.1 200 OK\r\ncontent-");
    close();
  });
  strictEqual(within.kind, "connection");
  // The way to the server is fine: the reply is what was cut.
  for (const body of ["", WORD]) {
    const after = await refused_by(async ({ write, close }) => {
      await write(head(200, CHUNKED) + (body === "" ? "" : "20\r\ndata: "));
      await sleep(20);
      close();
    });
    strictEqual(after.kind, "cut");
  }
});

Deno.test("what is no HTTP is not an answer, and is not waited for", async () => {
  const OK = "HTTP/1.1 200 OK\r\n";
  const long = "x: a\r\n".repeat(1000);
  const length = "Content-Length: -5\r\n\r\n";
  for (const text of ["SSH-2.0-OpenSSH_9.6\r\n", ...[long, length].map((fields) => OK + fields)]) {
    const error = await refused_by(({ write, close }) => write(text).then(close));
    deepStrictEqual([error.kind, error.lasting], ["connection", true]);
    match(error.message, /^no answer from .*: .*(?:pars|too large)/i);
  }
});

Deno.test("a redirect is not followed, and says where to", async () => {
  for (const status of [301, 302, 303, 307, 308]) {
    const error = await refused_by(
      ({ write }) =>
        write(
          whole("", { status, headers: { location: "https://u:p@example.com/v1/x?key=hush" } }),
        ),
    );
    deepStrictEqual([error.kind, error.status, error.requests], ["bad_request", status, 1]);
    match(error.message, /a redirect to https:\/\/example\.com\/v1\/x, which is not followed/);
  }
  const headers = { location: "http://[::nowhere" };
  const error = await refused_by(({ write }) => write(whole("", { status: 302, headers })));
  match(error.message, /answered 302, a redirect, which is not followed/);
});

/** Bodies as servers send them, of which `tests/wire` has more. */
const REFUSALS: readonly (readonly [number, string, string, RegExp])[] = [
  [
    400,
    '{"error":{"code":400,"message":"\'messages\' is required"}}',
    "bad_request",
    /is required$/,
  ],
  [
    401,
    '{"error":{"message":"Invalid API Key","code":401}}',
    "auth",
    /Invalid API Key; set a key in X$/,
  ],
  [403, "<html><body>Forbidden</body></html>", "auth", /a web page \(HTML\) instead of JSON; set/],
  [
    404,
    '{"error":"model \'nope\' not found"}',
    "bad_request",
    /model 'nope' not found; get it with: ollama pull nope \(hamr models: what is there\)$/,
  ],
  [408, "", "server", /answered 408: no details$/],
  [429, '{"error":{"message":"Rate limit reached"}}', "server", /Rate limit reached$/],
  [500, '{"error":{"code":500,"message":"Failed to parse"}}', "server", /Failed to parse$/],
  [
    503,
    '{"error":{"message":"Loading model","code":503}}',
    "server",
    /answered 503: Loading model$/,
  ],
  [
    400,
    '{"error":{"message":"request (9 tokens) exceeds the available context size (8 tokens)","type":"exceed_context_size_error"}}',
    "context_overflow",
    /exceeds the available context size/,
  ],
];

Deno.test("a refusal keeps its kind, its status and its words", async () => {
  for (const [status, body, kind, message] of REFUSALS) {
    const error = await refused_by(({ write }) =>
      write(whole(body, { status, type: "text/plain" }))
    );
    deepStrictEqual([error.kind, error.status, error.requests], [kind, status, 1]);
    match(error.message, message);
  }
});

Deno.test("the words of a refusal are not waited for for long, nor read without end", async () => {
  await using server = serve_raw(async (exchange) => {
    const { n, write } = exchange;
    await write(head(500, { "content-type": "text/plain" }) + "half of");
    if (n === 0) return;
    let gone = false;
    void exchange.gone.then(() => gone = true);
    for (let i = 0; i < 2000 && !gone; i++) await write("x".repeat(65536));
  });
  const stalls = await failure(server.origin + PATH);
  deepStrictEqual([stalls.kind, stalls.status], ["server", 500]);
  match(stalls.message, /answered 500: half of$/);
  ok(stalls.ms < 100_000, `${stalls.ms} ms`);
  const floods = await failure(server.origin + PATH);
  match(floods.message, /answered 500: half ofx+…$/);
  await Promise.all(server.requests.map((request) => request.gone));
});

Deno.test("closing an answer twice, or after its end, does nothing", async () => {
  await using server = serve_raw(({ write }) => write(whole("abc")));
  const options = { limits: UNLIMITED, signal: new AbortController().signal };
  const answer = await post(target(server.origin), new Uint8Array(), options);
  if ("kind" in answer) throw new Error(answer.message);
  const first = await answer.read();
  deepStrictEqual(first, new TextEncoder().encode("abc"));
  strictEqual(await answer.read(), null);
  strictEqual(await answer.read(), null);
  answer.close();
  answer.close();
});

Deno.test("what is this machine", () => {
  const own = [
    "http://localhost:1/v1",
    "http://LOCALHOST./",
    "http://a.localhost",
    "http://127.0.0.1",
    "http://127.1",
    "http://127.255.0.3:80",
    "http://[::1]:80",
    "http://0.0.0.0:11434",
    "http://[::]:11434",
    "http://[::ffff:127.0.0.1]/",
  ];
  for (const url of own) ok(is_loopback(url), url);
  const others = [
    "http://example.com",
    "http://localhost.example.com",
    "http://127.0.0.1.example.com",
    "http://10.0.0.1",
    "http://[::2]",
    "http://128.0.0.1",
    "localhost",
    "",
  ];
  for (const url of others) ok(!is_loopback(url), url);
});

Deno.test("an address is shown without user, password and query", () => {
  strictEqual(safe_url("http://u:p@h:8/v1?k=1#x"), "http://h:8/v1");
  strictEqual(safe_url("/v2?k=1", "http://u:p@h/v1"), "http://h/v2");
  strictEqual(safe_url("::"), "the given URL");
});

Deno.test("a server that says that it works is waited for, as long as it says so", async () => {
  const asked: Heard[] = [];
  const [signs, enough] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const works = (heard: Heard) => {
    asked.push(heard);
    if (heard === "signs") signs.resolve();
    if (asked.length >= 4) enough.resolve();
    return Promise.resolve(true);
  };
  await using server = serve_raw(async ({ write }) => {
    await write(head(200, CHUNKED));
    await write(chunk(": ping\n\n"));
    await signs.promise;
    await write(chunk(WORD));
    await enough.promise;
    await write(chunk(WORD + sse(delta({}, "stop"))));
    await write(chunk(""));
  });
  const completion = await ask(server.origin + PATH, { limits: { idle_ms: 20 }, works });
  strictEqual(completion.kind, "reply");
  match(asked.join(), /^(nothing,)*(signs,)+(reply,?)+$/);

  // Before the first byte there is no limit on this machine, but who can be asked is asked; then it has stopped working.
  const begun: Heard[] = [];
  await using mute = serve_raw(() => {});
  const error = await failure(mute.origin + PATH, {
    limits: { idle_ms: 20 },
    works: (one) => Promise.resolve(begun.push(one) < 3),
  });
  deepStrictEqual([error.kind, begun], ["stalled", ["nothing", "nothing", "nothing"]]);
});
