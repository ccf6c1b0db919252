import { GO_ON, type Rule, stateless } from "../guards/rule.ts";

const STOP = "No file of the workspace differs from the start of the run.";
const INSTRUCTION = " Make the change the task asks for in the files themselves.";

/** `patch` mode: at least one file of the workspace differs from the start of the run, whichever tool did it. */
export function patch(): Rule {
  return stateless("patch", (moment, view) => {
    const holds = moment.at !== "contract" || view.mode !== "patch" || view.changed.length > 0;
    return holds
      ? GO_ON
      : { kind: "stop", reason: "contract_unsatisfied", text: STOP, instruction: INSTRUCTION };
  });
}
