/** What the tests of guards and of gates share. */
import type { View } from "./rule.ts";

/** A view of a run in which nothing has happened yet. */
export const VIEW: View = {
  mode: "auto",
  steps: 0,
  run_steps: 0,
  calls: 0,
  elapsed_ms: 0,
  step_ms: 0,
  interrupted: false,
  usage: { input_tokens: 0, output_tokens: 0, cached_tokens: 0, reasoning_tokens: 0 },
  ledger: [],
  turn: [],
  run: [],
  changed: [],
  actions: [],
  changes: 0,
  cost_usd: null,
  last: null,
  compactions: [],
  background: false,
};
