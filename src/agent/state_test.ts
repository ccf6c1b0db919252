import assert from "node:assert/strict";

import type { Phase } from "./events.ts";
import { enter, fresh_state, TRANSITIONS } from "./state.ts";

Deno.test("a run goes only from phase to phase as the table says, and a stop reason is final", () => {
  const reasons: Phase[] = ["llm_done", "max_steps", "timeout", "user_interrupt", "internal_error"];
  const doing = Object.keys(TRANSITIONS) as (keyof typeof TRANSITIONS)[];
  const all: Phase[] = [...doing, ...reasons];
  const possible = (from: Phase, to: Phase) => {
    try {
      enter({ phase: from }, to);
      return true;
    } catch (error) {
      assert.ok(error instanceof TypeError);
      return false;
    }
  };
  for (const from of doing) {
    const allowed = TRANSITIONS[from];
    for (const to of all) {
      assert.equal(possible(from, to), allowed === "any" || allowed.includes(to), `${from} ${to}`);
    }
  }
  for (const from of reasons) for (const to of all) assert.equal(possible(from, to), false);
  // A limit never cuts a tool off from its result.
  assert.equal(possible("waiting_for_tool", "max_steps"), false);
  assert.equal(possible("waiting_for_input", "user_interrupt"), true);
});

Deno.test("the state is plain data: it can be written down and read again", () => {
  const state = fresh_state("auto");
  assert.deepEqual(JSON.parse(JSON.stringify(state)), state);
});
