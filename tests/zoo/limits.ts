/** Models that would go on forever, and what ends them. */
import assert from "node:assert/strict";
import { ANSWER, bash, type Reply, say } from "../support/model_server.ts";
import { forever, type Specimen, until_closed } from "./specimen.ts";

const CLOSING = "Some numbers were counted, the others were not.";
const count = (n: number) => bash(`echo ${n} >> log`);
const spent = { prompt_tokens: 1000, completion_tokens: 200 };

export const LIMITS: readonly Specimen[] = [
  {
    name: "counts for ever",
    from: "anthropics/claude-code#73307; seed 003",
    script: until_closed(CLOSING, count),
    args: ["--max-steps", "5"],
    ends: { code: 2, reason: "max_steps", steps: 5, output: CLOSING },
    hears: [/3 steps are left/, /No more tools can be called/],
    leaves: { log: "0\n1\n2\n3\n4\n" },
  },
  {
    name: "calls on when it is asked to close",
    from: "issue 5 (closing texts); contract 9",
    script: (_, n) => ({ ...count(n), text: CLOSING }),
    args: ["--max-steps", "2"],
    ends: { code: 2, reason: "max_steps", output: CLOSING },
    leaves: { log: "0\n1\n" },
  },
  {
    name: "has no last words",
    from: "seed 002 (a summary of the work done)",
    script: ({ body }, n): Reply => body.tool_choice === "none" ? { status: 500 } : count(n),
    args: ["--max-steps", "2"],
    ends: { code: 2, reason: "max_steps", output: /The run stopped: the limit of 2 steps/ },
  },
  {
    name: "makes more calls in one reply than a run may",
    from: "AltimateAI/altimate-code#657; QwenLM/qwen-code#4103",
    script: until_closed(CLOSING, () => ({
      calls: Array.from({ length: 100 }, (_, n) => count(n).calls![0]!),
    })),
    args: ["--max-tool-calls", "3"],
    ends: { code: 2, reason: "max_tool_calls", steps: 1, output: CLOSING },
    leaves: { log: "0\n1\n2\n" },
  },
  {
    name: "uses up its tokens",
    from: "QwenLM/qwen-code#4103; seed 003",
    script: until_closed(CLOSING, (n) => ({ ...count(n), usage: spent })),
    args: ["--token-budget", "3500"],
    ends: { code: 2, reason: "budget_exceeded", steps: 3, output: CLOSING },
    leaves: { log: "0\n1\n" },
  },
  {
    name: "uses up its tokens with a server that counts none",
    from: "seed 003; servers without usage",
    script: until_closed(CLOSING, (n) => ({ ...count(n), usage: null })),
    args: ["--token-budget", "9800"],
    ends: { code: 2, reason: "budget_exceeded" },
    hears: [/left of the budget/],
  },
  {
    name: "uses up its tokens with a server that counts nothing for each",
    from: "servers and proxies whose usage is all zeros",
    script: until_closed(CLOSING, (n) => ({
      ...count(n),
      usage: { prompt_tokens: 0, completion_tokens: 0 },
    })),
    args: ["--token-budget", "9000"],
    ends: { code: 2, reason: "budget_exceeded" },
    hears: [/left of the budget/],
  },
  {
    name: "may cost a dollar, and nobody knows its price",
    from: "mini-swe-agent (an unknown price is an error)",
    script: [],
    args: ["--max-cost", "1"],
    ends: { code: 3, reason: "config_error" },
  },
  {
    name: "runs a command that takes longer than the run may",
    from: "PR NousResearch/hermes-agent#90337; QwenLM/qwen-code#4103",
    script: until_closed(CLOSING, () => bash("sleep 600")),
    args: ["--timeout", "5"],
    ends: { code: 5, reason: "timeout", steps: 1, output: CLOSING },
  },
  {
    name: "does not say a word for longer than a step may take",
    from: "seed 001 (time limit of a step)",
    script: ({ body }) => body.tool_choice === "none" ? say(CLOSING) : { silent: true },
    args: ["--step-timeout", "1"],
    ends: { code: 5, reason: "timeout", steps: 0, output: CLOSING },
  },
  {
    name: "needs a nudge for its last step",
    from: "anthropics/claude-code#73307 (a counter that is set back)",
    script: forever(say("Let me look at the code first.")),
    args: ["--max-steps", "1"],
    ends: { code: 2, reason: "max_steps", steps: 1 },
  },
  {
    name: "recovers and falls ill again",
    from: "seed 000 (at most five recoveries)",
    script: (_, n): Reply =>
      n % 3 === 2 ? bash(`test -e ${n}`) : { calls: [{ name: `no_tool_${n}`, args: {} }] },
    env: { HAMR_GUARDS_RECOVERIES: "2" },
    ends: { code: 1, reason: "model_error", steps: 8, error: /2 recoveries/ },
  },
  {
    name: "reads eighty files to answer a question, as it should",
    from: "issue 5 (reads); hermes-agent (limits that cut good runs)",
    script: (_, n) =>
      n < 8
        ? {
          calls: Array.from({ length: 10 }, (_, at) => ({
            name: "read",
            args: { path: `f${n * 10 + at}` },
          })),
        }
        : say(ANSWER),
    files: Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`f${n}`, `${n}\n`])),
    args: ["--verify", "true"],
    ends: { code: 0, reason: "llm_done", output: ANSWER },
    also: ({ result }) => assert.equal(result.evidence.refused, 0),
  },
];
