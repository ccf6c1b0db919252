/** "Note it in the README", beside other work: an answer may claim that, or have no word of it, and nothing of that name has changed. */
import type { View } from "../../guards/rule.ts";
import type { Claim } from "../answer/claim.ts";
import { file_name, without_ending } from "../answer/files.ts";
import { asked_for, JUDGED_TASK_CHARS } from "../answer/task.ts";
import { plain } from "../answer/text.ts";
import { changed } from "../facts/facts.ts";
import { leaves_alone } from "../phrases/reports.ts";

/** An order about a text, whatever it is for: the answer names it. */
const TO_DOCUMENT =
  /\b(?:(?:document|mention|describe|note|list|add|put|explain)\b[^.;]*\b(?:in|to|into) (?:the |our )?|(?:update|atualize|actualiza|aktualisiere|mets a jour) (?:the |our |o |el |die |le )?)(readme|changelog|contributing)\b/g;

/** Texts of the task that the answer speaks of as if they were written, and that have not changed. */
export function documented(
  told: readonly string[],
  asked: string,
  paths: readonly string[],
): readonly Claim[] {
  return [...plain(asked.slice(0, JUDGED_TASK_CHARS)).matchAll(TO_DOCUMENT)]
    .flatMap(([, stem = ""]) => stem)
    .filter((stem) =>
      told.some((one) => one.includes(stem) && !leaves_alone(one)) &&
      !paths.some((path) => file_name(path).startsWith(stem))
    )
    .map((stem) => ({ what: "any", names: [`${stem}.md`] }));
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
