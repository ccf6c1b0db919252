import type { Action } from "./rule.ts";

/** A call that took this long has waited for something (a build, a server): asking again is no loop (issue on guards). */
const WAITED_MS = 10_000;

/** The calls of one reply, as one thing. */
export interface Batch {
  readonly signature: string;
  /** What came of them, all together; null where any was not run. */
  readonly outcome: string | null;
  readonly changes: number;
  readonly waited: boolean;
}

/** What calls ask for, all together: names and arguments in one spelling. */
export function signature_of(
  calls: readonly { readonly name: string; readonly args: string }[],
): string {
  return calls.map(({ name, args }) => `${name} ${args}`).join("\n");
}

/** Calls looked at for what repeats step after step: a loop shows in the last few. A step costs the same however long the turn. */
const RECENT = 64;

/** The calls of each of the last steps, in their order. */
export function batches(actions: readonly Action[]): Batch[] {
  const steps = Map.groupBy(actions.slice(-RECENT), (action) => action.step);
  return [...steps.values()].map((group) => ({
    signature: signature_of(group),
    outcome: group.every(({ ran }) => ran) ? group.map(({ result }) => result).join("\n") : null,
    changes: Math.max(...group.map(({ changes }) => changes)),
    waited: group.some(waited),
  }));
}

/** Whether a call waited rather than worked. */
export function waited({ ms }: Action): boolean {
  return ms >= WAITED_MS;
}

/** Whether two steps asked for the same and got the same, with no file changed between. */
export function same_again(a: Batch | undefined, b: Batch | undefined): boolean {
  return a !== undefined && b !== undefined && a.outcome !== null && !a.waited && !b.waited &&
    a.signature === b.signature && a.outcome === b.outcome && a.changes === b.changes;
}
