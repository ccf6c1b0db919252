import { GO_ON, type Rule, rule, type StopReason, type View } from "../guards/rule.ts";
import { asked_for, type AskedFor } from "./asked.ts";
import {
  type Claim,
  could_be,
  could_pass,
  could_run,
  facts_text,
  files_in,
  has_failed,
  is_built,
  is_checked,
  is_done,
  made,
  names_file,
  unmade,
} from "./facts.ts";
import { BESIDE, CLAIMS, type Doubt, WAYS, why } from "./doubts.ts";
import { echoes } from "./echo.ts";
import { given_up } from "./given_up.ts";
import { named } from "./named.ts";
import { prints_call } from "./printed_call.ts";
import { type Block, blocks_of, plain } from "./text.ts";
import * as says from "./triggers.ts";

/**
 * May a run in `auto` mode end with this answer? One that the facts do not bear out, or that does nothing, is asked about once
 * a turn, neutrally, with the facts; then the next answer ends the run. With 0 nudges nothing is asked, and the first answer
 * is judged as the next one would be. The memory is whether it was asked.
 */
export function doubtful(
  settings: {
    readonly action_nudges: number;
    readonly claim_nudges: number;
    /** Whether whoever gave the task can answer a question. */
    readonly talks?: boolean;
  },
): Rule {
  return rule<boolean>({
    name: "doubtful",
    start: false,
    check(moment, view, asked) {
      const go_on = { verdict: GO_ON, memory: asked };
      if (moment.at !== "ending" || view.mode !== "auto") return go_on;
      const answer = parsed(moment.text);
      const failed = admits_failure(answer, view);
      // Whoever begins with that is asked nothing, whatever else there is to say.
      const doubt = failed && says.admits(answer.said[0] ?? "") ? null : doubt_of(answer, view);
      if (doubt === "question" && settings.talks) return go_on;
      if (doubt === null) {
        if (!failed) return go_on;
        const text = `The answer says that it was not done. ${facts_text(view)}`;
        return { verdict: { kind: "stop", reason: "not_done", text }, memory: asked };
      }
      const nudges = CLAIMS.has(doubt) ? settings.claim_nudges : settings.action_nudges;
      if (!asked && nudges > 0) {
        const text = `${facts_text(view)}${BESIDE[doubt] ?? ""} ${WAYS}`;
        return { verdict: { kind: "nudge", text }, memory: true };
      }
      const reason = end_of(doubt, answer, view);
      if (reason === null) return go_on;
      const text = `${why(doubt, unchanged_names(answer, view))} ${facts_text(view)}`;
      return { verdict: { kind: "stop", reason, text }, memory: asked };
    },
  });
}

interface FinalAnswer {
  readonly text: string;
  readonly blocks: readonly Block[];
  /** All that the speaker says, and what of it is in no list. */
  readonly said: readonly string[];
  readonly prose: readonly string[];
}

function parsed(text: string): FinalAnswer {
  const blocks = blocks_of(text);
  return {
    text,
    blocks,
    said: blocks.flatMap(({ sentences }) => sentences),
    prose: blocks.flatMap(({ kind, sentences }) => kind === "prose" ? sentences : []),
  };
}

/** What ends the run; null if the answer may be after all. */
function end_of(doubt: Doubt, answer: FinalAnswer, view: View): StopReason | null {
  if (CLAIMS.has(doubt)) return "contract_unsatisfied";
  if (doubt === "unmade") return claims_unmade(answer, view) ? "contract_unsatisfied" : null;
  if (doubt === "code") return asked_for(view.asked).repair ? "not_done" : null;
  const answered = is_done(view.turn) ||
    (view.actions.length > 0 && asked_for(view.asked).question);
  return doubt !== "announcement" || !answered || is_helpless(answer) ? "not_done" : null;
}

/** The files that it claims to have changed, and no call could have. */
function unchanged_names(answer: FinalAnswer, view: View): readonly string[] {
  return unfounded(answer, view).flatMap(({ names, what }) =>
    names.filter((name) => !is_founded({ what, names: [name], context: [name] }, view))
  );
}

/** The changes that it claims and no fact bears out. */
function unfounded(answer: FinalAnswer, view: View): readonly Claim[] {
  return claim_of(answer, view).filter((claim) => !is_founded(claim, view));
}

function is_founded(claim: Claim, view: View): boolean {
  // What earlier runs did is no answer to a task of this one, where nothing was done for it.
  const idle = asked_for(view.asked).work && is_idle(view);
  // What a turn takes back of an earlier one is its own change.
  const rows = idle ? [] : [view.ledger, view.run, view.turn];
  return claim.what === "build" && is_built(view.run) || rows.some((some) => could_be(claim, some));
}

function doubt_of(answer: FinalAnswer, view: View): Doubt | null {
  const asked = asked_for(view.asked);
  if (unfounded(answer, view).length > 0) return "change";
  if (asked.words) return null;
  const told_failure = answer.said.some((one) => says.tells_failure(one) || counts_failures(one));
  const said = answer.said.filter((sentence) => !asks(sentence));
  if (
    !told_failure && !(asked.theory && view.actions.length === 0) &&
    said.some((one) => says.claims_pass(one) && !says.supposes_pass(one)) &&
    !could_pass(view, { taken_back: said.some(says.takes_back) })
  ) return "pass";
  if (said.some(says.claims_run) && !could_run(view)) return "command";
  if (is_status(answer.text, asked) && !is_wanted(answer.text, view)) {
    if (!is_checked(asked.question ? view.ledger : view.turn)) return "status";
    return passes_over(answer, view) ? "unmade" : null;
  }
  const done = is_done(view.turn);
  if (!done && !has_failed(view) && refuses(answer, view)) return "refusal";
  if (!asked.greeting && !asked.echo && !done && asks_person(answer, view)) return "question";
  if (!asked.plan && announces(answer)) return "announcement";
  if (!done && asked.change && prints_call(answer.text)) return "announcement";
  if (!done && (shows_change(answer, view) || is_untouched(view))) return "code";
  const last = asked.change
    ? view.turn.findLast(({ kind }) => kind === "attempt")
    : view.turn.at(-1);
  if (answer.said.some((one) => says.already(one) || says.admits(one))) return null;
  if (!done && !asked.question && last?.kind === "attempt" && !last.ok) return "attempt";
  return passes_over(answer, view) ? "unmade" : null;
}

/** Whether nothing that the run did could be a change. */
function is_idle({ run, turn }: View): boolean {
  return !is_done(run) && !is_done(turn);
}

/**
 * It says nothing of a file whose change failed and was not made in another way, and claims changes, or the task names that
 * file; or it is the answer to a task for a change, or only a status, and nothing was changed.
 */
function passes_over(answer: FinalAnswer, view: View): boolean {
  const { question, change } = asked_for(view.asked);
  const unsaid = (paths: readonly string[]) => paths.some((path) => !names_file(answer.text, path));
  const missing = unmade(view.turn);
  if (unsaid(missing) && claim_of(answer, view).length > 0) return true;
  const status = is_status(answer.text, GREETS_NOBODY);
  const wanted = missing.filter((path) => names_file(view.asked, path));
  if (change && !status && unsaid(wanted)) return true;
  return (change || !question && status) &&
    unsaid(given_up(view.turn, { acts: !change }));
}

/** Whether a claim can only be the change that failed: the task names its file or nothing else was done, and no file has changed. */
function claims_unmade(answer: FinalAnswer, view: View): boolean {
  const claims = is_status(answer.text, GREETS_NOBODY) || claim_of(answer, view).length > 0;
  const missing = unmade(view.turn);
  return claims && asked_for(view.asked).work && made(view.run).length === 0 &&
    given_up(view.turn, { acts: false })
      .some((path) => missing.includes(path) && (names_file(view.asked, path) || is_idle(view)));
}

const GREETS_NOBODY = { greeting: false };

/** The changes that an answer claims. */
function claim_of({ text, blocks, said }: FinalAnswer, view: View): readonly Claim[] {
  const { question, words, change, work, plan, echo } = asked_for(view.asked);
  const bare = work && is_idle(view) && !is_wanted(text, view) &&
    !said.slice(0, 2).some((one) => says.denies(one) || says.already(one) || says.admits(one));
  const checked = is_checked(view.turn);
  const was_changed = view.run.some(({ kind }) => kind === "file");
  // What came with the task is given back worked on: "Merged: [1, 2, 3]."
  const brought = !change && view.actions.length === 0 && /:\s*\S/.test(view.asked);
  const history = question || said.some(says.tells_history);
  const [first, next] = blocks.filter(({ kind }) => kind !== "code");
  // Where nobody has looked at anything, a list of deeds can be no summary of what was there.
  const unseen = is_unseen(view) && !question && !words && !plan && !echo;
  const list = unseen && first !== undefined && is_title(first) ? next : first;
  const opening = [
    ...(first?.kind === "prose" ? first.sentences.slice(0, 2) : []),
    ...(list?.kind === "list" && (change || unseen) ? list.sentences : []),
  ];
  const context = said.flatMap(files_in);
  const listed = blocks.flatMap(({ kind, sentences }, at) =>
    kind === "list" &&
      blocks[at - 1]?.sentences.some((one) => says.lists_changes(one))
      ? sentences
      : []
  );
  return said
    .filter((one) => !asks(one) && !(brought && /:\s*\S/.test(one)))
    .map((one) => ({ one, main: main_clause(one) }))
    .filter(({ one, main }) =>
      !says.denies(main) && (says.in_first_person(main) || !says.already(main)) && (
        says.claims_change(main) && (!history || says.in_first_person(main)) ||
        !history && [...opening, ...listed].includes(one) && says.opens_with_change(main) ||
        bare && !is_announcement(one) && !(was_changed && says.takes_back(main)) &&
          !(checked && says.tells_of_checks(main) && !says.deeds(main)) &&
          (echoes(main, view) || says.tells_result(main) || is_over(one, view))
      )
    )
    .flatMap(({ main }) => clauses(main))
    .map((clause): Claim => {
      const what = says.claims_git(clause)
        ? "git"
        : says.claims_build(clause)
        ? "build"
        : says.claims_code(clause)
        ? "code"
        : "any";
      const { names, all } = what === "git" || says.takes_files(clause)
        ? { names: [], all: false }
        : named(clause, what);
      return { what, names, all, context: says.names_symptom(clause) ? context : names };
    })
    .filter(({ names }) => !words || names.length > 0);
}

/** "## Summary" says nothing yet. */
function is_title({ kind, lines }: Block): boolean {
  return kind === "prose" && lines.length === 1 && (lines[0] ?? "").split(" ").length <= 3;
}

/** "Done.", and "Done, the bug is gone.", where not even a check was made. */
function is_over(sentence: string, { turn }: View): boolean {
  const [head = ""] = sentence.split(/[,:;!\u2013\u2014。]/);
  return !is_checked(turn) && is_status(head, { greeting: false });
}

/** A sentence without its reasons: "I deleted it, since nothing uses it" denies nothing. */
function main_clause(sentence: string): string {
  const [head = ""] = sentence.split(
    /,? (?:since|because|as (?:it|that|you)|weil|da|denn|car|parce que|porque|ya que) /,
  );
  return says.claims_change(head) ? head : sentence;
}

/** "I fixed a.py and updated b.py" are two claims, "I updated a.py and b.py" is one. */
function clauses(sentence: string): readonly string[] {
  const found: string[] = [];
  for (const part of sentence.split(/,? (?:and|und|et|y) |, /)) {
    if (found.length === 0 || says.deeds(part) && says.deeds(found.at(-1) ?? "")) found.push(part);
    else found.push(`${found.pop()} and ${part}`);
  }
  return found;
}

/** It is told that it failed, and the facts agree: something was tried, and nothing came of it. */
function admits_failure({ said }: FinalAnswer, view: View): boolean {
  const failed = asked_for(view.asked).question
    ? view.actions.some(({ name, ok, refused }) =>
      refused || (!ok && (name === "edit" || name === "write"))
    )
    : has_failed(view);
  return failed && !is_done(view.turn) && said.slice(0, 3).some(says.admits) &&
    !said.some(says.already);
}

/** Digits and names keep an answer from being a status: "5/5 done" and "request.complete" say something. */
function is_status(text: string, { greeting }: Pick<AskedFor, "greeting">): boolean {
  const trimmed = text.trim();
  if (trimmed.length > STATUS_CHARS || /\w[._]\w/.test(trimmed)) return false;
  const letters = blocks_of(trimmed).flatMap(({ lines }) => lines).join(" ")
    .replaceAll("'", "").replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  return says.is_status(letters) ||
    (!greeting && !/[\p{L}\p{N}]/u.test(trimmed));
}

/** "Reply with exactly: DONE", or a command that was to be run, and was: then there is nothing else to say. */
function is_wanted(text: string, { asked, turn }: View): boolean {
  const { echo, change } = asked_for(asked);
  const word = plain(text).replace(/[^\p{L}\p{N} ]/gu, "").trim();
  return echo && plain(asked).includes(word) ||
    !change &&
      turn.some((row) =>
        row.kind === "command" && row.exit_code === 0 && asked.includes(row.command.trim())
      );
}

/** Longer than any status with a farewell. */
const STATUS_CHARS = 200;

/** "12 of 14 tests pass". */
function counts_failures(sentence: string): boolean {
  const [, passed, of] =
    /\b(\d+) ?(?:of|out of|\/|von|sur|de) ?(?:the |all |den )?(\d+)\b/.exec(sentence) ?? [];
  return Number(passed) < Number(of);
}

function asks(sentence: string): boolean {
  return /[?؟][^\p{L}\p{N}]*$/u.test(sentence);
}

/** Also by its facts: a change was asked for, not one call was made, and yet it is said that it can't be done. */
function refuses({ prose, said }: FinalAnswer, view: View): boolean {
  const untried = view.actions.length === 0 && asked_for(view.asked).change;
  const opening = prose.slice(0, 2);
  return opening.some(says.refuses) ||
    untried && opening.some(says.admits) && !said.some(says.already);
}

/** The user is to say or send something first. */
function asks_person(answer: FinalAnswer, view: View): boolean {
  const { prose, blocks } = answer;
  const untried = view.actions.length === 0;
  if (untried && asked_for(view.asked).change && blocks.every(({ kind }) => kind !== "code")) {
    if (asks(answer.said.findLast((one) => !says.fills(one)) ?? "")) return true;
  }
  return is_helpless(answer) &&
    (prose.some((one) => asks(one) || says.requests(one)) || blocks.some(is_questions));
}

/** Nothing but questions, requests, refusals, announcements, and what goes with them. */
function is_helpless({ prose, blocks }: FinalAnswer): boolean {
  const said = prose.filter((one) => !leads_to_questions(one, blocks));
  return !blocks.some(({ kind }) => kind === "code") && prose.some((one) => !says.fills(one)) &&
    said.every((one) =>
      asks(one) || says.requests(one) || says.refuses(one) || says.fills(one) ||
      is_announcement(one)
    );
}

/** A list of nothing but questions. */
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

function is_announcement(sentence: string): boolean {
  return !asks(sentence) && says.announces(sentence) && !says.defers(sentence);
}

/** "1, 2, 3, ..." trails off, and does not break off. */
const ENUMERATION = /(?:,|、|\betc\.?|\d|等)\s*\.\.\.$/u;

/** The end decides: whatever was said before, an announcement at the end was not followed. */
function announces({ blocks, prose }: FinalAnswer): boolean {
  const last = blocks.at(-1);
  const sentence = prose.at(-1);
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

/** Not one call was made, in this run or an earlier one. */
function is_unseen({ calls, steps, run_steps }: View): boolean {
  return calls === 0 && steps === run_steps;
}

/** A longer task may hold what it is about. */
const SHORT_TASK = 200;

/** The change is in the answer as text. */
function shows_change({ text, blocks, said }: FinalAnswer, view: View): boolean {
  const { change, question, plan, repair } = asked_for(view.asked);
  if (question || plan) return false;
  const has_code = blocks.some(({ kind, lines }) =>
    kind === "code" && lines.some((line) => line.includes("\0"))
  );
  const explains = (one: string) => asks(one) || says.already(one) || says.admits(one);
  return repair && said.some(says.tells_how) ||
    change && has_code && (view.actions.length === 0 ||
        (repair || said.length === 0) && PROGRAM.test(text) && !said.some(explains));
}
