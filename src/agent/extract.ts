/** Asks the model what is worth remembering, before a compaction and at the end of a run. Loaded only if that is enabled. */
import { at_end } from "../config/attempt.ts";
import { why } from "../config/paths.ts";
import { EXTRACTED, EXTRACTOR, facts_apart, text_to_summarize } from "../context/summary.ts";
import type { StopReason } from "../guards/rule.ts";
import { after_waiting } from "../config/timer.ts";
import { aside, window_of } from "./ask.ts";
import { with_auxiliary } from "./auxiliary.ts";
import { ask_rules } from "./ask_rules.ts";
import type { Session } from "./session.ts";
import type { Ending } from "./state.ts";
import type { Facts } from "./taped_tools.ts";

/** The user waits for the result in the meantime. */
const EXTRACT_MS = 30_000;
/** A run that did at most answer has taught nothing. */
const LEAST_STEPS = 3;
/** Part of the window that the transcript may take: the end of a run says most of what it taught. */
const SHARE = 0.5;
/** Facts that the model is told to be known, the newest, and how much of each. */
const KNOWN = 20;
const KNOWN_CHARS = 120;

/** After these nobody is there to answer, nobody wants to wait, or there is nothing left to spend. */
const UNASKED: ReadonlySet<StopReason> = new Set<StopReason>([
  ...["user_interrupt", "auth_error", "config_error", "llm_error", "internal_error"] as const,
  ...["timeout", "budget_exceeded", "budget_exhausted"] as const,
]);

/** Keeps what a run has taught. What goes wrong with that changes nothing of how the run ended. */
export async function extract(session: Session, { reason }: Ending): Promise<void> {
  const { state, limits } = session;
  const steps = state.steps - state.before.steps;
  if (
    limits.dry_run || UNASKED.has(reason) || (state.spending.calls === 0 && steps < LEAST_STEPS)
  ) return;
  const signal = session.clock.begin_check();
  using _ = at_end(() => session.clock.stop());
  await extract_before(session, signal);
}

/** Keeps what the messages that are there teach, before they are left out of the history, in whatever way. */
export async function extract_before(session: Session, signal: AbortSignal): Promise<void> {
  const { emit } = session;
  try {
    const { memory } = await session.services();
    if (memory === null || ask_rules(session, session.guards, { at: "aside" }).kind === "stop") {
      return;
    }
    save_facts(session, memory, await facts_of(session, { memory, of_run: signal }));
  } catch (error) {
    emit({
      type: "warning",
      message: `could not ask what to keep in memory: ${why(error)}`,
    });
  }
}

async function facts_of(
  session: Session,
  { memory, of_run }: { memory: Facts; of_run: AbortSignal },
): Promise<readonly string[]> {
  const { history } = session;
  const slow = new AbortController();
  const stop = after_waiting(EXTRACT_MS, () => slow.abort());
  const signal = AbortSignal.any([of_run, slow.signal]);
  const known = memory.newest(KNOWN).map(({ text }) => `- ${text.slice(0, KNOWN_CHARS)}`);
  using _ = at_end(stop);
  const answer = await with_auxiliary(session, "summary", (asked) => {
    const tokens = Math.floor(window_of(asked) * SHARE);
    const told = text_to_summarize(history.messages.slice(1), { before: "", task: "", tokens });
    const user = known.length === 0 ? told : `[already known]\n${known.join("\n")}\n\n${told}`;
    return aside(asked, { system: EXTRACTOR, user, signal });
  });
  if (signal.aborted) return [];
  if (answer.kind === "failed") throw new Error(answer.error.message);
  return facts_apart(answer.reply.content, EXTRACTED).facts;
}

/** What is worth more than this session goes into memory. What memory does not take is not a reason to stop. */
export function save_facts({ emit }: Session, memory: Facts, facts: readonly string[]): void {
  try {
    for (const fact of facts) {
      const { kind } = memory.save(fact);
      if (kind === "saved") emit({ type: "memory", fact });
    }
  } catch (error) {
    emit({ type: "warning", message: `memory failed: ${why(error)}` });
  }
}
