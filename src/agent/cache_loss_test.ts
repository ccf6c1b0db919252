import assert from "node:assert/strict";
import { chat_completions } from "../model/protocols/chat_completions.ts";
import { count_cache_loss } from "./cache_loss.ts";
import type { Event } from "./events.ts";
import { History } from "./history.ts";
import type { Session } from "./session.ts";
import { add_usage, fresh_state } from "./state.ts";

/** Tokens of the prompt and the part of it that was cached; and what happens before that request. */
type Step = readonly [input: number, cached: number, before?: (run: Run) => void];
type Run = ReturnType<typeof run_with>;

const TOOL: Session["tools"][number] = {
  name: "look",
  description: "Looks.",
  parameters: { type: "object", properties: {}, required: [] },
};

function run_with(endpoint: Partial<Session["endpoint"]> = {}) {
  const history = new History(chat_completions, "m");
  history.append({ role: "user", content: "Look." });
  const said: string[] = [];
  return {
    said,
    history,
    state: fresh_state("auto"),
    wire: chat_completions,
    tools: [TOOL] as readonly (typeof TOOL)[],
    // Nobody listens there: the reason stays unknown.
    endpoint: {
      ...{ api_mode: "chat_completions", server: "llama.cpp", model: "m", headers: {} },
      ...{ base_url: "http://127.0.0.1:1/v1", ...endpoint },
    } as Session["endpoint"],
    tape: { ask: (_: unknown, work: () => unknown) => work() } as unknown as Session["tape"],
    emit: (event: Event) => void (event.type === "warning" && said.push(event.message)),
  };
}

/** What a run has lost, and said of it. */
async function lost(steps: readonly Step[], run = run_with()) {
  for (const [input_tokens, cached_tokens, before] of steps) {
    before?.(run);
    const usage = { input_tokens, output_tokens: 10, cached_tokens, reasoning_tokens: 0 };
    run.state.spending.usage = add_usage(run.state.spending.usage, usage);
    await count_cache_loss(run, usage);
    run.history.append({ role: "assistant", content: "Hm." });
    run.history.append({ role: "user", content: "Go on." });
  }
  return [run.state.spending.usage.cache_lost_tokens, run.said.length];
}

Deno.test("what is read again though it was in the cache is counted, and said once", async () => {
  const steps: Step[] = [[1000, 0], [1100, 1000], [1200, 100], [1300, 1200], [1400, 0]];
  const run = run_with();
  assert.deepEqual(await lost(steps, run), [1000 + 1300, 1]);
  assert.deepEqual(run.said, [
    "the server read 1000 tokens again that it had already read",
  ]);
  assert.deepEqual(await lost([[4000, 10], [4100, 50]]), [3950, 1], "at the second step");
});

const HONEST: Readonly<Record<string, readonly [steps: readonly Step[], run?: Run]>> = {
  "a cache that works": [[[1000, 0], [1100, 1010], [5000, 1110]]],
  "a server that does not count": [[[1000, 0], [1100, 0], [1200, 0]]],
  "the end of a prompt, a reminder, blocks": [[[1000, 0], [1100, 745], [9000, 1000], [9900, 8600]]],
  "a compaction": [[[4000, 0], [4100, 4000], [900, 600, ({ history }) => {
    history.replace(history.messages.slice(0, 1));
  }]]],
  "another model": [[[4000, 0], [4100, 4000], [4200, 20, (run) => {
    run.endpoint = { ...run.endpoint, model: "other" };
  }]]],
  "another server": [[[4000, 0], [4100, 4000], [4200, 20, (run) => {
    run.endpoint = { ...run.endpoint, base_url: "http://127.0.0.1:2/v1" };
  }]]],
  "another tool, which stands before the messages": [[[4000, 0], [4100, 4000], [4300, 20, (run) => {
    run.tools = [...run.tools, { ...TOOL, name: "other" }];
  }]]],
  "a reply that was not counted": [[[4000, 0], [4100, 4000], [4200, 20, ({ state }) => {
    state.window.held = null;
  }]]],
  "a hosted service": [[[4000, 0], [4100, 4000], [4200, 0]], run_with({ server: undefined! })],
  "a gateway": [[[4000, 0], [4100, 4000], [4200, 0]], run_with({ server: "openai-compatible" })],
};

for (const [name, [steps, run]] of Object.entries(HONEST)) {
  Deno.test(`no loss: ${name}`, async () => assert.deepEqual(await lost(steps, run), [0, 0]));
}
