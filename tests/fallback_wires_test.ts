/** One conversation over four protocols: calls, results, reasoning and images, as each server wants them. */
import assert from "node:assert/strict";
import { png, SMALL } from "../src/tools/_images.ts";
import { error_body, KEY, serve_claude } from "./support/anthropic_server.ts";
import { failing, of_type, sections, USER } from "./support/bad_days.ts";
import { type Event } from "./support/hamr.ts";
import {
  ANSWER,
  type Call,
  type Recorded,
  type Reply,
  say,
  serve_model,
} from "./support/model_server.ts";
import { serve_responses } from "./support/responses_server.ts";
import { inside_stage as stage, type Stage, type StageOptions } from "./support/stage.ts";

const FILES = { "a.txt": "one\n", "a.png": png(40, 30), "b.jpg": SMALL["jpeg"]! };
const PNG = FILES["a.png"].toBase64();
const JPEG = FILES["b.jpg"].toBase64();

const read: Call = { name: "read", args: { path: "a.txt" } };
const look: Call = { name: "view_image", args: { path: "a.png" } };
const count = (n: number): Call => ({ name: "bash", args: { command: `echo ${n} >> log` } });
const busy = failing(503, "busy");
const times = (text: string, part: string) => text.split(part).length - 1;
const moves = (events: readonly Event[]) => of_type(events, "fallback").map(({ to }) => to);

/** A run that begins at the stage's server, `a`; the others are sections of the user's file. */
async function play(
  others: Readonly<Record<string, string>>,
  options: StageOptions,
  body: (s: Stage) => Promise<void>,
): Promise<void> {
  const env = { HAMR_BASE_URL: "", HAMR_PROVIDER: "a", HAMR_RETRY_ATTEMPTS: "1", C_KEY: KEY };
  await stage({ files: FILES, ...options, env: { ...env, ...options.env } }, async (s) => {
    s.home.write(USER, sections({ a: `base_url = "${s.server.url}"`, ...others }));
    await body(s);
  });
}

const section = (url: string, api_mode: string, more = "") =>
  `base_url = "${url}"\napi_mode = "${api_mode}"\ncontext_window = 65536\n${more}`;

/** Each server's own part: it calls, then it fails. Some give every call the same id, or none. */
const CHAT: readonly Reply[] = [
  { reasoning: "Chat thinks.", text: "I look.", calls: [{ ...read, id: "" }, { ...look, id: "" }] },
  { reasoning: "Again.", calls: [{ ...count(1), id: "" }] },
  { calls: [{ ...count(2), id: `functions.bash:2/${"x".repeat(80)}` }] },
  busy,
];
const CLAUDE = [
  { reasoning: "Claude thinks.", text: "So.", calls: [count(3), look], redacted: "secret" },
  { reasoning: "More.", calls: [count(4)] },
  { status: 529, body: error_body("overloaded_error", "Overloaded") },
];
const OLLAMA: readonly Reply[] = [
  { reasoning: "Llama thinks.", calls: [{ ...count(5), id: "" }, { ...look, id: "call_0" }] },
  { calls: [{ ...count(6), id: "call_0" }] },
  { status: 500, body: '{"error":"out of memory"}' },
];
const CODEX: readonly Reply[] = [
  { reasoning: "Codex thinks.", text: "Well.", calls: [{ ...count(7), id: "call_0" }, look] },
  { reasoning: "Done.", ...say(ANSWER) },
];

/** A server of each protocol, with a script for all that is asked of it. */
interface Other {
  readonly section: string;
  readonly violations: () => readonly string[];
  /** The bodies that it got. */
  readonly bodies: () => readonly unknown[];
  readonly close: () => Promise<void>;
}

const OTHERS: Readonly<Record<string, (script: readonly Reply[]) => Other>> = {
  anthropic_messages(script) {
    const claude = serve_claude(script, { one_conversation: false });
    return {
      section: section(claude.origin, "anthropic_messages", 'api_key_env = "C_KEY"'),
      violations: () => claude.violations,
      bodies: () => claude.requests,
      close: () => claude[Symbol.asyncDispose](),
    };
  },
  ollama_chat(script) {
    const ollama_can = ["completion", "tools", "vision"];
    const llama = serve_model(script, { ollama_ctx: 65_536, ollama_can, one_conversation: false });
    return {
      section: section(llama.origin, "ollama_chat"),
      violations: () => llama.violations,
      bodies: () => llama.requests.map(({ body }) => body),
      close: () => llama.close(),
    };
  },
  codex_responses(script) {
    const codex = serve_responses(script, { one_conversation: false });
    return {
      section: section(codex.url, "codex_responses"),
      violations: () => codex.violations,
      bodies: () => codex.requests.map(({ body }) => body),
      close: () => codex.close(),
    };
  },
};

const delegate = (task: string): Call => ({ name: "delegate_task", args: { task } });

for (const [api_mode, serve] of Object.entries(OTHERS)) {
  Deno.test(`a subagent's provider fails: it goes on over ${api_mode}, and all others after it`, async () => {
    const script: readonly Reply[] = [
      { reasoning: "Chat thinks.", calls: [{ ...read, id: "" }, { ...delegate("Look."), id: "" }] },
      { calls: [{ ...read, id: "" }, { ...look, id: "" }] },
      busy,
    ];
    const other = serve([
      { calls: [{ ...count(1), id: "call_0" }] },
      say("I looked at it."),
      { calls: [count(2), { ...delegate("Once more."), id: "call_0" }] },
      { calls: [look, count(3)] },
      say("I looked again."),
      say(ANSWER),
    ]);
    const env = { HAMR_TOOLS_DEFERRED: "none" };
    try {
      await play({ o: other.section }, { script, env, one_conversation: false }, async (s) => {
        const flags = ["--image", "b.jpg", "--fallback", "o/scripted"];
        const { code, result, events } = await s.events("Have it looked at.", ...flags);
        assert.deepEqual(other.violations(), []);
        assert.deepEqual([code, result.final_output, result.provider], [0, ANSWER, "o"]);
        assert.deepEqual(moves(events), ["o/scripted"]);
        assert.equal(s.ws.read("log"), "1\n2\n3\n");
        const [first, , parent, second, , last] = other.bodies().map((body) =>
          JSON.stringify(body)
        );
        assert.deepEqual([times(first!, PNG), times(first!, JPEG)], [1, 0], "the subagent's own");
        assert.deepEqual([times(parent!, PNG), times(parent!, JPEG)], [0, 1], "the agent's own");
        assert.match(parent!, /I looked at it\./);
        assert.match(second!, /Once more\./);
        assert.match(last!, /I looked again\./);
      });
    } finally {
      await other.close();
    }
  });
}

Deno.test("where a subagent's new provider takes no tools, the agent that sent it calls in text as well", async () => {
  const script: readonly Reply[] = [
    { calls: [{ ...look, id: "" }, { ...delegate("Look."), id: "" }] },
    { calls: [{ ...read, id: "" }] },
    busy,
  ];
  const in_text = ({ name, args }: Call) =>
    say(`<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`);
  const replies = [in_text(count(1)), say("I looked at it."), in_text(count(2)), say(ANSWER)];
  let asked = 0;
  const b = ({ body }: Recorded): Reply =>
    body.tools !== undefined ? failing(400, "m does not support tools") : replies[asked++]!;
  const other = serve_model(b, { one_conversation: false });
  const env = { HAMR_TOOLS_DEFERRED: "none" };
  const others = { o: section(other.url, "chat_completions") };
  try {
    await play(others, { script, env, one_conversation: false }, async (s) => {
      const { code, result } = await s.run("Have it looked at.", "--fallback", "o/scripted");
      assert.deepEqual([code, result.final_output, other.violations], [0, ANSWER, []]);
      assert.equal(s.ws.read("log"), "1\n2\n");
      assert.equal(other.requests.length, 5, "only the first one has tools beside its messages");
      const { messages } = other.requests.at(-1)!.body;
      assert.deepEqual(messages.map(({ role }) => role), [
        ...["system", "user", "assistant", "user", "assistant", "user"],
      ]);
      assert.match(String(messages[0]?.content), /# Tools\n/);
      assert.equal(times(other.requests.at(-1)!.raw, PNG), 1);
    });
  } finally {
    await other.close();
  }
});

Deno.test("a conversation goes on over four protocols, and each server takes all of it", async () => {
  await using claude = serve_claude(CLAUDE);
  const llama = serve_model(OLLAMA, {
    ollama_ctx: 65_536,
    ollama_can: ["completion", "tools", "vision", "thinking"],
  });
  const codex = serve_responses(CODEX);
  const others = {
    c: section(claude.origin, "anthropic_messages", 'api_key_env = "C_KEY"'),
    o: section(llama.origin, "ollama_chat"),
    r: section(codex.url, "codex_responses"),
  };
  try {
    await play(others, { script: CHAT }, async (s) => {
      const chain = ["c/claude-x", "o/scripted", "r/scripted"];
      const flags = chain.flatMap((name) => ["--fallback", name]);
      const { code, result, events } = await s.events("Count.", "--image", "b.jpg", ...flags);
      assert.deepEqual(claude.violations, []);
      assert.deepEqual(llama.violations, []);
      assert.deepEqual(codex.violations, []);
      assert.deepEqual([code, result.final_output, result.provider], [0, ANSWER, "r"]);
      assert.deepEqual(moves(events), chain);
      assert.equal(s.ws.read("log"), "1\n2\n3\n4\n5\n6\n7\n");
      assert.deepEqual(
        [s.server.requests.length, claude.requests.length, llama.requests.length],
        [4, 3, 3],
      );
      const sent = [claude.requests[0], llama.requests[0]?.body, codex.requests[0]?.body];
      for (const [at, body] of sent.entries()) {
        const raw = JSON.stringify(body);
        // The task's image, and one for each look so far.
        assert.deepEqual([times(raw, JPEG), times(raw, PNG)], [1, at + 1], `${at}`);
        for (const text of ["I look.", "echo 1 >> log"]) assert.equal(times(raw, text), 1, text);
        assert.ok(!raw.includes("thinks."), "reasoning is not another model's");
      }
      // Its own goes back as it was.
      assert.match(JSON.stringify(claude.requests[1]), /Claude thinks\..*"secret"/);
      assert.match(codex.requests[1]!.raw, /"encrypted_content":"gAAAA0=="/);
      const ids = codex.requests[1]!.body.input.filter(({ type }) => type === "function_call")
        .map(({ call_id }) => call_id);
      assert.deepEqual([ids.length, new Set(ids).size], [12, 12]);
    });
  } finally {
    await llama.close();
    await codex.close();
  }
});
