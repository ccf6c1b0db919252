/** The changes that an answer claims. */
import { files_in } from "../answer/files.ts";
import { unnamed } from "./never_made.ts";
import type { Claim } from "../answer/claim.ts";
import type { View } from "../../guards/rule.ts";
import { shared_start } from "../../config/text.ts";
import { asks, type FinalAnswer, is_announcement, is_status, is_wanted } from "../answer/answer.ts";
import { asked_for, JUDGED_TASK_CHARS, ordered } from "../answer/task.ts";
import { is_fanfare, taken_for } from "./taken_as_order.ts";
import { git_verb, parts_of } from "../facts/commands.ts";
import {
  changed,
  has_failed,
  has_only_looked,
  is_checked,
  made,
  may_hold_test,
  tries_install,
} from "../facts/facts.ts";
import { unmade } from "../facts/failed_changes.ts";
import { is_told } from "../phrases/orders.ts";
import { leaves_alone, UNCHANGED } from "../phrases/reports.ts";
import { listed_changes } from "./file_lists.ts";
import { unfinished } from "./lists.ts";
import { named } from "../answer/changed_files.ts";
import { claims_nowhere } from "./missing_files.ts";
import { type Block, plain } from "../answer/text.ts";
import * as says from "../phrases/triggers.ts";
import { commands } from "../facts/outcomes.ts";
import { is_idle, is_unseen } from "./idle.ts";

export function claim_of(answer: FinalAnswer, view: View): readonly Claim[] {
  const { question, words, work, plan } = taken_for(answer, view);
  const is_claim = claims_in(answer, view);
  const context = answer.said.flatMap(files_in);
  const told = answer.said.filter(is_claim).map(main_clause)
    .flatMap((main) => main.split(/; (?=(?:i|we)\b)/).flatMap(clauses))
    .filter((clause) => !says.tells_where_to(clause) && (!words || says.in_first_person(clause)))
    .map((clause) => claim_in(clause, context, view))
    .filter(({ names }) => !words || names.some((name) => !is_quoted(name, view)));
  return [
    ...told,
    ...(question || words ? [] : [...unfinished(answer, view), ...elsewhere(answer.said, view)]),
    ...(question || words || plan || made(view.run).length === 0
      ? []
      : listed_changes(answer, view)),
    ...(work && is_fanfare(answer) && is_idle(view) ? [{ what: "any" as const, names: [] }] : []),
    ...(work ? [...commits(answer.said, view), ...tests_told(answer.said, view)] : []),
    ...(question || plan ? [] : claims_nowhere(answer, view)),
  ];
}

/** Of a text to be translated, where nothing was done. */
function is_quoted(name: string, { actions, asked }: View): boolean {
  return actions.length === 0 && plain(asked.slice(0, JUDGED_TASK_CHARS)).includes(name);
}

/** What tells whether a sentence of this answer claims a change. */
function claims_in(answer: FinalAnswer, view: View): (sentence: string) => boolean {
  const { question, work, change } = taken_for(answer, view);
  const is_order = asked_for(view.asked).work;
  // What is back as it was leaves no trace, but takes a call.
  const looked = work &&
    (has_only_looked(view) && changed(view.ledger).length > 0 || TO_TAKE_BACK.test(view.asked));
  const takes_back = (one: string) =>
    looked && says.takes_back(one) && !/\b(?:not|no|nothing|never)\b|n't\b/.test(one);
  const denied = (one: string) =>
    says.denies(
      before_list(one).replace(OF_A_CHECK, "").replace(says.NOTHING_ELSE, "").replace(UNUSED, ""),
    ) &&
    !takes_back(one) && !(work && (ends_trouble(one, view) || says.works_again(one)));
  const is_bare = is_bare_of_deeds(answer, view, denied);
  // In a conversation how it stands now may be what was done before, or is thought of.
  const remark = view.steps > view.run_steps && view.actions.length === 0;
  const was_changed = view.run.some(({ kind }) => kind === "file");
  // What came with the task is given back worked on: "Merged: [1, 2, 3]."
  const brought = !change && view.actions.length === 0 &&
    /:\s*\S/.test(view.asked.replace(TITLE, ""));
  const opening = told_first(answer, view);
  const tells_deed = (one: string, main: string) =>
    says.claims_change(main) && (!question || says.in_first_person(main)) ||
    !question && !(remark && one.endsWith(":")) && opening.includes(one) &&
      says.opens_with_change(main) ||
    tells_in_git(main, view);
  const tells_outcome = (one: string, main: string) =>
    !is_announcement(one) && !(was_changed && says.takes_back(main)) &&
    (is_order || !says.lists_changes(one)) &&
    (takes_back(main) || ends_trouble(main, view) || echoes(main, view) ||
      !remark && (says.tells_result(main) || says.works_again(main)) && !says.knows_now(main) ||
      is_order && is_over(one, view));
  return (one) => {
    if (asks(one) || brought && /:\s*\S/.test(one)) return false;
    const main = main_clause(one);
    return !denied(main) && (says.in_first_person(main) || !says.already(main)) &&
      (tells_deed(one, main) || is_bare && tells_outcome(one, main));
  };
}

/** Whether nothing was done where something was to be, and the answer begins with no excuse: then an outcome claims a deed. */
function is_bare_of_deeds(
  answer: FinalAnswer,
  view: View,
  denied: (sentence: string) => boolean,
): boolean {
  const { text, said } = answer;
  const { question, words, work } = taken_for(answer, view);
  const failed = !question && !words && unmade(view.turn, { seen: true }).length > 0;
  const excuses = (one: string) => denied(one) || says.already(one) || says.admits(one);
  return (work || failed) && is_idle(view) && !is_wanted(text, view) &&
    !said.slice(0, says.tells_result(said[0] ?? "") ? 1 : 2).some(excuses) &&
    !said.some((one) => UNCHANGED.test(one));
}

/** The sentences that may tell of a deed by its verb alone: the first, and those of lists of changes. */
function told_first(answer: FinalAnswer, view: View): readonly string[] {
  const { blocks } = answer;
  const { question, words, change, plan, echo } = taken_for(answer, view);
  const [first, next] = blocks.filter(({ kind }) => kind !== "code");
  // Where nobody has looked at anything, a list of deeds can be no summary of what was there.
  const unseen = is_unseen(view) && !question && !words && !plan && !echo;
  const list = unseen && first !== undefined && is_title(first) ? next : first;
  const listed = blocks.filter(({ kind }, at) =>
    kind === "list" && blocks[at - 1]?.sentences.some((one) => says.lists_changes(one))
  );
  return [
    ...(first?.kind === "prose" ? first.sentences.slice(0, 2) : []),
    ...(list?.kind === "list" && (change || unseen) ? list.sentences : []),
    ...listed.flatMap(({ sentences }) => sentences),
  ];
}

function claim_in(clause: string, context: readonly string[], view: View): Claim {
  const deed = git_deed(clause, view);
  const in_repository = deed !== null || says.claims_git(clause) && !is_of_program(clause, view);
  const what = in_repository && says.claims_push(clause)
    ? "push"
    : in_repository && !says.stages(clause)
    ? "git"
    : says.claims_build(clause)
    ? "build"
    : says.claims_generated(clause)
    ? "generated"
    : says.adds_test(clause) && !context.some(may_hold_test)
    ? "test"
    : says.claims_code(clause) && !says.is_in_git(plain(view.asked))
    ? "code"
    : "any";
  const names = in_repository || says.takes_files(clause) ? [] : named(clause, what);
  const installs = says.claims_install(clause) &&
    (INSTALLER.test(clause) || /\binstall/i.test(view.asked) || tries_install(view.run));
  return {
    what,
    names,
    ...(says.names_symptom(clause) ? { context } : {}),
    ...(deed === null ? {} : { verb: deed }),
    ...(installs ? { installs } : {}),
  };
}

const GONE =
  /\bno longer (\w{4})|\b(?:does|do|will|is|are)(?: not|n't) (?:\S+ ){0,3}?(\w{4})\w*\b.*\b(?:any ?more|any longer)\b/g;

/** "It no longer hangs", where the order names that. */
function ends_trouble(sentence: string, { asked }: View): boolean {
  const order = ordered(asked);
  return [...sentence.matchAll(GONE)].some(([, ...stems]) =>
    stems.some((stem) => stem !== undefined && order.includes(stem))
  );
}

/** "I checked that nothing imports it, deleted it …" */
const OF_A_CHECK =
  /\b(?:checked|verified|confirmed|made sure|ensured) (?:that )?(?:nothing|nobody|no \w+|none)\b[^,;]*[,;]/;
/** What is not used may be removed. */
const UNUSED =
  /\b(?:nicht|no|nao|non|not) (?:mehr )?(?:(?:benutzt|verwendet|genutzt|gebraucht)\w+|usad[oa]s?|utilizad[oa]s?|utilizzat[aeio]|usat[aeio]|used)\b/g;
/** "Bug: login fails" brings nothing. */
const TITLE = /^(?:bug|issue|problem|error|regression|task|ticket|feature|todo|next|now): /i;
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

/** What only git does: as it is ordered, as it is told, and the verb that leaves the same. */
const IN_GIT: readonly (readonly [order: string, told: string, verb: string])[] = [
  ["commit", "committed", "commit"],
  ["rebase", "rebased", "rebase"],
  ["cherry-pick", "cherry-picked", "cherry-pick"],
  ["squash", "squashed", "rebase"],
  [
    "(?:finish|complete|conclude) the (?:merge|rebase|cherry-pick)",
    "(?:(?:finished|completed|concluded) the (?:merge|rebase|cherry-pick)|(?:the )?(?:merge|rebase|cherry-pick) (?:is|was|has been) (?:now )?(?:finished|complete[d]?|committed|concluded|done))",
    "commit",
  ],
];
/** A database does that, too, and so do other tools. */
const NOT_IN_GIT =
  /\bcommit(?:ting)? (?:the |each |every |its? )?(?:\w+ )?(?:transactions?|sessions?|rows?|records?|offsets?|inserts?)\b|\bsquash (?!.*\b(?:commits?|branch)\b)/;

/** "The row is now committed", where the order speaks of that, and does not tell to do it in git. */
function is_of_program(clause: string, { asked }: View): boolean {
  const order = ordered(asked);
  return !says.in_first_person(clause) &&
    IN_GIT.some(([verb, told]) =>
      clause.includes(told) && order.includes(told.slice(0, -3)) &&
      (NOT_IN_GIT.test(order) || !is_told(verb, order))
    );
}

/** "Committed as 1.4.0 and tagged", "he hecho el commit", where that was ordered. */
function commits(said: readonly string[], { asked }: View): readonly Claim[] {
  const own = said.filter((one) => !says.denies(one) && !asks(one));
  const order = ordered(asked);
  const in_words = /\bcommit|提交|コミット|커밋|коммит/i.test(asked) &&
    own.some(says.claims_commit);
  const verbs = NOT_IN_GIT.test(order) ? [] : IN_GIT.filter(([ordered, told]) => {
    const deed = new RegExp(
      `(?:^|[,;:] |\\band |\\b(?:i|we)(?:'ve| have)? (?:also |then )?|\\b(?:is|are|were|been) (?:now |all )?)${told}\\b(?! (?:files?|secrets?|code) )`,
    );
    return is_told(ordered, order) && own.some((one) => deed.test(one) && !says.already(one));
  }).map(([, , verb]) => verb);
  return [...new Set([...in_words ? ["commit"] : [], ...verbs])]
    .map((verb) => ({ what: "git", names: [], verb }));
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
      /; |,? (?:since|because|as (?:it|that|you)|weil|da|denn|car|parce que|porque|ya que) |, (?:nothing|nobody|no (?:one|other)) /,
    );
  return says.claims_change(head) || says.opens_with_change(head) ? head : sentence;
}

/** "I added checks: length, and name not blank", "… so that it never fails" denies nothing. */
function before_list(sentence: string): string {
  const [head = ""] = sentence.split(/: | \(| so that | to never /);
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

/** Others may have done it, or nobody. */
const NOT_BY_US =
  /\b(?:\w+n't|not|no(?! (?:longer|more)\b)|nobody|some(?:one|body)|he|she|they|you)\b/;
/** "A fixed list", "the renamed file". */
const OF_A_THING = /\b(?:an?|the|this|these|those|any|each|every|its|our|your) $/;
/** That something "is installed" may have been so before. */
const STATE = /\b(?:be|is|are|ist|sind|est|sont|esta|estan) (?:all )?$/;
/** No state that there may be without a deed. */
const HAPPENS =
  /^(?:deleted|dropped|published|deployed|uploaded|applied|converted|fixed|renamed|removed|moved|merged|corrected|corrige[es]*|replaced|translated|squashed|sent|released|bumped|restarted|undone|regenerated|refactored|rewritten|migrated|uninstalled)$/;
/** A state, unless the sentence ends with it: "the branch is created". */
const MADE = /^(?:created|added|implemented|written|opened|generated|extracted)$/;
const ENDS = /^(?: (?:to|in) (?:(?! by )[^,;]){1,40})?(?:[.!]*$|, and )/;
const WHEN = /\b(?:when(?:ever)?|if|where|once|after|before|until|unless|each|every)\b/;
/** Where a verb stands in an order: "an update" is none. */
const VERBS =
  /(?:^|[,.;:!?]\s*|\b(?:and|then|please|to|you|now|also|let'?s|(?<=\b(?:do|need) )is|und|bitte|et|y) )(?!let'?s )(\p{L}+(?:-\p{L}+)?)/gu;
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
      NOT_BY_US.test(before) || OF_A_THING.test(before) ||
      is_state && !tried && !HAPPENS.test(deed) && !/ now\b/.test(sentence) &&
        !(MADE.test(deed) && !WHEN.test(before) &&
          ENDS.test(sentence.slice(index + deed.length)))
    ) return false;
    // "lösche" and "gelöscht"; "corrige" is both.
    const forms = [deed, deed.replace(/^ge(?=\w{4})/, "")];
    return order.some((word) =>
      (is_state || word !== deed) && forms.some((form) => shared_start(form, word) >= STEM)
    );
  });
}
