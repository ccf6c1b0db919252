import assert from "node:assert/strict";
import type { Stamped } from "../../agent/events.ts";
import { Updates } from "./updates.ts";

Deno.test("replies that follow each other are set apart, and those around a call are not", () => {
  const updates = new Updates("/ws", {});
  updates.begin();
  const words = (...events: readonly unknown[]) =>
    events.flatMap((event) => updates.of(event as Stamped)).map((update) =>
      update.sessionUpdate === "agent_message_chunk" && update.content.type === "text"
        ? update.content.text
        : `(${update.sessionUpdate})`
    ).join("");
  const step = (number: number) => ({ type: "step_start", step: number });
  const text = (said: string) => ({ type: "text_delta", text: said });
  const call = { type: "tool_call", id: "1", name: "bash", arguments: { command: "ls" } };
  const retry = { type: "retry", reason: "it was cut" };
  assert.equal(words(step(1), text("Done"), text("."), step(2), text("Done.")), "Done.\n\nDone.");
  assert.equal(words(call, step(3), text("It is.")), "(tool_call)It is.");
  assert.equal(words(retry, text("It is.")), "(agent_thought_chunk)\n\nIt is.");
  updates.begin();
  assert.equal(words(step(1), text("Hello.")), "Hello.");
});
