import { empty } from "./empty.ts";
import type { Rule } from "./rule.ts";
import { truncation, type TruncationLimits } from "./truncation.ts";
import { watchdog, type WatchdogLimits } from "./watchdog.ts";

/** The guards of a run, in the order in which they are asked. */
export function guards(limits: WatchdogLimits & TruncationLimits): Rule[] {
  return [watchdog(limits), truncation(limits), empty()];
}
