/** The state of a run as it is saved: one flat record, with the names that every version has used. */
import type { ToolSchema } from "../../tools/tool.ts";
import type { RefusedPart } from "../../model/refusals.ts";
import type { State } from "../state.ts";

/** What a session continues from besides its rows. */
export type SavedState = ReturnType<typeof flattened> & {
  /** Names of the tools that the model has been offered, in their order. */
  readonly tools: readonly string[];
  /** Offered tools that are not this program's own, or not in its own words. Absent: there are none. */
  readonly schemas?: readonly ToolSchema[];
  /** It calls them in text. */
  readonly in_text: boolean;
  readonly without: readonly RefusedPart[];
};

export function flattened(state: State) {
  const { ledger: _, turn, spending, workspace, window, context, vision, notes, ...rest } = state;
  const { nth, start, actions: __, ...of_turn } = turn;
  const { learned, ...of_window } = window;
  return {
    ...rest,
    ...{ turn: nth, turn_start: start, ...of_turn },
    ...{ window: learned, ...of_window },
    ...{ ...spending, ...workspace, ...context, ...vision, ...notes },
  };
}

/** What is of one run, not of its session: limits, and what was said of them. */
const OF_A_RUN = new Set([
  ...["last", "held", "changed", "outdated", "background", "warnings"],
  // The server may have been given a larger window since.
  "refused_at",
]);

/** Puts back what `flattened` has saved, as far as it outlasts a run. */
export function unflatten(
  state: State,
  saved: Omit<SavedState, "tools" | "schemas" | "in_text" | "without">,
) {
  const { turn: nth, turn_start: start, window: learned, ...rest } = saved;
  const by_name: Readonly<Record<string, unknown>> = { ...rest, nth, start, learned };
  const { turn, workspace, window, context, vision, notes } = state;
  state.steps = saved.steps;
  for (const group of [turn, workspace, window, context, vision, notes]) {
    for (const name of Object.keys(group)) {
      const value = by_name[name];
      if (value !== undefined && !OF_A_RUN.has(name)) Reflect.set(group, name, value);
    }
  }
}
