import { de } from "./de.ts";
import { en } from "./en.ts";
import { es } from "./es.ts";
import { fr } from "./fr.ts";
import { type Phrases, stand_in } from "./pattern.ts";
import { zh } from "./zh.ts";

/** Nobody says which language a model will answer in, so that every sentence is held against all. */
const LANGUAGES: readonly Phrases[] = [en, zh, es, fr, de];

/** True for a sentence that announces an action of the speaker. */
export function is_planning(sentence: string): boolean {
  const text = stand_in(sentence);
  return LANGUAGES.some((language) =>
    language.hint.test(text) && language.planning.test(text) && !language.deferral.test(text)
  );
}

/** True for a sentence that waits for the person, or speaks of later. */
export function is_deferral(sentence: string): boolean {
  const text = stand_in(sentence);
  return LANGUAGES.some((language) => language.deferral.test(text));
}

/** True for a sentence that adds nothing to an announcement. */
export function is_filler(sentence: string): boolean {
  const text = stand_in(sentence);
  return LANGUAGES.some((language) => language.filler.test(text));
}

/** True for the letters of a reply (lower case, single spaces) that is a bare status. */
export function is_status(letters: string): boolean {
  const text = stand_in(letters);
  return LANGUAGES.some((language) => language.status.test(text));
}

/** True for a sentence that claims a change anywhere in a reply. */
export function is_claim(sentence: string): boolean {
  const text = stand_in(sentence);
  return LANGUAGES.some((language) => language.claim.test(text) && !language.denial.test(text));
}

/** True for a sentence that claims a change at the beginning of a reply. */
export function is_opening_claim(sentence: string): boolean {
  const text = stand_in(sentence);
  return LANGUAGES.some((language) => language.opening.test(text) && !language.denial.test(text));
}

/** True for a sentence which says that something was changed, whoever did it. */
export function is_passive_claim(sentence: string): boolean {
  const text = stand_in(sentence);
  return LANGUAGES.some((language) => language.passive.test(text) && !language.denial.test(text));
}

/** True for text that tells of versions and commits, in which many things "have been fixed". */
export function is_history(reply: string): boolean {
  const text = stand_in(reply);
  return LANGUAGES.some((language) => language.history.test(text));
}
