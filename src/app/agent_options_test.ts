import assert from "node:assert/strict";
import { type AgentOptions, setup_of } from "./agent_options.ts";

Deno.test("what a program gives is an answer, or it is told", async () => {
  const asked = (options: Record<string, unknown>) => setup_of(options as AgentOptions);
  const asks = [{ kind: "command", text: "ls" } as never, new AbortController().signal] as const;
  for (const answer of [{}, [], true, "Yes", null, undefined, { instead: "" }, { instead: 5 }]) {
    const { ask } = asked({ approval: () => answer });
    await assert.rejects(async () => await ask?.(...asks), /^TypeError: approval returned some/);
  }
  for (const answer of [undefined, 5, {}]) {
    const { clarify } = asked({ clarify: () => answer });
    await assert.rejects(async () => await clarify?.(...asks), /^TypeError: clarify returned some/);
  }
  const { clarify } = asked({ clarify: () => null });
  assert.equal(await clarify?.(...asks), null);
});
