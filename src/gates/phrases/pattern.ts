/**
 * What one language says when a run ends. All of it is matched against *plain* text (see `../text.ts`):
 * NFKC, small letters, straight quotes, no emphasis, no emoji.
 */
export interface Phrases {
  /**
   * A word without which no sentence of this language is planning. The tables are long: to compile them takes up to
   * 12 ms and 2 MB a language, and most replies are in one.
   */
  readonly hint: RegExp;
  /** A sentence that announces what the speaker is about to do. */
  readonly planning: RegExp;
  /** Makes a planning sentence part of an answer: it waits for the person, or speaks of later. */
  readonly deferral: RegExp;
  /** A sentence that may stand beside an announcement without making it an answer: "Sure!". */
  readonly filler: RegExp;
  /**
   * A whole reply, reduced to its letters, that is a status and nothing else. Repeats are counted: under `+`
   * the many ways to cut "done done done" would take for ever.
   */
  readonly status: RegExp;
  /** A sentence in which the speaker says that he changed something. */
  readonly claim: RegExp;
  /** A claim without a subject, which only the beginning of a reply can make: "Created a.txt." */
  readonly opening: RegExp;
  /** A sentence which says that something was changed, whoever did it. */
  readonly passive: RegExp;
  /** Makes a sentence no claim: denied, supposed, wished for, or about words and not files. */
  readonly denial: RegExp;
  /** A reply that contains this tells of versions and commits: only the first person still claims. */
  readonly history: RegExp;
}

/** The letters beyond ASCII that the tables use. */
const LETTERS = "ßàáâäçèéêíñóöúûüœ";
const BEYOND_ASCII = /[\u00df-\u024f]/g;

/**
 * Puts a capital in the place of each letter of Latin scripts beyond ASCII; plain text has no other capitals. Then
 * `\w` and `\b` mean in "créé" what they mean in "made". `\p{L}` would know these letters too, but a table with it takes
 * half a second to compile.
 */
export function stand_in(text: string): string {
  return text.replace(BEYOND_ASCII, (letter) => {
    const at = LETTERS.indexOf(letter);
    return at < 0 ? "Z" : String.fromCharCode(65 + at);
  });
}

/**
 * The source of a group of alternatives, so that a table of them can be read: one or more a line with
 * ` | ` between them; lines that begin with `# ` are comments. Backslashes are kept as they are.
 */
export function group(strings: TemplateStringsArray, ...inner: string[]): string {
  const alternatives = String.raw(strings, ...inner).split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("# "))
    .flatMap((line) => line.split(" | "))
    .map((alternative) => alternative.trim());
  return `(?:${alternatives.join("|")})`;
}

/** `group` as a regular expression for text that went through `stand_in`. */
export function pattern(strings: TemplateStringsArray, ...inner: string[]): RegExp {
  return new RegExp(stand_in(group(strings, ...inner)));
}
