/** What guards and gates have to be shown besides the ledger: what still runs, and what stands only in an answer. */
import { only_told } from "../gates/claims/missing_files.ts";
import { unshown_figures } from "../gates/claims/figures.ts";
import { left_over } from "../gates/claims/search_results.ts";
import { unshown_output } from "../gates/claims/shown_output.ts";
import { begins_beside } from "../gates/facts/commands.ts";
import { changed } from "../gates/facts/facts.ts";
import { plain } from "../gates/answer/text.ts";
import type { AskedCall } from "../guards/rule.ts";
import type { Session } from "./session.ts";

/** Before a call counts as a repeat in this turn, look at what it left running; other calls are not worth that time. */
export async function look_closer(session: Session, wanted: readonly AskedCall[]): Promise<void> {
  const { state } = session;
  const known = wanted.some(({ name, args }) =>
    state.turn.actions.filter((action) => action.name === name && action.args === args).length > 1
  );
  if (known) await look_at_left(session);
}

/** Before the turn ends, looks again at what its commands may have left running, and for files and figures that only the answer has. */
export async function look_for_left(session: Session, answer: string): Promise<void> {
  const { state, history: { messages }, services } = session;
  if (state.turn.actions.some(begins_beside)) await look_at_left(session);
  // Only then is it asked; and what a compaction left out may have shown them.
  const seen = state.mode === "auto" && state.context.compactions.length === 0 ? messages : null;
  const paths = seen === null ? [] : only_told(answer, seen);
  state.workspace.unshown = seen === null
    ? []
    : [...unshown_figures(answer, state.turn.asked, seen), ...unshown_output(answer, seen)];
  state.workspace.left_over = seen === null
    ? ""
    : left_over(answer, state.turn.asked, seen, changed(state.ledger));
  state.workspace.nowhere = paths.length === 0
    ? []
    : (await (await services()).tools_client.absent(paths)).map(plain);
}

async function look_at_left({ state, services }: Session): Promise<void> {
  state.workspace.background = await (await services()).tools_client.is_busy();
}
