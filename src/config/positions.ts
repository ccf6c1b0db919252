/**
 * On which line of a TOML document a key stands. The parser gives positions for errors only, and a wrong
 * value in a valid document is to be named with its line.
 */

/** The line of a key, or of the nearest table around it; 1 where the document has neither. */
export type LineOf = (path: readonly string[]) => number;

const BLANK = /[ \t\r\n]/;
const BARE = /[A-Za-z0-9_-]/;
const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  t: "\t",
  n: "\n",
  f: "\f",
  r: "\r",
  e: "\x1b",
};

/**
 * Finds the keys of a *valid* TOML document: of table headers, at the start of lines, dotted and quoted. The
 * tables of a `[[list]]` are `["list", "0"]`, `["list", "1"]` and so on.
 * What is inside an inline table has the line of the table's key. For a document that is not valid
 * the answer is some line, never an error.
 */
export function positions(toml: string): LineOf {
  const lines = new Map<string, number>();
  const reader = new TomlScanner(toml);
  let table: readonly string[] = [];
  /** How many tables each `[[name]]` has so far. */
  const counts = new Map<string, number>();
  while (reader.skip_to_entry()) {
    const line = reader.line();
    if (reader.take("[")) {
      const one_of_many = reader.take("[");
      table = note(lines, { base: [], parts: reader.key(), line });
      if (one_of_many) {
        const name = JSON.stringify(table);
        const nth = counts.get(name) ?? 0;
        counts.set(name, nth + 1);
        table = note(lines, { base: table, parts: [String(nth)], line });
      }
      reader.skip_line();
    } else {
      note(lines, { base: table, parts: reader.key(), line });
      reader.skip_value();
    }
  }
  return (path) => {
    for (let length = path.length; length > 0; length--) {
      const line = lines.get(JSON.stringify(path.slice(0, length)));
      if (line !== undefined) return line;
    }
    return 1;
  };
}

/** Remembers a key and the tables that its dots open; the first line that names one counts. */
function note(
  lines: Map<string, number>,
  entry: { base: readonly string[]; parts: readonly string[]; line: number },
): readonly string[] {
  const path = [...entry.base];
  for (const part of entry.parts) {
    path.push(part);
    const name = JSON.stringify(path);
    if (!lines.has(name)) lines.set(name, entry.line);
  }
  return path;
}

/** Walks over a document. Every method moves forward or stays; none reads past the end. */
class TomlScanner {
  #at = 0;
  #line = 1;
  #counted = 0;
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    if (text.startsWith("\ufeff")) this.#at = 1;
  }

  /** The line of the current place, counted on from the last time it was asked. */
  line(): number {
    for (; this.#counted < this.#at; this.#counted++) {
      if (this.#text[this.#counted] === "\n") this.#line++;
    }
    return this.#line;
  }

  /** Moves over blanks, empty lines and comments. False at the end. */
  skip_to_entry(): boolean {
    while (this.#at < this.#text.length) {
      if (this.#text[this.#at] === "#") this.skip_line();
      else if (BLANK.test(this.#char())) this.#at++;
      else return true;
    }
    return false;
  }

  take(char: string): boolean {
    if (this.#char() !== char) return false;
    this.#at++;
    return true;
  }

  skip_line(): void {
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }

  /** A key with its dots: `a."b.c".'d'` is three parts. Stops before `=` or `]`. */
  key(): string[] {
    const parts: string[] = [];
    for (;;) {
      this.#skip_spaces();
      const quote = this.#char();
      parts.push(quote === '"' || quote === "'" ? this.#quoted(quote) : this.#bare());
      this.#skip_spaces();
      if (!this.take(".")) return parts;
    }
  }

  /** From `=` to the end of the value and of its line; brackets and long strings may span lines. */
  skip_value(): void {
    let depth = 0;
    while (this.#at < this.#text.length) {
      const char = this.#char();
      if (char === '"' || char === "'") {
        this.#skip_string(char);
        continue;
      }
      if (char === "#") {
        // Stay before the end of the line: at depth 0 that is where the value ends.
        const end = this.#text.indexOf("\n", this.#at);
        this.#at = end < 0 ? this.#text.length : end;
        continue;
      }
      if (char === "[" || char === "{") depth++;
      if (char === "]" || char === "}") depth--;
      this.#at++;
      if (char === "\n" && depth <= 0) return;
    }
  }

  #char(): string {
    return this.#text[this.#at] ?? "";
  }

  #skip_spaces(): void {
    while (this.#char() === " " || this.#char() === "\t") this.#at++;
  }

  #bare(): string {
    const start = this.#at;
    while (BARE.test(this.#char())) this.#at++;
    return this.#text.slice(start, this.#at);
  }

  #quoted(quote: string): string {
    this.#at++;
    let content = "";
    while (this.#at < this.#text.length) {
      const char = this.#char();
      this.#at++;
      if (char === quote || char === "\n") break;
      content += char === "\\" && quote === '"' ? this.#escape() : char;
    }
    return content;
  }

  #escape(): string {
    const kind = this.#char();
    this.#at++;
    const digits = { x: 2, u: 4, U: 8 }[kind];
    if (digits === undefined) return ESCAPES[kind] ?? kind;
    const code = Number.parseInt(this.#text.slice(this.#at, this.#at + digits), 16);
    this.#at += digits;
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  }

  /** A string of any of the four kinds, with its quotes. */
  #skip_string(quote: string): void {
    const long = quote.repeat(3);
    if (!this.#text.startsWith(long, this.#at)) {
      this.#quoted(quote);
      return;
    }
    this.#at += 3;
    while (this.#at < this.#text.length) {
      if (quote === '"' && this.#char() === "\\") {
        this.#at += 2;
      } else if (this.#text.startsWith(long, this.#at)) {
        this.#at += 3;
        // Up to two quotes of the content may be right before the closing three.
        while (this.#char() === quote) this.#at++;
        return;
      } else {
        this.#at++;
      }
    }
  }
}
