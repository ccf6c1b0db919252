import { bash_failure } from "./bash_failure.ts";
import { budget, type BudgetLimits } from "./budget.ts";
import { context_exhaustion } from "./context_exhaustion.ts";
import { doom_loop } from "./doom_loop.ts";
import { empty } from "./empty.ts";
import { escalation } from "./escalation.ts";
import { malformed } from "./malformed.ts";
import { type NoticeLimits, notices } from "./notices.ts";
import { type ReadLimits, reads } from "./reads.ts";
import { repetition, type RepetitionLimits } from "./repetition.ts";
import type { Rule } from "./rule.ts";
import { truncation, type TruncationLimits } from "./truncation.ts";
import { watchdog, type WatchdogLimits } from "./watchdog.ts";

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

/** All that guards keep to; from settings. */
export interface GuardLimits
  extends
    WatchdogLimits,
    BudgetLimits,
    TruncationLimits,
    RepetitionLimits,
    ReadLimits,
    NoticeLimits {
  /** The same calls so many times in a row are answered instead of run; 0: never. */
  readonly doom_loop_threshold: number;
  /** The steps without a changed file at which a message tells the model to act. */
  readonly escalation_steps: readonly number[];
}
