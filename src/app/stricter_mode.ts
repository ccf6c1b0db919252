import type { Mode } from "../guards/rule.ts";

/** By how much they may change, the most first. */
export const MODES_BY_RIGHTS: readonly Mode[] = ["auto", "patch", "ask", "plan"];

/** The mode of a workspace's agent or command that has the name of one of the user's: it may change no more than that. Null: the run's own. */
export function stricter(mode: Mode | null, users: Mode | null): Mode | null {
  const rank = (one: Mode | null) => MODES_BY_RIGHTS.indexOf(one ?? "auto");
  return rank(users) > rank(mode) ? users : mode;
}
