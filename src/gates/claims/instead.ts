/** What an answer does in place of the work: says nothing, refuses, asks, announces, or shows what was to be changed. */
import type { View } from "../../guards/rule.ts";
import {
  asks,
  type FinalAnswer,
  GREETS_NOBODY,
  is_announcement,
  is_slight,
  is_status,
} from "../answer/answer.ts";
import { files_in } from "../answer/files.ts";
import { asked_for } from "../answer/task.ts";
import { type Block, plain, shows_program } from "../answer/text.ts";
import { is_checked } from "../facts/facts.ts";
import { only_looked } from "../facts/outcomes.ts";
import * as says from "../phrases/triggers.ts";
import { is_idle, is_unseen } from "./idle.ts";

/** A word or two, where nothing was done or checked: "Stopped." What is denied so is an answer: "No typos." */
export function says_nothing({ text, said }: FinalAnswer, view: View): boolean {
  const [one = ""] = said;
  return said.length === 1 && is_slight(text) &&
    /^\p{sc=Latin}+(?: \p{sc=Latin}+)?[.!]*$/u.test(one) &&
    !says.falls_short(one) && !says.already(one) && is_idle(view) && !is_checked(view.turn);
}

/** Something is to be told: which, where, how many. Not how it stands, for which "Done." is an answer. */
const TO_TELL = new RegExp(
  "(?:^|[.;:!?\\n] ?)(?:please )?(?:which|who|where(?! (?:are|do) we)|what (?:files?|is in|are the|does)|how (?:many|much))\\b|" +
    "\\b(?:tell me|show me|say|report) (?:which|who|where|what|how (?:many|much))\\b(?!.{0,30}\\b(?:status|state|result|progress)\\b)",
);
const TO_COUNT =
  /\bhow many (?:\w+ )?(?:lines?|files?|words?|characters|bytes|functions|tests?|rows|entries|commits|branches|columns|occurrences)\b/;
/** In words or digits; few answers to how many have neither. */
const NUMBER =
  /\d|\b(?:no|none|nothing|zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|teen|twenty|thirty|hundreds?|thousands?|dozens?|all|any|both|each|every|half|only|single|several|few|many|most|some|couple|pair|once|twice|neither|never|empty|depends?|(?:there's|is|has|just|found) an?)\b|\p{Nl}|\p{No}|[^\0-\x7f]\p{L}/u;

/** A question for a number or for names, and the answer has none, or is only a status. Not where an order was carried out, or it could not be told. */
export function tells_nothing({ text, said }: FinalAnswer, view: View): boolean {
  const task = plain(view.asked);
  const { plan, echo, greeting } = asked_for(view.asked);
  // "Which fail? Fix them." is no mere question.
  if (plan || echo || greeting || !is_idle(view) && !task.endsWith("?")) return false;
  if (said.some((one) => says.admits(one) || says.falls_short(one) || asks(one))) return false;
  return TO_TELL.test(task) && is_status(text, GREETS_NOBODY) ||
    TO_COUNT.test(task) && !NUMBER.test(plain(text));
}

/** By the facts as well: a change was asked for, not one call was made, and yet the answer says that it can't be done. */
export function refuses_task({ prose, said }: FinalAnswer, view: View): boolean {
  const { change, question, plan, greeting, echo } = asked_for(view.asked);
  const opening = prose.slice(0, 2);
  if (opening.some((one) => says.refuses(one) && !says.goes_on(one))) return true;
  if (!echo && is_curt(said, view)) return true;
  if (view.actions.length > 0 || question || plan || greeting || echo) return false;
  return opening.some((one) =>
    says.admits(one) && (change || says.of_oneself(one) && !says.deeds(one) && !asks(view.asked))
  ) &&
    !said.some(says.already);
}

/** Of what the speaker can do, or of someone's words: that, too, may be an answer. */
const OF_SPEAKER_OR_WORDS =
  /\b(?:you|your|du|dich|ihr|sie|tu|te|vous|usted|mean\w*|translat\w*|sentence|words?|says?|said|phrase|quote\w*|heisst|bedeutet|ubersetze?)\b|["'“„«‘]\p{L}|你|您|翻译/u;

/** A refusal and nothing else, with nothing tried. */
function is_curt(said: readonly string[], { actions, asked }: View): boolean {
  const sorry = asks(asked) ? says.apologizes : () => false;
  return actions.length === 0 && said.length > 0 &&
    (asked_for(asked).change || !OF_SPEAKER_OR_WORDS.test(plain(asked))) &&
    said.every((one) => says.refuses_curtly(one) || says.apologizes(one)) &&
    said.some((one) => says.refuses_curtly(one) || sorry(one));
}

/** The user is to say or send something first. */
export function asks_person(answer: FinalAnswer, view: View): boolean {
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
export function is_helpless({ prose, blocks }: FinalAnswer): boolean {
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
  return kind === "list" && sentences.length > 0 && sentences.every(asks);
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
export function only_announces({ blocks, prose }: FinalAnswer): boolean {
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

/** A file that is named was to be changed, and in all of the session nobody has so much as looked at it. */
export function is_untouched(view: View): boolean {
  const { asked } = view;
  return is_unseen(view) && asked.length <= SHORT_TASK && !asked.includes("?") &&
    asked_for(asked).repair && files_in(plain(asked)).length > 0;
}

/** A longer task may hold what it is about. */
const SHORT_TASK = 200;

/** "Add this to a.go." */
export function hands_over(sentence: string): boolean {
  return says.is_order(sentence) && files_in(sentence).length > 0;
}

/** The change is in the answer as text. */
export function shows_change({ text, blocks, said }: FinalAnswer, view: View): boolean {
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
        (repair || is_left) && shows_program(text) && !said.slice(0, 2).some(explains));
}
