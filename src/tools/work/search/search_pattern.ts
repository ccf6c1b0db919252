/** A line of a text that matches: where it begins and ends, and where the match begins. */
export interface MatchingLine {
  readonly start: number;
  readonly end: number;
  readonly at: number;
}

export interface Pattern {
  /** Whether a line of a text may match: false only if none does. For many files at once. */
  may_match(text: string): boolean;
  lines(text: string): Iterable<MatchingLine>;
  /** Whether the match at this index of a text is no part of a longer word; of an expression nobody knows where it ends. */
  is_word(text: string, at: number): boolean;
  /** How many lines were too long to be looked at, and what is too long. */
  readonly skipped: number;
  readonly line_chars: number;
}

/** Why a text can't be used as a regular expression: a clause for the model. */
export interface Unusable {
  readonly unusable: string;
}

/** Longer lines are data or minified code, and `read` cuts them here, too. */
const MOST_LINE_CHARS = 2000;
/** V8 backtracks: `a.*b.*c` takes n³/6 steps on a line of n characters. So lines are limited to about 10⁹ steps, by overlapping repetitions. */
const LINE_CHARS = [MOST_LINE_CHARS, MOST_LINE_CHARS, 400, 160];
/** Without any of these, a regular expression is the literal text. */
const SPECIAL = /[\\|*+?^$()[\]{}.]/;

export function literal_pattern(search: string): Pattern {
  return {
    skipped: 0,
    line_chars: MOST_LINE_CHARS,
    may_match: (text) => text.includes(search),
    is_word: (text, at) =>
      !(is_part(search[0]) && is_part(text[at - 1])) &&
      !(is_part(search.at(-1)) && is_part(text[at + search.length])),
    *lines(text) {
      let at: number;
      for (let from = 0; (at = text.indexOf(search, from)) >= 0;) {
        const line = line_around(text, at);
        yield { ...line, at };
        from = line.end + 1;
      }
    },
  };
}

const is_part = (char = "") => /[\p{L}\p{N}_]/u.test(char);

/** Lines that a regular expression matches, for so long; null if it means at most the literal text. */
export function regular_expression(search: string, for_ms: number): Pattern | Unusable | null {
  if (!SPECIAL.test(search)) return null;
  // Other engines have this for what is a flag here.
  const [insensitive = ""] = /^\(\?i\)/.exec(search) ?? [];
  const tokens: readonly string[] = search.slice(insensitive.length).match(TOKENS) ?? [];
  if (tokens.includes("\\n")) {
    return { unusable: "a match is within one line: look for one of the lines" };
  }
  let expression: RegExp;
  try {
    expression = new RegExp(tokens.map(confined).join(""), insensitive === "" ? "gm" : "gim");
  } catch {
    return { unusable: "it is not a valid regular expression either" };
  }
  const forever = "as a regular expression it could take forever here";
  if (may_explode(tokens)) {
    return { unusable: `${forever} (one repetition within another): use bash with grep -rnE` };
  }
  const shared = shared_repetitions(tokens);
  const line_chars = LINE_CHARS[shared];
  if (line_chars === undefined) {
    return { unusable: `${forever} (too many repetitions): use bash with grep -rnE` };
  }
  const until = performance.now() + for_ms;
  return new Expression(expression, { line_chars, by_line: shared > 0, until });
}

class Expression implements Pattern {
  skipped = 0;

  readonly line_chars: number;

  constructor(
    private readonly expression: RegExp,
    private readonly how: {
      readonly line_chars: number;
      readonly by_line: boolean;
      readonly until: number;
    },
  ) {
    this.line_chars = how.line_chars;
  }

  is_word(): boolean {
    return false;
  }

  may_match(text: string): boolean {
    return this.#by_line(text) || this.#find(text, 0) >= 0;
  }

  *lines(text: string): Generator<MatchingLine> {
    const by_line = this.#by_line(text);
    for (let from = 0; from < text.length;) {
      if (by_line && performance.now() > this.how.until) return;
      const next = by_line ? from : this.#find(text, from);
      if (next < 0) return;
      const { start, end } = line_around(text, next);
      from = end + 1;
      if (!by_line) yield { start, end, at: next };
      else if (end - start > this.line_chars) this.skipped++;
      else {
        const at = this.#find(text.slice(start, end), 0);
        if (at >= 0) yield { start, end, at: start + at };
      }
    }
  }

  #by_line(text: string): boolean {
    return this.how.by_line || has_long_line(text);
  }

  #find(text: string, from: number): number {
    this.expression.lastIndex = from;
    return this.expression.exec(text)?.index ?? -1;
  }
}

function line_around(text: string, at: number): { readonly start: number; readonly end: number } {
  const newline = text.indexOf("\n", at);
  // From 0 the search backwards would look at the first character itself.
  const start = at === 0 ? 0 : text.lastIndexOf("\n", at - 1) + 1;
  return { start, end: newline < 0 ? text.length : newline };
}

/** In leaps: nearly all lines are passed by without a look. */
function has_long_line(text: string): boolean {
  for (let start = 0; start + MOST_LINE_CHARS < text.length;) {
    const newline = text.lastIndexOf("\n", start + MOST_LINE_CHARS);
    if (newline < start) return true;
    start = newline + 1;
  }
  return false;
}

/** What an expression consists of: escapes, classes, repetitions, beginnings of groups, and characters. */
const TOKENS =
  /\\(?:k<[^>]*>|.)|\[\^?(?:\\.|[^\]\\])*\]|[*+?]|\{\d+(?:,\d*)?\}|\((?:\?(?:<?[=!]|<\w+>|[a-z-]*:))?|./gs;

const REPEATS = /^(?:[*+]|\{\d+,\d*\})$/;

/** A part of an expression so that it does not go on in the next line: then many lines can be looked at in one go. */
function confined(token: string): string {
  if (token === "\\s") return "[^\\S\\n]";
  if (token === "\\W" || token === "\\D") return `[^${token.toLowerCase()}\\n]`;
  if (token.startsWith("[^")) return `[^\\n${token.slice(2)}`;
  return token.startsWith("[") && /\\[sWDn]/.test(token) ? `(?:(?!\\n)${token})` : token;
}

/** A group of an expression, open as long as its end was not seen. */
interface Group {
  /** Whether something in it is repeated, or its alternatives may match at the same place. */
  varies: boolean;
  readonly begin: string[];
}

/** Whether a repeated group repeats inside, has alternatives that begin alike (`(a+)+`, `(a|ab)*`), or a backreference: steps may explode. */
function may_explode(tokens: readonly string[]): boolean {
  const groups: Group[] = [{ varies: false, begin: [] }];
  let closed: Group | null = null;
  for (const [at, token] of tokens.entries()) {
    const top = groups.at(-1)!;
    const repeats = REPEATS.test(token);
    if (repeats && closed?.varies || /^\\(?:[1-9]|k)/.test(token)) return true;
    closed = null;
    // A `?` behind a repetition makes that one lazy.
    if (repeats || (token === "?" && !REPEATS.test(tokens[at - 1] ?? ""))) top.varies = true;
    else if (token.startsWith("(")) groups.push({ varies: false, begin: [tokens[at + 1] ?? ""] });
    else if (token === "|") top.begin.push(tokens[at + 1] ?? "");
    else if (token === ")" && groups.length > 1) {
      closed = groups.pop()!;
      closed.varies ||= begin_alike(closed.begin);
      groups.at(-1)!.varies ||= closed.varies;
    }
  }
  return false;
}

/** What takes no character: it keeps no repetitions apart. */
const NO_CHARACTER = /^(?:[\^$|)]|\(.*|\\[bB])$/s;

/** How many repetitions overlap with one before: `.*a.*`, `\\w+\\s*\\w+`, but not `\\s+\\w+`. A repeated group may overlap with any. */
function shared_repetitions(tokens: readonly string[]): number {
  let count = 0;
  let depth = 0;
  /** What was repeated, and may go on to here. */
  let open: string[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.startsWith("(")) depth++;
    if (token === ")") depth--;
    const next = tokens[at + 1] ?? "";
    const is_repetition = REPEATS.test(token) || /^(?:\?|\{\d+\})$/.test(token);
    const is_repeated = REPEATS.test(next) || next === "?";
    if (is_repetition || (NO_CHARACTER.test(token) && !is_repeated)) continue;
    const may_lack = next === "?" || next === "*" || next.startsWith("{0");
    // The end of all finds its place at once.
    if (is_repeated && at + 2 < tokens.length) {
      if (open.some((one) => overlap(one, token))) count++;
    }
    if (!may_lack && depth === 0 && token !== ")") open = open.filter((one) => overlap(one, token));
    if (is_repeated) open.push(token);
  }
  return count;
}

/** Whether two parts of an expression may be the same character. */
function overlap(one: string, other: string): boolean {
  if (one === ")" || other === ")") return true;
  const [a, b] = [one, other].map((part) => new RegExp(`^(?:${part})$`, "i"));
  return SAMPLES.some((char) => a!.test(char) && b!.test(char));
}

/** Of all that a part may stand for; `é` for all letters beyond ASCII. */
const SAMPLES = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), "é"];

/** Whether alternatives may begin with the same character; only where all begin with a letter or the like is that known. */
function begin_alike(begin: readonly string[]): boolean {
  return begin.length > 1 &&
    (new Set(begin).size < begin.length ||
      begin.some((token) => !/^[\w\s"'`,;:=<>/@#&-]$/.test(token)));
}
