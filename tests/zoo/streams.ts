/** Servers that fail, and streams that do not end as they should. */
import assert from "node:assert/strict";
import { ANSWER, bash, call, type Reply, say, stream_body } from "../support/model_server.ts";
import { forever, raw, type Specimen } from "./specimen.ts";

const FAILED = { code: 1, reason: "llm_error" } as const;
const DONE = { code: 0, reason: "llm_done", output: ANSWER } as const;
const WRITE: Reply = { ...bash("echo x >> log"), fragment: 3 };
const MIDDLE = stream_body(WRITE, 0, true).length >> 1;

export const STREAMS: readonly Specimen[] = [
  {
    name: "answers with a web page",
    from: "google-gemini/gemini-cli#6745; proxies and wrong addresses",
    script: forever({ body: "<!doctype html><html>Sign in</html>", type: "text/html" }),
    ends: { ...FAILED, error: /web page|HTML/ },
  },
  {
    name: "answers 500 each time",
    from: "anomalyco/opencode#14551, #17854 (exit 0 on failure)",
    script: forever({ status: 500, body: '{"error":{"message":"out of memory"}}' }),
    ends: { ...FAILED, error: /answered 500: out of memory/ },
  },
  {
    name: "refuses the key",
    from: "google-gemini/gemini-cli#6125; seed 002",
    script: forever({ status: 401, body: '{"error":{"message":"Invalid API Key"}}' }),
    ends: { code: 4, reason: "auth_error" },
  },
  {
    name: "knows no such model",
    from: "anomalyco/opencode#27559",
    script: forever({ status: 404, body: '{"error":{"message":"model not found"}}' }),
    ends: { ...FAILED, error: /404: model not found/ },
  },
  {
    name: "sends JSON that is not a reply",
    from: "seed 003 (provider errors)",
    script: forever({ body: '{"ok":true}', type: "application/json" }),
    ends: { ...FAILED, error: /without choices/ },
  },
  {
    name: "reports an error in the middle of its stream",
    from: "anomalyco/opencode#37548 (exit 0 in the middle)",
    script: forever({
      body: 'data: {"choices":[{"index":0,"delta":{"content":"I"}}]}\n\n' +
        'data: {"error":{"message":"CUDA error"}}\n\n',
    }),
    ends: { ...FAILED, error: /CUDA error/ },
  },
  {
    name: "breaks off with a finish reason of its own",
    from: "seed 003 (streams that end without an end)",
    script: forever(raw({ index: 0, delta: { content: "I fixed" }, finish_reason: "error" })),
    ends: { ...FAILED, error: /broke off/ },
  },
  {
    name: "is cut in the middle of a call, once",
    from: "seed 004 (one fallback without streaming); anomalyco/opencode#50062",
    script: [{ ...WRITE, cut_after: MIDDLE }, WRITE, say(ANSWER)],
    args: ["--verify", "true"],
    ends: { ...DONE, steps: 2 },
    leaves: { log: "x\n" },
  },
  {
    name: "is cut in the middle of a call, each time",
    from: "seed 004",
    script: forever({ ...WRITE, cut_after: 60 }),
    ends: FAILED,
    leaves: { log: null },
    also: (_run, s) => assert.equal(s.server.requests.length, 3),
  },
  {
    name: "falls silent in the middle of a reply",
    from: "seed 004 (streaming failures); openclaw#69390",
    script: [{ ...say(ANSWER), fragment: 4, stall_after: 300 }, say(ANSWER)],
    env: { HAMR_AGENT_IDLE_TIMEOUT_S: "3" },
    ends: { ...DONE, steps: 1 },
  },
  {
    name: "keeps the socket open after the finish reason",
    from: "contract 9 (a proper end of a stream)",
    script: [
      {
        ...say(ANSWER),
        usage: null,
        stall_after: stream_body(say(ANSWER), 0, false).length - "data: [DONE]\n\n".length,
      },
    ],
    ends: { ...DONE, steps: 1 },
    also: ({ ms }) => assert.ok(ms < 100_000, `${ms} ms`),
  },
  {
    name: "sends the fragments of an answer after its end",
    from: "seed 003 (exactly one end)",
    script: [
      raw(
        { index: 0, delta: { content: ANSWER }, finish_reason: "stop" },
        { index: 0, delta: {}, finish_reason: "stop" },
      ),
    ],
    ends: { ...DONE, steps: 1 },
  },
  {
    name: "counts no tokens, then less than none, then more than there are",
    from: "issue 5 (budgets cannot be dodged)",
    script: [0, -5, 1e300].map((tokens, n): Reply => ({
      ...(n < 2 ? call("bash", { command: `echo ${n}` }) : say(ANSWER)),
      usage: { prompt_tokens: tokens, completion_tokens: tokens },
    })),
    args: ["--verify", "true"],
    ends: { ...DONE, steps: 3 },
    also: ({ result }) => {
      for (const tokens of Object.values(result.usage)) {
        assert.ok(Number.isSafeInteger(tokens) && tokens >= 0, JSON.stringify(result.usage));
      }
    },
  },
  {
    name: "answers with two megabytes",
    from: "issue 5 (no run is endless)",
    script: [{ text: `${ANSWER}\n`.repeat(36_000), fragment: 4000 }],
    ends: { code: 0, reason: "llm_done", steps: 1 },
    also: ({ result }) => assert.equal(result.final_output.length, 36_000 * (ANSWER.length + 1)),
  },
  {
    name: "cuts an answer at its output limit, twice",
    from: "seeds 003, 004 (auto-continue)",
    script: [
      { text: "The function returns ", finish: "length" },
      { text: "the sum of both ", finish: "length" },
      say("of its arguments."),
    ],
    ends: { ...DONE, steps: 3 },
    hears: [/Continue exactly where it stopped/],
  },
  {
    name: "cuts every answer at its output limit",
    from: "seed 000",
    script: forever({ text: "and so on ", finish: "length" }),
    ends: { code: 0, reason: "llm_done", steps: 3, output: "and so on and so on and so on " },
    also: ({ result }) => assert.match(result.warnings[0] ?? "", /cut by the output limit/),
  },
];
