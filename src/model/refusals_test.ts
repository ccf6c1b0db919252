import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { from_error, from_status } from "./errors.ts";
import { PHRASES, refusal_of, type RefusedPart } from "./refusals.ts";

/** What servers have really said, and by whom or where it is told. */
const SAID: readonly (readonly [
  RefusedPart,
  readonly (readonly [words: string, source: string])[],
])[] = JSON.parse(
  Deno.readTextFileSync(new URL("../../tests/wire/refusals.json", import.meta.url)),
);

const AT = { url: "http://h/v1/chat/completions", key_hint: "" };

function refused(status: number, body: unknown): string | null {
  return refusal_of(from_status(status, JSON.stringify(body), AT));
}

Deno.test("each server's own words are known for what they refuse, and for nothing else", () => {
  deepStrictEqual(
    new Set(SAID.map(([refusal]) => refusal)),
    new Set(PHRASES.map((one) => one.refusal)),
  );
  for (const [refusal, said] of SAID) {
    for (const [words, source] of said) {
      strictEqual(refused(400, { error: { message: words } }), refusal, source);
      const fitting = PHRASES.filter((phrase) => phrase.words.test(words));
      deepStrictEqual(fitting.map((phrase) => phrase.refusal), [refusal], source);
    }
  }
});

function recorded(name: string, folder = "templates"): unknown {
  const url = new URL(`../../tests/wire/${folder}/${name}.body`, import.meta.url);
  return JSON.parse(Deno.readTextFileSync(url));
}

Deno.test("what templates refuse, in llama.cpp's words", () => {
  const cases: readonly (readonly [string, number, string])[] = [
    ["nemo-ids", 400, "call_ids"],
    ["llama31-two-calls", 400, "several_calls"],
    ["small32-user-after-result", 400, "tools"],
    ["ministral3-user-after-result", 500, "tools"],
  ];
  for (const [name, status, refusal] of cases) {
    const error = from_status(status, JSON.stringify(recorded(name)), AT);
    strictEqual(refusal_of(error), refusal, name);
    // Calls in text take turns; what still refuses them has no place for a system message.
    const next = refusal_of(error, new Set([refusal_of(error)!]));
    strictEqual(next, refusal === "tools" ? "system" : null, name);
  }
});

Deno.test("a template that can't write tools or calls gets them in text", () => {
  // LM Studio, as the only event of a stream (lmstudio-ai/lmstudio-bug-tracker#2180 and #842), and llama.cpp.
  for (
    const message of [
      'Error rendering prompt with jinja template: "Cannot call something that is not a function: got ObjectValue".',
      'Error rendering prompt with jinja template: "Cannot pass both content and thinking in an assistant message with tool calls!"',
      "Jinja Exception: No tool by that name",
    ]
  ) {
    const error = from_error({ error: { message } }, AT.url);
    strictEqual(refusal_of(error), "tools", message);
    strictEqual(refusal_of(error, new Set(["tools"])), "system");
    strictEqual(refusal_of(error, new Set(["tools", "system"])), null);
  }
});

Deno.test("a gateway that adds stream_options by itself is asked for one piece", () => {
  const error = from_status(
    400,
    JSON.stringify({
      error: {
        message:
          "litellm.BadRequestError: AzureException - Extra inputs are not permitted, field: 'stream_options', value: {}",
      },
    }),
    AT,
  );
  const refused = new Set<RefusedPart>();
  for (const part of ["stream_options", "stream"] as const) {
    strictEqual(refusal_of(error, refused), part);
    refused.add(part);
  }
  strictEqual(refusal_of(error, refused), null);
});

Deno.test("tools that llama.cpp's grammar can't express are called in text", () => {
  for (const name of ["tiny-badschema", "tiny-badschema-stream", "tiny-ref"]) {
    strictEqual(refused(400, recorded(name, "llama.cpp")), "tools", name);
  }
});

Deno.test("bodies as they came", () => {
  const bodies: readonly (readonly [number, unknown, string | null])[] = [
    [400, { error: "registry.ollama.ai/library/smol:latest does not support tools" }, "tools"],
    [500, {
      error: { code: 500, message: "tools param requires --jinja flag", type: "server_error" },
    }, "tools"],
    [422, {
      object: "error",
      message: {
        detail: [{
          type: "extra_forbidden",
          loc: ["body", "stream_options", "include_usage"],
          msg: "Extra inputs are not permitted",
          input: true,
        }],
      },
      type: "invalid_request_error",
    }, "stream_options"],
    [400, {
      object: "error",
      message: "System role not supported",
      type: "BadRequestError",
      code: 400,
    }, "system"],
    [404, { error: { message: "No endpoints found that support tool use." } }, "tools"],
    // What a person has to put right, and what is no refusal at all.
    [400, {
      error: {
        message:
          "Unsupported value: 'reasoning_effort' does not support 'minimal' with this model. Supported values are: 'low', 'medium', and 'high'.",
      },
    }, null],
    [400, { error: { message: "Field 'temperature': type must be number, but is string" } }, null],
    [400, { error: { message: "invalid temperature: must be between 0 and 2" } }, null],
    [400, { error: { message: "include: unknown value 'x'" } }, null],
    [400, { error: { message: "tool_choice: expected one of auto, none" } }, null],
    [400, {
      error: {
        message: "messages.13.content.0.thinking.signature: Extra inputs are not permitted",
      },
    }, null],
    [400, { error: { message: "max_tokens is too large: 99999" } }, null],
    [500, { error: { message: "the temperature of GPU 0 is too high" } }, null],
    [429, { error: { message: "this tier does not support tools" } }, null],
    [401, { error: { message: "this key does not support tools" } }, null],
  ];
  for (const [status, body, refusal] of bodies) {
    strictEqual(refused(status, body), refusal, JSON.stringify(body));
  }
});
