/** Estimates the tokens of a text without a tokenizer: ASCII/4 plus one for each other character. */

/** Of ASCII. Code and English take 3 to 4.5; the server's own count corrects what matters. */
export const CHARS_PER_TOKEN = 4;

export function tokens_in(text: string): number {
  return Math.ceil(quarters_in(text) / CHARS_PER_TOKEN);
}

/** Quarters of tokens: those of pieces add up to those of the whole. */
export function quarters_in(text: string): number {
  let quarters = 0;
  for (let at = 0; at < text.length; at++) quarters += quarters_of(text.charCodeAt(at));
  return quarters;
}

/** Quarters of a token that a UTF-16 unit takes; the second half of a character that has two takes nothing more. */
export function quarters_of(unit: number): number {
  if (unit < 0x80) return 1;
  return unit >= 0xdc00 && unit < 0xe000 ? 0 : CHARS_PER_TOKEN;
}
