import { GO_ON, only_answers, type Rule, rule, type View } from "../guards/rule.ts";
import { one_line } from "../model/errors.ts";
import { changed_files } from "../tools/ledger.ts";
import { is_claim, is_history, is_opening_claim, is_passive_claim } from "./phrases/mod.ts";
import { asks, read, sentences } from "./text.ts";

/** Commands named in a nudge, the last ones, and how much of each: enough to recognise them. */
const NAMED_COMMANDS = 3;
const COMMAND_CHARS = 60;

/**
 * May a turn end with a change that the ledger denies? A claim ("I fixed the bug"), or in `auto` mode an
 * edit that was tried, wants a changed file: up to `nudges` nudges a turn that name what the ledger shows,
 * then `contract_unsatisfied`. The memory is the number of nudges given.
 */
export function claims(settings: { readonly nudges: number }): Rule {
  return rule<number>({
    name: "claims",
    start: 0,
    check(moment, view, given) {
      if (moment.at !== "ending" || only_answers(view.mode)) {
        return { verdict: GO_ON, memory: given };
      }
      if (has_changed(view.ledger)) return { verdict: GO_ON, memory: given };
      // An edit that worked and was put back, as for debugging, asks for no change; a claim still does.
      const tried = view.mode === "auto" && !view.ledger.some((row) => row.kind === "file") &&
        view.turn.some((row) => row.kind === "attempt");
      if (!tried && !claims_change(moment.text)) return { verdict: GO_ON, memory: given };
      if (given >= settings.nudges) {
        const text = `The model's answer is not backed by what it did. ${evidence(view)}`;
        return { verdict: { kind: "stop", reason: "contract_unsatisfied", text }, memory: given };
      }
      // An honest "nothing was changed" is an ending only where no change was asked for or tried.
      const retract = tried || view.mode === "patch" ? "" : ", or say that nothing was changed";
      const text = `${evidence(view)} Make the change with a tool now${retract}.`;
      return { verdict: { kind: "nudge", text }, memory: given + 1 };
    },
  });
}

/** In a dry run, what would have been done counts: nothing else was asked for. */
function has_changed(ledger: View["ledger"]): boolean {
  return ledger.some((row) => row.kind === "planned") || changed_files(ledger).length > 0;
}

/** What the ledger shows of a session without a changed file. */
function evidence(view: View): string {
  const commands = view.ledger.filter((row) => row.kind === "command");
  const attempts = view.ledger.filter((row) => row.kind === "attempt");
  const failed = attempts.filter((row) => !row.ok).length;
  const named = commands.slice(-NAMED_COMMANDS).map((row) =>
    `\`${one_line(row.command, COMMAND_CHARS)}\` (exit code ${row.exit_code ?? "none"})`
  );
  const run = commands.length === 0 ? "none" : `${commands.length}, last ${named.join(", ")}`;
  const back = view.ledger.some((row) => row.kind === "file");
  const files = back
    ? "Every file that was changed is back as it was."
    : "No file of the workspace has changed.";
  return `${files} ` +
    `Commands run: ${run}; edits tried: ${attempts.length}, failed: ${failed}.`;
}

function claims_change(text: string): boolean {
  const { head, tail, whole } = read(text);
  const blocks = whole ? head : [...head, ...tail];
  const said = blocks.flatMap(sentences).filter((sentence) => !asks(sentence));
  if (said.some(is_claim)) return true;
  if (is_history(blocks.flatMap(sentences).join("\n"))) return false;
  const first = head[0];
  const opening = first?.kind === "prose" ? sentences(first).slice(0, 2) : [];
  return opening.some(is_opening_claim) || said.some(is_passive_claim);
}
