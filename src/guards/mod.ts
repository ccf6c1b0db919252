import { bash_failure } from "./bash_failure.ts";
import { budget } from "./budget.ts";
import { context_exhaustion } from "./context_exhaustion.ts";
import { doom_loop } from "./doom_loop.ts";
import { empty } from "./empty.ts";
import { escalation } from "./escalation.ts";
import { malformed } from "./malformed.ts";
import { notices } from "./notices.ts";
import { reads } from "./reads.ts";
import { repetition } from "./repetition.ts";
import type { GuardLimits, Rule } from "./rule.ts";
import { truncation } from "./truncation.ts";
import { watchdog } from "./watchdog.ts";

/** The guards of a run, in the order in which they are asked. */
export function guards(limits: GuardLimits): Rule[] {
  return [
    watchdog(limits),
    budget(limits),
    truncation(limits),
    empty(),
    doom_loop({ threshold: limits.doom_loop_threshold }),
    repetition(limits),
    reads(limits),
    malformed(),
    bash_failure(),
    context_exhaustion(),
    escalation({ steps: limits.escalation_steps }),
    notices(limits),
  ];
}
