/** Tables of words and patterns, matched against sentences of `plain` text. */

/** Alternatives separated by blanks or line breaks; `_` stands for a blank inside one. */
export function any(words: string): string {
  return `(?:${words.trim().split(/\s+/).join("|").replaceAll("_", " ")})`;
}

/** What `\\W` stands for: alone it would take letters of other scripts for signs. */
const NO_LETTER = "[^\\p{L}\\p{N}_]";

/** Made when it is first asked: a run asks few of them, and once. */
export function table(...sources: string[]): (sentence: string) => boolean {
  let patterns: readonly RegExp[] | null = null;
  return (sentence) => {
    patterns ??= sources.map((source) => new RegExp(source.replaceAll("\\W", NO_LETTER), "u"));
    return patterns.some((pattern) => pattern.test(sentence));
  };
}
