/** "Note it in the README", beside other work: an answer may claim that, or have no word of it, and nothing of that name has changed. */
import { shared_start } from "../../config/text.ts";
import type { View } from "../../guards/rule.ts";
import type { Claim } from "../answer/claim.ts";
import { file_name, without_ending } from "../answer/files.ts";
import { asked_for, JUDGED_TASK_CHARS } from "../answer/task.ts";
import { plain } from "../answer/text.ts";
import { changed } from "../facts/facts.ts";
import { leaves_alone } from "../phrases/reports.ts";
import { DEED, denies } from "../phrases/triggers.ts";

/** An order about a text, whatever it is for: the answer names it. */
const TO_DOCUMENT =
  /\b(?:(?:document|mention|describe|note|list|add|put|explain)\b[^.;]*\b(?:in|to|into) (?:the |our )?|(?:update|atualize|actualiza|aktualisiere|mets a jour) (?:the |our |o |el |die |le )?)((?:readme|changelog|contributing)(?:\.\w+)?)\b/g;

/** An order that says what is to be done to a thing, and in which file: "bump the version in package.json". */
const IN_FILE =
  /(?:^|[.;,!\n]|\b(?:and|then)) ?(?:also |then |please |and )*(bump|set|add|register|remove|delete|drop|raise|lower|export|enable|disable) ([^.;,\n]{3,60}?) (?:in|to|from) (?:the |our |its |each )?((?:[\w-]+\/)*[\w-]+\.[a-z]\w{0,4})\b/g;
/** Letters by which a deed is known in an order, and a thing in both. */
const STEM = 3, THING = 5;

/** Files of such orders of which the answer says, without naming them, that just that was done there, and that have not changed beside others. */
function told_of(
  told: readonly string[],
  task: string,
  paths: readonly string[],
): readonly string[] {
  return [...task.matchAll(IN_FILE)].flatMap(([, verb = "", thing = "", file = ""]) => {
    const things = thing.split(" ").filter((word) => word.length >= THING);
    const is_told = (one: string) =>
      [...one.matchAll(DEED)].some(([deed]) => shared_start(deed, verb) >= STEM) &&
      things.some((word) => one.includes(word.slice(0, THING)));
    const name = file_name(file);
    return paths.length > 0 && !paths.some((path) => file_name(path) === name) &&
        !told.some((one) => one.includes(name)) &&
        told.some((one) => is_told(one) && !denies(one) && !leaves_alone(one))
      ? [file]
      : [];
  });
}

/** Texts of the task that the answer speaks of as if they were written, and files of which it tells a deed, and that have not changed. */
export function documented(
  told: readonly string[],
  asked: string,
  paths: readonly string[],
): readonly Claim[] {
  const task = plain(asked.slice(0, JUDGED_TASK_CHARS));
  const files = told_of(told, task, paths).map((file): Claim => ({ what: "any", names: [file] }));
  const texts = [...task.matchAll(TO_DOCUMENT)]
    .flatMap(([, name = ""]) => name)
    .filter((name) => {
      const stem = without_ending(name);
      return told.some((one) => one.includes(stem) && !leaves_alone(one)) &&
        !paths.some((path) => file_name(path).startsWith(stem));
    })
    .map((name): Claim => ({ what: "any", names: [name] }));
  return [...texts, ...files];
}

/** A second order, behind another one: the answer does not name it. "… Also add a badge to the README", "…, and note it in CHANGELOG.md". */
const ALSO =
  /(?:[.;,!\n]|\d[.)]|\band|\bthen) ?(?:also |then |please |and )*(?:document|mention|describe|note|list|add|put|explain|update)\b(?: (?!if\b|where\b|when\b)[^\s.;,]+){0,6}? (?:in|to|into) (?:the |our |its )?((?:[\w-]+\/)*(?:readme|changelog|contributing|[\w-]+(?=\.(?:md|rst|txt|adoc)\b)))\b|(?:[.;,!\n]|\d[.)]|\band|\bthen) ?(?:also |then |please |and )*update (?:the |our |its )?(readme|changelog|contributing)\b/g;

/** What a changelog may be called. */
const CHANGELOGS = /change|history|news|release/;

/** Whether a task for more than one thing wants one of them written into a file that has not changed, and that the answer has no word of. */
export function forgets_file(text: string, view: View): boolean {
  const { work, question, plan, words, optional, conditional } = asked_for(view.asked);
  const paths = changed(view.ledger).map(plain);
  if (!work || question || plan || words || optional || conditional || paths.length === 0) {
    return false;
  }
  const task = plain(view.asked.slice(0, JUDGED_TASK_CHARS));
  return [...task.matchAll(ALSO)].some(([, a, b = ""]) => {
    const name = a ?? b;
    const stem = without_ending(file_name(name));
    const called = stem === "changelog" ? CHANGELOGS : new RegExp(RegExp.escape(stem));
    return ![plain(text), ...paths].some((one) => called.test(one));
  });
}
