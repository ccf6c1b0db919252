/** An answer that tells, beside what was done, that a part of the order was not. */
import { shared_start } from "../../config/text.ts";
import { json_object } from "../../dialects/repair.ts";
import type { View } from "../../guards/rule.ts";
import { asked_for, JUDGED_TASK_CHARS, ordered } from "../answer/task.ts";
import { plain } from "../answer/text.ts";
import { effect_of, git_verb, installs, is_deed, parts_of } from "../facts/commands.ts";
import { files_in } from "../answer/files.ts";
import { changed, is_same } from "../facts/facts.ts";
import { commands, worked_parts } from "../facts/outcomes.ts";
import { is_to_mend, is_told, orders_in } from "../phrases/orders.ts";
import { finds_none, hints_at_failure } from "../phrases/reports.ts";
import { is_to_run } from "./unsaid_failure.ts";
import * as says from "../phrases/triggers.ts";
import { denies_object } from "./denied_object.ts";

/** A sentence, an item or a heading: "Not done: the push", "push: not done", "The second part is not done". */
const MARK =
  /^(?:\W|\d+\) )*(?:[^:.]{1,60}: |(?:the |part )?(?:\S+ ){0,2}(?:part|half|point|task|\d+) (?:is|was|has) )?(?:still )?not (?:yet )?(?:been )?done\b/;
/** "Publishing is not done", "deploying it is still open": not what was to be seen. */
const LEFT_OPEN =
  /^(?:\W|but |only |however,? )*(?:the )?(?!(?:run|test|check|verif|build|reproduc|confirm)\w*ing\b)\w{3,}ing(?: (?:it|them|this|that|the \S+|to \S+))? (?:(?:is|was|has)(?:n't| not)(?: yet)?(?: been)? (?:done|finished|complete)|(?:is|remains) (?:still )?(?:open|outstanding|left))\b/;
const NOT_YET =
  /\b(?:not|n't) (?:been )?\w+(?:ed|en|ne|lt|ut) yet\b|\bnot yet (?:been )?\w+|\b(?:noch nicht|pas encore|(?:todavia|aun) no|ainda nao|non ancora|nog niet|jeszcze nie) \w+/;
/** "So far only the beginning is translated; the rest is not translated yet." */
const SO_FAR =
  /\b(?:so far|until now|up to now|bisher|bis jetzt|pour l'instant|por ahora)\b.*\b(?:only|just|nur|seulement|solo)\b.*\b(?:(?:not|n't) \w+ yet|(?:is|are) (?:still )?missing|remains?|noch nicht|pas encore|todavia no|aun no)\b|目前只[^。]*(?:还没|尚未|还未)|今のところ[^。]*だけ[^。]*(?:まだ|未)/;
/** What was not asked for may be left, and said so. */
const OF_CHOICE =
  /\b(?:ask\w*|scope|request\w*|on purpose|deliberate\w*|optional|nothing|none|separate\w*|follow-?up|outside|elsewhere|(?:left|leave) \S+ alone)\b/;
/** Of an order, whatever its words are. */
const OF_ORDER =
  /\b(?:part|half|points?|tasks?|steps?|items?|rest|others?|remaining|first|second|third|last|\d+)\b/;
/** The way led elsewhere, and there it may have been done. */
const ANOTHER_WAY =
  /[;,:–—(] ?(?:so |and |but |it (?:is|was) |i |we )*(?:rendered|drew|drawn|made|generated|produced|converted|computed|written|wrote|used|did|done) (?:\S+ ){0,3}?(?:with|by|using|through|via|in)\b|\binstead\b|\bby hand\b|\bfall(?:s|en)? back\b|\bfell back\b|\bso (?:i|we)(?:'ve| have)? (?!left|stopped|could|can|did|am)\w+/;
const NEEDLESS = /\b(?:never|need\w*|unnecessary|still fits?|works|correct|fine|right|by design)\b/;
const NOTHING_TO_DO = /^(?:there (?:is|was|are|were)(?: no|n't)|nothing to)\b/;
const CONDITION = /\b(?:if|unless|once|when|falls|wenn|si|se)\b/;
const INSTALL =
  /\b(?:install|add|up(?:grade|date)|bump|pin|latest|move to|ajoute|anade|fuge|installe|installiere|instala)\b/;
const MANIFEST =
  /(?:^|\/)(?:package\.json|deno\.jsonc?|go\.mod|cargo\.toml|gemfile|composer\.json|pyproject\.toml|setup\.(?:cfg|py)|pipfile|environment\.ya?ml|[\w-]*requirements[\w-]*\.(?:txt|in))$/i;
/** Seen where they were done. */
const SEEN_DEEDS = ["push", "publish", "install", "commit", "tag", "merge"];
/** Fewer words may be shared by chance. */
const SHARED_WORDS = 2;
/** Letters that "commit" and "committed", "publish" and "publication" share. */
const STEM = 6;

/** Whether a sentence says that a part of what was ordered is left. */
export function leaves_part(said: readonly string[], view: View): boolean {
  const { work, question, optional, conditional } = asked_for(view.asked);
  if (!work || question || optional || conditional) return false;
  if (view.asked.includes("?") || is_to_run(view.asked)) return false;
  const told = said.filter((one) => !says.already(one) && !OF_CHOICE.test(one));
  const order = ordered(view.asked);
  const at = said.findIndex((one) =>
    told.includes(one) && (
      MARK.test(one) && (OF_ORDER.test(one) || shared_words(one, order).length > 0) ||
      LEFT_OPEN.test(one) && is_verb_of(order, /\w+(?=ing\b)/.exec(one)?.[0] ?? "")
    )
  );
  if (at >= 0 && !OF_CHOICE.test(said[at + 1] ?? "")) return true;
  return told.some((one, at) => SO_FAR.test(`${one} ${told[at + 1] ?? ""}`)) ||
    told.some((one) => shares_words(one.split(NOT_YET), order)) ||
    !CONDITION.test(order) && admits_untried(told, order, view) ||
    !CONDITION.test(order) && told.some((one) => leaves_file(one, view)) ||
    !CONDITION.test(order) && told.some((one) => {
        const next = said[said.indexOf(one) + 1] ?? "";
        return denies_object(one, order) && !OF_CHOICE.test(next) &&
          ![one, next].some((each) => is_settled(each) || NEEDLESS.test(each));
      }) ||
    !CONDITION.test(order) && denies_ordered(said, told, view) ||
    !CONDITION.test(order) && undone_deeds(view).some((part) => {
        const tells = said.filter((one) => names(one, part));
        // What was done about it is told in the same sentence or the next.
        const about = tells.flatMap((one) => [one, said[said.indexOf(one) + 1] ?? ""]);
        return is_ordered(part, order, view) && !about.some(is_settled) &&
          tells.some((one) => told.includes(one) && (says.falls_short(one) || says.admits(one)));
      });
}

/** What is not there was named by mistake. */
const NO_FILE =
  /\b(?:(?:file|datei|fichier|fichero|archivo|arquivo|it) (?:is |es |n'|nicht )?(?:missing|fehlt|doesn't exist|does not exist|existe pas|no existe|nao existe)|there is no \S+\.\w+|no such file)\b/;

/** Whether a sentence says of a file that the task names, and that is unchanged, that what was ordered could not be done with it. */
function leaves_file(sentence: string, { asked, run }: View): boolean {
  if (!says.admits(sentence) || finds_none(sentence)) return false;
  if (ANOTHER_WAY.test(sentence) || NO_FILE.test(sentence)) return false;
  const paths = changed(run).map(plain);
  const task = plain(asked.slice(0, JUDGED_TASK_CHARS));
  return files_in(task).some((name) => {
    const words = sentence.replaceAll(name, "").match(/\p{L}{5,}/gu) ?? [];
    return sentence.includes(name) && !paths.some((path) => is_same(path, name)) &&
      words.some((word) => task.replaceAll(name, "").includes(word.slice(0, 5)));
  });
}

/** Whether an answer says that it could not do what the order tells, and no command did. */
function admits_untried(said: readonly string[], order: string, { run }: View): boolean {
  const worked = commands(run).flatMap(worked_parts);
  return SEEN_DEEDS.some((verb) =>
    is_told(verb, order) &&
    !worked.some((part) => verb_of(part) === verb || verb === "install" && installs(part)) &&
    !run.some((row) => row.kind === "served" && row.ok && as_command(row).includes(verb)) &&
    said.some((one, at) =>
      (says.admits(one) || is_denied(one, verb)) && has_word(one, verb) &&
      ![one, said[at + 1] ?? ""].some(is_settled)
    )
  );
}

/** Whether a verb of the order begins as this word does: "publish" and "publishing". */
function is_verb_of(order: string, word: string): boolean {
  return orders_in(order).some(([verb]) =>
    shared_start(word, verb) >= Math.min(STEM, verb.length - 1)
  );
}

/** "It is not published." */
function is_denied(sentence: string, verb: string): boolean {
  const deed = DENIED.exec(sentence)?.groups?.["deed"] ?? "";
  return shared_start(deed, verb) >= Math.min(STEM, verb.length);
}

const DENIED =
  /\b(?:(?:could|can)(?:n't| not|not) (?:be )?|(?:is|are|was|were|been)(?:n't| not) (?:been )?)(?<deed>\w+)/;
/** What was to be seen by them may be seen otherwise. */
const TO_SEE = /^(?:run|test|check|verif|build|reproduc|confirm)/;

/** Whether a command is known to have failed, and a sentence says that what was ordered is not done, with what it was to be done to. */
function denies_ordered(said: readonly string[], told: readonly string[], view: View): boolean {
  if (undone_deeds(view).length === 0) return false;
  const orders = orders_in(ordered(view.asked)).filter(([verb]) => !TO_SEE.test(verb));
  return told.some((one) => {
    const deed = DENIED.exec(one)?.groups?.["deed"];
    return deed !== undefined && ![one, said[said.indexOf(one) + 1] ?? ""].some(is_settled) &&
      orders.some(([verb, object]) =>
        shared_start(deed, verb) >= Math.min(STEM, verb.length - 1) &&
        object.match(/\p{L}{4,}/gu)?.some((word) => has_word(one, word))
      );
  });
}

/** Whether something ordered was refused, nothing of its kind worked since or could be another way to it, and no word hints at that. */
export function passes_over_refused(said: readonly string[], view: View): boolean {
  const { actions, asked } = view;
  const { work, question, optional, conditional } = asked_for(asked);
  if (!actions.some(({ refused }) => refused) || said.some(hints_at_failure)) return false;
  if (!work || question || optional || conditional || is_to_run(asked)) return false;
  const order = ordered(asked);
  const is_named = (part: string) =>
    order.includes(plain(part)) ||
    (is_deed(part) || git_verb(part) !== null) && is_ordered(part, order, view);
  return actions.some(({ refused, args }, at) =>
    refused === true && commands_in(args).some((part) =>
      is_named(part) &&
      !actions.slice(at + 1).filter(({ ok }) => ok).flatMap(({ args }) => commands_in(args))
        .some((one) =>
          ["act", "git"].includes(effect_of(one)) &&
          (verb_of(one) === verb_of(part) || !is_named(one))
        )
    )
  );
}

/** Whether what stands before "not written yet" speaks of what the order does. */
function shares_words([subject = "", ...rest]: readonly string[], order: string): boolean {
  const clause = subject.split(/[,;:(]/).at(-1) ?? "";
  return rest.length > 0 && shared_words(clause, order).length >= SHARED_WORDS;
}

function shared_words(said: string, order: string): readonly string[] {
  const words = new Set(said.match(/\p{L}{4,}/gu)?.map((word) => word.slice(0, STEM)));
  return [...words].filter((word) => order.includes(word));
}

/** Commands, and calls of others' tools, of which it is known that they were refused or have failed, and nothing of their kind worked. */
function undone_deeds({ actions, turn }: View): readonly string[] {
  const ran = commands(turn).map((row) => ({
    parts: parts_of(row.command),
    worked: worked_parts(row),
  }));
  const calls = turn.filter((row) => row.kind === "served");
  const refused = actions.filter(({ refused }) => refused).flatMap(({ args }) => commands_in(args));
  const undone = [
    ...ran.flatMap(({ parts, worked }) => parts.filter((part) => !worked.includes(part))),
    ...refused,
  ].filter((part) => is_deed(part) || git_verb(part) !== null);
  const done = [
    ...ran.flatMap(({ worked }) => worked),
    ...calls.filter(({ ok }) => ok).map(as_command),
  ].map(verb_of);
  return [...undone, ...calls.filter(({ ok }) => !ok).map(as_command)]
    .filter((part) => !done.includes(verb_of(part)));
}

/** "tickets close ticket". */
function as_command({ tool }: { readonly tool: string }): string {
  return tool.replace(/([a-z])([A-Z])/g, "$1 $2").replace(/[_.-]+/g, " ").toLowerCase();
}

/** It was done in another way, or there was nothing to do. */
function is_settled(sentence: string): boolean {
  return ANOTHER_WAY.test(sentence) || says.already(sentence) || NOTHING_TO_DO.test(sentence);
}

function commands_in(args: string): readonly string[] {
  const { command } = json_object(args) ?? {};
  return typeof command === "string" ? parts_of(command) : [];
}

/** "install" of `python3 -m pip install x`; none of what has one use only. */
function verb_of(part: string): string | null {
  const [, first = "", ...rest] = part.replace(/^\S*python\S* -m /, "").split(" ")
    .filter((word) => !word.startsWith("-"));
  return [first, ...rest].find((word) => /^[a-z][a-z-]+$/.test(word)) ?? null;
}

/** Whether the order names what a command was to do: by its verb, or, where it installs, by a package. */
function is_ordered(part: string, order: string, { run }: View): boolean {
  const verb = verb_of(part);
  if (verb === null || is_to_mend(verb, order)) return false;
  if (!installs(part) && verb !== "get") return is_told(verb, order);
  const packages = packages_of(part, verb);
  // What it would have written may stand there all the same.
  const is_written = changed(run).some((path) => MANIFEST.test(path));
  return packages.length === 0 || is_written
    ? is_told(verb, order)
    : INSTALL.test(order) && packages.some((name) => has_word(order, name));
}

function packages_of(part: string, verb: string): readonly string[] {
  return plain(part).split(` ${verb} `)[1]?.split(" ")
    .filter((word) => !word.startsWith("-"))
    .map((word) => /^@?[\w./-]*\w/.exec(word)?.[0] ?? "")
    .filter((word) => word !== "") ?? [];
}

function names(sentence: string, part: string): boolean {
  const [program = ""] = part.split(" ");
  const verb = verb_of(part);
  return verb !== null &&
    [verb, ...(program === "git" ? [] : [program, ...packages_of(part, verb)])]
      .some((word) => has_word(sentence, word));
}

/** As a word, or the beginning of one if it is long enough for that. */
function has_word(text: string, word: string): boolean {
  const stem = word.slice(0, Math.max(STEM, word.length - 3));
  const escaped = stem.replace(/[^\w]/g, "\\$&");
  return new RegExp(`(?<![\\w-])${escaped}${word.length > 3 ? "" : "\\b"}`).test(text);
}
