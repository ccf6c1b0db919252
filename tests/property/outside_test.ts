/** Runs of the whole program: what the contract says of every run, whatever the model says. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { ANSWER, say } from "../support/model_server.ts";
import { asked, conversation, FILES, VERIFY } from "../support/replies.ts";
import { stage } from "../support/stage.ts";
import { cases } from "../support/thorough.ts";
import { event_faults, NO_WAITS, wire_faults } from "./faults.ts";

const RUNS = cases(8, 12);

Deno.test(`any sequence of replies, from outside: one result, its code, valid requests (${RUNS} runs)`, async () => {
  await fc.assert(
    fc.asyncProperty(conversation, asked, async (replies, { mode, ...limits }) => {
      const script = (_: unknown, n: number) => replies[n] ?? say(ANSWER);
      await stage({ script, files: FILES, violations: true, env: NO_WAITS }, async (s) => {
        // `events` holds the stream to the contract: fields, order, one result and its exit code.
        const { result, events } = await s.events(
          "Put two in the place of one.",
          ...(mode === "verify" ? ["--verify", VERIFY] : ["--mode", mode]),
          ...["--max-steps", String(limits.max_steps)],
          ...["--max-tool-calls", String(limits.max_tool_calls)],
          ...["--context-window", String(limits.window)],
          ...(limits.stream ? [] : ["--no-stream"]),
        );
        const compactions = events.filter(({ type }) => type === "compaction").length;
        assert.deepEqual([...wire_faults(s.server, compactions), ...event_faults(events)], []);
        assert.ok(result.steps <= limits.max_steps);
        assert.notEqual(result.stop_reason, "internal_error", result.error?.message);
        if (result.stop_reason !== "llm_done") return;
        if (mode === "verify") assert.ok(s.ws.read("a.txt").includes("two"));
        if (mode === "patch") assert.notDeepEqual(result.files_changed, []);
      });
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
});
