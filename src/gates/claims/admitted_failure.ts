/** An answer that says itself that the task was not done. */
import type { View } from "../../guards/rule.ts";
import type { LedgerRow } from "../../tools/ledger.ts";
import type { FinalAnswer } from "../answer/answer.ts";
import { files_in } from "../answer/files.ts";
import { asked_for } from "../answer/task.ts";
import { plain } from "../answer/text.ts";
import { disbelieved_by, is_idle } from "./idle.ts";
import { is_deed, is_test } from "../facts/commands.ts";
import { changed, has_failed, is_checked, is_done, left } from "../facts/facts.ts";
import { fails_last, fails_wanted, is_to_run } from "./unsaid_failure.ts";
import { finds_none, of_the_speaker, tells_red, UNCHANGED } from "../phrases/reports.ts";
import { could_pass, tells_of_pass } from "./passes.ts";
import * as says from "../phrases/triggers.ts";
import { commands, lacks_program, only_looked } from "../facts/outcomes.ts";

/** The answer reports a failure, and the facts agree: something was tried, and nothing came of it. */
export function admits_failure(answer: FinalAnswer, view: View): boolean {
  const { question, optional, conditional } = asked_for(view.asked);
  const { said } = answer;
  const [first = ""] = said;
  if (optional || conditional && !says.admits(first)) return false;
  if (begins_with_defeat(said, view) || was_for_nothing(said, view)) return true;
  if (is_done(view.turn, disbelieved_by(view)) || said.some(says.already)) return false;
  if (is_out_of_reach(said, view)) return true;
  return question ? fails_to_find_out(said, view) : tells_failed_work(said, view);
}

/** Whether the first sentence alone says that it did not succeed, whatever was done. */
function begins_with_defeat(said: readonly string[], view: View): boolean {
  const { question, work } = asked_for(view.asked);
  const [first = ""] = said;
  return work && (says.gives_up(first) || is_short_of_goal(said, view)) ||
    CANNOT_ANSWER.test(first) ||
    !question && view.actions.length > 0 && NOT_MANAGED.test(first) &&
      !said.slice(0, 2).some((one) => ANOTHER_WAY_TAKEN.test(one)) ||
    is_to_run(view.asked) && COULD_NOT_RUN.test(first) && !runs_in_its_place(said, view);
}

/** To run a test that fails is work that was done. */
function is_order(first: string, { asked }: View): boolean {
  const { question, work } = asked_for(asked);
  return work && !question && !asked.includes("?") &&
    (!is_to_run(asked) || says.never_ran(first));
}

function was_for_nothing(said: readonly string[], view: View): boolean {
  const [first = ""] = said;
  return is_order(first, view) && has_come_to_nothing(view) && denies_success(first) &&
    !said.some(says.as_asked);
}

function is_out_of_reach(said: readonly string[], view: View): boolean {
  const [first = ""] = said;
  return is_order(first, view) && is_idle(view) &&
    (OUT_OF_REACH.test(first) || names_missing(first, view) ||
      said.some(says.leaves_undone) && !said.some(says.was_needless));
}

/** What can't be is what was asked about, unless the speaker could not; that a command failed may be the answer itself. */
function fails_to_find_out(said: readonly string[], { actions }: View): boolean {
  const [first = ""] = said;
  const last = actions.at(-1);
  if (last === undefined || last.refused !== true && last.ok) return false;
  return last.refused === true || last.name !== "bash"
    ? said.slice(0, 3).some((one) => says.admits(one) && says.of_oneself(one))
    : says.admits(first) && of_the_speaker(first);
}

function tells_failed_work(said: readonly string[], view: View): boolean {
  const { work, change } = asked_for(view.asked);
  const opening = said.slice(0, 3);
  const [first = ""] = said;
  const acted = view.actions.length > 0;
  const is_stuck = (one: string) =>
    says.calls_impossible(one) || says.gives_up(one) ||
    acted && one === first && says.lacks(one) ||
    acted && only_looked(view.turn) && says.admits(one.replace(UNCHANGED, "")) &&
      !says.refuses(one) && of_the_speaker(one) && !finds_none(one);
  return has_failed(view, change ? "all" : "none") && opening.some(says.admits) ||
    change && !could_pass(view) && has_failed(view, "all") &&
      opening.some((one) => says.tells_failure(one) && says.as_before(one)) ||
    work && !is_checked(view.turn) && opening.some(is_stuck) ||
    work && was_stopped(view) &&
      opening.some((one) => says.falls_short(one) && !(says.goes_on(one) && has_read_on(view))) ||
    work && says.falls_short(first) && !says.admits(first) && !NOTHING_THERE.test(first) &&
      fails_wanted(view);
}

/** "I can't get it twice as fast"; that it can't be made to fail is a finding. */
const OUT_OF_REACH =
  /\bi (?:can't|cannot|couldn't|could not|(?:wasn't|was not|am not) able to|(?:was|am) unable to) (?:get|make|bring|speed|reach|achieve|reduce|raise|shrink|fix|solve|find a way)\b(?!.*\b(?:fail|crash|hang|break|happen|occur|reproduc\w*)\b)/;

/** Whether an answer begins with what could not be done. */
export function tells_failing({ said: [first = ""] }: FinalAnswer, view: View): boolean {
  return says.admits(first) || names_missing(first, view);
}

/** "There is no a.py", to an order that names it, after a call that did not find it. */
function names_missing(sentence: string, { asked, turn }: View): boolean {
  return turn.some((row) => row.kind === "attempt" && !row.ok && row.path === undefined) &&
    says.falls_short(sentence) && files_in(plain(asked)).some((name) => sentence.includes(name));
}

/** Not what can't be seen, run or made to fail: that is a finding, or a way that was left. */
const NOT_MANAGED =
  /^(?:je n'ai pas (?:pu|reussi a) (?!reprod|trouv|constat|lanc|execut|test)|(?:das )?konnte ich (?!.*(?:reprod|find|feststell|ausfuhr|test)).*nicht|ich konnte (?!.*(?:reprod|find|feststell|ausfuhr|test)).*nicht|no (?:pude|he podido|logre|consegui) (?!reprod|encontr|ejecut|prob)|nao (?:consegui|pude) (?!reprod|encontr|rodar|execut|test)|non (?:sono riuscit[oa] a|ho potuto) (?!riprod|trov|esegu)|(?:我)?(?:无法|没能|未能)(?!重现|复现|找到|运行|确认)|没有完成|未(?:能)?完成|(?:я )?не (?:смог|удалось) (?!воспр|най|запус))/;
const ANOTHER_WAY_TAKEN =
  /\b(?:asi que|por eso|donc|alors|daher|deshalb|stattdessen|a la place|en su lugar|por isso|quindi|invece)\b|所以|因此|改用|поэтому|вместо/;
const CANNOT_ANSWER =
  /^i (?:can't|cannot|couldn't|could not) (?:answer|say (?:why|what|which|how|whether))\b/;

const COULD_NOT_RUN =
  /\b(?:could not|couldn't|can't|cannot|(?:not|n't) able to|unable to) (?:\w+ )?(?:run|execute|start) (?:the |your |any |them|it\b)/;

/** Whether tests ran all the same, or something that the answer gives the result of. */
function runs_in_its_place(said: readonly string[], view: View): boolean {
  const is_other = (one: string) =>
    tells_of_pass(one, view) ||
    /\b(?:instead|by hand|directly|so i|but i)\b|\d.*\b(?:pass|fail)/.test(one);
  return said.some(is_other) || changed(view.turn).length > 0 || view.asked.includes("?") ||
    commands(view.turn).some((row) => is_test(row.command) && !lacks_program(row));
}

/** Something was tried and failed, was refused or was taken back, and nothing is left of the run. */
function has_come_to_nothing(view: View): boolean {
  const { run, asked } = view;
  // After `git merge --abort` git's index differs, though nothing that it lists does.
  const remains = changed(run).length > 0 || left(run, "ref").some(({ ref }) => ref !== "index") ||
    left(run, "path").length > 0 || run.some(({ kind }) => BESIDE.has(kind));
  const tried = has_failed(view, asked_for(asked).change ? "all" : "none") ||
    run.some(({ kind }) => kind === "file");
  return tried && !remains;
}

/** What happens elsewhere, of which nobody knows what is left. */
const BESIDE: ReadonlySet<LedgerRow["kind"]> = new Set(["served", "noted", "planned"]);

function denies_success(sentence: string): boolean {
  const [head = ""] = sentence.split(/[;:]/);
  return (says.falls_short(head) || says.admits(head)) && !NOTHING_THERE.test(head) &&
    !says.claims_change(head) && !says.already(sentence) && !says.was_needless(head);
}

/** What is not there needs nothing done to it. */
const NOTHING_THERE = /\b(?:nothing|there (?:is|was|are|were) no|any ?more|no longer|no such)\b/;

/** A check that passes is the goal, the last one has failed, and the answer begins with that. */
function is_short_of_goal([one = ""]: readonly string[], view: View): boolean {
  const [first = ""] = one.split(/[;:]/);
  return OF_GOAL.test(view.asked) && tells_red(first) && !says.claims_pass(first) &&
    !says.claims_change(first) && !says.opens_with_change(first) && !IS_FIXED.test(first) &&
    fails_last(view);
}

const IS_FIXED =
  /^(?!.* of (?:the |them)).*\b(?:is|are) (?:now |all )*(?:fixed|gone|resolved|solved|corrected)\W*$/;
const OF_GOAL =
  /\b(?:get|make|bring|keep|turn|fix)\b.*\b(?:green|pass\w*|compil\w*|build\w*|tests?|lint\w*|ci|clippy|warnings)\b|\b(?:tests?|specs?|suite|build|ci|lint) (?:must|should|has to|have to|needs? to) (?:pass|be|succeed)|\bexits? (?:with )?0\b|\buntil\b.*\b(?:pass|green)|\band (?:prove|verify|deploy|apply)\b|통과|通过|grun\b/i;

/** Whether what was found last was read. */
function has_read_on({ actions }: View): boolean {
  const last = actions.at(-1);
  return last?.name === "read" && last.ok;
}

/** Whether what the work takes was refused, is known to have failed in the end, or is not there. */
function was_stopped(view: View): boolean {
  const { actions, turn } = view;
  const ran = commands(turn);
  const deed = ran.findLast(({ command }) => is_deed(command));
  const last = ran.at(-1);
  return actions.some(({ refused }) => refused) || deed !== undefined && deed.exit_code !== 0 ||
    last !== undefined && lacks_program(last) && !is_checked(turn);
}
