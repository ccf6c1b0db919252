import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { bundled } from "./bundle.ts";
import { bytes_of_packed } from "./packed_reply.ts";
import { Requests } from "./requests.ts";

const KEY = "sk-live-0123456789abcdefghij";
const PASSWORD = "correct-horse-42";

async function* lines_of(lines: readonly unknown[]) {
  for (const line of lines) yield `${await JSON.stringify(line)}\n`;
}

function event(text: string): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`;
}

/** A session whose model prints a key in pieces and whose tool prints a password. */
function session() {
  const requests = new Requests();
  const pack = (text: string) => requests.pack(new TextEncoder().encode(text));
  const told = [`["Use ${PASSWORD} in /home/alice/work."`, `,"The key is ${KEY}."`];
  const exchange = (request: string, text: string) => ({
    kind: "exchange",
    request: pack(request),
    reply: { content_type: "text/event-stream", text },
  });
  const tape = [
    { kind: "begin" },
    exchange(`${told[0]}]`, event("The key is sk-li") + event("ve-0123456789abcdefghij.")),
    { kind: "run", value: { of: [{ text: `password: ${PASSWORD}` }] } },
    exchange(`${told.join("")}]`, event("Done.")),
  ];
  const row = (table: string) => (body: unknown, at: number) => ({
    table,
    nth: at + 1,
    step: 0,
    body,
  });
  return [
    { type: "session", schema: 1, uuid: "u", workspace: "/home/alice/work", part: 2, part_from: 7 },
    { type: "state", body: { steps: 1 } },
    row("runs")({ task: `Use ${PASSWORD}.` }, 0),
    row("messages")({ role: "user", content: PASSWORD }, 0),
    ...tape.map(row("tape")),
    { content: "00", size: 1, base64: "AA==" },
    { type: "end", rows: 6, contents: 1 },
  ];
}

async function bundle(): Promise<Record<string, unknown>[]> {
  const found = [];
  for await (const line of bundled(lines_of(session()), { secrets: [KEY], home: "/home/alice" })) {
    found.push(JSON.parse(line));
  }
  return found;
}

Deno.test("a bundle has what a replay needs, and nothing to go on from", async () => {
  const lines = await bundle();
  assert.deepEqual(lines.map(({ type, table }) => type ?? table), [
    ...["session", "state", "runs", "tape", "tape", "tape", "tape", "end"],
  ]);
  assert.deepEqual(lines[1], { type: "state", text: "" });
  assert.deepEqual(lines.at(-1), { type: "end", rows: 5, contents: 0 });
});

Deno.test("no secret is left in it, in pieces or whole, and no home; what was said is as long as it was", async () => {
  const lines = await bundle();
  const text = JSON.stringify(lines);
  for (const secret of [KEY, "sk-li", "0123456789", PASSWORD, "horse", "alice"]) {
    assert.ok(!text.includes(secret), secret);
  }
  const requests = new Requests();
  const sent = lines.flatMap(({ body }) => {
    const { request } = (body ?? {}) as { request?: Parameters<Requests["unpack"]>[0] };
    return request === undefined ? [] : [new TextDecoder().decode(requests.unpack(request))];
  });
  const [first, second] = sent.map((one) => JSON.parse(one) as string[]);
  assert.match(first?.[0] ?? "", /^Use x+\w in \/home\/homex\/work\.$/);
  assert.equal(first?.[0]?.length, `Use ${PASSWORD} in /home/alice/work.`.length);
  // What the model said in pieces is what the next request holds whole.
  const reply = JSON.stringify(lines).match(/content\\+":\\+"([^"\\]*)/g)
    ?.map((one) => one.replace(/^.*"/, "")).slice(0, 2).join("");
  assert.equal(second?.[1], reply);
});

Deno.test("a packed reply that is larger than any is not unpacked", () => {
  const part = new Uint8Array(gzipSync(new Uint8Array(1024 * 1024)));
  const all = new Uint8Array(part.length * 129);
  for (let at = 0; at < all.length; at += part.length) all.set(part, at);
  assert.throws(() => bytes_of_packed({ gzip: all.toBase64() }), /larger than/);
});
