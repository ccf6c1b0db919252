/** What was read, and where in the text it ends. */
interface ReadObject {
  readonly value: Readonly<Record<string, unknown>>;
  readonly end: number;
}

/** Deeper than the arguments of any tool; the reader calls itself for each level. */
const MOST_DEEP = 100;

const BLANK = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])/y;
const WORD = /[A-Za-z]+/y;

const WORDS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ["true", true],
  ["false", false],
  ["null", null],
  ["True", true],
  ["False", false],
  ["None", null],
]);

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["n", "\n"],
  ["t", "\t"],
  ["r", "\r"],
  ["b", "\b"],
  ["f", "\f"],
  ["\\", "\\"],
  ['"', '"'],
  ["'", "'"],
]);

/** Reads the object at `at`: JSON, or Python's form of it. Undefined for anything else. `close`: brackets may be missing at the very end. */
export function read_object(
  text: string,
  { at = 0, close = false }: { at?: number; close?: boolean } = {},
): ReadObject | undefined {
  if (text[at] !== "{") return undefined;
  const reader = new JsonScanner(text, { at, close });
  const taken = reader.value(0);
  return taken === undefined
    ? undefined
    : { value: taken.value as Record<string, unknown>, end: reader.at };
}

/** The value that begins at `at`, such as Python prints one, and where it ends. */
export function read_value(
  text: string,
  at: number,
): { readonly value: unknown; readonly end: number } | undefined {
  const reader = new JsonScanner(text, { at, close: false });
  const taken = reader.value(0);
  return taken === undefined ? undefined : { value: taken.value, end: reader.at };
}

/** A value, which may itself be undefined for nothing. */
type Taken = { readonly value: unknown } | undefined;

class JsonScanner {
  at: number;
  readonly #close: boolean;
  /** The last value could go on: a number at the end of a cut text may have lost digits. */
  #may_go_on = false;

  constructor(private readonly text: string, { at, close }: { at: number; close: boolean }) {
    this.at = at;
    this.#close = close;
  }

  value(depth: number): Taken {
    this.#match(BLANK);
    this.#may_go_on = false;
    switch (this.text[this.at]) {
      case "{":
        return depth < MOST_DEEP ? this.#object(depth + 1) : undefined;
      case "[":
        return depth < MOST_DEEP ? this.#array(depth + 1) : undefined;
      case '"':
      case "'":
        return this.#string();
      default:
        return this.#number() ?? this.#word();
    }
  }

  #object(depth: number): Taken {
    const entries: [string, unknown][] = [];
    const value = () => ({ value: Object.fromEntries(entries) });
    if (this.#opens("}")) return value();
    for (;;) {
      this.#match(BLANK);
      const quote = this.text[this.at];
      const key = quote === '"' || quote === "'" ? this.#string() : undefined;
      this.#match(BLANK);
      if (key === undefined || this.text[this.at++] !== ":") return undefined;
      const member = this.value(depth);
      if (member === undefined) return undefined;
      entries.push([key.value, member.value]);
      switch (this.#after("}")) {
        case "more":
          continue;
        case "over":
          return value();
        case "broken":
          return undefined;
      }
    }
  }

  #array(depth: number): Taken {
    const value: unknown[] = [];
    if (this.#opens("]")) return { value };
    for (;;) {
      const item = this.value(depth);
      if (item === undefined) return undefined;
      value.push(item.value);
      switch (this.#after("]")) {
        case "more":
          continue;
        case "over":
          return { value };
        case "broken":
          return undefined;
      }
    }
  }

  /** Steps over the opening bracket; true if the closing one follows at once. */
  #opens(closing: string): boolean {
    this.at++;
    this.#match(BLANK);
    if (this.text[this.at] !== closing) return false;
    this.at++;
    return true;
  }

  #after(closing: string): "more" | "over" | "broken" {
    this.#match(BLANK);
    const next = this.text[this.at];
    if (next === undefined) return this.#close && !this.#may_go_on ? "over" : "broken";
    this.at++;
    if (next === closing) {
      this.#may_go_on = false;
      return "over";
    }
    if (next !== ",") return "broken";
    this.#match(BLANK);
    if (this.text[this.at] !== closing) return "more";
    this.at++;
    this.#may_go_on = false;
    return "over";
  }

  #string(): { readonly value: string } | undefined {
    const quote = this.text[this.at++];
    const pieces: string[] = [];
    let from = this.at;
    for (;;) {
      const char = this.text[this.at];
      if (char === undefined) return undefined;
      if (char === quote) {
        pieces.push(this.text.slice(from, this.at++));
        return { value: pieces.join("") };
      }
      this.at++;
      if (char !== "\\") continue;
      pieces.push(this.text.slice(from, this.at - 1), this.#escape(quote));
      from = this.at;
    }
  }

  /** What no language escapes is what it looks like: `\d` in a pattern is a backslash and a `d`. */
  #escape(quote: string | undefined): string {
    const char = this.text[this.at] ?? "";
    const digits = char === "u" ? 4 : char === "x" && quote === "'" ? 2 : 0;
    const hex = this.text.slice(this.at + 1, this.at + 1 + digits);
    if (digits > 0 && hex.length === digits && /^[0-9a-fA-F]+$/.test(hex)) {
      this.at += 1 + digits;
      return String.fromCharCode(parseInt(hex, 16));
    }
    const meant = char === "/" && quote === '"' ? "/" : ESCAPES.get(char);
    if (meant === undefined) return "\\";
    this.at++;
    return meant;
  }

  #number(): Taken {
    const digits = this.#match(NUMBER);
    if (digits === "") return undefined;
    this.#may_go_on = true;
    return { value: Number(digits) };
  }

  #word(): Taken {
    const word = this.#match(WORD);
    return WORDS.has(word) ? { value: WORDS.get(word) } : undefined;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? "";
    this.at += found.length;
    return found;
  }
}

/** How far a sticky pattern reaches from a place in a text. */
export function end_of_match(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}
