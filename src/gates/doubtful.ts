import {
  GO_ON,
  type GuardLimits,
  type Rule,
  rule,
  type StopReason,
  type Verdict,
  type View,
} from "../guards/rule.ts";
import type { LedgerRow } from "../tools/ledger.ts";
import {
  asks,
  type FinalAnswer,
  GREETS_NOBODY,
  is_slight,
  is_status,
  parsed,
} from "./answer/answer.ts";
import { files_in } from "./answer/files.ts";
import { asked_for } from "./answer/task.ts";
import { plain } from "./answer/text.ts";
import { admits_failure, tells_failing } from "./claims/admitted_failure.ts";
import { unchanged_names } from "./claims/unfounded.ts";
import { claim_of } from "./claims/claimed.ts";
import { reported_work } from "./claims/json_report.ts";
import { hands_over, is_helpless } from "./claims/instead.ts";
import { leaves_part, passes_over_refused } from "./claims/left_part.ts";
import { left_undone, names_unmade } from "./claims/never_made.ts";
import { claims_unmade } from "./claims/passed_over.ts";
import { doubt_of } from "./doubt_of.ts";
import { type Doubt, DOUBTS, facts_beside, WAYS, why_doubtful } from "./doubts.ts";
import { in_conflict, unmade } from "./facts/failed_changes.ts";
import { is_done } from "./facts/facts.ts";
import { facts_text } from "./facts/summary.ts";
import * as says from "./phrases/triggers.ts";

/** An answer that was asked about, and how many calls there were by then. */
interface Questioned {
  readonly answer: string;
  readonly calls: number;
}

/** A doubtful answer is asked about once a turn, whatever the number; with 0 it is judged at once. */
export interface DoubtSettings extends Pick<GuardLimits, "action_nudges" | "claim_nudges"> {
  /** Whether whoever gave the task can answer a question. */
  readonly talks?: boolean;
  /** Whether the answer has to be JSON: then only what it reports of the work is held against the facts. */
  readonly formed?: boolean;
}

/** What JSON may claim. */
const IN_JSON: readonly Doubt[] = ["change", "pass"];

/** May an `auto` run end with this answer? One that facts contradict, or that does nothing, is asked about once a turn; the next answer ends it. */
export function doubtful(settings: DoubtSettings): Rule {
  return rule<Questioned | null>({
    name: "doubtful",
    start: null,
    check(moment, seen, asked) {
      const go_on = { verdict: GO_ON, memory: asked };
      if (moment.at !== "ending" || seen.mode !== "auto") return go_on;
      const view = without_notes(moment.text, seen);
      if (settings.formed) return of_json(moment.text, { view, asked, settings });
      const answer = meant(moment.text, asked, view);
      // Who is there reads it, and may have refused it.
      const failed = admits_failure(answer, view) ||
        settings.talks !== true && leaves_part(answer.said, view);
      // An answer that begins with that is asked nothing, whatever else there is to say.
      const doubt = failed && tells_failing(answer, view) ? null : doubt_of(answer, view) ??
        (moment.refused === true && !is_done(view.turn) ? "refusal" : null) ??
        (settings.talks !== true && passes_over_refused(answer.said, view) ? "failed" : null);
      // Who is there can be asked, and knows what was refused.
      const is_known = doubt === "question" ||
        (doubt === "announcement" || doubt === "refusal") && waits(answer, view) ||
        view.actions.at(-1)?.refused === true;
      if (settings.talks && doubt !== null && is_known && !DOUBTS[doubt].is_claim) return go_on;
      if (doubt === null) {
        if (!failed) return { verdict: whole(moment.text, asked, view), memory: asked };
        const text = `The answer itself says so. ${facts_text(view)}`;
        return { verdict: { kind: "stop", reason: "not_done", text }, memory: asked };
      }
      const nudges = DOUBTS[doubt].is_claim ? settings.claim_nudges : settings.action_nudges;
      if (asked === null && nudges > 0) {
        const text = `${facts_text(view)}${facts_beside(doubt, view)} ${WAYS}`;
        const memory = { answer: moment.text, calls: view.calls };
        return { verdict: { kind: "nudge", text }, memory };
      }
      const reason = end_of(doubt, answer, view);
      if (reason === null) return { verdict: whole(moment.text, asked, view), memory: asked };
      const unsaid = doubt === "status" && unmade(view.turn, { seen: true }).length > 0;
      const names = unchanged_names(answer, view).map(written_in(`${answer.text} ${view.asked}`));
      const what = why_doubtful(unsaid ? "attempt" : doubt, names);
      const text = `${what} ${facts_text(view)}`;
      return { verdict: { kind: "stop", reason, text }, memory: asked };
    },
  });
}

/** Whether it asks for something before what it announces. */
function waits({ said }: FinalAnswer, { actions }: View): boolean {
  return actions.length === 0 && said.some((one) => asks(one) || says.requests(one));
}

/** The same of an answer that has to be JSON, and that goes on as it is. */
function of_json(
  text: string,
  { view, asked, settings }: { view: View; asked: Questioned | null; settings: DoubtSettings },
): { verdict: Verdict; memory: Questioned | null } {
  const report = reported_work(text, view);
  const found = report === "" ? null : doubt_of(parsed(report), view);
  if (found === null || !IN_JSON.includes(found)) return { verdict: GO_ON, memory: asked };
  if (asked === null && settings.claim_nudges > 0) {
    const memory = { answer: text, calls: view.calls };
    return { verdict: { kind: "nudge", text: `${facts_text(view)} ${WAYS}` }, memory };
  }
  const stop = `${why_doubtful(found, [])} ${facts_text(view)}`;
  return { verdict: { kind: "stop", reason: "contract_unsatisfied", text: stop }, memory: asked };
}

/** A todo list is no work, unless one was asked for; nor is a fact in memory where a file was to be changed, and nobody speaks of facts. */
function without_notes(text: string, view: View): View {
  const { asked, ledger } = view;
  const in_file = asked_for(asked).change && files_in(plain(asked)).length > 0;
  const wanted = [
    ...(OF_LISTS.test(asked) ? ["todo"] : []),
    ...(!in_file || OF_FACTS.test(`${asked} ${text}`) ? ["memory"] : []),
    "subagent",
  ];
  const counts = (row: LedgerRow) => row.kind !== "noted" || wanted.includes(row.what);
  if (ledger.every(counts)) return view;
  const rest = (rows: readonly LedgerRow[]) => rows.filter(counts);
  return { ...view, ledger: rest(ledger), turn: rest(view.turn), run: rest(view.run) };
}

const OF_LISTS =
  /\b(?:to-?do|list|plan|tasks?|steps|liste|aufgaben|taches|tareas)\b|计划|任务|清单|リスト/i;
const OF_FACTS =
  /\b(?:memor\w*|remember\w*|noted?|notes?|facts?|sav(?:e|ed|ing)|stor(?:e|ed|ing)|prefer\w*|learn\w*|keep in mind|sessions?|recuerd\w*|guard\w*|retiens|retenu\w*|merk\w*|gemerkt|notier\w*)\b|记|覚え|メモ|기억|запомн/i;

/** A name as a text has it: it was read without capitals, accents and marks. */
function written_in(text: string): (name: string) => string {
  const words = text.split(/[\s`*"'()[\]<>,;:]+/).map((word) => word.replace(/[.!?]+$/, ""));
  return (name) => words.find((word) => plain(word) === name) ?? name;
}

/** What an answer says: "My answer stands", with nothing done since, says what that one said. */
function meant(text: string, asked: Questioned | null, { calls }: View): FinalAnswer {
  const answer = parsed(text);
  const stands = asked !== null && asked.calls === calls && answer.said.length > 0 &&
    answer.said.every(says.refers_back);
  return stands ? parsed(asked.answer) : answer;
}

/** "My answer stands" after a question: what stands is told as well, unless it told nothing, or the facts deny it still. */
function whole(text: string, asked: Questioned | null, view: View): Verdict {
  if (asked === null || !is_slight(text) || text.length > asked.answer.length) return GO_ON;
  const answer = parsed(asked.answer);
  if (is_status(answer.text, GREETS_NOBODY) || is_helpless(answer)) return GO_ON;
  const doubt = doubt_of(answer, view);
  return doubt !== null && DOUBTS[doubt].is_claim
    ? GO_ON
    : { kind: "go_on", answer: `${asked.answer.trim()}\n\n${text.trim()}` };
}

/** What ends the run; null if the answer may be after all. */
function end_of(doubt: Doubt, answer: FinalAnswer, view: View): StopReason | null {
  if (DOUBTS[doubt].is_claim) return "contract_unsatisfied";
  if (doubt === "failed") {
    const refused = view.actions.at(-1)?.refused === true && claim_of(answer, view).length === 0;
    return refused ? "not_done" : "contract_unsatisfied";
  }
  if (doubt === "unmade") {
    const is_claimed = names_unmade(answer, view) || claims_unmade(answer, view) ||
      in_conflict(view.turn).length > 0;
    if (is_claimed) return "contract_unsatisfied";
    return is_slight(answer.text) && left_undone(view).length > 0 ? "not_done" : null;
  }
  if (doubt === "code") {
    const is_left = asked_for(view.asked).repair ||
      answer.said.some((one) => hands_over(one) || says.proposes(one));
    return is_left ? "not_done" : null;
  }
  const answered = is_done(view.turn) ||
    (view.actions.length > 0 && asked_for(view.asked).question);
  return doubt !== "announcement" || !answered || is_helpless(answer) ? "not_done" : null;
}
