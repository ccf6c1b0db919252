/** Whether a run did anything that could be a change. */
import type { View } from "../../guards/rule.ts";
import { asked_for } from "../answer/task.ts";
import type { Disbelieved } from "../facts/effects.ts";
import { begins_beside } from "../facts/commands.ts";
import { is_done } from "../facts/facts.ts";
import { unmade } from "../facts/failed_changes.ts";

/** By what is seen at one moment. */
const IDLE = new WeakMap<View, boolean>();

/** Whether nothing that the run did could be a change. */
export function is_idle(view: View): boolean {
  const known = IDLE.get(view);
  if (known !== undefined) return known;
  const disbelieved = disbelieved_by(view);
  // What runs on in the background is no row yet.
  const runs_on = view.background === true && view.actions.some(begins_beside);
  const idle = !runs_on && !is_done(view.run, disbelieved) && !is_done(view.turn, disbelieved);
  IDLE.set(view, idle);
  return idle;
}

/** Programs that changed no file, if only a change of files counts: they are no work. While a server of the run lives they may be its clients. */
export function disbelieved_by({ asked, turn, background }: View): Disbelieved {
  const { change, repair, update } = asked_for(asked);
  const is_edit = (change || repair) && !update || unmade(turn, { seen: true }).length > 0;
  return is_edit && !background ? "programs" : "edits";
}

/** Not one call was made, in this run or an earlier one. */
export function is_unseen({ calls, steps, run_steps }: View): boolean {
  return calls === 0 && steps === run_steps;
}
