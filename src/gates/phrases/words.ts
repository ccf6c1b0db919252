/** Tables of words and patterns, matched against sentences of `plain` text. */

/** Alternatives separated by blanks or line breaks; `_` stands for a blank inside one. */
export function any(words: string): string {
  return `(?:${words.trim().split(/\s+/).join("|").replaceAll("_", " ")})`;
}

export function table(...sources: string[]): (sentence: string) => boolean {
  const patterns = sources.map((source) => new RegExp(source, "u"));
  return (sentence) => patterns.some((pattern) => pattern.test(sentence));
}
