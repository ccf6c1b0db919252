import type { Rule } from "../guards/rule.ts";
import { doubtful, type DoubtSettings } from "./doubtful.ts";
import { not_done } from "./not_done.ts";
import { patch } from "./patch.ts";
import { unchanged } from "./unchanged.ts";
import { verify } from "./verify.ts";

/** The gates in the order in which they are asked, for the moments `ending` and `contract`. */
export function gates(settings: DoubtSettings): { ending: Rule[]; contract: Rule[] } {
  return {
    ending: [
      not_done({ nudges: settings.action_nudges }),
      doubtful(settings),
    ],
    contract: [unchanged(), patch(), verify()],
  };
}
