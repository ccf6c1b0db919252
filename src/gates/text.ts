/**
 * A reply, cut into what the ending gates look at. Of a long one only the two ends are read, so that no
 * reply costs more than a short one: an announcement stands at the end, a claim at either.
 */

/** Characters looked at from each end of a reply: about a screenful, more than any opening or farewell. */
export const END_CHARS = 2_000;

/** Of a sentence, its last characters: an announcement is shorter, and the rules take time with long ones. */
const SENTENCE_CHARS = 400;

/** A stop and a space; in Chinese no space follows. */
const SENTENCE_END = /(?<=[.!?]["')\]]?)\s+|(?<=。)(?!["')」])|(?<=[!?])(?=\p{Script=Han})/u;

/** Lines of one kind that stand together. */
export interface Block {
  readonly kind: "prose" | "list" | "code";
  readonly lines: readonly string[];
  /** What stands behind an opening fence: "bash". Empty for what is not a fence. */
  readonly info: string;
}

/** The two ends of a reply; the same blocks twice where it is short. */
export interface Reading {
  readonly head: readonly Block[];
  readonly tail: readonly Block[];
  /** False where something between them was left out. */
  readonly whole: boolean;
}

/** Cuts a reply into blocks of plain text. */
export function read(text: string): Reading {
  const trimmed = text.trim();
  if (trimmed.length <= 2 * END_CHARS) {
    const blocks = to_blocks(plain(trimmed), false);
    return { head: blocks, tail: blocks, whole: true };
  }
  const tail = plain(trimmed.slice(-END_CHARS));
  return {
    head: to_blocks(plain(trimmed.slice(0, END_CHARS)), false),
    // An odd number of fences: the cut went through a code block.
    tail: to_blocks(tail, tail.split("\n").filter(is_fence).length % 2 === 1),
    whole: false,
  };
}

/** The sentences of a block, without code marks. What is quoted was not said by the speaker: it becomes `""`. */
export function sentences(block: Block): string[] {
  if (block.kind === "code") return [];
  return block.lines
    .map((line) => line.replaceAll("`", "").replace(/"[^"]{1,400}"/g, '""'))
    .flatMap((line) => line.split(SENTENCE_END))
    .map((sentence) => sentence.trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence))
    .map((sentence) => sentence.slice(-SENTENCE_CHARS));
}

/** True for a question: it is for the person to answer. */
export function asks(sentence: string): boolean {
  return /\?\W*$/.test(sentence);
}

/**
 * One spelling for what models write in many: small letters, ASCII for full-width and typographic signs; what
 * only decorates (emphasis, emoji, invisible characters) goes. Backticks stay.
 */
export function plain(text: string): string {
  return text.normalize("NFKC").toLowerCase()
    .replace(/[‘’ʼ′]/g, "'")
    .replace(/[“”„«»]/g, '"')
    .replace(/\r\n?/g, "\n")
    .replace(/[\p{Cf}\p{So}\p{Extended_Pictographic}\p{Emoji_Modifier}\u{FE0F}\u{20E3}]/gu, "")
    // Marks that touch a word on one side only, so that snake_case and "* item" stay.
    .replace(/(?<=\S)[*_]+(?![\p{L}\p{N}_])|(?<![\p{L}\p{N}_])[*_]+(?=\S)/gu, "");
}

/** What stands before the text of a list item, and of a heading. */
const ITEM = /^\s*(?:[-*+•–]\s|\d{1,3}[.)]\s|\d{1,3}、)\s*/;
const HEADING = /^\s*#{1,6}\s+/;

/** Shorter lines were ended on purpose. */
const WRAP_CHARS = 50;

function is_fence(line: string): boolean {
  return /^\s*(?:```|~~~)/.test(line);
}

/** Lists by their markers, tables and quotations as code: nothing in them is said by the speaker. */
function kind_of(line: string, before: Block["kind"] | null): Block["kind"] {
  if (/^\s*[|>]/.test(line)) return "code";
  if (ITEM.test(line)) return "list";
  return before === "list" && /^\s{2,}/.test(line) ? "list" : "prose";
}

/** A line that was wrapped at a width and goes on in the next one. */
function is_wrapped(line: string): boolean {
  return line.length >= WRAP_CHARS && !/[.!?:。]["')\]]?$/.test(line);
}

function to_blocks(text: string, in_code: boolean): Block[] {
  const blocks: { kind: Block["kind"]; lines: string[]; info: string }[] = [];
  let fenced = in_code;
  let after_blank = true;
  if (fenced) blocks.push({ kind: "code", lines: [], info: "" });
  for (const line of text.split("\n")) {
    const last = blocks.at(-1);
    if (is_fence(line)) {
      if (!fenced) {
        blocks.push({ kind: "code", lines: [], info: line.replace(/^\s*\S{3}/, "").trim() });
      }
      fenced = !fenced;
    } else if (fenced) {
      last?.lines.push(line);
    } else if (/[\p{L}\p{N}]|\.\.\.|:$/u.test(line)) {
      const kind = kind_of(line, last?.kind ?? null);
      const bare = line.replace(ITEM, "").replace(HEADING, "").trim();
      const before = last?.lines.at(-1);
      if (last?.kind !== kind || last.info !== "") blocks.push({ kind, lines: [bare], info: "" });
      else if (
        before !== undefined && !after_blank && !ITEM.test(line) && !HEADING.test(line) &&
        is_wrapped(before)
      ) {
        last.lines[last.lines.length - 1] = `${before} ${bare}`;
      } else last.lines.push(bare);
    }
    after_blank = line.trim() === "";
  }
  return blocks;
}
