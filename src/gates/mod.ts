import type { Rule } from "../guards/rule.ts";
import { claims } from "./claims.ts";
import { intent } from "./intent.ts";
import { patch } from "./patch.ts";
import { status_only } from "./status_only.ts";
import { unchanged } from "./unchanged.ts";
import { verify } from "./verify.ts";

/** Nudges a turn; with 0 a gate never nudges. Both are settings of `[guards]`. */
export interface GateSettings {
  /** To an announcement, then it passes; to a bare status, then the run stops. */
  readonly action_nudges: number;
  /** To a claim that the ledger denies, then the run stops. */
  readonly claim_nudges: number;
}

/** The gates in the order in which they are asked, for the moments `ending` and `contract`. */
export function gates(settings: GateSettings): { ending: Rule[]; contract: Rule[] } {
  return {
    ending: [
      intent({ nudges: settings.action_nudges }),
      status_only({ nudges: settings.action_nudges }),
      claims({ nudges: settings.claim_nudges }),
    ],
    contract: [unchanged(), patch(), verify()],
  };
}
