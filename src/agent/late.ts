import type { Rule } from "../guards/rule.ts";
import { gates, type GateSettings } from "../gates/mod.ts";
import type { Policy } from "../sandbox/policy.ts";
import { fault_of } from "../tools/check.ts";
import { Hatch, type HatchOptions } from "../tools/hatch.ts";

/** What the first request does not need. It is loaded and started while that request is in flight. */
export interface Late {
  readonly hatch: Hatch;
  /** What is wrong with a call's arguments. */
  readonly fault_of: typeof fault_of;
  /** May the turn end? */
  readonly ending: readonly Rule[];
  /** Did the run do what its mode asks? */
  readonly contract: readonly Rule[];
}

/** Starts the tools worker and puts up the gates. */
export function begin_late(
  policy: Policy,
  options: { readonly hatch: HatchOptions; readonly gates: GateSettings },
): Late {
  return { hatch: new Hatch(policy, options.hatch), fault_of, ...gates(options.gates) };
}
