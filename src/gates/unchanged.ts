import { GO_ON, only_answers, type Rule, stateless } from "../guards/rule.ts";
import { changed_paths } from "../tools/ledger.ts";

const NAMED = 10;

/** `ask` and `plan`: no call of the run has changed a file of the workspace. One that was put back was changed twice. */
export function unchanged(): Rule {
  return stateless("unchanged", (moment, { mode, run }) => {
    if (moment.at !== "contract" || !only_answers(mode)) return GO_ON;
    const rows = run.filter((row) => row.kind === "file").filter(({ call }) => call !== null);
    if (rows.length === 0) return GO_ON;
    const left = changed_paths(rows);
    const changed = left.length > 0 ? left : [...new Set(rows.map(({ path }) => path))];
    const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : "";
    const text = `mode ${mode} changes no files, but this run changed ` +
      `${changed.slice(0, NAMED).join(", ")}${more}; ` + (left.length > 0
        ? "hamr undo puts that back"
        : "it was put back, which leaves nothing for hamr undo");
    return { kind: "stop", reason: "contract_unsatisfied", text };
  });
}
