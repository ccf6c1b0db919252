/** Real servers' replies, whole and cut in every way, against what they must be taken for. */
import { deepStrictEqual, match, ok, strictEqual } from "node:assert/strict";
import { serve_raw, target, UNLIMITED, whole } from "../../src/model/_testing.ts";
import { complete, type Completion } from "../../src/model/completion/complete.ts";
import type { Reply } from "../../src/model/message.ts";
import type { Wire } from "../../src/model/wire.ts";
import { wire_of } from "../../src/model/protocols/protocols.ts";
import { cut_at, decode_with } from "../support/pieces.ts";

/** What a reply says: content and reasoning, calls as `name arguments`, finish, usage. */
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
  /** Tokens that the reply was allowed to take, where its wire looks at that. */
  readonly asked?: number;
}

/** A wire whose servers were recorded. */
type Recorded = "chat_completions" | "codex_responses";

/** A reply in this folder: the wire it came by and what it says. */
interface Recording {
  readonly name: string;
  readonly mode: Recorded;
  readonly meaning: Meaning;
}

const MEANINGS: Readonly<Record<Recorded, Readonly<Record<string, Meaning>>>> = JSON.parse(
  Deno.readTextFileSync(new URL("meanings.json", import.meta.url)),
);

const RECORDINGS: readonly Recording[] = (["chat_completions", "codex_responses"] as const)
  .flatMap((mode) =>
    Object.entries(MEANINGS[mode]).map(([name, meaning]) => ({ name, mode, meaning }))
  );

const STREAMS = RECORDINGS.filter(({ name }) => name.endsWith(".sse"));

/** What makes a stream whole. */
const ENDS: Readonly<Record<Recorded, RegExp>> = {
  chat_completions: /"finish_reason": ?"/,
  codex_responses: /^data: .*"type":"response\.completed"/m,
};

/** Status, kind and words of what is no reply. */
const FAILURES: Readonly<Record<string, readonly [number, string, RegExp]>> = {
  "llama.cpp/badkey-stream.body": [401, "auth", /: Invalid API Key; set a key in X$/],
  "llama.cpp/tiny-history-bad-args.body": [
    500,
    "bad_request",
    /: Failed to parse tool call arguments/,
  ],
  "llama.cpp/err-badjson.body": [500, "bad_request", /: \[json\.exception\.parse_error\.101\]/],
  "llama.cpp/image-no-mmproj.body": [500, "no_images", /: image input is not supported/],
  "llama.cpp/err-nomessages.body": [400, "bad_request", /: 'messages' is required$/],
  "llama.cpp/tiny-badschema-stream.body": [400, "bad_request", /: Unable to generate parser/],
  "llama.cpp/overflow-stream.body": [
    400,
    "context_overflow",
    /: request \(1042 tokens\) exceeds the available context size \(512 tokens\)/,
  ],
  "llama.cpp/loading-chat-503.body": [503, "server", /: Loading model$/],
  "llama.cpp/chat-get.body": [404, "bad_request", /: File Not Found; is the base URL right/],
  "llama.cpp/err-badjson-stream.body": [
    500,
    "bad_request",
    /: \[json\.exception\.parse_error\.101\]/,
  ],
  "llama.cpp/err-badtool.body": [
    500,
    "bad_request",
    /: Failed to parse tools: .* key 'name' not found/,
  ],
  "llama.cpp/err-emptybody.body": [500, "bad_request", /attempting to parse an empty input/],
  "llama.cpp/err-messages-string.body": [
    400,
    "bad_request",
    /: Expected 'messages' to be an array/,
  ],
  "llama.cpp/err-n2.body": [400, "bad_request", /: Field 'n': Value must be between 1/],
  "llama.cpp/err-temp-string.body": [400, "bad_request", /: Field 'temperature': .* is string$/],
  "llama.cpp/err-toolchoice.body": [400, "bad_request", /: Invalid tool_choice: banana$/],
  "llama.cpp/nokey.body": [401, "auth", /: Invalid API Key; set a key in X$/],
  "llama.cpp/overflow.body": [400, "context_overflow", /\(1042 tokens\) exceeds .* \(512 tokens\)/],
  "llama.cpp/overflow-tools-stream.body": [
    400,
    "context_overflow",
    /exceeds the available context/,
  ],
  "llama.cpp/responses-overflow.body": [400, "context_overflow", /\(9650 tokens\) exceeds/],
  "llama.cpp/tiny-badschema.body": [400, "bad_request", /: Unable to generate parser/],
  "llama.cpp/tiny-history-empty-args.body": [
    500,
    "bad_request",
    /: Failed to parse tool call arguments/,
  ],
  "llama.cpp/tiny-ref.body": [400, "bad_request", /cannot resolve \$ref/],
  "llama.cpp/cancel.sse": [200, "cut", /ended the reply before it was complete$/],
  "vllm/chat-overflow.body": [
    400,
    "context_overflow",
    /: This model's maximum context length is 8192 tokens/,
  ],
  "vllm/chat-model-missing.body": [404, "bad_request", /: The model `nope` does not exist/],
  "vllm/chat-image.body": [400, "no_images", /: smollm2 is not a multimodal model/],
  "vllm/no-parser.body": [400, "bad_request", /: "auto" tool choice requires --enable-auto-tool/],
  "vllm/no-key.body": [401, "auth", /: Unauthorized; set a key in X$/],
  "llama-cpp-python/overflow.body": [
    400,
    "context_overflow",
    /: This model's maximum context length is 4096 tokens/,
  ],
  "ollama/v1_killed_writing.sse": [200, "cut", /ended the reply before it was complete$/],
  "ollama/v1_model_missing.body": [
    404,
    "bad_request",
    /: model 'nope' not found; get it with: ollama pull nope \(hamr models: what is there\)$/,
  ],
  "ollama/chat_tools_unsupported.body": [400, "bad_request", /does not support tools$/],
  "ollama/chat_text_stream.body": [200, "bad_response", /sent JSON without choices: \{"model"/],
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

/** A new wire that has asked for a reply of so many tokens. */
async function wire_that_asked(mode: Recorded, max_output_tokens = 0): Promise<Wire> {
  const wire = await wire_of(mode);
  wire.after({
    tools: [],
    tool_choice: "auto",
    stream: true,
    max_output_tokens,
    temperature: undefined,
    reasoning_effort: undefined,
  });
  return wire;
}

async function ask(
  wire: Wire,
  body: Uint8Array<ArrayBuffer>,
  options: { readonly status?: number; readonly type: string },
): Promise<Completion & { readonly seen: string }> {
  await using server = serve_raw(({ write }) => write(whole(body, options)));
  let seen = "";
  const completion = await complete(wire, new Uint8Array(), {
    target: target(`${server.origin}/v1${wire.path}`),
    limits: UNLIMITED,
    signal: new AbortController().signal,
    on_delta: ({ kind, text }) => seen += kind === "text" ? text : "",
  });
  return { ...completion, seen };
}

for (const { name, mode, meaning: { asked, ...expected } } of RECORDINGS) {
  Deno.test(`${name} means what it says`, async () => {
    const type = name.endsWith(".sse") ? "text/event-stream" : "application/json; charset=utf-8";
    const completion = await ask(await wire_that_asked(mode, asked), read(name), { type });
    if (completion.kind === "failed") throw new Error(completion.error.message);
    deepStrictEqual(meaning_of(completion.reply, expected), expected);
    strictEqual(completion.seen, completion.reply.content);
  });
}

for (const [name, [status, kind, message]] of Object.entries(FAILURES)) {
  Deno.test(`${name} is no reply`, async () => {
    const type = name.endsWith(".sse") ? "text/event-stream" : "application/json";
    for (const mode of Object.keys(MEANINGS) as Recorded[]) {
      if (status === 200 && mode !== "chat_completions") continue;
      const completion = await ask(await wire_that_asked(mode), read(name), { status, type });
      if (completion.kind === "reply") throw new Error("a reply");
      strictEqual(completion.error.kind, kind);
      match(completion.error.message, message);
    }
  });
}

function decode(wire: Wire, pieces: Iterable<Uint8Array>): Reply | string | null {
  return decode_with(wire, { pieces, content_type: "text/event-stream" });
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

/** Cuts of a stream into two that are tried one by one; a long one has many alike. */
const SINGLE_CUTS = 40;

function some(places: readonly number[]): number[] {
  const step = Math.max(1, Math.floor(places.length / SINGLE_CUTS));
  return places.filter((_, at) => at % step === 0);
}

/** Inside of JSON: of names, texts, escapes and numbers. */
function within_values(bytes: Uint8Array): number[] {
  const text = new TextDecoder("latin1").decode(bytes);
  return [/[a-z](?=[a-z]+":)/g, /:"?(?=[^"]+")/g, /\\(?=["\\nu])/g, /\d(?=\d)/g]
    .flatMap((place) => [...text.matchAll(place)].map(({ index }) => index + 1));
}

for (const { name, mode, meaning } of STREAMS) {
  Deno.test(`${name} is the same however it is cut`, async () => {
    const bytes = read(name);
    const wire = await wire_that_asked(mode, meaning.asked);
    const reply = decode(wire, [bytes]);
    ok(reply !== null && typeof reply === "object");
    const same = (pieces: Iterable<Uint8Array>, how: string) =>
      deepStrictEqual(decode(wire, pieces), reply, how);
    same(cut_at(bytes, bytes.keys()), "one byte at a time");
    const ends = boundaries(bytes);
    ok(ends.length > 8);
    same(cut_at(bytes, ends), "around the ends of events");
    same(cut_at(bytes, within_characters(bytes)), "inside of characters");
    const values = within_values(bytes).toSorted((a, b) => a - b);
    same(cut_at(bytes, values), "inside of values");
    for (const place of [...some(ends), ...some(values)]) {
      same(cut_at(bytes, [place]), `at ${place}`);
    }
    const crlf = new TextEncoder().encode(new TextDecoder().decode(bytes).replaceAll("\n", "\r\n"));
    same(cut_at(crlf, crlf.keys()), "one byte at a time, CRLF");
  });

  Deno.test(`${name} that ends too early is cut, and nothing else`, async () => {
    const bytes = read(name);
    const wire = await wire_that_asked(mode, meaning.asked);
    const reply = decode(wire, [bytes]);
    ok(reply !== null && typeof reply === "object");
    const end_of_reply = new TextDecoder().decode(bytes).search(ENDS[mode]);
    for (let end = 0; end < bytes.length; end += Math.max(37, bytes.length >> 8)) {
      const early = decode(wire, [bytes.subarray(0, end)]);
      if (early === null) continue;
      // Whole is what has its end; only the counts of tokens may be missing then.
      ok(end > end_of_reply, `${end} bytes gave ${JSON.stringify(early)}`);
      ok(typeof early === "object", `${end} bytes gave ${early}`);
      deepStrictEqual({ ...early, usage: early.usage ?? reply.usage }, reply);
    }
  });
}

Deno.test("there is a recording with characters of several bytes", () => {
  ok(STREAMS.some(({ name }) => within_characters(read(name)).length > 0));
});

Deno.test("every recording of a reply is in a table", () => {
  const listed = new Set([...RECORDINGS.map(({ name }) => name), ...Object.keys(FAILURES)]);
  // What servers say of themselves: discover_test.ts; Ollama's own protocol: ollama_test.ts.
  const about = /(props|v1-models|loading-props-503|ps|show|v1_models|\bchat_\w+)\.body$/;
  for (const server of ["llama.cpp", "llama-cpp-python", "ollama", "vllm"]) {
    for (const { name } of Deno.readDirSync(new URL(server, import.meta.url))) {
      ok(listed.has(`${server}/${name}`) || about.test(name), `${server}/${name}`);
    }
  }
});
