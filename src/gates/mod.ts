import type { Rule } from "../guards/rule.ts";
import { doubtful, type DoubtSettings } from "./doubtful.ts";
import { not_done } from "./not_done.ts";
import { patch } from "./patch.ts";
import { unchanged } from "./unchanged.ts";
import { verify } from "./verify.ts";

interface GateSettings extends DoubtSettings {
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
