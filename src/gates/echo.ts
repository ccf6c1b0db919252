/** A deed that is told in the words of the order: "Tag it." "Tagged." So a verb is known for one that changes something. */
import type { View } from "../guards/rule.ts";
import { has_failed } from "./facts.ts";
import { plain } from "./text.ts";
import { DEED } from "./triggers.ts";

/** Others may have done it, or nobody. */
const NOT_BY_US =
  /\b(?:\w+n't|not|no(?! (?:longer|more)\b)|nobody|some(?:one|body)|he|she|they|you)\b/;
/** That something "is installed" may have been so before. */
const STATE = /\b(?:be|is|are|ist|sind|est|sont|esta|estan) (?:all )?$/;
/** Of a word, what has to be the same in both forms of it. */
const STEM = 3;

/** Whether a sentence tells one; a state is one only where it was tried in vain. */
export function echoes(sentence: string, view: View): boolean {
  const order = plain(view.asked).match(/\p{L}+/gu) ?? [];
  return [...sentence.matchAll(DEED)].some(({ 0: deed, index }) => {
    const before = sentence.slice(0, index);
    if (NOT_BY_US.test(before) || STATE.test(before) && !has_failed(view)) return false;
    const stem = deed.replace(/^ge(?=\w{4})/, "");
    const least = (word: string) => Math.max(STEM, Math.min(word.length, stem.length - 2));
    return order.some((word) => word !== deed && shared(stem, word) >= least(word));
  });
}

/** How many letters two words begin with together. */
function shared(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
