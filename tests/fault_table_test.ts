/** What a server does wrong, and what becomes of the run: the same whatever protocol it speaks. */
import assert from "node:assert/strict";
import { Runner } from "./property/process.ts";
import { FAULT_WIRES, type FaultWire } from "./support/fault_wires.ts";
import { ANSWER } from "./support/model_server.ts";
import { remove } from "./support/remove.ts";
import type { Call } from "./support/wire.ts";

/** As `agent.idle_timeout_s`, in milliseconds: what the table has to do with time takes one or two of these. */
const IDLE_MS = 500;

/** How an answer goes wrong; `sound` is the body that it should have. */
type Fault = (sound: string, wire: FaultWire, over: Promise<void>) => Response | Promise<Response>;

const ok = (wire: FaultWire, body: BodyInit | null) =>
  new Response(body, { headers: { "content-type": wire.type } });

/** A body that begins like this, and never ends. */
function endless(text: string, over: Promise<void>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async start(controller) {
      if (text !== "") controller.enqueue(new TextEncoder().encode(text));
      await over;
    },
  });
}

const half = (text: string) => text.slice(0, text.length / 2);
const refusal = (status: number, words: string): Fault => () =>
  Response.json({ error: { message: words } }, { status });

const limited = (headers: Record<string, string>): Fault => () =>
  Response.json({ error: { message: "slow down" } }, { status: 429, headers });
/** A reply is taken in spite of these. */
const NO_FAULT = ", and a reply";
const LONG_AGO = "Wed, 21 Oct 2015 07:28:00 GMT";
const JSON_TYPE = { headers: { "content-type": "application/json" } };
/** As Python's `json.dumps` writes what it can't count. */
const uncounted = (sound: string) => sound.replace(/"(\w*(?:tokens|count))":\d+/g, '"$1":NaN');
const moved = (_: FaultWire) =>
  new Response(null, { status: 307, headers: { location: "http://127.0.0.1:1/v1/other" } });
const long_head = ({ type }: FaultWire) => ({
  headers: { "content-type": type, "x-trace": "x".repeat(40_000) },
});

/** Written beforehand: it takes longer than silence may last. */
function calling(calls: readonly Call[]): Fault {
  const bodies = new Map(
    Object.values(FAULT_WIRES).map((wire) => [wire, wire.body({ calls }, 0, true)]),
  );
  return (_, wire) => ok(wire, bodies.get(wire) ?? "");
}
const READ = { name: "read", args: { path: "." } };

/** The fault, how often a request is made that meets it once, and how often one that meets it always. */
const TABLE: Readonly<Record<string, readonly [fault: Fault, once: number, always: number]>> = {
  "an empty answer": [(_, wire) => ok(wire, ""), 2, 3],
  "white space": [(_, wire) => ok(wire, "\n\n"), 2, 3],
  "nothing but the head": [(_, wire, over) => ok(wire, endless("", over)), 2, 2],
  "not even the head": [async (_, wire, over) => (await over, ok(wire, "")), 2, 2],
  "half a reply, and the end": [(sound, wire) => ok(wire, half(sound)), 2, 3],
  "half a reply, and silence": [(sound, wire, over) => ok(wire, endless(half(sound), over)), 2, 2],
  "a web page": [() => new Response("<html>502</html>"), 1, 1],
  "other words": [() => new Response("no"), 1, 1],
  "503": [refusal(503, "busy"), 2, 3],
  "429": [refusal(429, "slow down"), 2, 3],
  "500": [refusal(500, "out of memory"), 2, 3],
  "400": [refusal(400, "bad"), 1, 1],
  "429, with its time to wait": [limited({ "retry-after": "0" }), 2, 3],
  "429, with a time that is none": [limited({ "retry-after": "soon" }), 2, 3],
  "429, with a date that has passed": [limited({ "retry-after": LONG_AGO }), 2, 3],
  "another address": [(_, wire) => moved(wire), 1, 1],
  "JSON of something else": [() => Response.json({ hello: [1] }), 1, 1],
  "JSON that breaks off": [() => new Response('{"a":', JSON_TYPE), 2, 3],
  "1,001 calls at once": [calling(Array(1001).fill(READ)), 1, 1],
  "a name of 70 kB": [calling([{ ...READ, name: "x".repeat(70_000) }]), 1, 1],
  [`40 kB of head${NO_FAULT}`]: [(sound, wire) => new Response(sound, long_head(wire)), 1, 1],
  [`counts that are no numbers${NO_FAULT}`]: [(sound, wire) => ok(wire, uncounted(sound)), 1, 1],
  [`plain text by its type${NO_FAULT}`]: [(sound) => new Response(sound), 1, 1],
};

function serve(wire: FaultWire, { fault, always }: { fault: Fault; always: boolean }) {
  let requests = 0;
  const over = Promise.withResolvers<void>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const raw = await request.text();
      if (request.method !== "POST") return new Response("no", { status: 404 });
      const stream = raw.includes('"stream":true');
      const sound = wire.body({ text: ANSWER }, requests, stream);
      if (requests++ === 0 || always) return await fault(sound, wire, over.promise);
      const type = stream ? wire.type : "application/json";
      return new Response(sound, { headers: { "content-type": type } });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    requests: () => requests,
    close() {
      over.resolve();
      return server.shutdown();
    },
  };
}

for (const [api_mode, wire] of Object.entries(FAULT_WIRES)) {
  Deno.test({
    name: `${api_mode}: each fault of a server has the answer that it has everywhere`,
    ignore: Deno.env.get("HAMR_BIN") !== undefined, // It is about the loop, not the program.
    sanitizeResources: false, // A connection that is given up is gone when its server is.
    sanitizeOps: false,
    async fn() {
      const root = Deno.makeTempDirSync({ prefix: "hamr_table_" });
      Deno.mkdirSync(`${root}/ws`);
      const runner = new Runner(`${root}/ws`, { home: root, api_mode });
      const limits = { max_steps: 2, max_tool_calls: 2, window: 65_536, stream: true } as const;
      const found: Record<string, unknown> = {};
      const expected: Record<string, unknown> = {};
      for (const [name, [fault, once, always]] of Object.entries(TABLE)) {
        for (const lasts of [false, true]) {
          const server = serve(wire, { fault, always: lasts });
          const order = { ...limits, url: server.url, verify: "", idle_ms: IDLE_MS };
          const { reason } = await runner.run({ ...order, mode: "ask" });
          const what = `${name}, ${lasts ? "always" : "once"}`;
          found[what] = [reason, server.requests()];
          const requests = lasts ? always : once;
          expected[what] = [
            (!lasts && once > 1) || name.endsWith(NO_FAULT) ? "llm_done" : "llm_error",
            requests,
          ];
          await server.close();
        }
      }
      await runner.close();
      await remove(root);
      assert.deepEqual(found, expected);
    },
  });
}
