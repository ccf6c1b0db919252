/** Tokens of a text, by estimate: ASCII/4 plus one for each other character (issue on local models). */
export function tokens_in(text: string): number {
  let ascii = 0;
  let others = 0;
  for (const char of text) char <= "\x7f" ? ascii++ : others++;
  return Math.ceil(ascii / 4) + others;
}
