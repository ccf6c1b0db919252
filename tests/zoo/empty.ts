/** Models that say nothing, or nothing but their thoughts. */
import assert from "node:assert/strict";
import { ANSWER, bash, type Reply, say } from "../support/model_server.ts";
import { and_then_only, forever, raw, type Specimen } from "./specimen.ts";

const EMPTY = { code: 1, reason: "empty_response", steps: 2 } as const;

export const EMPTIES: readonly Specimen[] = [
  {
    name: "says nothing, for ever",
    from: "seeds 000, 004",
    script: [{}, {}, {}, {}],
    ends: EMPTY,
    hears: [/Your last reply was empty/],
  },
  {
    name: "says nothing, and then what stands in the place of an empty reply",
    from: "SmolLM2 on a real llama.cpp (the run ended in 0, its answer was the placeholder)",
    script: [{}, {}, say("(no reply)"), say("(no reply)")],
    ends: EMPTY,
  },
  {
    name: "says nothing while it streams",
    from: "seed 004",
    script: [{}, say(ANSWER)],
    ends: { code: 0, reason: "llm_done", steps: 1, output: ANSWER },
    also: ({ events }) => assert.equal(events.filter(({ type }) => type === "retry").length, 1),
  },
  {
    name: "says nothing once the tools have answered",
    from: "seed 000; NousResearch/hermes-agent (empty response after tools)",
    script: [bash("echo hi"), {}, {}, say(ANSWER)],
    ends: { code: 0, reason: "llm_done", steps: 3, output: ANSWER },
    hears: [/Your last reply was empty/],
  },
  {
    name: "is cut in its answer, says nothing, and then goes on",
    from: "seeds 003, 004 (a cut answer is joined)",
    script: [
      { text: "The port is set in config.ts, and ", finish: "length" },
      {},
      {},
      say("its default is 8080."),
    ],
    ends: {
      code: 0,
      reason: "llm_done",
      steps: 3,
      output: "The port is set in config.ts, and its default is 8080.",
    },
  },
  {
    name: "sends a character in two halves, and another one only half",
    from: "JSON in deltas; strict readers refuse half of a character",
    script: [
      raw(
        { index: 0, delta: { content: "It is 42 \ud83d" } },
        { index: 0, delta: { content: "\ude00, or \ud83d!" } },
        { index: 0, delta: {}, finish_reason: "stop" },
      ),
    ],
    ends: { code: 0, reason: "llm_done", steps: 1, output: "It is 42 \u{1f600}, or \ufffd!" },
    also: ({ events }) => {
      const texts = events.flatMap(({ type, text }) => type === "text_delta" ? [String(text)] : []);
      assert.ok(texts.every((text) => text.isWellFormed()));
      assert.equal(texts.join(""), "It is 42 \u{1f600}, or \ufffd!");
    },
  },
  {
    name: "answers with blanks and line ends",
    from: "seed 000",
    script: forever(say(" \n\t\n ")),
    ends: EMPTY,
  },
  {
    name: "thinks, and says nothing",
    from: "lmstudio-bug-tracker#1990",
    script: forever({ reasoning: "I should look at the file first." }),
    ends: EMPTY,
  },
  {
    name: "opens <think> and never closes it",
    from: "QwenLM/Qwen3#1817",
    script: forever(say("<think>\nThe user wants me to do it. Done. I fixed it.")),
    ends: EMPTY,
  },
  {
    name: "ends thoughts that its template began",
    from: "seed 002 (reasoning is no answer); QwenLM/Qwen3#1817",
    script: [say(`I should look at both.\n</think>\n\n${ANSWER}`)],
    ends: { code: 0, reason: "llm_done", steps: 1, output: ANSWER },
  },
  {
    name: "is silenced by a filter",
    from: "seed 000 (empty_response)",
    script: forever({ text: "", finish: "content_filter" }),
    ends: EMPTY,
  },
  {
    name: "plans its call in its thoughts, and never makes it",
    from: "QwenLM/Qwen3#1817 (60 % of its replies)",
    script: forever(
      say(
        '<think><tool_call>\n{"name":"bash","arguments":{"command":"touch ran"}}\n</tool_call></think>',
      ),
    ),
    args: ["--tool-call-format", "prompt"],
    ends: EMPTY,
    leaves: { ran: null },
  },
  {
    name: "spends all its tokens on thoughts that go in circles",
    from: "anomalyco/opencode#12716; QwenLM/Qwen3.8#89",
    script: forever({ reasoning: "Wait, let me think again. ".repeat(400), finish: "length" }),
    ends: { code: 1, reason: "model_error", steps: 3, error: /cut by the output limit/ },
  },
  {
    name: "sends no content and an empty list of calls",
    from: "seed 000; servers that fill in every field",
    script: forever(
      raw({ index: 0, delta: { content: null, tool_calls: [] }, finish_reason: "stop" }),
    ),
    ends: { code: 1, reason: "empty_response" },
  },
  {
    name: "says that it will call, and calls nothing",
    from: "seed 000; QwenLM/Qwen3#1817",
    script: and_then_only(say("Let me look at the code first."), bash("ls"), say(ANSWER)),
    ends: { code: 0, reason: "llm_done", steps: 3, output: ANSWER },
    hears: [/Commands run: none/],
  },
  {
    name: "is now empty, now a plan, now a status, now a claim, whatever it is told",
    from: "seed 000 (each of its nudges)",
    script: (_, n): Reply =>
      [say("Let me look first."), say("Done."), say("I fixed the bug in a.txt.")][n % 3]!,
    args: ["--repair-attempts", "0"],
    ends: { code: 2, reason: "contract_unsatisfied" },
    also: ({ result }) => assert.ok(result.steps <= 9, String(result.steps)),
  },
];
