import { GO_ON, type Rule, stateless } from "../guards/rule.ts";
import { short_line } from "../model/errors.ts";
import { plain } from "./answer/text.ts";

/** As the system prompt spells it. */
const AS_TOLD = /NOT DONE/;
/** Headings may be before it; emphasis and case make no difference. */
const MARKER =
  /^\s*(?:#{1,6} [^\n]*\n\s*)*(?:#{1,6} )?["'`([]*not[ _-]?done["'`)\]]*\s*(?:[:.\-–—]|\n|$)/;
/** An apology may, too, where it is written as it was asked for. */
const AFTER_WORDS = /^[^\n]{0,120}[.!]\s+[*_`]*NOT DONE[*_`]*:/;
/** An answer that stands in a fence as a whole. */
const FENCED = /^```\w*\n([^`]*)\n```$/;
/** One that is a quotation as a whole. */
const ALL_QUOTED = /^(?:>[^\n]*(?:\n|$))+$/;
/** Where the marker is, if it is anywhere: all headings before it are shorter. */
const HEAD_CHARS = 4000;
/** Enough to say why. */
const REASON_CHARS = 300;

const TRY =
  "No call was made yet. Try the task with the tools; if it still can't be done, repeat the answer.";

/** What is before the reason, as it was written. */
const BEFORE_REASON = /^[\s\S]*?not[ _-]?done[^\p{L}\p{N}]*/iu;

function bare_text(text: string): string {
  const whole = text.trim();
  return ALL_QUOTED.test(whole) ? whole.replace(/^> ?/gm, "") : whole.replace(FENCED, "$1");
}

/** The first line of the reason, for the log and the result. */
function reason_of(text: string): string {
  const reason = short_line(bare_text(text).replace(BEFORE_REASON, "").trim(), REASON_CHARS);
  return reason === "" ? "the model gave no reason" : reason;
}

/** Whether an answer begins with the marker that the system prompt names. */
function says_not_done(text: string): boolean {
  const head = bare_text(text).slice(0, HEAD_CHARS);
  return MARKER.test(plain(head)) || AFTER_WORDS.test(head);
}

/** An answer that begins with `NOT DONE:` ends the run in `not_done`. If nothing was tried yet, the model is asked once to try (`nudges`). */
export function not_done(settings: { readonly nudges: number }): Rule {
  return stateless("not_done", (moment, view) => {
    if (moment.at !== "ending" || !says_not_done(moment.text)) return GO_ON;
    // A user who asks which tasks are not done may be told.
    if (/not done/i.test(view.asked) && !AS_TOLD.test(moment.text)) return GO_ON;
    const untried = view.calls === 0 && view.run_steps <= 1;
    return untried && settings.nudges > 0
      ? { kind: "nudge", text: TRY }
      : { kind: "stop", reason: "not_done", text: reason_of(moment.text) };
  });
}
