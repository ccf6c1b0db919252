import { GO_ON, only_answers, type Rule, rule } from "../guards/rule.ts";
import { changed_files } from "../tools/ledger.ts";

/** Files that are named. */
const NAMED = 10;

/** `ask` and `plan`: no call of the run leaves a file of the workspace changed. What was put back has not changed. */
export function unchanged(): Rule {
  return rule<null>({
    name: "unchanged",
    start: null,
    check(moment, { mode, run }) {
      const changed = moment.at === "contract" && only_answers(mode)
        ? changed_files(run.filter((row) => row.kind === "file" && row.call !== null))
        : [];
      if (changed.length === 0) return { verdict: GO_ON, memory: null };
      const more = changed.length > NAMED ? ` and ${changed.length - NAMED} more` : "";
      const text = `mode ${mode} changes no files, but this run changed ` +
        `${changed.slice(0, NAMED).join(", ")}${more}; hamr undo puts that back`;
      return {
        verdict: { kind: "stop", reason: "contract_unsatisfied", text },
        memory: null,
      };
    },
  });
}
