/** The changes that an answer claims, and whether a fact bears them out. */
import { file_name, files_in } from "../answer/files.ts";
import { unnamed } from "./never_made.ts";
import type { Claim } from "../answer/claim.ts";
import type { View } from "../../guards/rule.ts";
import { shared_start } from "../../config/text.ts";
import { asks, type FinalAnswer, is_announcement, is_status, is_wanted } from "../answer/answer.ts";
import { asked_for, JUDGED_TASK_CHARS } from "../answer/task.ts";
import type { Disbelieved } from "../facts/effects.ts";
import { begins_beside, git_verb, parts_of } from "../facts/commands.ts";
import {
  changed,
  could_be,
  could_install,
  has_failed,
  has_only_looked,
  is_another,
  is_built,
  is_checked,
  is_done,
  may_hold_test,
  tries_install,
} from "../facts/facts.ts";
import { unmade } from "../facts/failed_changes.ts";
import { leaves_alone, UNCHANGED } from "../phrases/reports.ts";
import { unfinished } from "./lists.ts";
import { named } from "../answer/changed_files.ts";
import { claims_nowhere } from "./missing_files.ts";
import { type Block, plain } from "../answer/text.ts";
import * as says from "../phrases/triggers.ts";
import { commands } from "../facts/outcomes.ts";

/** The files that it claims to have changed, and no call could have. */
export function unchanged_names(answer: FinalAnswer, view: View): readonly string[] {
  const is_founded = founded(view);
  return unfounded(answer, view).flatMap(({ names, what }) =>
    names.filter((name) => !is_founded({ what, names: [name] }))
  );
}

export function unfounded(answer: FinalAnswer, view: View): readonly Claim[] {
  const is_founded = founded(view);
  return claim_of(answer, view).filter((claim) => !is_founded(claim));
}

/** Tells whether a fact bears a claim out, by what is seen at one moment. */
function founded(view: View): (claim: Claim) => boolean {
  const missing = unmade(view.turn, { seen: true });
  const is_missing = (name: string) => missing.some((path) => is_file(path)(name));
  const paths = changed(view.ledger).map(plain);
  // What earlier runs did is no answer to a task of this one, where nothing was done for it.
  const idle = asked_for(view.asked).work && is_idle(view);
  // What a turn takes back of an earlier one is its own change.
  const own = [view.run, view.turn];
  return (claim) => {
    if (claim.names.some(is_missing) && (claim.context?.every(is_missing) ?? true)) return false;
    if (claim.names.some((name) => is_another(name, paths, view))) return false;
    const all = !idle ? [view.ledger, ...own] : claim.names.length > 0 ? own : [];
    // No edit installs what an installer could not.
    const unaided = claim.installs && !could_install(view.run);
    const rows = unaided ? all.map((some) => some.filter(({ kind }) => kind !== "file")) : all;
    const disbelieved = claim.what === "code" && !view.background
      ? "all"
      : unaided || claim.names.length > 0 && !view.background
      ? "programs"
      : disbelieved_by(view);
    return claim.what === "build" && is_built(view.run) ||
      rows.some((some) => could_be(claim, some, disbelieved));
  };
}

/** Whether a file named in `plain` text is this one. */
function is_file(path: string): (name: string) => boolean {
  const wanted = plain(file_name(path));
  return (name) => file_name(name) === wanted;
}

/** By what is seen at one moment. */
const IDLE = new WeakMap<View, boolean>();

/** Whether nothing that the run did could be a change. */
export function is_idle(view: View): boolean {
  const known = IDLE.get(view);
  if (known !== undefined) return known;
  const disbelieved = disbelieved_by(view);
  // What runs on in the background is no row yet.
  const runs_on = view.background === true && view.actions.some(begins_beside);
  const idle = !runs_on && !is_done(view.run, disbelieved) && !is_done(view.turn, disbelieved);
  IDLE.set(view, idle);
  return idle;
}

/** Programs that changed no file, if only a change of files counts: they are no work. While a server of the run lives they may be its clients. */
export function disbelieved_by({ asked, turn, background }: View): Disbelieved {
  const { change, repair, update } = asked_for(asked);
  const is_edit = (change || repair) && !update || unmade(turn, { seen: true }).length > 0;
  return is_edit && !background ? "programs" : "edits";
}

export function claim_of(answer: FinalAnswer, view: View): readonly Claim[] {
  const { text, blocks, said } = answer;
  const { question, words, change, work, plan, echo } = asked_for(view.asked);
  // What is back as it was leaves no trace, but takes a call.
  const looked = work &&
    (has_only_looked(view) && changed(view.ledger).length > 0 || TO_TAKE_BACK.test(view.asked));
  const takes_back = (one: string) =>
    looked && says.takes_back(one) && !/\b(?:not|no|nothing|never)\b|n't\b/.test(one);
  const denied = (one: string) =>
    says.denies(before_list(one).replace(OF_A_CHECK, "").replace(says.NOTHING_ELSE, "")) &&
    !takes_back(one);
  const failed = !question && !words && unmade(view.turn, { seen: true }).length > 0;
  const excuses = (one: string) => denied(one) || says.already(one) || says.admits(one);
  const bare = (work || failed) && is_idle(view) && !is_wanted(text, view) &&
    !said.slice(0, says.tells_result(said[0] ?? "") ? 1 : 2).some(excuses) &&
    !said.some((one) => UNCHANGED.test(one));
  const in_git = says.is_in_git(plain(view.asked));
  // In a conversation how it stands now may be what was done before, or is thought of.
  const remark = view.steps > view.run_steps && view.actions.length === 0;
  const was_changed = view.run.some(({ kind }) => kind === "file");
  // What came with the task is given back worked on: "Merged: [1, 2, 3]."
  const brought = !change && view.actions.length === 0 && /:\s*\S/.test(view.asked);
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
      !denied(main) && (says.in_first_person(main) || !says.already(main)) && (
        says.claims_change(main) && (!question || says.in_first_person(main)) ||
        !question && !(remark && one.endsWith(":")) && [...opening, ...listed].includes(one) &&
          says.opens_with_change(main) ||
        tells_in_git(main, view) ||
        bare &&
          !is_announcement(one) && !(was_changed && says.takes_back(main)) &&
          (takes_back(main) || echoes(main, view) ||
            !remark && says.tells_result(main) && !says.knows_now(main) || is_over(one, view))
      )
    )
    .flatMap(({ main }) => main.split(/; (?=(?:i|we)\b)/).flatMap(clauses))
    .filter((clause) => !says.tells_where_to(clause) && (!words || says.in_first_person(clause)))
    .map((clause): Claim => {
      const deed = git_deed(clause, view);
      const in_repository = deed !== null || says.claims_git(clause);
      const what = in_repository && says.claims_push(clause)
        ? "push"
        : in_repository && !says.stages(clause)
        ? "git"
        : says.claims_build(clause)
        ? "build"
        : says.adds_test(clause) && !context.some(may_hold_test)
        ? "test"
        : says.claims_code(clause) && !in_git
        ? "code"
        : "any";
      const names = in_repository || says.takes_files(clause) ? [] : named(clause, what);
      const verb = deed === null ? {} : { verb: deed };
      const installs = says.claims_install(clause) &&
          (INSTALLER.test(clause) || /\binstall/i.test(view.asked) || tries_install(view.run))
        ? { installs: true }
        : {};
      const where = says.names_symptom(clause) ? { context } : {};
      return { what, names, ...where, ...verb, ...installs };
    })
    .filter(({ names }) => !words || names.length > 0)
    .concat(question || words ? [] : [...unfinished(answer, view), ...elsewhere(said, view)])
    .concat(work ? [...commits(said, view), ...tests_told(said, view)] : [])
    .concat(question || plan ? [] : claims_nowhere(answer, view));
}

/** "I checked that nothing imports it, deleted it …" */
const OF_A_CHECK =
  /\b(?:checked|verified|confirmed|made sure|ensured) (?:that )?(?:nothing|nobody|no \w+|none)\b[^,;]*[,;]/;
const TO_TAKE_BACK = /^(?:please )?(?:revert|undo|restore|roll ?back)\b/i;
const INSTALLER = /\b(?:npm|pnpm|yarn|pip|uv|cargo|gem|brew|apt|dependenc\w+|packages?)\b/;

const TEST_ORDERED =
  /\b(?:add|write|create|include) (?:(?:an?|the|some|unit|regression) )*tests?\b|\b(?:with|and) an? (?:\w+ )?test\b/;
const TEST_TOLD =
  /^(?:fixed|done|implemented|added)\b.*\bwith (?:an?|its) (?:\w+ )?tests?\b|(?<!\bno )(?<!\bnot? \w+ )\btests? (?:(?:was|were|is|are|has been|have been) )?added\b|\b(?:an?|the) (?:new |regression |unit )+test (?:now )?covers\b/;

/** "Fixed, with a test", where one was ordered. */
function tests_told(said: readonly string[], { asked }: View): readonly Claim[] {
  return TEST_ORDERED.test(plain(asked)) &&
      said.some((one) => TEST_TOLD.test(one) && !says.denies(one) && !asks(one))
    ? [{ what: "test", names: [] }]
    : [];
}

/** "He hecho el commit", where one was ordered. */
function commits(said: readonly string[], { asked }: View): readonly Claim[] {
  return /\bcommit|提交|コミット|커밋|коммит/i.test(asked) &&
      said.some((one) => says.claims_commit(one) && !says.denies(one) && !asks(one))
    ? [{ what: "git", names: [], verb: "commit" }]
    : [];
}

/** "`DEBUG` is now off in `a.py`", where the task says "in a.py", and something else was changed; or no call has as much as named that. */
function elsewhere(said: readonly string[], view: View): readonly Claim[] {
  const { asked, run } = view;
  const names = files_in(plain(asked.slice(0, JUDGED_TASK_CHARS)));
  if (changed(run).length === 0 || !asked_for(asked).work) return [];
  const told = said.filter((one) =>
    says.tells_result(one) && !leaves_alone(one) && !says.claims_pass(one) &&
    !says.names_symptom(one)
  );
  return names.filter((name) => {
    const written = RegExp.escape(name);
    const within = new RegExp(`\\b(?:in|into|to|from) ${written}`);
    const is_untouched = view.steps === view.run_steps && unnamed([name], view).length > 0;
    const tells = new RegExp(`\\b(?:in|into|to) ${written}|${written} now\\b`);
    return new RegExp(`\\b(?:in|into|to|from|as) ${written}`).test(plain(asked)) &&
      (told.some((one) => within.test(one)) ||
        is_untouched && said.some((one) => tells.test(one) && !asks(one) && !leaves_alone(one)));
  }).map((name) => ({ what: "any", names: [name] }));
}

/** What only git does, told in the words of the order; "is committed" is no mere state where git was told to commit. */
function tells_in_git(sentence: string, view: View): boolean {
  const is_told = git_deed(sentence, view) !== null || says.claims_git(sentence);
  return is_told &&
    (echoes(sentence, view, true) || TAGGED.test(sentence) && /\btag/i.test(view.asked));
}

const COMMITTED = /\bcommitt?e[dt]?\b/;
const TAGGED = /^(?:git )?tag \S+/;

/** What git was told to do in this run, and a sentence says was done: "merged", after `git merge`. */
function git_deed(sentence: string, { run }: View): string | null {
  const deeds = sentence.match(says.DEED);
  if (deeds === null) return null;
  if ((deeds.includes("tagged") || TAGGED.test(sentence)) && says.claims_git(sentence)) {
    return "tag";
  }
  const verbs = commands(run).flatMap(({ command }) => parts_of(command).map(git_verb));
  const told = verbs.filter((verb) => verb !== null);
  const deed = told.find((verb) => deeds.some((deed) => deed.startsWith(verb.replace(/e$/, ""))));
  const is_git = commands(run).some(({ command }) => /^git /.test(command));
  const is_commit = is_git && COMMITTED.test(sentence) && says.claims_git(sentence);
  return deed ?? (is_commit ? "commit" : null);
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
  const [head = ""] = (sentence.split(/, (?:and )?so (?=(?:i|we) \w+ed\b)/).at(-1) ?? sentence)
    .split(
      /,? (?:since|because|as (?:it|that|you)|weil|da|denn|car|parce que|porque|ya que) |, (?:nothing|nobody|no (?:one|other)) /,
    );
  return says.claims_change(head) || says.opens_with_change(head) ? head : sentence;
}

/** "I added checks: length, and name not blank" denies nothing. */
function before_list(sentence: string): string {
  const [head = ""] = sentence.split(": ");
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

/** Not one call was made, in this run or an earlier one. */
export function is_unseen({ calls, steps, run_steps }: View): boolean {
  return calls === 0 && steps === run_steps;
}

/** Others may have done it, or nobody. */
const NOT_BY_US =
  /\b(?:\w+n't|not|no(?! (?:longer|more)\b)|nobody|some(?:one|body)|he|she|they|you)\b/;
/** That something "is installed" may have been so before. */
const STATE = /\b(?:be|is|are|ist|sind|est|sont|esta|estan) (?:all )?$/;
/** No state that there may be without a deed. */
const HAPPENS =
  /^(?:deleted|dropped|published|converted|fixed|renamed|removed|moved|merged|corrected|corrige[es]*|replaced|translated|squashed|sent|released|bumped|restarted|undone|refactored|rewritten|migrated|uninstalled)$/;
/** Where a verb stands in an order: "an update" is none. */
const VERBS =
  /(?:^|[,.;:!?]\s*|\b(?:and|then|please|to|you|now|also|und|bitte|et|y) )(\p{L}+(?:-\p{L}+)?)/gu;
/** Orders that are followed by doing nothing: "Stop that." */
const INERT =
  /\b(?:stop|wait|skip|leave|cancel|abort|pause|ignore|forget|remember|note|keep|hold|drop)(?: (?:on|off|up|that|this|it|them|there|here|now|for now|as (?:it )?is|in mind|alone))*(?=\s*(?:[.,;:!]|(?:and|then|und|et|y)\b|$))/g;
/** Letters that both forms of a word must share. */
const STEM = 3;

/** Whether a sentence reports a deed in the words of the order: "Tag it." "Tagged." The order shows that the verb means a change. A state is one only where it was tried: by default, where something failed. */
function echoes(sentence: string, view: View, tried = has_failed(view)): boolean {
  const asked = plain(view.asked.slice(0, JUDGED_TASK_CHARS)).replace(INERT, "")
    .replace(/^(?:pip3?|npm|pnpm|yarn|cargo|apt(?:-get)?|brew|git) /, "");
  const order = [...asked.matchAll(VERBS)].map(([, verb = ""]) => verb);
  return [...sentence.matchAll(says.DEED)].some(({ 0: deed, index }) => {
    const before = sentence.slice(0, index);
    const is_state = STATE.test(before);
    if (
      NOT_BY_US.test(before) ||
      is_state && !tried && !HAPPENS.test(deed) && !/ now\b/.test(sentence)
    ) return false;
    // "lösche" and "gelöscht"; "corrige" is both.
    const forms = [deed, deed.replace(/^ge(?=\w{4})/, "")];
    return order.some((word) =>
      (is_state || word !== deed) && forms.some((form) => shared_start(form, word) >= STEM)
    );
  });
}
