import { type Action, type AskedCall, type View } from "./rule.ts";

/** A call that took this long has waited for something (a build, a server): asking again is not a loop. */
const WAITED_MS = 10_000;
/** How long a command that says it waits has to take for it to have waited. */
const SLEPT_MS = 1000;
/** A call that only looks may be made so many times as often as another one. */
const LOOKS_FACTOR = 2;

export interface CallBatch {
  readonly signature: string;
  /** What came of them, all together; null if a guard, or its form, kept any of them from running. */
  readonly outcome: string | null;
  readonly changes: number;
  readonly waited: boolean;
}

/** What calls ask for, all together: names and arguments in one spelling. */
export function signature_of(calls: readonly AskedCall[]): string {
  return calls.map(({ name, args }) => `${name} ${args}`).join("\n");
}

/** How often these calls may bring the same, where one that does more than look may so `limit` times. */
export function repeat_limit(calls: readonly AskedCall[], limit: number): number {
  return calls.every(({ looks }) => looks) ? LOOKS_FACTOR * limit : limit;
}

/** Calls looked at for what repeats step after step: a loop shows in the last few. A step costs the same however long the turn. */
const RECENT = 64;

/** The calls of each of the last steps, the last step first; put together as they are asked for, since mostly one is enough. */
export function* latest({ actions, compactions }: View): Generator<CallBatch, undefined> {
  const oldest = Math.max(0, actions.length - RECENT);
  const compacted = compactions.at(-1) ?? 0;
  for (let end = actions.length, start = end; end > oldest; end = start) {
    const step = actions[end - 1]?.step ?? 0;
    // The model no longer knows the outcome of it.
    if (step <= compacted) return;
    while (start > oldest && actions[start - 1]?.step === step) start--;
    const calls = actions.slice(start, end);
    yield {
      signature: signature_of(calls),
      outcome: calls.every(({ ran, refused }) => ran || refused)
        ? calls.map(({ result }) => result).join("\n")
        : null,
      changes: Math.max(...calls.map(({ changes }) => changes)),
      waited: calls.some(waited),
    };
  }
}

/** The calls whose results the model still has before it: since the last compaction, and with no change after them. */
export function known_actions({ actions, changes, compactions }: View): readonly Action[] {
  const compacted = compactions.at(-1) ?? 0;
  return actions.filter((action) => action.step > compacted && action.changes === changes);
}

export function waited({ ms, waits }: Action): boolean {
  return ms >= (waits ? SLEPT_MS : WAITED_MS);
}

export function is_same_call(a: AskedCall, b: AskedCall): boolean {
  return a.name === b.name && a.args === b.args;
}

/** Whether two steps asked for the same and got the same, with no file changed between. */
export function same_again(a: CallBatch | undefined, b: CallBatch | undefined): boolean {
  return a !== undefined && b !== undefined && a.outcome !== null && !a.waited && !b.waited &&
    a.signature === b.signature && a.outcome === b.outcome && a.changes === b.changes;
}

/** The result of a call that is not run because it brought the same `times` times. */
export function not_run_again(what: string, times: number): string {
  return `Not run: ${what}, same result, ${times} times. Do something else, or give your final answer. ` +
    "To repeat it on purpose, loop or sleep inside one command. The same call once more ends the run.";
}
