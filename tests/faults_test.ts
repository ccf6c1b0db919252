/** A server on a bad day: whatever becomes of its replies on the way, nothing runs that the model did not ask for. */
import assert from "node:assert/strict";
import { event_faults, is_reason } from "./property/faults.ts";
import { Runner } from "./property/process.ts";
import type { Report } from "./property/runner.ts";
import { FAULT_WIRES, type FaultWire } from "./support/fault_wires.ts";
import { ANSWER, type Reply } from "./support/model_server.ts";
import { remove } from "./support/remove.ts";
import { type Folder, folder } from "./support/stage.ts";

/** Cut short, it would remove all of `data`; its output shows in the next request that it was run. */
const BASH = { command: "rm -rf data/old; printf 'seen-%s' 4711" };
const WRITE = { path: "out/a.txt", content: "one whole text\n" };
const CALLS: Reply = {
  text: "I clean up.",
  calls: [{ name: "bash", args: BASH }, { name: "write", args: WRITE }],
};
const SEEN = "seen-4711";

/** Offsets at which replies are cut. */
const CUTS = 60;
/** Each stall takes as long as the limit: fewer of them. */
const STALLS = 25;
const SHUFFLES = 20;
const IDLE_MS = 500;
/** No run of four requests takes longer, even on a machine that is busy. */
const HANG_MS = 60_000;

/** The same numbers from 0 to below 1 each time (mulberry32). */
function random_from(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

type Random = () => number;

const below = (random: Random, limit: number) => Math.floor(random() * limit);

/** What is sent of a body, and what happens then. */
interface Sent {
  readonly bytes: Uint8Array;
  readonly then: "end" | "abort" | "stall";
}

/** What becomes of the body of request `n`. */
type Fault = (body: string, n: number) => Sent;

const encoder = new TextEncoder();
const whole: Fault = (body) => ({ bytes: encoder.encode(body), then: "end" });

/** Which requests of a run meet a fault: the first one always does, half of the time it is the only one. */
function hits(random: Random): boolean[] {
  const more = random() < 0.5 ? 0 : 0.5;
  return [true, ...Array.from({ length: 12 }, () => random() < more)];
}

function at_times(hit: readonly boolean[], fault: (body: string) => Sent): Fault {
  return (body, n) => hit[n] ? fault(body) : whole(body, n);
}

function cut(random: Random, then: Sent["then"]): (body: string) => Sent {
  const share = random();
  return (body) => {
    const bytes = encoder.encode(body);
    // A stall before the first byte is what a slow prefill looks like: on loopback it is waited for.
    const at = Math.floor(share * bytes.length) + (then === "stall" ? 1 : 0);
    return { bytes: bytes.subarray(0, at), then };
  };
}

/** Changes the order and the number of whole events, or what is between them. */
function shuffle(
  random: Random,
  how: "twice" | "moved" | "rubbish",
  { between, rubbish }: FaultWire,
): (body: string) => Sent {
  const seed = below(random, 1e9);
  return (body) => {
    const dice = random_from(seed);
    const events = body.split(between);
    const from = below(dice, events.length);
    const to = below(dice, events.length + 1);
    switch (how) {
      case "twice":
        events.splice(to, 0, events[from] ?? "");
        break;
      case "moved":
        events.splice(to, 0, ...events.splice(from, 1));
        break;
      case "rubbish":
        events.splice(to, 0, rubbish[below(dice, rubbish.length)] ?? "");
    }
    return { bytes: encoder.encode(events.join("")), then: "end" };
  };
}

/** A model that asks for its two calls until it has seen the outcome of them. */
function serve(wire: FaultWire, { fault, reply }: { fault: Fault; reply: Reply }) {
  let n = 0;
  const closing = Promise.withResolvers<void>();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, onError: () => new Response("") },
    async (request) => {
      const raw = await request.text();
      if (request.method !== "POST") return new Response("no", { status: 404 });
      const stream = raw.includes('"stream":true');
      const at = n++;
      const said = raw.includes(SEEN) ? { text: ANSWER } : reply;
      const { bytes, then } = fault(wire.body(said, at, stream), at);
      const body = new ReadableStream<Uint8Array>({
        async start(controller) {
          if (bytes.length > 0) controller.enqueue(bytes);
          if (then === "stall") await closing.promise;
          // What was enqueued must leave before the socket is torn down.
          if (then === "abort" && bytes.length > 0) {
            await new Promise((resolve) => setTimeout(resolve, 10));
            return controller.error(new Error("cut"));
          }
          try {
            controller.close();
          } catch {
            // The client has gone.
          }
        },
      });
      return new Response(body, {
        headers: { "content-type": stream ? wire.type : "application/json" },
      });
    },
  );
  return {
    url: `http://127.0.0.1:${server.addr.port}/v1`,
    async close() {
      closing.resolve();
      await server.shutdown();
    },
  };
}

function reset(ws: Folder): void {
  for (const { name } of Deno.readDirSync(ws.path)) {
    Deno.removeSync(ws.at(name), { recursive: true });
  }
  ws.write("data/keep", "kept\n");
  ws.write("data/old/junk", "junk\n");
}

function files(path: string): string[] {
  return [...Deno.readDirSync(path)].flatMap(({ name, isDirectory }) =>
    isDirectory ? files(`${path}/${name}`).map((below) => `${name}/${below}`) : [name]
  );
}

/** What went wrong besides the reply. */
function wrongs({ events, ...report }: Report, ws: Folder): string[] {
  const out = [...event_faults(events)];
  const must = (holds: boolean, what: string) => holds || out.push(what);
  must(is_reason(report.reason), `unknown reason ${report.reason}`);
  must(report.reason !== "internal_error", `internal error: ${report.error}`);
  const asked = [BASH, WRITE].map((args) => JSON.stringify(args));
  for (const event of events) {
    if (event.type !== "tool_call") continue;
    const result = events.find((other) => other.type === "tool_result" && other.id === event.id);
    const ran = result?.type === "tool_result" && result.ok;
    const args = JSON.stringify(event.arguments);
    must(!ran || asked.includes(args), `ran ${event.name} ${args}`);
  }
  must(ws.exists("data/keep"), "data is gone");
  const known = ["data/keep", "data/old/junk", "out/a.txt"];
  const other = files(ws.path).filter((file) => !known.includes(file));
  must(other.length === 0, `made ${other}`);
  must(!ws.exists("out/a.txt") || ws.read("out/a.txt") === WRITE.content, "half a file");
  return out;
}

/** How often a call of this tool did what it asked for. */
function runs_of(name: string, { events }: Report): number {
  return events.filter((event) => event.type === "tool_result" && event.name === name && event.ok)
    .length;
}

/** A kind of fault: how often it is tried, and how the calls are written then. */
interface Tried {
  readonly times: number;
  readonly reply: Reply;
  /** What it asked for is run once, whatever came twice. */
  readonly single?: true;
  /** A reply that met it is known to be broken: what it asked for is run once, from the next one. */
  readonly once?: true;
  readonly of: (random: Random, wire: FaultWire) => (body: string) => Sent;
}

const FAULTS: Readonly<Record<string, Tried>> = {
  "cut, the socket torn down": {
    times: CUTS / 2,
    reply: { ...CALLS, fragment: 5 },
    once: true,
    of: (random) => cut(random, "abort"),
  },
  "cut, the body ended as if it were whole": {
    times: CUTS / 2,
    reply: { ...CALLS, fragment: 5 },
    once: true,
    of: (random) => cut(random, "end"),
  },
  "stalled": {
    times: STALLS,
    reply: { ...CALLS, fragment: 5 },
    once: true,
    of: (random) => cut(random, "stall"),
  },
  "with rubbish between the events": {
    times: SHUFFLES,
    reply: { ...CALLS, fragment: 5 },
    of: (random, wire) => shuffle(random, "rubbish", wire),
  },
  "with an event that comes twice": {
    times: SHUFFLES,
    reply: CALLS,
    single: true,
    of: (random, wire) => shuffle(random, "twice", wire),
  },
  "with an event in another's place": {
    times: SHUFFLES,
    reply: CALLS,
    of: (random, wire) => shuffle(random, "moved", wire),
  },
};

/**
 * In pieces only where calls come whole as well: elsewhere fragments have no numbers, so that one which comes twice, or in
 * another's place, is what the model said.
 */
function in_pieces(reply: Reply, { whole_calls }: FaultWire): Reply {
  return reply === CALLS && whole_calls ? { ...CALLS, fragment: 5 } : reply;
}

/** The protocol that most servers speak is tried with all of them, each other one with fewer. */
const share = (api_mode: string) => api_mode === "chat_completions" ? 1 : 0.4;

for (const [api_mode, wire] of Object.entries(FAULT_WIRES)) {
  Deno.test({
    name: `${api_mode}: no reply that goes wrong on its way runs anything that was not asked for`,
    ignore: Deno.env.get("HAMR_BIN") !== undefined, // It is about the loop, not the program.
    sanitizeResources: false, // A connection that is cut is gone when its server is.
    sanitizeOps: false,
    async fn(test) {
      const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hamr_faults_" }));
      Deno.mkdirSync(`${root}/ws`);
      Deno.mkdirSync(`${root}/home`);
      const ws = folder(`${root}/ws`);
      reset(ws);
      const runner = new Runner(ws.path, { home: `${root}/home`, api_mode });
      const play = async (fault: Fault, reply: Reply): Promise<Report> => {
        reset(ws);
        const server = serve(wire, { fault, reply });
        const limits = { max_steps: 6, max_tool_calls: 12, window: 65_536, stream: true } as const;
        const order = { ...limits, url: server.url, verify: "", idle_ms: IDLE_MS };
        const late = Promise.withResolvers<never>();
        const timer = setTimeout(() => late.reject(new Error("it hangs")), HANG_MS);
        try {
          return await Promise.race([runner.run({ ...order, mode: "auto" }), late.promise]);
        } finally {
          clearTimeout(timer);
          await server.close();
        }
      };
      try {
        const sound = await play(whole, CALLS);
        assert.deepEqual([sound.reason, ...wrongs(sound, ws)], ["llm_done"]);
        assert.deepEqual(files(ws.path).toSorted(), ["data/keep", "out/a.txt"]);
        for (const [name, fault] of Object.entries(FAULTS)) {
          const { once = false, single = false, of } = fault;
          const times = fault.times * share(api_mode);
          const reply = in_pieces(fault.reply, wire);
          await test.step(`${name}, ${times} times`, async () => {
            let asked_again = 0;
            for (let n = 0; n < times; n++) {
              const random = random_from(n);
              const hit = hits(random);
              const report = await play(at_times(hit, of(random, wire)), reply);
              assert.deepEqual(wrongs(report, ws), [], `number ${n}`);
              if (single && hit.lastIndexOf(true) === 0) {
                assert.ok(runs_of("bash", report) <= 1, `number ${n}: ran twice`);
              }
              if (!once) continue;
              const done = report.events.filter(({ type }) => type === "tool_result").length;
              assert.ok(done <= 2, `number ${n}: ${done} calls`);
              if (hit.lastIndexOf(true) > 0) continue;
              // One stream that breaks costs a second request and nothing else.
              assert.deepEqual([report.reason, done], ["llm_done", 2], `number ${n}`);
              assert.deepEqual(files(ws.path).toSorted(), ["data/keep", "out/a.txt"]);
              if (report.events.some(({ type }) => type === "retry")) asked_again++;
            }
            if (once) assert.ok(asked_again > times / 4, `${asked_again}`);
          });
        }
        await runner.close();
      } finally {
        await remove(root);
      }
    },
  });
}
