/** A deed reported in the words of the order: "Tag it." "Tagged." The order shows that the verb means a change. */
import type { View } from "../guards/rule.ts";
import { has_failed } from "./facts.ts";
import { JUDGED_TASK_CHARS } from "./asked.ts";
import { plain } from "./text.ts";
import { DEED } from "./triggers.ts";

/** Others may have done it, or nobody. */
const NOT_BY_US =
  /\b(?:\w+n't|not|no(?! (?:longer|more)\b)|nobody|some(?:one|body)|he|she|they|you)\b/;
/** That something "is installed" may have been so before. */
const STATE = /\b(?:be|is|are|ist|sind|est|sont|esta|estan) (?:all )?$/;
/** No state that there may be without a deed. */
const HAPPENS =
  /^(?:deleted|dropped|published|converted|fixed|renamed|removed|moved|merged|corrected|corrige[es]*|replaced|translated|sent|released|bumped|restarted|undone)$/;
/** Where a verb stands in an order: "an update" is none. */
const VERBS =
  /(?:^|[,.;:!?]\s*|\b(?:and|then|please|to|you|now|also|und|bitte|et|y) )(\p{L}+(?:-\p{L}+)?)/gu;
/** Orders that are followed by doing nothing: "Stop that." */
const INERT =
  /\b(?:stop|wait|skip|leave|cancel|abort|pause|ignore|forget|remember|note|keep|hold|drop)(?: (?:on|off|up|that|this|it|them|there|here|now|for now|as (?:it )?is|in mind|alone))*(?=\s*(?:[.,;:!]|(?:and|then|und|et|y)\b|$))/g;
/** Of a word, what has to be the same in both forms of it. */
const STEM = 3;

/** Whether a sentence tells one; a state is one only where it was tried: by default, where something failed. */
export function echoes(sentence: string, view: View, tried = has_failed(view)): boolean {
  const asked = plain(view.asked.slice(0, JUDGED_TASK_CHARS)).replace(INERT, "");
  const order = [...asked.matchAll(VERBS)].map(([, verb = ""]) => verb);
  return [...sentence.matchAll(DEED)].some(({ 0: deed, index }) => {
    const before = sentence.slice(0, index);
    const is_state = STATE.test(before);
    if (
      NOT_BY_US.test(before) ||
      is_state && !tried && !HAPPENS.test(deed) && !/ now\b/.test(sentence)
    ) return false;
    // "lösche" and "gelöscht"; "corrige" is both.
    const forms = [deed, deed.replace(/^ge(?=\w{4})/, "")];
    return order.some((word) =>
      (is_state || word !== deed) && forms.some((form) => shared(form, word) >= STEM)
    );
  });
}

/** How many letters two words begin with together. */
function shared(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return at;
}
