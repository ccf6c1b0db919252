/** Whether what an answer says to run on can be running. */
import type { View } from "../../guards/rule.ts";
import { asked_for } from "../answer/task.ts";
import { is_idle } from "./idle.ts";
import {
  begins_beside,
  could_test,
  effect_of,
  parts_of,
  works_elsewhere,
} from "../facts/commands.ts";
import { could_run } from "../facts/facts.ts";
import { plain } from "../answer/text.ts";
import * as says from "../phrases/triggers.ts";
import { commands, going_on, worked_parts } from "../facts/outcomes.ts";

/** Leaves the processes that the run can see, or is started by another. */
const HIDES = /\b(?:setsid|daemon|systemctl|service|launchctl|tmux|screen|at)\b/;
/** Looks at processes, ports or answers. */
const PROBES =
  /^(?:curl|wget|ss|netstat|nc|lsof|ps|pgrep|pidof|top|docker|podman|kubectl|systemctl|service|journalctl)\b/;

/** Whether a command could have begun something that runs on, or has seen that it does. */
function could_serve({ ledger, actions }: View): boolean {
  return actions.some(begins_beside) ||
    ledger.some((row) =>
      row.kind === "planned" || row.kind === "served" ||
      row.kind === "command" &&
        going_on(row).some((part) => effect_of(part) === "act" || PROBES.test(part))
    );
}

/** Whether what commands of this turn have begun, to go on beside them, is known to have ended; what is elsewhere, or hides, is not. */
function has_ended({ actions, turn, background }: View): boolean {
  return background === false &&
    actions.some(begins_beside) &&
    !commands(turn).some(({ command }) => works_elsewhere(command) || HIDES.test(command));
}

const TO_START =
  /(?:^|\b(?:and|then|please|you|und|et|y) |, )(?:run|(?:re)?start|launch|serve|(?:bring|spin|fire) up|starte?|lance|demarre|inicia|arranca)\b(?! (?:using|with|to|by|from)\b)/;

/** "The server runs on port 80": where it was to be started, that it does so now. */
const RUNS_AT =
  /(?:^|[;,] )(?:the |your |it )(?:\S+ ){0,3}?(?:now )?(?:runs|listens|serves) (?:on|at|under)\b/;

/** Whether an answer says of what has ended, and nothing of its end, that it runs on. */
export function runs_no_more(said: readonly string[], view: View): boolean {
  const is_started = /\b(?:start|launch|serve|up)\b/.test(
    TO_START.exec(plain(view.asked))?.[0] ?? "",
  );
  return said.some((one) => says.claims_running(one) || is_started && RUNS_AT.test(one)) &&
    has_ended(view) && !said.some(says.tells_of_end);
}

/** Whether an answer says of the only process that runs beside the calls, and that was to be ended, that it has ended. */
export function is_not_ended(said: readonly string[], view: View): boolean {
  return view.background === true && !asked_for(view.asked).question &&
    TO_STOP.test(plain(view.asked)) &&
    view.actions.filter(begins_beside).length === 1 &&
    said.some((one) =>
      says.tells_of_end(one) && !says.falls_short(one) && !says.leaves_undone(one)
    );
}

const TO_STOP =
  /(?:^|\b(?:and|then|please|und|dann|et|puis|y|e) |, )(?:stop|kill|terminate|shut|end|beende|stoppe?|arrete|deten(?:lo)?|para(?:lo)?|fermalo?)\b/;

/** Something is said to run that nothing can have begun, where that was the task or nothing ran at all. */
export function is_unbegun(said: readonly string[], view: View): boolean {
  const told = TO_START.test(plain(view.asked))
    ? said.some((one) => says.claims_running(one) || says.tells_of_start(one))
    : !could_run(view) && said.some(says.claims_running);
  return told && is_idle(view) && !could_serve(view) && !said.some(says.already);
}

const REQUEST = /^(?:curl|wget|https?|xh)\b/;
const ANSWERS =
  /\b(?:status|http|returns?|returned|answers?|answered|responds?|responded|with|code|got|gives?) (?:(?:with|an?|the|http|status|code)[ :]*)*200\b|\b200 ok\b|\bserves\b|\breachable\b/;

/** Whether a sentence says that a server answers, though each request of the turn is known to have failed, and nothing else was run since. */
export function answers_nothing(said: readonly string[], { turn }: View): boolean {
  if (!said.some((one) => ANSWERS.test(one) && !says.falls_short(one))) return false;
  const ran = commands(turn);
  const asks = (part: string) => REQUEST.test(part);
  const last = ran.findLastIndex(({ command }) => parts_of(command).some(asks));
  return last >= 0 &&
    !ran.slice(last + 1).some(({ command }) => parts_of(command).some(could_test)) &&
    ran.every((row) => !worked_parts(row).some(asks)) &&
    !said.some((one) => says.falls_short(one) || says.tells_failure(one));
}
