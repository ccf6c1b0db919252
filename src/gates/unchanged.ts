import { GO_ON, only_answers, type Rule, stateless } from "../guards/rule.ts";
import { changed_paths } from "../tools/ledger.ts";

const NAMED = 10;

/** `ask` and `plan`: no call of the run leaves a file of the workspace changed. What was put back has not changed. */
export function unchanged(): Rule {
  return stateless("unchanged", (moment, { mode, run }) => {
    if (moment.at !== "contract" || !only_answers(mode)) return GO_ON;
    const changed = changed_paths(run.filter((row) => row.kind === "file" && row.call !== null));
    if (changed.length === 0) return GO_ON;
    const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : "";
    const text = `mode ${mode} changes no files, but this run changed ` +
      `${changed.slice(0, NAMED).join(", ")}${more}; hamr undo puts that back`;
    return { kind: "stop", reason: "contract_unsatisfied", text };
  });
}
