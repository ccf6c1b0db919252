/** Cuts an answer into what it asserts, without what it quotes. Of a long one only both ends are read, so that it costs no more. */
import { attempt } from "../../config/attempt.ts";

/** Characters looked at from each end: about a screenful, more than any opening or farewell. */
const END_CHARS = 2_000;
/** Only the last characters of a sentence: the triggers take time with long ones. */
const SENTENCE_CHARS = 400;

/** A stop and a space, not those of `./...`; behind a Chinese or Japanese stop there is none. */
const SENTENCE_END =
  /(?<=[.!?][")\]]?)(?<!\/\.\.\.|\(\.\.\.\))\s+|(?<=。)(?![")」])|(?<=[!?])(?=[\p{Script=Han}])/u;
const FENCED = /^[ \t]*(```|~~~)[^\n]*(?:\n(?![ \t]*\1)[^\n]*)*(?:\n[ \t]*\1[^\n]*|$)/gm;
/** Stands in the place of a code block. */
const CODE = "\0";
/** What is before the text of a list item, and of a heading. */
const ITEM = /^\s*(?:[-*+•–]\s|\d{1,3}[.)]\s|\d{1,3}、)\s*/;
const HEADING = /^\s*#{1,6}\s+/;
/** A command that is ticked off. */
const TICKED = /(?<=`[^`\n]+ [^`\n]+`)\s*[:–—-]?\s*[✓✔✅]/g;

/** Lines of one kind that stand together. Code, tables and quotations are not the speaker's own words. */
export interface Block {
  readonly kind: "prose" | "list" | "code";
  readonly lines: readonly string[];
  readonly sentences: readonly string[];
}

/** Cuts an answer into blocks of `plain` text. One that is all JSON says what its strings say, and what it calls true. */
export function blocks_of(text: string): readonly Block[] {
  const lines = json_lines(text.trim());
  if (lines !== null) {
    return [{ kind: "prose", lines, sentences: lines.flatMap(sentences) }];
  }
  const shown = text.trim().replace(/\r\n?/g, "\n").replace(FENCED, CODE);
  const ends = shown.length <= 2 * END_CHARS
    ? shown
    : `${shown.slice(0, END_CHARS)}\n\n${shown.slice(-END_CHARS)}`;
  const blocks: { kind: Block["kind"]; lines: string[] }[] = [];
  for (const line of plain(ends.replace(TICKED, " passes")).split("\n")) {
    const last = blocks.at(-1);
    const kind = kind_of(line, last?.kind);
    if (kind === null) continue;
    const bare = line.replace(ITEM, "").replace(HEADING, "").trim();
    if (last?.kind === kind) last.lines.push(bare);
    else blocks.push({ kind, lines: [bare] });
  }
  return blocks.map(({ kind, lines }) => ({
    kind,
    lines,
    sentences: kind === "code" ? [] : lines.flatMap(sentences),
  }));
}

/** A text without the marks of a table, a quotation or a block of code: "| a.py | fixed |" is "a.py: fixed". */
export function unwrapped(text: string): string {
  return text.slice(0, END_CHARS).split("\n")
    .filter((line) => !/^\s*(?:```|~~~|\|?[\s:|-]*$)/.test(line))
    .map((line) => line.replace(/^[\s>|]+|[\s|]+$/g, "").replaceAll(/\s*\|\s*/g, ": "))
    .join("\n");
}

/** Code that is no command and no output. */
const PROGRAM = /^```(?!(?:sh|bash|shell|zsh|console|text|txt|log|output|json)\b)\w/m;

export function shows_program(text: string): boolean {
  return PROGRAM.test(text);
}

/** A block of code that is the whole answer. */
const ONLY_FENCED = /^```(?:json)?[ \t]*\n([^`]*)\n```$/;

/** What a JSON answer says, `plain`; null where it is none. */
function json_lines(text: string): readonly string[] | null {
  const json = ONLY_FENCED.exec(text)?.[1] ?? text;
  if (!/^[{[]/.test(json) || json.length > 2 * END_CHARS) return null;
  return attempt(() => said_in(JSON.parse(json)).map((line) => plain(line).trim()), null);
}

function said_in(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    one === true
      ? [`successfully ${key.replaceAll("_", " ")}`]
      : /^(?:pass|fail)/.test(key) && typeof one === "number"
      ? [`${one} ${key}`]
      : said_in(one)
  );
}

function kind_of(line: string, before: Block["kind"] | undefined): Block["kind"] | null {
  if (line.includes(CODE)) return "code";
  if (!/[\p{L}\p{N}]|\.\.\.|:$/u.test(line)) return null;
  if (/^\s*[|>]/.test(line)) return "code";
  return ITEM.test(line) || (before === "list" && /^\s{2,}/.test(line)) ? "list" : "prose";
}

/** What is quoted was not said by the speaker: it becomes `""`. Code marks stay out, and what stands between two is a list: `a.py`/`b.py`. */
function sentences(line: string): string[] {
  return line.replaceAll("`/`", ", ").replaceAll(" .`", " ./`").replaceAll("`", "").replace(
    /"[^"]{1,400}"/g,
    '""',
  )
    .split(SENTENCE_END)
    .map((sentence) => sentence.trim().slice(-SENTENCE_CHARS))
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** Not what makes й of и: a letter of its own. */
const ACCENTS = /[\u0300-\u0305\u0307-\u036f]|(?<![иИ])\u0306/g;

/** One spelling for the many of models: small letters without accents, ASCII signs, no decoration. So `\b` means in "créé" what it does in "made". */
export function plain(text: string): string {
  return text.normalize("NFKD").replace(ACCENTS, "").normalize("NFC").toLowerCase()
    .replace(/[‘’ʼ′]/g, "'")
    .replace(/[“”„«»]/g, '"')
    .replace(/[\p{Cf}\p{So}\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}\u{20E3}]/gu, "")
    // Marks that touch a word on one side only, so that snake_case and "* item" stay.
    .replace(/(?<=\S)[*_]+(?![\p{L}\p{N}_])|(?<![\p{L}\p{N}_])[*_]+(?=\S)/gu, "");
}
