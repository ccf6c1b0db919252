/** What there is in a conversation for the `/` commands of other agents, and for mistyped ones. */
import { mistyped } from "../../config/text.ts";
import { FIRST_WORDS } from "../args/commands.ts";
import { our_command } from "../args/other_names.ts";

/** What stands in the input after a command of other agents that is a task here. */
export const OTHERS_TASKS: ReadonlyMap<string, string> = new Map([
  ["init", "Write an AGENTS.md for this project"],
  ["review", "Review what `git diff HEAD` shows: what does it break? Change nothing."],
]);

const IN_A_CHAT: ReadonlyMap<string, string> = new Map([
  ["editor", "ctrl-g"],
  ["mention", "@"],
  ["details", "ctrl-o"],
  ["add-dir", "/permissions --add-dir=DIR"],
  ["image", "ctrl-v, or @FILE"],
  ["clean", "/ps"],
]);

export function instead_of(name: string, names: readonly string[]): string {
  const here = OTHERS_TASKS.get(name) ?? IN_A_CHAT.get(name);
  const ours = here ?? our_command(name) ?? (FIRST_WORDS.includes(name) ? `hamr ${name}` : null);
  if (ours !== null) return `${ours.startsWith("hamr ") ? "in a shell" : "instead"}: ${ours}`;
  const near = mistyped(name, names);
  return near === null ? "/help lists them" : `did you mean /${near}?`;
}
