/** Whether what an answer says to run on can be running. */
import type { View } from "../guards/rule.ts";
import type { CommandRow } from "../tools/ledger.ts";
import { is_idle } from "./claims.ts";
import { begins_beside, effect_of, works_elsewhere } from "./commands.ts";
import { could_run } from "./facts.ts";
import { plain } from "./text.ts";
import * as says from "./triggers.ts";
import { commands, going_on } from "./worked.ts";

/** Leaves the processes that the run can see, or is started by another. */
const HIDES = /\b(?:setsid|daemon|systemctl|service|launchctl|tmux|screen|at)\b/;
/** Looks at processes, ports or answers. */
const PROBES =
  /^(?:curl|wget|ss|netstat|nc|lsof|ps|pgrep|pidof|top|docker|podman|kubectl|systemctl|service|journalctl)\b/;

/** Whether a command could have begun something that runs on, or has seen that it does. */
function could_serve({ ledger, background }: View): boolean {
  return ledger.some((row) =>
    row.kind === "planned" || row.kind === "served" ||
    row.kind === "command" && going_on(row).some((part) =>
        PROBES.test(part) ||
        effect_of(part) === "act" && (background !== false || is_out_of_sight(row))
      )
  );
}

/** Whether a command begins what is elsewhere, or hides. */
function is_out_of_sight({ command }: CommandRow): boolean {
  return works_elsewhere(command) || HIDES.test(command);
}

/** Whether what commands of this turn have begun, to go on beside them, is known to have ended. */
export function has_ended({ actions, turn, background }: View): boolean {
  return background === false &&
    actions.some(({ name, args, ran }) => ran && name === "bash" && begins_beside(args)) &&
    !commands(turn).some(is_out_of_sight);
}

const TO_START =
  /(?:^|\b(?:and|then|please|you|und|et|y) |, )(run|(?:re)?start|launch|serve|(?:bring|spin|fire) up|starte?|lance|demarre|inicia|arranca)\b/;

/** Something is said to run that nothing can have begun, where that was the task or nothing ran at all. */
export function is_unbegun(said: readonly string[], view: View): boolean {
  const [, order] = TO_START.exec(plain(view.asked)) ?? [];
  const runs = said.some(says.claims_running);
  const told = order === undefined
    ? runs && is_idle(view) && !could_run(view)
    : is_idle(view) && (runs || said.some(says.tells_of_start)) || runs && order !== "run";
  return told && !could_serve(view) && !said.some(says.already);
}
