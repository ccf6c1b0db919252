/** Interrupts by the user: their message comes before the run's current work. */
import { at_end } from "../config/attempt.ts";
import type { Stop } from "../guards/rule.ts";
import type { Session } from "./session.ts";

const BY_PERSON: Stop = {
  kind: "stop",
  reason: "user_interrupt",
  text: "interrupted by the user",
};

/** Whether the user has interrupted. Asked only at fixed points, so that a replay finds it at the same one. */
export function interrupted({ steering, parent, tape }: Session): boolean {
  const heard = parent?.steering ?? steering;
  return heard !== null && tape.interrupted(heard.interrupting);
}

/** Why the turn ends where it was interrupted and nothing was said; null if it goes on. */
export function halted(session: Session): Stop | null {
  return interrupted(session) && !session.steering?.pending ? BY_PERSON : null;
}

/** Does work whose step an interrupt cuts short. A subagent's is cut short by the clock that it was lent. */
export async function interruptible<T>(session: Session, work: () => Promise<T>): Promise<T> {
  const { steering, clock } = session;
  if (steering === null) return await work();
  steering.on_interrupt(() => clock.cut_short());
  // The user was faster.
  if (interrupted(session)) clock.give_up();
  using _ = at_end(() => steering.on_interrupt(null));
  return await work();
}

/** The answer to a call that would begin after the run, or the step, was given up. */
export function not_begun(session: Session) {
  const why = interrupted(session) ? "interrupted by the user" : "the run was stopped";
  return { ok: false, text: `Error: not run, ${why}`, summary: "not run" };
}

/** The result of a call that the user ended: nobody stopped the run. */
export function as_interrupted<R extends { readonly text: string; readonly summary: string }>(
  result: R,
): R {
  return { ...result, text: in_their_name(result.text), summary: in_their_name(result.summary) };
}

function in_their_name(text: string): string {
  return text.replace(
    /^(\[?ended: |Error: not run, )the run was stopped(?=\]?$)/m,
    "$1interrupted by the user",
  );
}

export function null_on_abort(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    signal.addEventListener("abort", () => resolve(null), { once: true });
  });
}
