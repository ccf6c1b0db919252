import { deepStrictEqual, match, strictEqual } from "node:assert/strict";
import { BodyReader } from "./body.ts";
import { chat_completions } from "../protocols/chat_completions.ts";
import { answered, chunk, delta, head, shown, sse } from "../_testing.ts";

const HELLO = [delta({ role: "assistant", content: null }), delta({ content: "Hé" })];
const STREAM = sse(...HELLO, delta({ content: "llo 😀" }), delta({}, "stop"), "[DONE]");
const LINES = [...HELLO, delta({ content: "llo 😀" }), delta({}, "stop")]
  .map((value) => `${JSON.stringify(value)}\n`).join("");
const JSON_REPLY = JSON.stringify({
  choices: [{ message: { role: "assistant", content: "Héllo 😀" }, finish_reason: "stop" }],
});
const REPLY = "Héllo 😀 (stop)";
const HTML = "<!DOCTYPE html>\n<html><body>Welcome to nginx!</body></html>";

/** Content type and body, and what it must be taken for. */
const BODIES: Readonly<Record<string, readonly [string, string, string | RegExp]>> = {
  "events": ["text/event-stream", STREAM, REPLY],
  "events with a charset": ["Text/Event-Stream; charset=utf-8", STREAM, REPLY],
  "events as text/plain": ["text/plain", STREAM, REPLY],
  "events as application/octet-stream": ["application/octet-stream", STREAM, REPLY],
  "events as application/json": ["application/json", STREAM, REPLY],
  "events without a type": ["", STREAM, REPLY],
  "events after a comment, without a type": ["", `: hi\n\n:\n\n${STREAM}`, REPLY],
  "events after empty lines, without a type": ["", `\r\n\n\n${STREAM}`, REPLY],
  "events with a byte order mark": ["text/plain", `\ufeff${STREAM}`, REPLY],
  "events with CRLF": ["text/event-stream", STREAM.replaceAll("\n", "\r\n"), REPLY],
  "events with CR": ["text/event-stream", STREAM.replaceAll("\n", "\r"), REPLY],
  "data without a space": ["text/event-stream", STREAM.replaceAll("data: ", "data:"), REPLY],
  "keep-alive comments in between": [
    "text/event-stream",
    STREAM.replaceAll("data:", ": keep-alive\n\n:\n\ndata:"),
    REPLY,
  ],
  "data over several lines": [
    "text/event-stream",
    STREAM.replaceAll('{"choices":', '{\ndata: "choices":').replaceAll("]}", "]\ndata:}"),
    REPLY,
  ],
  "names, ids and waits": [
    "text/event-stream",
    STREAM.replaceAll("data:", "event: message\nid: 7\nretry: 10\nother: x\ndata:"),
    REPLY,
  ],
  "an event first that begins with its name": ["", `event: message\n${STREAM}`, REPLY],
  "[DONE] without an end of line": ["text/event-stream", STREAM.trimEnd(), REPLY],
  "[DONE] with white space": ["text/event-stream", STREAM.replace("[DONE]", " [DONE] "), REPLY],
  "[DONE] alone": ["text/event-stream", sse(...HELLO, "[DONE]"), "Hé (stop)"],
  "[DONE] alone, without an end of line": [
    "text/event-stream",
    sse(...HELLO, "[DONE]").trimEnd(),
    "Hé (stop)",
  ],
  "a finish reason alone": ["text/event-stream", sse(...HELLO, delta({}, "length")), "Hé (length)"],
  "a finish reason without an end of line": [
    "text/event-stream",
    sse(...HELLO, delta({}, "length")).trimEnd(),
    "Hé (length)",
  ],
  "nothing after [DONE] counts": ["text/event-stream", `${STREAM}data: {broken\n\n`, REPLY],
  "pings in between": [
    "text/event-stream",
    sse({ type: "ping" }, ...HELLO, { type: "ping" }, null, delta({}, "stop")),
    "Hé (stop)",
  ],
  "neither end": ["text/event-stream", sse(...HELLO), /^cut: .*ended the reply before/],
  "half an event": ["text/event-stream", STREAM.slice(0, 200), /^cut: /],
  "half of [DONE]": ["text/event-stream", `${sse(...HELLO)}data: [DON`, /^cut: /],
  "half a comment": ["text/event-stream", ": keep-al", /^cut: /],
  "no events": ["text/event-stream", "", /^cut: /],
  "nothing but comments": ["text/event-stream", ":\n\n:\n\n", /^cut: /],
  "nothing but pings": [
    "text/event-stream",
    sse({ type: "ping" }),
    /^bad_response: .*without choices: \{"type":"ping"\}/,
  ],
  "a broken event": [
    "text/event-stream",
    sse(...HELLO, "{broken", "[DONE]"),
    /^cut: .*\{broken/,
  ],
  "events without data in between": [
    "text/event-stream",
    STREAM.replaceAll("data:", "data:\n\ndata: \n\ndata:"),
    REPLY,
  ],
  "a first event that is broken": [
    "text/event-stream",
    sse("{broken", "[DONE]"),
    /^bad_response: .*\{broken/,
  ],
  "a broken event, and an error, after the end of the reply": [
    "text/event-stream",
    sse(...HELLO, delta({}, "stop"), "{broken", { error: { message: "late" } }, "[DONE]"),
    "Hé (stop)",
  ],
  "an error in the stream": [
    "text/event-stream",
    sse(...HELLO, { error: { message: "out of memory" } }, "[DONE]"),
    /^server: .* reported: out of memory/,
  ],
  "an error as a named event": [
    "text/event-stream",
    `event: error\n${sse({ message: "out of memory" })}`,
    /^server: .* reported: out of memory/,
  ],
  "an error as a named event, wrapped": [
    "text/event-stream",
    `event: error\n${sse({ error: { message: "prompt too long" } })}`,
    /^context_overflow: .* reported: prompt too long/,
  ],
  // ik_llama.cpp, and llama.cpp until 2025.
  "an error as a field of its own": [
    "text/event-stream",
    `${sse(...HELLO)}error: {"code":500,"message":"context shift is disabled"}\n\n${sse("[DONE]")}`,
    /^context_overflow: .* reported: context shift is disabled/,
  ],
  "an error as a field of its own, and nothing before it": [
    "text/event-stream",
    `error: {"code":500,"message":"out of memory","type":"server_error"}\n\n${sse("[DONE]")}`,
    /^server: .* reported: out of memory/,
  ],
  // mistral.rs
  "an error in bare words": [
    "text/event-stream",
    `${sse("[DONE]").replace("[DONE]", "Prompt sequence length is greater than 4096")}${
      sse("[DONE]")
    }`,
    /^context_overflow: .* reported: Prompt sequence length/,
  ],
  "half a piece of JSON that quotes what an error may say": [
    "text/event-stream",
    `data: {"choices":[{"delta":{"content":"prompt is too long\n\n`,
    /^bad_response: .*not JSON|^cut: /,
  ],
  "an error without a blank line after it": [
    "text/event-stream",
    sse({ error: "boom" }).trimEnd(),
    /^server: .* boom/,
  ],
  "JSON": ["application/json", JSON_REPLY, REPLY],
  "JSON as an event stream": ["text/event-stream", JSON_REPLY, REPLY],
  "JSON without a type": ["", JSON_REPLY, REPLY],
  "JSON as a web page": ["text/html", JSON_REPLY, REPLY],
  "JSON with a byte order mark, after empty lines": [
    "application/json",
    `\ufeff\n\n ${JSON_REPLY}\n`,
    REPLY,
  ],
  "JSON without a finish reason": [
    "application/json",
    '{"choices":[{"message":{"content":"Hi"}}]}',
    "Hi (stop)",
  ],
  "JSON that is cut": ["application/json", JSON_REPLY.slice(0, -1), /^cut: /],
  "JSON that is cut in a string": ["application/json", JSON_REPLY.slice(0, 60), /^cut: /],
  "JSON that is cut after a brace": ["application/json", '{"a":{"b":"\\"{"}', /^cut: /],
  "JSON that is broken": ["application/json", "{]}", /^bad_response: .*not JSON: \{\]\}/],
  "lines of JSON": ["application/x-ndjson", LINES, REPLY],
  "lines of JSON as application/json": ["application/json", LINES, REPLY],
  "lines of JSON as text/plain": ["text/plain", LINES, REPLY],
  "lines of JSON without a type": ["", LINES, REPLY],
  "lines of JSON with CRLF, and empty ones": ["", LINES.replaceAll("\n", "\r\n\r\n"), REPLY],
  "lines of JSON without an end of line": ["application/x-ndjson", LINES.trimEnd(), REPLY],
  "nothing after the last of the lines counts": ["", `${LINES}{"choices`, REPLY],
  "one line of JSON, as lines": ["application/x-ndjson", JSON_REPLY, REPLY],
  "lines of JSON that are cut": ["", LINES.slice(0, -20), /^cut: /],
  "an error in lines of JSON": [
    "application/x-ndjson",
    `${LINES.split("\n")[0]}\n{"error":"boom","status":503}\n`,
    /^server: .* reported: boom/,
  ],
  "rubbish between lines of JSON": ["", LINES.replace("\n", "\noops\n"), /^cut: .*not JSON: oops$/],
  "lines of JSON of another kind": [
    "application/x-ndjson",
    '{"done":false}\n{"done":true}\n',
    /^bad_response: .*without choices: \{"done":false\}/,
  ],
  "a piece of JSON over many lines": [
    "application/json",
    JSON.stringify(JSON.parse(JSON_REPLY), null, 2),
    REPLY,
  ],
  "a piece of JSON, and an end of line": ["application/json", `${JSON_REPLY}\n\n`, REPLY],
  "JSON without choices": [
    "application/json",
    '{"ok":true}',
    /^bad_response: .*choices: \{"ok":true\}/,
  ],
  "an error with status 200": [
    "application/json",
    '{"error":"boom"}',
    /^server: .* reported: boom/,
  ],
  "nothing": ["application/json", "", /^cut: .*before it was complete/],
  "nothing, without a type": ["", "", /^cut: .*before it was complete/],
  "white space": ["application/json", "\n\n", /^cut: .*before it was complete/],
  "a web page": ["text/html", HTML, /^bad_response: .*\(HTML\).*base URL right/],
  "a web page as an event stream": ["text/event-stream", HTML, /^bad_response: .*\(HTML\)/],
  "plain words": ["text/plain", "OK", /^bad_response: .*not JSON: OK/],
  "plain words as an event stream": [
    "text/event-stream",
    "upstream is down\n",
    /^bad_response: .*not JSON: upstream is down/,
  ],
  "packed bytes as an event stream": [
    "text/event-stream",
    "\x1f\ufffd\x08\0\0\0",
    /^bad_response: .*not text; does something on the way compress/,
  ],
  "events after words of another kind": [
    "text/event-stream",
    `hello: there\n\n${STREAM}`,
    REPLY,
  ],
  "numbers that JSON has not": [
    "text/event-stream",
    sse(...HELLO, delta({ content: " NaN: -Infinity" }), delta({}, "stop"), "[DONE]").replace(
      '{"choices"',
      '{"rate":NaN,"best":-Infinity,"choices"',
    ),
    "Hé NaN: -Infinity (stop)",
  ],
  "a list of choices that is null": [
    "text/event-stream",
    sse(...HELLO, { choices: null }, delta({}, "stop"), "[DONE]"),
    "Hé (stop)",
  ],
  "words that begin like a field": ["text/plain", "database is down", /^bad_response: .*database/],
  "a part of a field": ["text/plain", "dat", /^bad_response: .*not JSON: dat/],
  "nested too deep": [
    "application/json",
    `{"choices":[{"message":{"tool_calls":[{"function":{"name":"x","arguments":${
      "[".repeat(20000)
    }${"]".repeat(20000)}}}]}}]}`,
    /^bad_response: .*nested too deep|^ \(tool_calls\)$/,
  ],
};

for (const [name, [type, body, expected]] of Object.entries(BODIES)) {
  Deno.test(`a body: ${name}`, async () => {
    const bytes = new TextEncoder().encode(body);
    const sizes = bytes.length < 3000 ? [bytes.length, 7, 1] : [bytes.length];
    for (const size of sizes) {
      const completion = await answered(async ({ write }) => {
        await write(head(200, {
          ...(type === "" ? {} : { "content-type": type }),
          "transfer-encoding": "chunked",
        }));
        let text = "";
        for (let at = 0; at < bytes.length; at += size) {
          text += [...chunk(bytes.subarray(at, at + size))].map((b) => String.fromCharCode(b)).join(
            "",
          );
        }
        await write(Uint8Array.from(text, (letter) => letter.charCodeAt(0)));
        await write(chunk(""));
      });
      if (typeof expected === "string") strictEqual(shown(completion), expected);
      else match(shown(completion), expected);
    }
  });
}

Deno.test("what is broken behind the end of a reply takes nothing of what came with it", () => {
  const url = "http://127.0.0.1/v1";
  const reader = new BodyReader(chat_completions.collector(url), { url, content_type: "" });
  const text = sse(...HELLO, delta({}, "stop"), "{broken");
  deepStrictEqual(reader.push(new TextEncoder().encode(text)), [{ kind: "text", text: "Hé" }]);
});

Deno.test("an empty answer without a body", async () => {
  const none = await answered(({ write }) => write(head(204, {})));
  match(shown(none), /^cut: .*before it was complete/);
});

Deno.test("a body of millions of escapes that is cut", () => {
  const url = "http://127.0.0.1/v1";
  const reader = new BodyReader(chat_completions.collector(url), { url, content_type: "" });
  reader.push(new TextEncoder().encode(`{"a":"${"\\n".repeat(7_000_000)}`));
  deepStrictEqual(reader.end(), []);
});
