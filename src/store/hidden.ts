/** Replaces secrets with text of the same length, so that whatever a program does with it still replays. */
import { json } from "../config/json.ts";
import { with_word_replaced } from "../config/text.ts";

/** Of a secret, what is taken for a piece of it where it was cut; a shorter one is looked for as a word. */
const PIECE_CHARS = 8;
/** Shorter than this nothing is hidden: it would riddle the text. */
const LEAST_CHARS = 4;
/** Stands for the characters of a secret, before its number. */
const FILLER = "x";

interface Hiding {
  readonly from: string;
  readonly to: string;
  /** A piece of it says nothing: only the whole is hidden. */
  readonly whole?: boolean;
}

export class Hidden {
  readonly #hidings: Hiding[] = [];

  /** `more`: what is not a secret but tells who someone is, with what stands for it; both as long. */
  constructor(secrets: Iterable<string>, more: readonly Hiding[] = []) {
    // Quotes, blanks and the like have other forms in JSON, or a meaning: what is between them has not.
    const parts = [...secrets].flatMap((secret) => secret.split(/[\s"'`\\\p{Cc}{}[\],:;()<>]+/u))
      .filter((part) => part.length >= LEAST_CHARS);
    const found = [...new Set(parts)].toSorted((a, b) => b.length - a.length || (a < b ? -1 : 1));
    // The same name for what is the same, another for what is not: a program compares.
    found.forEach((from, nth) =>
      this.#hidings.push({ from, to: nth.toString(36).padStart(from.length, FILLER) })
    );
    this.#hidings.push(...more.filter(({ from }) => from !== ""));
  }

  in(text: string): string {
    return this.#hidings.reduce(hide, text);
  }

  in_value(value: unknown): unknown {
    if (typeof value === "string") return this.in(value);
    if (typeof value !== "object" || value === null) return value;
    if (Array.isArray(value)) return value.map((inner) => this.in_value(inner));
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [name, this.in_value(inner)]),
    );
  }

  /** Hides in JSON, in which nothing else changes. */
  in_json(text: string): string {
    const value = json(text);
    return JSON.stringify(value) === text ? JSON.stringify(this.in_value(value)) : this.in(text);
  }
}

function hide(text: string, { from, to, whole = false }: Hiding): string {
  if (whole) return text.replaceAll(from, to);
  if (from.length < PIECE_CHARS) return with_word_replaced(text, { from, to });
  if (!text.includes(from.slice(0, PIECE_CHARS)) && !text.includes(from.slice(-PIECE_CHARS))) {
    return text;
  }
  const begun = hide_beginnings(text, { from, to });
  // Where it ends, from where it begins there.
  return backwards(
    hide_beginnings(backwards(begun), { from: backwards(from), to: backwards(to) }),
  );
}

function backwards(text: string): string {
  return text.split("").reverse().join("");
}

/** Each place where it begins, as far as it goes there. */
function hide_beginnings(text: string, { from, to }: Hiding): string {
  const first = from.slice(0, PIECE_CHARS);
  let clean = "";
  let at = 0;
  for (let found = text.indexOf(first); found >= 0; found = text.indexOf(first, at)) {
    let length = PIECE_CHARS;
    while (length < from.length && text[found + length] === from[length]) length++;
    clean += text.slice(at, found) + to.slice(0, length);
    at = found + length;
  }
  return clean + text.slice(at);
}
