import type { Rule } from "../guards/rule.ts";
import { doubtful } from "./doubtful.ts";
import { not_done } from "./not_done.ts";
import { patch } from "./patch.ts";
import { unchanged } from "./unchanged.ts";
import { verify } from "./verify.ts";

/** A doubtful answer is asked about once a turn, whatever the number; with 0 it is judged at once. Both are settings of `[guards]`. */
export interface GateSettings {
  /** For an answer that announces, asks, refuses, or says that nothing was done. */
  readonly action_nudges: number;
  /** For one that claims what no fact shows. */
  readonly claim_nudges: number;
  /** Whether whoever gave the task can answer a question. */
  readonly talks?: boolean;
  /** Whether the answer has to be JSON: then it is no prose to be read for claims, and its form is looked at by itself. */
  readonly formed?: boolean;
}

/** The gates in the order in which they are asked, for the moments `ending` and `contract`. */
export function gates(settings: GateSettings): { ending: Rule[]; contract: Rule[] } {
  return {
    ending: [
      not_done({ nudges: settings.action_nudges }),
      ...(settings.formed ? [] : [doubtful(settings)]),
    ],
    contract: [unchanged(), patch(), verify()],
  };
}
