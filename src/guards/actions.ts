import type { Action } from "./rule.ts";

/** A call that took this long has waited for something (a build, a server): asking again is no loop (issue on guards). */
const WAITED_MS = 10_000;

/** The calls of one reply, as one thing. */
export interface Batch {
  readonly signature: string;
  /** What came of them, all together; null where a guard, or its form, kept any of them from running. */
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

/** The calls of each of the last steps, the last step first; put together as they are asked for, since mostly one is enough. */
export function* latest(actions: readonly Action[]): Generator<Batch, undefined> {
  const oldest = Math.max(0, actions.length - RECENT);
  for (let end = actions.length, start = end; end > oldest; end = start) {
    const step = actions[end - 1]?.step;
    while (start > oldest && actions[start - 1]?.step === step) start--;
    yield batch_of(actions.slice(start, end));
  }
}

function batch_of(calls: readonly Action[]): Batch {
  return {
    signature: signature_of(calls),
    outcome: calls.every(({ ran, refused }) => ran || refused)
      ? calls.map(({ result }) => result).join("\n")
      : null,
    changes: Math.max(...calls.map(({ changes }) => changes)),
    waited: calls.some(waited),
  };
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
