/** What a real llama.cpp, and a vLLM, say by the Messages API, whole and cut anywhere, against what it must be taken for. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { AnthropicCollector } from "../../src/model/protocols/anthropic_reply.ts";
import { BodyReader } from "../../src/model/http/body.ts";
import { from_status } from "../../src/model/errors.ts";
import type { Reply } from "../../src/model/message.ts";

const WRITE = { path: "hello.txt", content: "hi" };

/** Content (its beginning is enough), calls, finish, and tokens: prompt, reply and cached. */
interface Meaning {
  readonly text?: string;
  /** Name and arguments: as an object, or the text of what was cut. */
  readonly call?: readonly [string, unknown];
  readonly finish: Reply["finish"];
  readonly usage: readonly [number, number, number] | null;
}

const REPLIES: Readonly<Record<string, Meaning>> = {
  "text-stream.sse": { text: "Shaman: Happy to help you", finish: "length", usage: [32, 8, 31] },
  "utf8-stream.sse": { text: "🌟\n\n🌟\n", finish: "length", usage: null },
  "tool-stream.sse": { call: ["write", WRITE], finish: "tool_calls", usage: [657, 37, 656] },
  "tool-length-stream.sse": {
    call: ["write", '{"path": "hello'],
    finish: "length",
    usage: [657, 20, 656],
  },
  "vllm-tool-stream.sse": { call: ["write", WRITE], finish: "tool_calls", usage: [657, 37, 640] },
  "text.body": { text: "I'm glad to make your acquaint", finish: "length", usage: [11, 30, 1] },
  "tool.body": { call: ["write", WRITE], finish: "tool_calls", usage: [657, 37, 656] },
};

/** Status, kind and words. */
const FAILURES: Readonly<Record<string, readonly [number, string, RegExp]>> = {
  "overflow.body": [400, "context_overflow", /: request \(1042 tokens\) exceeds the available/],
  "no-messages.body": [500, "server", /: 'messages' is required$/],
};

function read(name: string): Uint8Array {
  return Deno.readFileSync(new URL(`messages/${name}`, import.meta.url));
}

/** What a body means that comes in these pieces; null where it is cut, an error as its kind. */
function decode(...pieces: readonly Uint8Array[]): Reply | string | null {
  const collector = new AnthropicCollector("u");
  const reader = new BodyReader(collector, { url: "u", content_type: "text/event-stream" });
  for (const piece of pieces) {
    const news = reader.push(piece);
    if ("kind" in news) return news.kind;
  }
  const news = reader.end();
  if ("kind" in news) return news.kind;
  return collector.finished || reader.done ? collector.reply() : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

for (const [name, expected] of Object.entries(REPLIES)) {
  Deno.test(`${name} means what it says`, () => {
    const reply = decode(read(name));
    ok(reply !== null && typeof reply === "object");
    const { content, tool_calls: [call], finish, usage } = reply;
    const { text = "" } = expected;
    deepStrictEqual(
      {
        ...(text === "" && content === "" ? {} : { text: content.slice(0, text.length) }),
        ...(call === undefined ? {} : { call: [call.name, parsed(call.arguments)] }),
        finish,
        usage: usage && [usage.input_tokens, usage.output_tokens, usage.cached_tokens],
      },
      expected,
    );
    ok(reply.kept === undefined, "nothing is signed");
  });
}

for (const name of Object.keys(REPLIES).filter((name) => name.endsWith(".sse"))) {
  Deno.test(`${name} is the same wherever it is cut in two, and is cut where it ends there`, () => {
    const bytes = read(name);
    const reply = decode(bytes);
    const end = new TextDecoder().decode(bytes).indexOf('"stop_reason":"');
    for (let at = 1; at < bytes.length; at++) {
      const [head, tail] = [bytes.subarray(0, at), bytes.subarray(at)];
      deepStrictEqual(decode(head, tail), reply, `at ${at}`);
      const early = decode(head);
      ok(early === null || at > end, `${at} bytes gave ${JSON.stringify(early)}`);
      if (early !== null) deepStrictEqual(early, reply, `${at} bytes`);
    }
    deepStrictEqual(decode(...Array.from(bytes, (byte) => Uint8Array.of(byte))), reply);
  });
}

for (const [name, [status, kind, words]] of Object.entries(FAILURES)) {
  Deno.test(`${name} is no reply`, () => {
    const body = new TextDecoder().decode(read(name));
    const error = from_status(status, body, { url: "u", key_hint: "" });
    strictEqual(error.kind, kind);
    match(error.message, words);
  });
}

Deno.test("every recording is in a table", () => {
  const listed = new Set([...Object.keys(REPLIES), ...Object.keys(FAILURES)]);
  for (const { name } of Deno.readDirSync(new URL("messages", import.meta.url))) {
    ok(listed.has(name), name);
  }
});
