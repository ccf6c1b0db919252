/** Ollama's own protocol as recorded, whole and cut in every way, against what it must be taken for. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { serve_raw, target, UNLIMITED, whole } from "../../src/model/_testing.ts";
import { complete, type Completion } from "../../src/model/completion/complete.ts";
import type { Reply } from "../../src/model/message.ts";
import { ollama_chat } from "../../src/model/protocols/ollama_chat.ts";
import { cut_at, decode_with } from "../support/pieces.ts";

function read(name: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(new URL(`ollama/${name}.body`, import.meta.url));
}

const NOTHING_ELSE = { reasoning: "", tool_calls: [] };

const REPLIES: Readonly<Record<string, readonly [type: string, reply: Reply]>> = {
  chat_text: ["application/json; charset=utf-8", {
    ...NOTHING_ELSE,
    content: "I'm glad to make your acquaintance. I've just been",
    finish: "length",
    usage: { input_tokens: 11, output_tokens: 12, cached_tokens: 0, reasoning_tokens: 0 },
  }],
  chat_text_stream: ["application/x-ndjson", {
    ...NOTHING_ELSE,
    content: "I'm glad to make your acquaintance. I've just been",
    finish: "length",
    usage: { input_tokens: 11, output_tokens: 12, cached_tokens: 0, reasoning_tokens: 0 },
  }],
  chat_truncated: ["application/json; charset=utf-8", {
    ...NOTHING_ELSE,
    content: "🌟Hello",
    finish: "length",
    usage: { input_tokens: 18, output_tokens: 4, cached_tokens: 0, reasoning_tokens: 0 },
  }],
};

const FAILURES: Readonly<Record<string, readonly [status: number, kind: string, words: RegExp]>> = {
  chat_model_missing: [
    404,
    "bad_request",
    /: model 'nope' not found; get it with: ollama pull nope \(hamr models: what is there\)$/,
  ],
  chat_bad_json: [400, "bad_request", /: unexpected EOF$/],
  chat_killed_reading: [
    500,
    "server",
    /: model runner has unexpectedly stopped, this may be due to/,
  ],
  chat_killed_writing: [200, "server", /: an error was encountered .*: unexpected EOF$/],
  chat_tools_unsupported: [400, "bad_request", /smol:latest does not support tools$/],
};

async function ask(
  body: Uint8Array<ArrayBuffer>,
  options: { readonly status?: number; readonly type: string },
): Promise<Completion & { readonly seen: string }> {
  await using server = serve_raw(({ write }) => write(whole(body, options)));
  let seen = "";
  const completion = await complete(ollama_chat(), new Uint8Array(), {
    target: target(`${server.origin}/api/chat`),
    limits: UNLIMITED,
    signal: new AbortController().signal,
    on_delta: ({ kind, text }) => seen += kind === "text" ? text : "",
  });
  return { ...completion, seen };
}

for (const [name, [type, expected]] of Object.entries(REPLIES)) {
  Deno.test(`${name} means what it says`, async () => {
    for (const content_type of [type, "text/plain", ""]) {
      const completion = await ask(read(name), { type: content_type });
      if (completion.kind === "failed") throw new Error(completion.error.message);
      deepStrictEqual(completion.reply, expected);
      strictEqual(completion.seen, expected.content);
    }
  });
}

for (const [name, [status, kind, words]] of Object.entries(FAILURES)) {
  Deno.test(`${name} is no reply`, async () => {
    const completion = await ask(read(name), { status, type: "application/json; charset=utf-8" });
    if (completion.kind === "reply") throw new Error("a reply");
    strictEqual(completion.error.kind, kind);
    match(completion.error.message, words);
  });
}

function decode(pieces: Iterable<Uint8Array>): Reply | string | null {
  return decode_with(ollama_chat(), { pieces, content_type: "application/x-ndjson" });
}

const STREAM = read("chat_text_stream");
/** The same with characters of several bytes, which the recording has none of. */
const WIDE = new TextEncoder().encode(
  new TextDecoder().decode(STREAM).replaceAll("glad", "gläd 🌟"),
);

Deno.test("a stream is the same however it is cut", () => {
  for (const bytes of [STREAM, WIDE]) {
    const reply = decode([bytes]);
    ok(reply !== null && typeof reply === "object");
    deepStrictEqual(decode(cut_at(bytes, bytes.keys())), reply, "one byte at a time");
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 10);
    ok(ends.length > 8);
    for (const end of ends) {
      for (const place of [end - 1, end, end + 1]) {
        deepStrictEqual(decode(cut_at(bytes, [place])), reply, `at ${place}`);
      }
    }
    const within = [...bytes.keys()].filter((at) => ((bytes[at] ?? 0) & 0xc0) === 0x80);
    deepStrictEqual(decode(cut_at(bytes, within)), reply, "inside of characters");
  }
});

Deno.test("a stream that ends too early is cut, and nothing else", () => {
  const reply = decode([WIDE]);
  for (let end = 1; end < WIDE.length; end++) {
    const early = decode([WIDE.subarray(0, end)]);
    // Only the end of the last line may be missing.
    deepStrictEqual(early, end >= WIDE.length - 1 ? reply : null, `${end} bytes`);
  }
});
