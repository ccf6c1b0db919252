/** Real servers' replies, whole and cut in every way, against what they must be taken for. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { serve_raw, target, UNLIMITED, whole } from "../../src/model/_testing.ts";
import { BodyReader } from "../../src/model/body.ts";
import { chat_completions } from "../../src/model/chat_completions.ts";
import { complete, type Completion } from "../../src/model/complete.ts";
import type { Reply } from "../../src/model/message.ts";

/** What a reply says: content and reasoning (the beginning is enough), calls as `name arguments`, finish, usage. */
interface Meaning {
  readonly text?: string;
  /** Characters of the content, where `text` is only its beginning. */
  readonly chars?: number;
  readonly reasoning?: string;
  readonly calls?: readonly string[];
  /** Ids of the calls. */
  readonly ids?: readonly string[];
  readonly finish: Reply["finish"];
  /** Prompt, completion and cached tokens; null where the server was not asked for them. */
  readonly usage: readonly [number, number, number] | null;
}

const WRITE = 'write {"path": "hello.txt", "content": "hi"}';

const STREAMS: Readonly<Record<string, Meaning>> = {
  "llama.cpp/text-stream": {
    text: "Hello! I'm a coding agent. What can I help you with",
    chars: 52,
    finish: "stop",
    usage: null,
  },
  "llama.cpp/text-stream-usage": {
    text: "Hello! I'm a coding agent. What can I help you with",
    chars: 52,
    finish: "stop",
    usage: [33, 16, 32],
  },
  "llama.cpp/text-length-stream": {
    text: "Once upon a time, in a small town, there was",
    finish: "length",
    usage: [38, 12, 37],
  },
  "llama.cpp/cache-1": { text: "1. The number 142", finish: "length", usage: [2701, 8, 24] },
  "llama.cpp/cache-2": {
    text: "I'm glad to have you here.",
    finish: "length",
    usage: [2717, 8, 2701],
  },
  "llama.cpp/cache-3-identical": {
    text: "I'm glad to have you here.",
    finish: "length",
    usage: [2717, 8, 2716],
  },
  "llama.cpp/conc-a": {
    text: "As she stood at the edge of the ancient ruin, the ",
    chars: 542,
    finish: "length",
    usage: [34, 120, 24],
  },
  "llama.cpp/err-badschema-stream": {
    text: "hi there! welcome to the world of",
    finish: "length",
    usage: null,
  },
  "llama.cpp/loop-smol-portable-0-0": {
    calls: [WRITE],
    ids: ["LNCtA7LU6KR5RQK9GAHiPdNkiI6Xf1Wd"],
    finish: "tool_calls",
    usage: [661, 37, 647],
  },
  "llama.cpp/loop-smol-portable-0-1": { text: "Done.", finish: "stop", usage: [726, 3, 697] },
  "llama.cpp/parallel-stream": {
    calls: ['read {"path": "foo.txt"}', 'read {"path": "bar.txt"}'],
    ids: ["HNAlyqdZPJ44X75A8iiY2bVm6OySG8QS", "F6gU8RuccNkylyVXyOJOHUf5JBXuOoql"],
    finish: "tool_calls",
    usage: [1078, 62, 1077],
  },
  "llama.cpp/ping-stream": { text: "The code is designed", finish: "length", usage: [2309, 4, 24] },
  "llama.cpp/reasoning-stream": {
    reasoning: "\n\nWhat is 2+2?",
    finish: "stop",
    usage: [58, 9, 57],
  },
  "llama.cpp/reasoning-length-stream": {
    reasoning: "\n\nWhat is 2+2?",
    finish: "length",
    usage: [58, 8, 57],
  },
  "llama.cpp/reasoning-none-stream": {
    text: "",
    reasoning: "\n\nWhat is 2+2?",
    finish: "stop",
    usage: [58, 9, 57],
  },
  "llama.cpp/return-progress": {
    text: "The code is designed",
    finish: "length",
    usage: [5365, 4, 24],
  },
  "llama.cpp/tiny-noparams": {
    calls: ["ls {\n    }"],
    finish: "tool_calls",
    usage: [582, 28, 575],
  },
  "llama.cpp/tiny-tool-auto-stream": {
    calls: [WRITE],
    finish: "tool_calls",
    usage: [589, 37, 588],
  },
  "llama.cpp/tiny-tool-length10-stream": { finish: "length", usage: [589, 10, 588] },
  "llama.cpp/tiny-tool-length20-stream": {
    calls: ['write {"path": "hello'],
    finish: "length",
    usage: [589, 20, 588],
  },
  "llama.cpp/tiny-tool-none-stream": {
    text: '<tool_call>\n{"name": "write", "arguments": {"path"',
    chars: 95,
    finish: "stop",
    usage: [589, 37, 588],
  },
  "llama.cpp/tool-result-roundtrip-stream": { finish: "stop", usage: [54, 1, 38] },
  "ollama/v1_text_stream": { text: "Ameenababy.", finish: "stop", usage: [11, 7, 0] },
};

const WHOLES: Readonly<Record<string, Meaning>> = {
  "llama.cpp/text": {
    text: "Hello! I'm a coding agent. What can I help you with",
    chars: 52,
    finish: "stop",
    usage: [33, 16, 0],
  },
  "llama.cpp/max_tokens-0": { text: "hi", finish: "length", usage: [31, 1, 24] },
  "llama.cpp/reasoning": { reasoning: "\n\nWhat is 2+2?", finish: "stop", usage: [58, 9, 0] },
  "llama.cpp/parallel": {
    calls: ['read {"path": "foo.txt"}', 'read {"path": "bar.txt"}'],
    ids: ["g9N7YBzJWvaeEB0fxF5o0UGQszy4cEdd", "XfIHlUnbcCSsw23VyVTQ9PIQ602eszxm"],
    finish: "tool_calls",
    usage: [1078, 62, 0],
  },
  "llama.cpp/tiny-tool-auto": { calls: [WRITE], finish: "tool_calls", usage: [589, 37, 575] },
  "llama.cpp/tiny-tool-length10": {
    text: '<tool_call>\n{"name": "',
    finish: "length",
    usage: [589, 10, 575],
  },
  "llama.cpp/tiny-tool-length20": {
    calls: ['write {"path": "hello'],
    finish: "length",
    usage: [589, 20, 588],
  },
  "llama.cpp/assistant-no-content-key": { finish: "stop", usage: [54, 1, 35] },
  "ollama/v1_truncated": { text: "_more. As", finish: "length", usage: [2048, 4, 0] },
};

/** Status, kind and words of what is no reply. */
const FAILURES: Readonly<Record<string, readonly [number, string, RegExp]>> = {
  "llama.cpp/badkey-stream.body": [401, "auth", /: Invalid API Key; set a key in X$/],
  "llama.cpp/tiny-history-bad-args.body": [500, "server", /: Failed to parse tool call arguments/],
  "llama.cpp/err-badjson.body": [500, "server", /: \[json\.exception\.parse_error\.101\]/],
  "llama.cpp/image-no-mmproj.body": [500, "server", /: image input is not supported/],
  "llama.cpp/err-nomessages.body": [400, "bad_request", /: 'messages' is required$/],
  "llama.cpp/tiny-badschema-stream.body": [400, "bad_request", /: Unable to generate parser/],
  "llama.cpp/overflow-stream.body": [
    400,
    "context_overflow",
    /: request \(1042 tokens\) exceeds the available context size \(512 tokens\)/,
  ],
  "llama.cpp/loading-chat-503.body": [503, "server", /: Loading model$/],
  "llama.cpp/chat-get.body": [404, "bad_request", /: File Not Found; is the base URL right/],
  "llama.cpp/cancel.sse": [200, "cut", /ended the reply before it was complete$/],
  "ollama/v1_model_missing.body": [404, "bad_request", /: model 'nope' not found; is the base/],
  "ollama/chat_tools_unsupported.body": [400, "bad_request", /does not support tools$/],
  "ollama/chat_text_stream.body": [200, "bad_response", /something that is not JSON: \{"model"/],
};

function read(name: string): Uint8Array<ArrayBuffer> {
  return Deno.readFileSync(new URL(name, import.meta.url));
}

function meaning_of(
  { content, reasoning, tool_calls, finish, usage }: Reply,
  like: Meaning,
): Meaning {
  return {
    ...(like.text === undefined && content === "" ? {} : {
      text: like.chars === undefined ? content : content.slice(0, like.text?.length),
    }),
    ...(like.chars === undefined ? {} : { chars: content.length }),
    ...(reasoning === "" ? {} : { reasoning }),
    ...(tool_calls.length === 0 ? {} : {
      calls: tool_calls.map((call) => `${call.name} ${call.arguments}`),
    }),
    ...(like.ids === undefined ? {} : { ids: tool_calls.map(({ id }) => id) }),
    finish,
    usage: usage === null ? null : [usage.input_tokens, usage.output_tokens, usage.cached_tokens],
  };
}

async function ask(
  body: Uint8Array<ArrayBuffer>,
  options: { readonly status?: number; readonly type: string },
): Promise<Completion & { readonly seen: string }> {
  await using server = serve_raw(({ write }) => write(whole(body, options)));
  let seen = "";
  const completion = await complete(chat_completions, new Uint8Array(), {
    target: target(`${server.origin}/v1/chat/completions`),
    limits: UNLIMITED,
    signal: new AbortController().signal,
    on_delta: ({ kind, text }) => seen += kind === "text" ? text : "",
  });
  return { ...completion, seen };
}

for (
  const [kind, table] of [["sse", STREAMS], ["body", WHOLES]] as const
) {
  for (const [name, expected] of Object.entries(table)) {
    Deno.test(`${name}.${kind} means what it says`, async () => {
      const type = kind === "sse" ? "text/event-stream" : "application/json; charset=utf-8";
      const completion = await ask(read(`${name}.${kind}`), { type });
      if (completion.kind === "failed") throw new Error(completion.error.message);
      deepStrictEqual(meaning_of(completion.reply, expected), expected);
      strictEqual(completion.seen, completion.reply.content);
    });
  }
}

for (const [name, [status, kind, message]] of Object.entries(FAILURES)) {
  Deno.test(`${name} is no reply`, async () => {
    const type = name.endsWith(".sse") ? "text/event-stream" : "application/json";
    const completion = await ask(read(name), { status, type });
    if (completion.kind === "reply") throw new Error("a reply");
    strictEqual(completion.error.kind, kind);
    match(completion.error.message, message);
  });
}

/** Decodes a body that comes in these pieces; null where it is cut, and an error as its kind. */
function decode(pieces: Iterable<Uint8Array>): Reply | string | null {
  const collector = chat_completions.collector("u");
  const reader = new BodyReader(collector, { url: "u", content_type: "text/event-stream" });
  for (const piece of pieces) {
    const news = reader.push(piece);
    if ("kind" in news) return news.kind;
    if (reader.done) return collector.reply();
  }
  const news = reader.end();
  if ("kind" in news) return news.kind;
  return collector.finished || reader.done ? collector.reply() : null;
}

function* cut_at(bytes: Uint8Array, places: Iterable<number>): Generator<Uint8Array> {
  let from = 0;
  for (const place of places) {
    yield bytes.subarray(from, place);
    from = place;
  }
  yield bytes.subarray(from);
}

/** Ends of events, and one byte before and after each. */
function boundaries(bytes: Uint8Array): number[] {
  const places = new Set<number>();
  for (let at = 1; at < bytes.length; at++) {
    if (bytes[at - 1] !== 10 || bytes[at] !== 10) continue;
    for (const place of [at - 1, at, at + 1, at + 2]) places.add(Math.min(place, bytes.length));
  }
  return [...places].toSorted((a, b) => a - b);
}

/** Inside of every character of more than one byte, between each two of its bytes. */
function within_characters(bytes: Uint8Array): number[] {
  return [...bytes.keys()].filter((at) => ((bytes[at] ?? 0) & 0xc0) === 0x80);
}

for (const name of Object.keys(STREAMS)) {
  Deno.test(`${name}.sse is the same however it is cut`, () => {
    const bytes = read(`${name}.sse`);
    const reply = decode([bytes]);
    ok(reply !== null && typeof reply === "object");
    deepStrictEqual(decode(cut_at(bytes, bytes.keys())), reply, "one byte at a time");
    const ends = boundaries(bytes);
    ok(ends.length > 8);
    deepStrictEqual(decode(cut_at(bytes, ends)), reply, "around the ends of events");
    for (const place of ends) deepStrictEqual(decode(cut_at(bytes, [place])), reply, `at ${place}`);
    deepStrictEqual(decode(cut_at(bytes, within_characters(bytes))), reply, "inside of characters");
    const crlf = new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll("\n", "\r\n"));
    deepStrictEqual(decode(cut_at(crlf, crlf.keys())), reply, "one byte at a time, CRLF");
  });

  Deno.test(`${name}.sse that ends too early is cut, and nothing else`, () => {
    const bytes = read(`${name}.sse`);
    const reply = decode([bytes]);
    ok(reply !== null && typeof reply === "object");
    const finish = new TextDecoder().decode(bytes).search(/"finish_reason":"/);
    for (let end = 0; end < bytes.length; end += 37) {
      const early = decode([bytes.subarray(0, end)]);
      if (early === null) continue;
      // Whole is what has its finish reason; only the counts of tokens may be missing then.
      ok(end > finish, `${end} bytes gave ${JSON.stringify(early)}`);
      ok(typeof early === "object", `${end} bytes gave ${early}`);
      deepStrictEqual({ ...early, usage: early.usage ?? reply.usage }, reply);
    }
  });
}

Deno.test("there is a recording with characters of several bytes", () => {
  ok(Object.keys(STREAMS).some((name) => within_characters(read(`${name}.sse`)).length > 0));
});

Deno.test("every recording of a reply is in a table", () => {
  const listed = new Set([
    ...Object.keys(STREAMS).map((name) => `${name}.sse`),
    ...Object.keys(WHOLES).map((name) => `${name}.body`),
    ...Object.keys(FAILURES),
  ]);
  // What servers say of themselves: discover_test.ts.
  const about = /(props|v1-models|loading-props-503|ps|v1_models)\.body$/;
  for (const server of ["llama.cpp", "ollama"]) {
    for (const { name } of Deno.readDirSync(new URL(server, import.meta.url))) {
      ok(listed.has(`${server}/${name}`) || about.test(name), `${server}/${name}`);
    }
  }
});
