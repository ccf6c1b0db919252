import { deepStrictEqual, ok, strictEqual } from "node:assert/strict";
import {
  ask,
  CHUNKED,
  collector,
  delta,
  type Exchange,
  failure,
  full_port,
  head,
  PATH,
  serve_raw,
  sleep,
  sse,
} from "./_testing.ts";
import type { Limits } from "./http/http.ts";

const WORD = sse(delta({ content: "a" }));

/** What a server has done when the run is given up. */
const MOMENTS: Readonly<Record<string, (exchange: Exchange) => Promise<void> | void>> = {
  "nothing": () => {},
  "half a head": ({ write }) => write("HTTP/1.1 200 O"),
  "endless early hints": async (exchange) => {
    let gone = false;
    void exchange.gone.then(() => gone = true);
    while (!gone) {
      await exchange.write("HTTP/1.1 103 Early Hints\r\n\r\n");
      await sleep(1);
    }
  },
  "the head": ({ write }) => write(head()),
  "the head, in chunks": ({ write }) => write(head(200, CHUNKED)),
  "half an event": ({ write }) => write(head() + WORD.slice(0, 20)),
  "some events": ({ write }) => write(head() + WORD.repeat(3)),
  "an endless stream": async (exchange) => {
    let gone = false;
    void exchange.gone.then(() => gone = true);
    await exchange.write(head());
    while (!gone) {
      await exchange.write(WORD);
      await sleep(1);
    }
  },
  "half of a refusal": ({ write }) => write(`${head(500)}half`),
};

for (const [name, handle] of Object.entries(MOMENTS)) {
  Deno.test(`given up after the server sent ${name}: the socket is closed at once`, async () => {
    for (const after of [0, 30]) {
      await using server = serve_raw(handle);
      const run = new AbortController();
      const asked = failure(server.origin + PATH, {
        signal: run.signal,
        limits: { connect_ms: 60_000 },
      });
      while (server.requests.length === 0) await sleep(1);
      await sleep(after);
      const began = performance.now();
      run.abort();
      const error = await asked;
      deepStrictEqual([error.kind, error.status], ["cancelled", null]);
      await server.requests[0]?.gone;
      ok(performance.now() - began < 100_000, `${performance.now() - began} ms`);
    }
  });
}

Deno.test("given up after Deno has forgotten the answer, the socket is closed all the same", async () => {
  const collect = collector();
  const ways: [(exchange: Exchange) => Promise<void> | void, Partial<Limits>][] = [
    [({ write }) => write(head() + WORD), {}],
    [({ write }) => write(head() + WORD), { idle_ms: 150 }],
    [({ write }) => write(head()), { first_byte_ms: 150 }],
    [({ write }) => write(`${head(500)}half`), {}],
  ];
  for (const [handle, limits] of ways) {
    await using server = serve_raw(handle);
    const run = new AbortController();
    const asked = failure(server.origin + PATH, { signal: run.signal, limits });
    for (let i = 0; i < 2; i++) {
      await sleep(30);
      collect();
    }
    const limited = Object.keys(limits).length > 0;
    if (!limited) run.abort();
    // The rest of a refusal is waited for no longer than its own limit, which may have passed by now.
    const { kind, status } = await asked;
    if (status !== 500) strictEqual(kind, limited ? "stalled" : "cancelled");
    await server.requests[0]?.gone;
  }
});

Deno.test("given up before it began, nothing is sent; while connecting, nothing is left", async () => {
  await using server = serve_raw(() => {});
  const before = await failure(server.origin + PATH, { signal: AbortSignal.abort() });
  deepStrictEqual([before.kind, server.connections()], ["cancelled", 0]);
  const port = await full_port();
  const run = new AbortController();
  setTimeout(() => run.abort(), 50);
  const within = await failure(port.url, { signal: run.signal, limits: { connect_ms: 60 } });
  strictEqual(within.kind, within.message.startsWith("no connection") ? "connection" : "cancelled");
  port.close();
});

Deno.test("given up after the reply, what is left of its body is too", async () => {
  await using server = serve_raw(({ write }) => write(head() + WORD + sse("[DONE]")));
  const run = new AbortController();
  strictEqual((await ask(server.origin + PATH, { signal: run.signal })).kind, "reply");
  run.abort();
  const began = performance.now();
  await server.requests[0]?.gone;
  ok(performance.now() - began < 100_000);
});
