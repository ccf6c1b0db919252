import { GO_ON, type Rule, rule, type View } from "../guards/rule.ts";
import { is_status } from "./phrases/mod.ts";
import { plain } from "./text.ts";

/** Longer than any status with a farewell; what is longer is not looked at. */
const STATUS_CHARS = 200;

const NUDGE =
  "That is only a status, and nothing was done in this turn. Do the task with tools, or give the answer itself.";
const STOP =
  "The model reported only a status, but nothing was done: no file changed and no command succeeded in this turn.";

/**
 * May a turn end with a bare status ("Done.")? Not while the ledger shows nothing done in it: up to
 * `nudges` nudges a turn, then `contract_unsatisfied`. The memory is the number of nudges given.
 */
export function status_only(settings: { readonly nudges: number }): Rule {
  return rule<number>({
    name: "status_only",
    start: 0,
    check(moment, view, given) {
      if (moment.at !== "ending" || something_done(view) || !only_status(moment.text)) {
        return { verdict: GO_ON, memory: given };
      }
      return given < settings.nudges
        ? { verdict: { kind: "nudge", text: NUDGE }, memory: given + 1 }
        : { verdict: { kind: "stop", reason: "contract_unsatisfied", text: STOP }, memory: given };
    },
  });
}

function something_done(view: View): boolean {
  return view.turn.some((row) => {
    switch (row.kind) {
      case "file":
      case "planned":
      case "ref":
      case "path":
        return true;
      case "noted":
        return row.ok;
      case "command":
      case "verification":
        return row.exit_code === 0;
      case "attempt":
        return false;
    }
  });
}

/** Digits and names keep a reply from being a status: "5/5 done" and "request.complete" say something. */
function only_status(text: string): boolean {
  const trimmed = text.trim();
  if (trimmed.length > STATUS_CHARS || /\w[._]\w/.test(trimmed)) return false;
  const letters = plain(trimmed)
    .replaceAll("'", "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
  return is_status(letters);
}
