import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import {
  answered,
  ask,
  chunk,
  CHUNKED,
  collector,
  delta,
  type Exchange,
  head,
  serve_raw,
  shown,
  sleep,
  sse,
  whole,
} from "../_testing.ts";
import { within } from "../../config/within.ts";
import type { Delta, Prefill } from "../wire.ts";

const HELLO = [delta({ role: "assistant", content: null }), delta({ content: "Hé" })];
const STREAM = sse(...HELLO, delta({ content: "llo 😀" }), delta({}, "stop"), "[DONE]");
const JSON_REPLY = JSON.stringify({
  choices: [{ message: { role: "assistant", content: "Héllo 😀" }, finish_reason: "stop" }],
});
const REPLY = "Héllo 😀 (stop)";
Deno.test("deltas come as they are sent, in order", async () => {
  const deltas: Delta[] = [];
  const { promise: seen, resolve: go_on } = Promise.withResolvers<void>();
  await using server = serve_raw(async ({ write }) => {
    await write(head(200, CHUNKED));
    await write(chunk(sse(delta({ reasoning_content: "hm" }), delta({ content: "a" }))));
    await seen;
    await write(chunk(sse(delta({ content: "b" }, "stop"), "[DONE]")));
    await write(chunk(""));
  });
  const completion = await ask(server.origin, {
    on_delta: (one) => {
      deltas.push(one);
      if (deltas.length === 2) go_on();
    },
  });
  strictEqual(shown(completion), "ab (stop)");
  deepStrictEqual(deltas.map(({ kind, text }) => `${kind} ${text}`), [
    "reasoning hm",
    "text a",
    "text b",
  ]);
});

Deno.test("while the prompt is read the limit is the one before the first byte", async () => {
  const progress = (read: number) => ({
    ...(delta({ role: "assistant", content: null }) as Record<string, unknown>),
    prompt_progress: { total: 5365, cache: 24, processed: read, time_ms: 0 },
  });
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  let asked = 0;
  await using server = serve_raw(async ({ write }) => {
    await write(head(200, CHUNKED));
    for (const read of ++asked === 1 ? [24, 2072, 9999] : [24]) {
      await write(chunk(sse(progress(read))));
      if (asked === 1) await sleep(150);
    }
    if (asked === 1) await write(chunk(sse(delta({ content: "a" }))));
    await over;
  });
  const seen: Prefill[] = [];
  const on_prefill = (prefill: Prefill) => void seen.push(prefill);
  const idle = { connect_ms: 0, first_byte_ms: 0, idle_ms: 75 };
  const cut = await ask(server.origin, { limits: idle, on_prefill });
  match(shown(cut), /stopped sending in the middle of a reply/);
  deepStrictEqual(seen.map(({ read, total }) => [read, total]), [
    ...[[24, 5365], [2072, 5365], [5365, 5365]],
  ]);
  const first = { connect_ms: 0, first_byte_ms: 75, idle_ms: 0 };
  match(shown(await ask(server.origin, { limits: first })), /sent no part of a reply/);
  end();
});

/** Writes until the client has gone, at most 1 GB; gives how much was taken, in MB. */
async function flood(exchange: Exchange, piece: Uint8Array): Promise<number> {
  let gone = false;
  void exchange.gone.then(() => gone = true);
  let megabytes = 0;
  const write_until = async (most: number) => {
    for (; megabytes < most && !gone; megabytes += piece.length / 1e6) await exchange.write(piece);
  };
  await write_until(300);
  // A busy machine notices late that the client has gone; one that reads on stays.
  await within(GONE_MS, exchange.gone);
  await write_until(1000);
  return megabytes;
}

/** Longer than any machine takes to notice. */
const GONE_MS = 30_000;

const MEGABYTE = 1 << 20;
const FLOODS: Readonly<Record<string, readonly [string, string, RegExp]>> = {
  // 64 MB, and one KB more for each of some 4,000 pieces.
  "deltas": ["", sse(delta({ content: "x".repeat(16384) })), /more than 68 MB/],
  "comments": ["", `: ${"x".repeat(1000)}\n\n`, /more than 64 MB/],
  "one line": ["data: ", "x".repeat(16384), /a line that did not end|more than 64 MB/],
  "one event": ["", `data: ${"x".repeat(16384)}\n`, /a line that did not end|more than 64 MB/],
  "JSON": ['{"choices": "', "x".repeat(16384), /more than 16 MB/],
  "white space": ["", " ".repeat(16384), /more than 16 MB/],
};

for (const [name, [begin, piece, expected]] of Object.entries(FLOODS)) {
  Deno.test(`a reply without end: ${name}`, async () => {
    const before = Deno.memoryUsage().rss;
    let sent = Promise.resolve(0);
    const completion = await answered(async (exchange) => {
      await exchange.write(head(200) + begin);
      const whole = piece.repeat(Math.ceil(MEGABYTE / piece.length));
      await (sent = flood(exchange, new TextEncoder().encode(whole)));
    });
    match(shown(completion), /^bad_response: /);
    match(shown(completion), expected);
    ok(await sent < 600, `${await sent} MB were taken`);
    const grown = (Deno.memoryUsage().rss - before) / 1e6;
    ok(grown < 300, `${grown} MB more`);
  });
}

Deno.test("a server that does not close after the finish reason is not waited for", async () => {
  await using server = serve_raw(async ({ write }) => {
    await write(head(200, CHUNKED));
    await write(chunk(sse(...HELLO, delta({}, "stop"))));
  });
  const began = performance.now();
  strictEqual(shown(await ask(server.origin)), "Hé (stop)");
  ok(performance.now() - began < 100_000);
  await server.requests[0]?.gone;
});

Deno.test("nor is one that continues with comments after it", async () => {
  await using server = serve_raw(async (exchange) => {
    await exchange.write(head(200));
    await exchange.write(sse(...HELLO, delta({}, "stop")));
    let gone = false;
    void exchange.gone.then(() => gone = true);
    while (!gone) {
      await exchange.write(":\n\n");
      await sleep(20);
    }
  });
  const began = performance.now();
  strictEqual(shown(await ask(server.origin, { limits: { idle_ms: 100 } })), "Hé (stop)");
  ok(performance.now() - began < 100_000);
});

Deno.test("after [DONE] nothing is waited for, and the socket is given up", async () => {
  for (const flooding of [false, true]) {
    await using server = serve_raw(async (exchange) => {
      await exchange.write(head(200) + STREAM);
      if (flooding) await flood(exchange, new Uint8Array(MEGABYTE));
    });
    const began = performance.now();
    strictEqual(shown(await ask(server.origin)), REPLY);
    ok(performance.now() - began < 100_000);
    await server.requests[0]?.gone;
    ok(performance.now() - began < 100_000);
  }
});

Deno.test("a socket that breaks after the finish reason has done its work", async () => {
  const completion = await answered(async ({ write, close }) => {
    await write(head(200, CHUNKED));
    await write(chunk(sse(...HELLO, delta({}, "stop"))));
    close();
  });
  strictEqual(shown(completion), "Hé (stop)");
});

Deno.test("steps share a connection, errors among them", async () => {
  const ways: ((n: number) => Uint8Array | string)[] = [
    () => whole(STREAM),
    () => whole(JSON_REPLY, { type: "application/json" }),
    () => head(200, CHUNKED) + sse_chunks(),
    (n) => n % 3 === 1 ? whole('{"error":"busy"}', { status: 503 }) : whole(STREAM),
  ];
  for (const way of ways) {
    await using server = serve_raw(({ n, write }) => write(way(n)));
    const signal = new AbortController().signal;
    for (let step = 0; step < 20; step++) {
      const completion = await ask(server.origin, { signal });
      if (completion.kind === "reply") strictEqual(shown(completion), REPLY);
    }
    strictEqual(server.requests.length, 20);
    ok(server.connections() <= 2, `${server.connections()} connections`);
  }
});

function sse_chunks(): string {
  const ascii = sse(delta({ content: "H\\u00e9llo 😀" }, "stop")).replaceAll("\\\\", "\\")
    .replace("😀", "\\ud83d\\ude00");
  const piece = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  return piece(ascii) + piece(sse("[DONE]")) + "0\r\n\r\n";
}

Deno.test("a kept connection that the server closes in the meantime does no harm", async () => {
  // At once after the reply; a little later; in the very moment it is used again.
  for (const [wait_close, wait_ask] of [[0, 20], [10, 30], [-1, 5]] as const) {
    const used = new Set<unknown>();
    await using server = serve_raw(async (exchange) => {
      const { gone, write, close } = exchange;
      if (wait_close < 0 && used.has(gone)) return close();
      used.add(gone);
      await write(whole(STREAM));
      if (wait_close < 0) return;
      await sleep(wait_close);
      close();
    });
    for (let step = 0; step < 4; step++) {
      strictEqual(shown(await ask(server.origin)), REPLY);
      await sleep(wait_ask);
    }
  }
});

Deno.test("a server that closes every connection is asked at most three times", async () => {
  await using server = serve_raw(({ n, write, close }) => n === 0 ? write(whole(STREAM)) : close());
  strictEqual(shown(await ask(server.origin)), REPLY);
  match(shown(await ask(server.origin)), /^connection: no answer from /);
  ok(server.requests.length <= 4, `${server.requests.length} requests`);
});

Deno.test("memory does not grow with the steps, nor do listeners on the run's signal", async () => {
  const body = sse(
    ...Array.from({ length: 50 }, () => delta({ content: "word ".repeat(20) })),
    "[DONE]",
  );
  await using server = serve_raw(({ write }) => write(whole(body)));
  const signal = new AbortController().signal;
  const collect = collector();
  const heap = async (steps: number) => {
    for (let step = 0; step < steps; step++) await ask(server.origin, { signal });
    // What waits for the end of a request goes with the second.
    for (let n = 0; n < 2; n++) {
      await sleep(10);
      collect();
    }
    return Deno.memoryUsage().heapUsed / 1e6;
  };
  const early = await heap(100);
  const late = await heap(400);
  // 10 kB a step would be 4 MB.
  ok(late - early < 3, `${early} MB, then ${late} MB`);
});

Deno.test("the key is in no error, whatever way it is said back", async () => {
  const key = "sk-test-0123456789abcdefghijklmnop";
  const told: [string, string, number?][] = [
    ["application/json", `{"error":{"message":"bad key ${key}"}}`, 401],
    ["application/json", '{"error":{"message":"bad key sk-test-****mnop"}}', 403],
    ["text/plain", `${"x ".repeat(135)}${key}`, 500],
    ["text/html", `<html>${key}</html>`, 400],
    ["application/json", `{"error":{"message":"bad key ${key}"}}`],
    ["text/event-stream", sse({ error: { message: `${"y".repeat(270)} ${key}` } })],
    ["text/event-stream", sse(...HELLO, delta({}, "stop")).slice(0, -30) + key],
    ["application/json", `{"headers":{"authorization":"Bearer ${key}"}}`],
    ["text/plain", `${"z".repeat(100)} ${key}`],
    ["text/plain", "sk-te…mnop"],
  ];
  for (const [type, body, status] of told) {
    const completion = await answered(
      ({ write }) => write(whole(body, { type, status: status ?? 200 })),
      { target: { key, headers: { authorization: `Bearer ${key}` } } },
    );
    strictEqual(completion.kind, "failed");
    const text = shown(completion);
    for (let at = 0; at + 5 <= key.length; at++) {
      ok(!text.includes(key.slice(at, at + 5)), `${key.slice(at, at + 5)} in ${text}`);
    }
    ok(!text.includes("mnop"), text);
  }
});
