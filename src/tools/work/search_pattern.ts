/** A line of a text that matches: where it begins and ends, and where the match begins. */
export interface MatchingLine {
  readonly start: number;
  readonly end: number;
  readonly at: number;
}

/** What is looked for in texts. */
export interface Pattern {
  /** Whether a line of a text may match: false only if none does. For many files at once. */
  may_match(text: string): boolean;
  /** The lines that match, in their order. */
  lines(text: string): Iterable<MatchingLine>;
  /** How many lines were too long to be looked at. */
  readonly skipped: number;
}

/** Why a text can't be used as a regular expression: a clause for the model. */
export interface Unusable {
  readonly unusable: string;
}

/**
 * V8 tries every way to match: `.*a.*b.*c` on a line of n characters that has no c takes n³ steps, and nothing else can be done
 * in the meantime. Longer lines are data or minified code, and `read` cuts them here, too.
 */
export const MOST_LINE_CHARS = 2000;
/** Without any of these, a regular expression is the literal text. */
const SPECIAL = /[\\|*+?^$()[\]{}.]/;

/** Lines that have this in them, as it stands. */
export function literal(search: string): Pattern {
  return {
    skipped: 0,
    may_match: (text) => text.includes(search),
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

/** Lines that a regular expression matches; null if it means at most the literal text. */
export function regular_expression(search: string): Pattern | Unusable | null {
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
  if (may_explode(tokens)) {
    const unusable =
      "as a regular expression it could take forever here (one repetition within another)";
    return { unusable: `${unusable}: use bash with grep -rnE` };
  }
  return new Expression(expression);
}

class Expression implements Pattern {
  skipped = 0;

  constructor(private readonly expression: RegExp) {}

  may_match(text: string): boolean {
    return has_long_line(text) || this.#find(text, 0) >= 0;
  }

  *lines(text: string): Generator<MatchingLine> {
    const by_line = has_long_line(text);
    for (let from = 0; from < text.length;) {
      const next = by_line ? from : this.#find(text, from);
      if (next < 0) return;
      const { start, end } = line_around(text, next);
      from = end + 1;
      if (!by_line) yield { start, end, at: next };
      else if (end - start > MOST_LINE_CHARS) this.skipped++;
      else {
        const at = this.#find(text.slice(start, end), 0);
        if (at >= 0) yield { start, end, at: start + at };
      }
    }
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
  /** What its alternatives begin with. */
  readonly begin: string[];
}

/**
 * Whether a repeated group has a repetition in it or alternatives that begin alike (`(a+)+`, `(a|ab)*`), or what was matched before
 * is asked for again: then the steps may grow exponentially with the length of a line.
 */
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

/** Whether alternatives may begin with the same character; only where all begin with a letter or the like is that known. */
function begin_alike(begin: readonly string[]): boolean {
  return begin.length > 1 &&
    (new Set(begin).size < begin.length ||
      begin.some((token) => !/^[\w\s"'`,;:=<>/@#&-]$/.test(token)));
}
