/** Calls that are not as the wire or the tools want them. */
import assert from "node:assert/strict";
import { ANSWER, bash, call, type Reply, say } from "../support/model_server.ts";
import { forever, nudges, raw, type Specimen } from "./specimen.ts";

const command = "echo x >> log";
const LOG = { log: "x\n" };
const ANSWERED = { code: 0, reason: "llm_done", steps: 2, output: ANSWER } as const;
const ASK = ["--verify", "true"];

/** A call in a spelling of its own that is understood, run once, and answered. */
function odd(name: string, from: string, reply: Reply): Specimen {
  return {
    name,
    from,
    script: [reply, say(ANSWER)],
    args: ASK,
    ends: ANSWERED,
    leaves: LOG,
    also: ({ result }) => assert.equal(result.evidence.commands, 1),
  };
}

/** Deltas of a stream of one reply that calls. */
function delta(tool_calls: readonly unknown[], finish: string | null = null): unknown {
  return { index: 0, delta: { tool_calls }, finish_reason: finish };
}

const made = { name: "bash", arguments: JSON.stringify({ command }) };
const STOP = { index: 0, delta: {}, finish_reason: "stop" };

/** What llama.cpp says to arguments in the history that do not parse, in every request from then on. */
const UNPARSED: Reply = {
  status: 500,
  body: '{"error":{"code":500,"message":"Failed to parse tool call arguments as JSON"}}',
};

function is_json(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export const CALLS: readonly Specimen[] = [
  odd(
    "sends its arguments as JSON within JSON",
    "seed 004; openai-agents-python#2061",
    call("bash", JSON.stringify(JSON.stringify({ command }))),
  ),
  odd(
    "sends its arguments as a Python dict",
    "seed 004",
    call("bash", `{'command': '${command}', 'timeout': None}`),
  ),
  odd(
    "sends its arguments in a code fence, with a comma too many",
    "seed 004",
    call("bash", "```json\n" + `{"command": "${command}",}` + "\n```"),
  ),
  odd(
    "sends its arguments as an object where the wire has text",
    "servers that do not serialize them",
    raw(delta([{ index: 0, id: "a", function: { name: "bash", arguments: { command } } }]), STOP),
  ),
  odd(
    "calls, and says that it has finished",
    "servers that always say stop",
    { ...bash(command), finish: "stop" },
  ),
  odd(
    "gives its call no id",
    "seed 000 (the history stays valid)",
    raw(delta([{ index: 0, function: made }], "tool_calls")),
  ),
  odd(
    "gives the fragments of its call no index",
    "ollama#7881",
    raw(
      delta([{ id: "a", function: { ...made, arguments: made.arguments.slice(0, 5) } }]),
      delta([{ function: { arguments: made.arguments.slice(5) } }], "tool_calls"),
    ),
  ),
  odd(
    "ends the name of its tool with a line break",
    "seed 000 (malformed_tool_call)",
    call("bash\n", { command }),
  ),
  {
    name: "gives two calls one id and one index",
    from: "ollama#15457",
    script: [
      raw(
        delta([{ index: 0, id: "same", function: made }]),
        delta([{ index: 0, id: "same", function: { ...made, arguments: '{"command":"ls"}' } }]),
        STOP,
      ),
      say(ANSWER),
    ],
    args: ASK,
    ends: ANSWERED,
    leaves: LOG,
    also: ({ result }) => assert.equal(result.tool_calls, 2),
  },
  {
    name: "sends its answer in parts",
    from: "gateways that pass on Anthropic's content",
    script: [
      raw({
        index: 0,
        delta: { content: [{ type: "text", text: ANSWER }] },
        finish_reason: "stop",
      }),
    ],
    ends: { code: 0, reason: "llm_done", steps: 1, output: ANSWER },
  },
  {
    name: "never finishes its arguments",
    from: "MoonshotAI/kimi-cli#2165",
    script: (_, n) => call("bash", `{"command": "echo ${n} >> log`),
    ends: { code: 1, reason: "model_error", steps: 7, error: /malformed_tool_call/ },
    hears: [/arguments are not a JSON object/, /such as: read \{"path"/],
    leaves: { log: null },
    also: (run) => assert.deepEqual(nudges(run), { malformed_call: 5 }),
  },
  {
    name: "nests its arguments a hundred thousand deep",
    from: "issue 5 (absurd replies); MoonshotAI/kimi-cli#2165",
    script: [
      call("bash", "[".repeat(100_000)),
      call("bash", "{'a':".repeat(100_000)),
      call("read", `{"path":${"[".repeat(50_000)}${"]".repeat(50_000)}}`),
      say(ANSWER),
    ],
    args: ASK,
    ends: { code: 0, reason: "llm_done", steps: 4 },
    also: ({ result }) => assert.equal(result.evidence.commands, 0),
  },
  {
    name: "leaves out what its tool needs",
    from: "seed 004 (never run with {})",
    script: [call("write", {}), call("bash", "null"), call("read", "[]"), say(ANSWER)],
    ends: { code: 0, reason: "llm_done", steps: 4 },
    hears: [/write was not run/, /bash was not run|not a JSON object/],
    also: ({ result }) => assert.equal(result.evidence.mutations, 0),
  },
  {
    name: "calls tools that do not exist",
    from: "seed 000; anomalyco/opencode#7083",
    script: (_, n) => call(`str_replace_editor_${n}`, { path: "a.txt" }),
    ends: { code: 1, reason: "model_error", steps: 7 },
    hears: [/there is no tool "str_replace_editor_0"; the tools are: read, /],
  },
  {
    name: "calls a tool whose name no server would take back",
    from: "NousResearch/hermes-agent#1796 (a session poisoned by its own history)",
    script: [call("rm -rf / 😀".repeat(20), {}), call("", { command }), say(ANSWER)],
    ends: { code: 0, reason: "llm_done", steps: 3 },
    hears: [/there is no tool/],
  },
  {
    name: "is cut in its call, again and again",
    from: "seed 000 (finish_reason length)",
    script: forever({
      calls: [{ name: "bash", args: `{"command":"${command}` }],
      finish: "length",
    }),
    ends: { code: 1, reason: "model_error", steps: 3, error: /3 replies in a row were cut/ },
    hears: [/smaller pieces/],
    leaves: { log: null },
  },
  {
    name: "poisons the history of a server that reads it strictly",
    from: "noonghunna/club-3090#1195, #665 (llama.cpp); NousResearch/hermes-agent#1796",
    script: ({ body }, n) => {
      const sent = body.messages.flatMap(({ tool_calls }) => tool_calls ?? []);
      if (!sent.every((one) => is_json(one.function.arguments))) return UNPARSED;
      return n === 0 ? call("bash", '{"command": "echo x >> log') : say(ANSWER);
    },
    args: ASK,
    ends: ANSWERED,
    leaves: { log: null },
  },
  {
    name: "makes a hundred calls in one reply",
    from: "seed 004 (read-only batches run side by side)",
    script: [
      { calls: Array.from({ length: 100 }, (_, n) => ({ name: "read", args: { path: `${n}` } })) },
      say(ANSWER),
    ],
    files: Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`${n}`, `${n}\n`])),
    args: ASK,
    ends: ANSWERED,
    also: ({ result }, s) => {
      assert.equal(result.tool_calls, 100);
      assert.deepEqual(
        s.server.results().map((text) => text.trim()),
        Array.from({ length: 100 }, (_, n) => `1:${n}`),
      );
    },
  },
  {
    name: "edits one file twice in one reply",
    from: "seed 004 (two edits never race)",
    script: [
      {
        calls: [
          { name: "edit", args: { path: "a.txt", old: "one", new: "two" } },
          { name: "edit", args: { path: "a.txt", old: "two", new: "three" } },
        ],
      },
      say("a.txt says three now."),
    ],
    files: { "a.txt": "one\n" },
    args: ["--mode", "patch"],
    ends: { code: 0, reason: "llm_done", steps: 2 },
    leaves: { "a.txt": "three\n" },
  },
];
