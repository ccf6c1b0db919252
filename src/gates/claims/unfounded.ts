/** The changes that an answer claims, and whether a fact bears them out. */
import { file_name } from "../answer/files.ts";
import type { Claim } from "../answer/claim.ts";
import type { View } from "../../guards/rule.ts";
import { type FinalAnswer } from "../answer/answer.ts";
import { asked_for } from "../answer/task.ts";
import { changed, could_be, could_install, is_another, is_built } from "../facts/facts.ts";
import { unmade } from "../facts/failed_changes.ts";
import { plain } from "../answer/text.ts";
import { claim_of } from "./claimed.ts";
import { disbelieved_by, is_idle } from "./idle.ts";

/** The files that it claims to have changed, and no call could have. */
export function unchanged_names(answer: FinalAnswer, view: View): readonly string[] {
  const is_founded = founded(view);
  return unfounded(answer, view).flatMap(({ names, what }) =>
    names.filter((name) => !is_founded({ what, names: [name] }))
  );
}

export function unfounded(answer: FinalAnswer, view: View): readonly Claim[] {
  const is_founded = founded(view);
  return claim_of(answer, view).filter((claim) => !is_founded(claim));
}

/** Tells whether a fact bears a claim out, by what is seen at one moment. */
function founded(view: View): (claim: Claim) => boolean {
  const missing = unmade(view.turn, { seen: true });
  const is_missing = (name: string) => missing.some((path) => is_file(path)(name));
  const paths = changed(view.ledger).map(plain);
  // What earlier runs did is no answer to a task of this one, where nothing was done for it.
  const idle = asked_for(view.asked).work && is_idle(view);
  // What a turn takes back of an earlier one is its own change.
  const own = [view.run, view.turn];
  return (claim) => {
    if (claim.names.some(is_missing) && (claim.context?.every(is_missing) ?? true)) return false;
    if (claim.names.some((name) => is_another(name, paths, view))) return false;
    const all = !idle ? [view.ledger, ...own] : claim.names.length > 0 ? own : [];
    // No edit installs what an installer could not.
    const unaided = claim.installs && !could_install(view.run);
    const rows = unaided ? all.map((some) => some.filter(({ kind }) => kind !== "file")) : all;
    const disbelieved = claim.what === "code" && !view.background
      ? "all"
      : unaided || claim.names.length > 0 && !view.background
      ? "programs"
      : disbelieved_by(view);
    return claim.what === "build" && is_built(view.run) ||
      rows.some((some) => could_be(claim, some, disbelieved));
  };
}

/** Whether a file named in `plain` text is this one. */
function is_file(path: string): (name: string) => boolean {
  const wanted = plain(file_name(path));
  return (name) => file_name(name) === wanted;
}
