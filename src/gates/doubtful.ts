import { files_in, names_file } from "./answer/files.ts";
import { names_never_made, names_unmade, never_made } from "./claims/never_made.ts";
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
  is_announcement,
  is_slight,
  is_status,
  is_wanted,
  parsed,
} from "./answer/answer.ts";
import { asked_for } from "./answer/task.ts";
import {
  claim_of,
  disbelieved_by,
  is_idle,
  is_unseen,
  unchanged_names,
  unfounded,
} from "./claims/changes.ts";
import { CLAIMS, type Doubt, FACTS_BESIDE, WAYS, why_doubtful } from "./doubts.ts";
import { has_failed, is_checked, is_done, made } from "./facts/facts.ts";
import { fails_unsaid, is_to_run, tells_of_failed } from "./claims/unsaid_failure.ts";
import { facts_text } from "./facts/summary.ts";
import { given_up, in_conflict, unmade } from "./facts/failed_changes.ts";
import {
  affirmed,
  could_pass,
  names_failed,
  names_passed,
  parts_that_pass,
  tells_of_pass,
} from "./claims/passes.ts";
import { counts_failures, NO_RESULT } from "./phrases/reports.ts";
import { leaves_part, passes_over_refused } from "./claims/left_part.ts";
import { touches_forbidden } from "./claims/left_alone.ts";
import { leaves_out_changes } from "./claims/nothing_else.ts";
import { denied_by_search } from "./claims/nothing_left.ts";
import { prints_call } from "./answer/printed_call.ts";
import { type Block, plain, unwrapped } from "./answer/text.ts";
import { is_unbegun, runs_no_more } from "./claims/servers.ts";
import * as says from "./phrases/triggers.ts";
import { claims_unrun } from "./claims/commands.ts";
import { forgets_file } from "./claims/lists.ts";
import { claims_ordered_check } from "./claims/ordered_checks.ts";
import { admits_failure } from "./claims/admitted_failure.ts";
import { only_looked } from "./facts/outcomes.ts";

/** An answer that was asked about, and how many calls there were by then. */
interface Questioned {
  readonly answer: string;
  readonly calls: number;
}

/** A doubtful answer is asked about once a turn, whatever the number; with 0 it is judged at once. */
export interface DoubtSettings extends Pick<GuardLimits, "action_nudges" | "claim_nudges"> {
  /** Whether whoever gave the task can answer a question. */
  readonly talks?: boolean;
}

/** May an `auto` run end with this answer? One that facts contradict, or that does nothing, is asked about once a turn; the next answer ends it. */
export function doubtful(
  settings: DoubtSettings,
): Rule {
  return rule<Questioned | null>({
    name: "doubtful",
    start: null,
    check(moment, seen, asked) {
      const go_on = { verdict: GO_ON, memory: asked };
      if (moment.at !== "ending" || seen.mode !== "auto") return go_on;
      const view = without_list(seen);
      const answer = meant(moment.text, asked, view);
      // Who is there reads it, and may have refused it.
      const failed = admits_failure(answer, view) ||
        settings.talks !== true && leaves_part(answer.said, view);
      // An answer that begins with that is asked nothing, whatever else there is to say.
      const doubt = failed && says.admits(answer.said[0] ?? "") ? null : doubt_of(answer, view) ??
        (settings.talks !== true && passes_over_refused(answer.said, view) ? "failed" : null);
      // Who is there can be asked, and knows what was refused.
      const is_known = doubt === "question" || view.actions.at(-1)?.refused === true;
      if (settings.talks && doubt !== null && is_known && !CLAIMS.has(doubt)) return go_on;
      if (doubt === null) {
        if (!failed) return { verdict: whole(moment.text, asked, view), memory: asked };
        const text = `The answer itself says so. ${facts_text(view)}`;
        return { verdict: { kind: "stop", reason: "not_done", text }, memory: asked };
      }
      const nudges = CLAIMS.has(doubt) ? settings.claim_nudges : settings.action_nudges;
      if (asked === null && nudges > 0) {
        const { nowhere, unshown } = view;
        const missing = nowhere.length > 0 ? ` Not in the workspace: ${nowhere.join(", ")}.` : "";
        const figures = unshown.length > 0 ? `${NO_RESULT}${unshown.join(", ")}.` : "";
        const text = `${facts_text(view)}${missing}${figures}${FACTS_BESIDE[doubt] ?? ""} ${WAYS}`;
        const memory = { answer: moment.text, calls: view.calls };
        return { verdict: { kind: "nudge", text }, memory };
      }
      const reason = end_of(doubt, answer, view);
      if (reason === null) return { verdict: whole(moment.text, asked, view), memory: asked };
      const unsaid = doubt === "status" && unmade(view.turn, { seen: true }).length > 0;
      const what = why_doubtful(unsaid ? "attempt" : doubt, unchanged_names(answer, view));
      const text = `${what} ${facts_text(view)}`;
      return { verdict: { kind: "stop", reason, text }, memory: asked };
    },
  });
}

/** A todo list is no work, unless one was asked for. */
function without_list(view: View): View {
  const is_list = (row: LedgerRow) => row.kind === "noted" && row.what === "todo";
  if (OF_LISTS.test(view.asked) || !view.ledger.some(is_list)) return view;
  const rest = (rows: readonly LedgerRow[]) => rows.filter((row) => !is_list(row));
  return { ...view, ledger: rest(view.ledger), turn: rest(view.turn), run: rest(view.run) };
}

const OF_LISTS =
  /\b(?:to-?do|list|plan|tasks?|steps|liste|aufgaben|taches|tareas)\b|计划|任务|清单|リスト/i;

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
  return doubt !== null && CLAIMS.has(doubt)
    ? GO_ON
    : { kind: "go_on", answer: `${asked.answer.trim()}\n\n${text.trim()}` };
}

/** What ends the run; null if the answer may be after all. */
function end_of(doubt: Doubt, answer: FinalAnswer, view: View): StopReason | null {
  if (CLAIMS.has(doubt)) return "contract_unsatisfied";
  if (doubt === "failed") {
    const refused = view.actions.at(-1)?.refused === true && claim_of(answer, view).length === 0;
    return refused ? "not_done" : "contract_unsatisfied";
  }
  if (doubt === "unmade") {
    const is_claimed = names_unmade(answer, view) || claims_unmade(answer, view) ||
      in_conflict(view.turn).length > 0;
    if (is_claimed) return "contract_unsatisfied";
    return is_slight(answer.text) && never_made(view).length > 0 ? "not_done" : null;
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

function doubt_of(answer: FinalAnswer, view: View): Doubt | null {
  const asked = asked_for(view.asked);
  if (names_unmade(answer, view)) return "unmade";
  if (unfounded(answer, view).length > 0 || unfounded(shown(answer, view), view).length > 0) {
    return is_status(answer.text, GREETS_NOBODY) ? "status" : "change";
  }
  if (claims_ordered_check(answer.said, view)) return "pass";
  if (asked.words) return null;
  const rows = in_table(answer, view);
  // "`pytest --cov-fail-under=90` passes" tells of none.
  const plainly = [...answer.said, ...rows].map((one) => one.replace(/--\S+/g, ""));
  const told_failure = tells_of_failed(answer.said, view) ||
    plainly.some((one) => says.tells_failure(one) || counts_failures(one) || /: fail/.test(one));
  const said = answer.said.filter((sentence) => !asks(sentence));
  const passes = [...said, ...rows, ...affirmed(said, view)].filter((one) =>
    (tells_of_pass(one, view) || rows.includes(one) && ROW_PASSES.test(one)) &&
    !says.supposes_pass(one) && !names_passed(one, view)
  );
  const told = {
    taken_back: said.some(says.takes_back),
    history: !asked.work,
    short: said.some(says.falls_short),
  };
  if (
    !told_failure && said.some((one) => !says.supposes_pass(one) && names_failed(one, view)) ||
    !told_failure && !asked.theory &&
      passes.flatMap((one) => parts_that_pass(one, view)).some((one) =>
        !could_pass(view, {
          ...told,
          claim: one,
          tests: says.speaks_of_tests(one) ||
            !says.speaks_of_builds(one) && says.speaks_of_tests(plain(view.asked)),
          whole: says.speaks_of_all_tests(one, plain(view.asked)),
        })
      )
  ) return "pass";
  if (claims_unrun(answer.text, said, view)) return "command";
  if (denied_by_search({ ...answer, said }, view)) return "leftover";
  if (runs_no_more(said, view) || !asked.question && is_unbegun(said, view)) return "server";
  if (fails_unsaid(answer, view)) return "failed";
  if (leaves_out_changes(answer, view)) return "beside";
  if (touches_forbidden(answer, view)) return "forbidden";
  if (view.unshown.length > 0 && !told_failure) return "figure";
  if (is_status(answer.text, asked) && !is_wanted(answer.text, view)) {
    const rows = asked.question ? view.ledger : view.turn;
    if (!is_checked(rows, disbelieved_by(view))) return "status";
    return passes_over(answer, view) ? "unmade" : null;
  }
  if (asked.change && says_nothing(answer, view)) return "word";
  const done = is_done(view.turn);
  if (!done && !has_failed(view) && refuses(answer, view)) return "refusal";
  if (!asked.greeting && !asked.echo && !done && asks_person(answer, view)) return "question";
  if (!asked.plan && announces(answer)) return "announcement";
  if (!done && asked.change && prints_call(answer.text)) return "announcement";
  if (!done && (shows_change(answer, view) || is_untouched(view))) return "code";
  if (names_never_made(answer, view)) return "change";
  const last = asked.change || asked.work && !(is_to_run(view.asked) && is_checked(view.turn))
    ? view.turn.findLast(({ kind }) => kind === "attempt")
    : view.turn.at(-1);
  if (answer.said.some((one) => says.already(one) || says.admits(one))) return null;
  if (forgets_file(answer.text, view)) return "unmade";
  if (!done && !asked.question && last?.kind === "attempt" && !last.ok) return "attempt";
  return passes_over(answer, view) ? "unmade" : null;
}

const ROW_PASSES = /: (?:pass(?:es|ed|ing)?|ok|green)\W*$/;
/** The rows of tables, and what stands in a block that is all of an answer. */
function in_table({ text, said, blocks }: FinalAnswer, { asked }: View): readonly string[] {
  const { work, question } = asked_for(asked);
  if (!work || question) return [];
  if (said.length === 0) return PROGRAM.test(text) ? [] : parsed(unwrapped(text)).said;
  const rows = blocks.flatMap(({ lines }) => lines).filter((line) => /^\|.*\|/.test(line));
  return parsed(unwrapped(rows.join("\n"))).said;
}

/** An answer that is nothing but a table, a quotation or a block of text, read as if it was said; none if there is more to it. */
function shown(answer: FinalAnswer, view: View): FinalAnswer {
  const { work, question, echo } = asked_for(view.asked);
  const is_shown = answer.said.length === 0 && !PROGRAM.test(answer.text) && work && !question &&
    !echo;
  return parsed(is_shown && is_idle(view) ? unwrapped(answer.text) : "");
}

/**
 * It says nothing of a file whose change failed and was not made in another way, and claims changes, or the task names that
 * file; or it is the answer to a task for a change, or only a status, and nothing was changed.
 */
function passes_over(answer: FinalAnswer, view: View): boolean {
  const { question, change, work, optional, conditional } = asked_for(view.asked);
  const unsaid = (paths: readonly string[]) => paths.some((path) => !names_file(answer.text, path));
  const missing = unmade(view.turn);
  const is_over_all = () =>
    work && answer.said.some((one) => says.tells_of_all(one.replace(ALL_TESTS, "")));
  if (unsaid(missing) && (is_over_all() || claim_of(answer, view).length > 0)) return true;
  if (change && !optional && !conditional && unsaid(never_made(view))) return true;
  const status = is_status(answer.text, GREETS_NOBODY);
  const wanted = missing.filter((path) => names_file(view.asked, path, { stem: true }));
  if (change && !status && unsaid(wanted)) return true;
  return (change || !question && status) &&
    unsaid(given_up(view.turn, { acts: !change }));
}

const ALL_TESTS = /\b(?:all|both|each|every) (?:\S+ ){0,2}?(?:tests?|specs?|checks|suites?)\b/g;

/** Whether a claim can only be the change that failed: the task names its file or nothing else was done, and no file has changed. */
function claims_unmade(answer: FinalAnswer, view: View): boolean {
  const claims = is_status(answer.text, GREETS_NOBODY) || claim_of(answer, view).length > 0;
  const missing = unmade(view.turn);
  return claims && asked_for(view.asked).work && made(view.run).length === 0 &&
    given_up(view.turn, { acts: false })
      .some((path) =>
        missing.includes(path) && (names_file(view.asked, path, { stem: true }) || is_idle(view))
      );
}

/** A word or two, where nothing was done or checked: "Stopped." What is denied so is an answer: "No typos." */
function says_nothing({ text, said }: FinalAnswer, view: View): boolean {
  const [one = ""] = said;
  return said.length === 1 && is_slight(text) &&
    /^\p{sc=Latin}+(?: \p{sc=Latin}+)?[.!]*$/u.test(one) &&
    !says.falls_short(one) && !says.already(one) && is_idle(view) && !is_checked(view.turn);
}

const GREETS_NOBODY = { greeting: false };

/** By the facts as well: a change was asked for, not one call was made, and yet the answer says that it can't be done. */
function refuses({ prose, said }: FinalAnswer, view: View): boolean {
  const { change, question, plan, greeting, echo } = asked_for(view.asked);
  const opening = prose.slice(0, 2);
  if (opening.some((one) => says.refuses(one) && !says.goes_on(one))) return true;
  if (view.actions.length > 0 || question || plan || greeting || echo) return false;
  return opening.some((one) =>
    says.admits(one) && (change || says.of_oneself(one) && !says.deeds(one) && !asks(view.asked))
  ) &&
    !said.some(says.already);
}

/** The user is to say or send something first. */
function asks_person(answer: FinalAnswer, view: View): boolean {
  const { prose, blocks } = answer;
  const untried = view.actions.length === 0;
  if (untried && asked_for(view.asked).change && blocks.every(({ kind }) => kind !== "code")) {
    if (asks(answer.said.findLast((one) => !says.fills(one)) ?? "")) return true;
  }
  const { work, question, plan } = asked_for(view.asked);
  const is_option = (one: string) => work && !question && !plan && OPTIONS.test(one);
  return is_helpless({ ...answer, prose: prose.filter((one) => !is_option(one)) }) &&
    (prose.some((one) => asks(one) || says.requests(one)) || blocks.some(is_questions));
}

/** What the user is to choose from is part of the question. */
const OPTIONS =
  /^(?:i see |there are |we have |here are )(?:two|three|four|several|a few|some|multiple|different) (?:\w+ )?(?:ways|options|possibilities|approaches|choices|candidates|readings|interpretations|variants)\b|^(?:option|variant|approach) (?:\d|[a-d])\b/;

/** Nothing but questions, requests, refusals, announcements, and what goes with them. */
function is_helpless({ prose, blocks }: FinalAnswer): boolean {
  const said = prose.filter((one) => !leads_to_questions(one, blocks));
  return !blocks.some(({ kind }) => kind === "code") && prose.some((one) => !says.fills(one)) &&
    // "It subtracts; shall I change that?" tells something, too.
    said.every((one) =>
      asks(one) && !one.includes("; ") || says.requests(one) || says.refuses(one) ||
      says.fills(one) ||
      is_announcement(one)
    );
}

function is_questions({ kind, sentences }: Block): boolean {
  return kind === "list" && sentences.every(asks);
}

/** "Before I start, a few things:" says no more than what follows it. */
function leads_to_questions(sentence: string, blocks: readonly Block[]): boolean {
  return sentence.endsWith(":") &&
    blocks.some((block, at) =>
      is_questions(block) && blocks[at - 1]?.sentences.at(-1) === sentence
    );
}

/** "1, 2, 3, ..." trails off, and does not break off. */
const ENUMERATION = /(?:,|、|\betc\.?|\d|等)\s*\.\.\.$/u;

/** The end decides: whatever was said before, an announcement at the end was not followed. */
function announces({ blocks, prose }: FinalAnswer): boolean {
  const last = blocks.at(-1);
  const sentence = prose.findLast((one) => !says.fills(one));
  if (last === undefined || sentence === undefined) return false;
  if (last.kind === "prose") {
    const line = last.lines.at(-1) ?? "";
    const breaks_off = /[^`]:$/.test(line) ||
      (line.endsWith("...") && !ENUMERATION.test(line) && !asks(line) && !says.defers(line));
    return breaks_off || is_announcement(sentence);
  }
  // "I'll run the tests:" and a command, or a list of what will be done.
  return prose.every((one) => says.fills(one) || is_announcement(one));
}

/** Code that is no command and no output. */
const PROGRAM = /^```(?!(?:sh|bash|shell|zsh|console|text|txt|log|output|json)\b)\w/m;

/** A file that is named was to be changed, and in all of the session nobody has so much as looked at it. */
function is_untouched(view: View): boolean {
  const { asked } = view;
  return is_unseen(view) && asked.length <= SHORT_TASK && !asked.includes("?") &&
    asked_for(asked).repair && files_in(plain(asked)).length > 0;
}

/** A longer task may hold what it is about. */
const SHORT_TASK = 200;

/** "Add this to a.go." */
function hands_over(sentence: string): boolean {
  return says.is_order(sentence) && files_in(sentence).length > 0;
}

/** The change is in the answer as text. */
function shows_change({ text, blocks, said }: FinalAnswer, view: View): boolean {
  const { change, work, question, plan, repair } = asked_for(view.asked);
  if (question || plan) return false;
  const has_code = blocks.some(({ kind, lines }) =>
    kind === "code" && lines.some((line) => line.includes("\0"))
  );
  const explains = (one: string) => asks(one) || says.already(one) || says.admits(one);
  const is_proposed = work && (change || only_looked(view.turn)) && said.some(says.proposes) &&
    !said.some((one) => explains(one) || /\b(?:not|nothing|none|no|never)\b|n't\b/.test(one));
  const is_left = work && is_idle(view) && !said.slice(0, 2).some(explains);
  return is_proposed || is_left && only_looked(view.turn) && said.some(says.plans) ||
    is_left && change && has_code && said.length === 0 ||
    change && has_code && (view.actions.length === 0 || said.some(hands_over) ||
        (repair || is_left) && PROGRAM.test(text) && !said.slice(0, 2).some(explains));
}
