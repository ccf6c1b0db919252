import assert from "node:assert/strict";
import { first_verdict } from "./_testing.ts";
import { gates } from "./mod.ts";

Deno.test("the gates stand in the order in which they are asked", () => {
  const { ending, contract } = gates({ action_nudges: 3, claim_nudges: 2 });
  assert.deepEqual(ending.map((gate) => gate.name), ["intent", "status_only", "claims"]);
  assert.deepEqual(contract.map((gate) => gate.name), ["unchanged", "patch", "verify"]);
});

Deno.test("their memory is plain JSON", () => {
  const { ending, contract } = gates({ action_nudges: 3, claim_nudges: 2 });
  for (const gate of [...ending, ...contract]) {
    assert.deepEqual(JSON.parse(JSON.stringify(gate.start)), gate.start, gate.name);
  }
});

Deno.test("without nudges an announcement passes, a bare status and a false claim stop at once", () => {
  const { ending } = gates({ action_nudges: 0, claim_nudges: 0 });
  const kinds = (text: string) => ending.map((gate) => first_verdict(gate, text).kind);
  assert.deepEqual(kinds("Let me look at the code."), ["go_on", "go_on", "go_on"]);
  assert.deepEqual(kinds("Done."), ["go_on", "stop", "go_on"]);
  assert.deepEqual(kinds("I fixed the bug."), ["go_on", "go_on", "stop"]);
});
