/** Which doubt there is about an answer: the doubts in the order in which they are held against it. */
import type { View } from "../guards/rule.ts";
import {
  asks,
  type FinalAnswer,
  GREETS_NOBODY,
  is_status,
  is_wanted,
  parsed,
} from "./answer/answer.ts";
import { prints_call } from "./answer/printed_call.ts";
import { asked_for, type AskedFor } from "./answer/task.ts";
import { shows_program, unwrapped } from "./answer/text.ts";
import { unfounded } from "./claims/unfounded.ts";
import { disbelieved_by, is_idle } from "./claims/idle.ts";
import { claims_unrun } from "./claims/commands.ts";
import { forgets_file } from "./claims/documented.ts";
import {
  asks_person,
  is_untouched,
  only_announces,
  refuses_task,
  says_nothing,
  shows_change,
  tells_nothing,
} from "./claims/instead.ts";
import { deletes_tests, touches_forbidden } from "./claims/left_alone.ts";
import { names_never_made, names_unmade } from "./claims/never_made.ts";
import { leaves_out_changes } from "./claims/nothing_else.ts";
import { denied_by_search } from "./claims/nothing_left.ts";
import { claims_ordered_check } from "./claims/ordered_checks.ts";
import { passes_over } from "./claims/passed_over.ts";
import { answers_nothing, is_not_ended, is_unbegun, runs_no_more } from "./claims/servers.ts";
import { hides_stub } from "./claims/stubs.ts";
import { claims_unshown_pass, tells_of_failure } from "./claims/told_passes.ts";
import { is_given_back } from "./claims/given_back.ts";
import { fails_unsaid, is_to_run } from "./claims/unsaid_failure.ts";
import type { Doubt } from "./doubts.ts";
import { has_failed, is_checked, is_done } from "./facts/facts.ts";
import * as says from "./phrases/triggers.ts";

/** An answer, and what the steps hold it against. */
interface Weighed {
  readonly answer: FinalAnswer;
  /** What it says and does not ask. */
  readonly said: readonly string[];
  readonly view: View;
  readonly asked: AskedFor;
  /** Whether something was done in this turn. */
  readonly done: boolean;
}

/**
 * First what the answer claims and facts deny, then what it says in place of the work, then what it passes over. The first that
 * applies is the one; null: the answer stands, whatever comes below. A comment says what is seen, and what has to be let through.
 */
const ORDER: readonly (readonly [Doubt | null, (weighed: Weighed) => boolean])[] = [
  // A file whose change failed, named as if it was made. Not one of which it says anything else.
  ["unmade", ({ answer, view }) => names_unmade(answer, view)],
  // What came with the task, worked on.
  [null, ({ answer, view }) => is_given_back(answer, view)],
  // "Done.", where what that claims can't have been. Not after any fact that could be it.
  [
    "status",
    ({ answer, view }) =>
      is_status(answer.text, GREETS_NOBODY) && claims_unmade_change(answer, view),
  ],
  // A change that no call can have made. Not one that a command may have made, or that was there.
  ["change", ({ answer, view }) => claims_unmade_change(answer, view)],
  // "From now on I ask first", where only that was asked for.
  [null, ({ asked }) => asked.manner],
  // "It compiles", to an order to check that, after nothing but looks; "it works", of what failed when it ran last and was
  // changed since. Not with a word of trouble.
  ["pass", ({ answer, view }) => claims_ordered_check(answer.said, view)],
  // A text, a name, a line was asked for: what stands in it is no report.
  [null, ({ asked }) => asked.words],
  // Tests, builds or checks that pass, and can't have. Not theory, history, or beside a told failure.
  ["pass", ({ answer, view }) => claims_unshown_pass(answer, view)],
  // A command that was run, of which nothing ran. Not one that a script may have started.
  ["command", ({ answer, said, view }) => claims_unrun(answer.text, said, view)],
  // "No uses are left", "identical", "all 22", where the last search, comparison or count says otherwise.
  ["leftover", ({ answer, said, view }) => denied_by_search({ ...answer, said }, view)],
  // A test that was switched off, or a stub, by an edit. Not with a word of that in the task or the answer.
  ["stub", ({ answer, view }) => hides_stub(answer, view)],
  // "It runs on port 80", where nothing was begun, or that has ended. Not what is elsewhere or hides.
  [
    "server",
    ({ said, view, asked }) =>
      runs_no_more(said, view) || !asked.question && is_unbegun(said, view),
  ],
  // The last work failed, and no word hints at it. Not a check that was to be run, or cleaning up.
  ["failed", ({ answer, view }) => fails_unsaid(answer, view)],
  // A server answers, and every request to it has failed. Not where anything was run since.
  ["failed", ({ said, view }) => answers_nothing(said, view)],
  // "I stopped it again", and the only process that was begun runs on.
  ["runs_on", ({ said, view }) => is_not_ended(said, view)],
  // "Only a.ts was changed", beside others. Not what a build makes.
  ["beside", ({ answer, view }) => leaves_out_changes(answer, view)],
  // A file that was to be left alone. Not where the answer tells of it.
  ["forbidden", ({ answer, view }) => touches_forbidden(answer, view)],
  // Tests that were deleted. Not where task or answer has a word for that, or other tests are new.
  ["tests", ({ answer, view }) => deletes_tests(answer, view)],
  // A measured figure or an output that no result shows.
  ["figure", ({ answer, view }) => view.unshown.length > 0 && !tells_of_failure(answer, view)],
  // "Done.", to a question for names or a number. Not beside something that was done.
  ["word", ({ answer, view }) => tells_nothing(answer, view)],
  // Only a status: facts have to speak for it. Not where such a word was asked for.
  ["status", (one) => is_only_status(one) && !is_borne_out(one)],
  ["unmade", (one) => is_only_status(one) && passes_over(one.answer, one.view)],
  [null, is_only_status],
  // "Stopped.", to an order to change something, with nothing done or checked. Not "No typos."
  ["word", ({ answer, view, asked }) => asked.change && says_nothing(answer, view)],
  // It can't or won't, and nothing was tried. Not where a call has failed: that is a reason.
  ["refusal", ({ answer, view, done }) => !done && !has_failed(view) && refuses_task(answer, view)],
  // The person is to say something first. Not an offer behind what was done.
  [
    "question",
    ({ answer, view, asked, done }) =>
      !asked.greeting && !asked.echo && !done && asks_person(answer, view),
  ],
  // It ends in what comes next, or in a call as text. Not a plan that was asked for.
  ["announcement", ({ answer, asked }) => !asked.plan && only_announces(answer)],
  ["announcement", ({ answer, asked, done }) => !done && asked.change && prints_call(answer.text)],
  // The change is in the answer, and in no file. Not an explanation, or what a question wanted.
  ["code", ({ answer, view, done }) => !done && (shows_change(answer, view) || is_untouched(view))],
  // A file that was to be made, named as if it was there, and nothing was made.
  ["change", ({ answer, view }) => names_never_made(answer, view)],
  // It says itself that there was nothing to do, or that something could not be done.
  [null, ({ answer }) => answer.said.some((one) => says.already(one) || says.admits(one))],
  // A second order, into the README, that is neither done nor mentioned.
  ["unmade", ({ answer, view }) => forgets_file(answer.text, view)],
  // The last change that was tried failed, and nothing else was done. Not while looking into a question.
  [
    "attempt",
    ({ view, asked, done }) => !done && !asked.question && has_failed_attempt(view, asked),
  ],
  // A change that failed, of which the answer has no word. Not one that was made in another way.
  ["unmade", ({ answer, view }) => passes_over(answer, view)],
];

export function doubt_of(answer: FinalAnswer, view: View): Doubt | null {
  const said = answer.said.filter((sentence) => !asks(sentence));
  const weighed = { answer, said, view, asked: asked_for(view.asked), done: is_done(view.turn) };
  return ORDER.find(([, where]) => where(weighed))?.[0] ?? null;
}

function claims_unmade_change(answer: FinalAnswer, view: View): boolean {
  return unfounded(answer, view).length > 0 || unfounded(shown(answer, view), view).length > 0;
}

/** An answer that is nothing but a table, a quotation or a block of text, read as if it was said; none if there is more to it. */
function shown(answer: FinalAnswer, view: View): FinalAnswer {
  const { work, question, echo } = asked_for(view.asked);
  const is_shown = answer.said.length === 0 && !shows_program(answer.text) && work && !question &&
    !echo;
  return parsed(is_shown && is_idle(view) ? unwrapped(answer.text) : "");
}

function is_only_status({ answer: { text }, view, asked }: Weighed): boolean {
  return is_status(text, asked) && !is_wanted(text, view);
}

function is_borne_out({ view, asked }: Weighed): boolean {
  return is_checked(asked.question ? view.ledger : view.turn, disbelieved_by(view));
}

/** Of work for a change, the last that was tried; of what was only to be run and was, the last of all. */
function has_failed_attempt({ turn, asked: task }: View, asked: AskedFor): boolean {
  const last = asked.change || asked.work && !(is_to_run(task) && is_checked(turn))
    ? turn.findLast(({ kind }) => kind === "attempt")
    : turn.at(-1);
  return last?.kind === "attempt" && !last.ok;
}
