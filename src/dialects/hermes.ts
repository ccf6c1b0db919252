import { Pile } from "../config/text_pieces.ts";
import { find_tool } from "../tools/declared/every_tool.ts";
import { is_whole, read_body } from "./call_body.ts";
import { type BlockProgress, type BlockReader, type Dialect, UNREADABLE } from "./dialect.ts";
import { intent_of } from "./lead.ts";

const OPEN = "<tool_call>";
const CLOSE = "</tool_call>";

/** How Qwen, Hermes and many others call, and how the prompt asks for it. */
export const hermes: Dialect = {
  name: "hermes",
  openings: [OPEN],
  begin: (_opening, { lead }) => new HermesBlock(lead),
};

/** A call in the one form in which the model sees its calls again. `args` is the text of a JSON object. */
export function hermes_block(name: string, args: string): string {
  return `${OPEN}\n{"name":${JSON.stringify(name)},"arguments":${args}}\n${CLOSE}`;
}

/** Blanks between the tag and its body: more are no call. */
const MOST_BLANKS = 64;
/** Whether what follows the tag is the body of a call: JSON, or marks of code around it. */
const BODY = /^\s*(?:\{|\[\s*\{|```)/;
const MAY_BE_BODY = /^\s*(?:\[\s*|`{1,2})?$/;
/** A format that is explained, not used: `{"name": <function-name>, "arguments": {...}}`. */
const TEMPLATE =
  /"name"\s*:\s*(?:"\s*)?(?:<[^"<>]*>|\.{3}|…)|"arguments"\s*:\s*(?:\{\s*)?(?:\.{3}|…|<[^"<>]*>)/;

/** The name of a tool on the line below the tag: a call in the model's own words. */
function names_tool(body: string): "yes" | "no" | "undecided" {
  const line = /^[ \t]*\r?\n\s*([\w-]*)(.?)/s.exec(body);
  if (line === null) return "no";
  const [, word = "", next] = line;
  if (next === "") return "undecided";
  return find_tool(word) === undefined ? "no" : "yes";
}

/** Where a string can begin in JSON and in calls of functions; elsewhere a quote is part of broken text. */
const BEFORE_STRING = new Set(["{", "[", ",", ":", "(", "="]);

class HermesBlock implements BlockReader {
  #pieces = new Pile();
  #begun = false;
  /** What may be the beginning of a tag. */
  #tail = "";
  #quote: string | null = null;
  #escaped = false;
  #last = "";
  /** Nothing but blanks in this line so far. */
  #at_line_start = false;

  constructor(private readonly lead: string) {}

  push(text: string): BlockProgress {
    if (this.#begun) return this.#scan(text);
    const body = this.#pieces.text + text;
    this.#pieces = new Pile(body);
    if (!BODY.test(body)) {
      const named = names_tool(body);
      const undecided = MAY_BE_BODY.test(body) || named === "undecided";
      if (undecided && body.length <= MOST_BLANKS) return { kind: "open" };
      if (named !== "yes") return { kind: "text", body };
    }
    this.#begun = true;
    this.#pieces = new Pile();
    return this.#scan(body);
  }

  end(cut: boolean): BlockProgress {
    // What may be the beginning of a tag is not part of the body.
    const body = this.#pieces.text;
    if (!this.#begun) return cut && body.trim() === "" ? { kind: "cut" } : { kind: "text", body };
    if (cut && !is_whole(body)) return { kind: "cut" };
    return this.#over(body, { closing: "", rest: "" });
  }

  /** Looks at every character once: the closing tag may be in a string, which then is the call's own. */
  #scan(text: string): BlockProgress {
    const piece = this.#tail + text;
    this.#tail = "";
    for (let at = 0; at < piece.length; at++) {
      const char = piece[at] as string;
      if (this.#quote !== null) {
        this.#in_string(char);
        continue;
      }
      if (char === "<") {
        const body = () => this.#pieces.text + piece.slice(0, at);
        if (piece.startsWith(CLOSE, at)) {
          return this.#over(body(), { closing: CLOSE, rest: piece.slice(at + CLOSE.length) });
        }
        if (this.#at_line_start && piece.startsWith(OPEN, at)) {
          return this.#over(body(), { closing: "", rest: piece.slice(at) });
        }
        const rest = piece.slice(at);
        if (CLOSE.startsWith(rest) || OPEN.startsWith(rest)) {
          this.#pieces.add(piece.slice(0, at));
          this.#tail = rest;
          return { kind: "open" };
        }
      }
      this.#outside(char);
    }
    this.#pieces.add(piece);
    return { kind: "open" };
  }

  #in_string(char: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (char === "\\") this.#escaped = true;
    else if (char === this.#quote) {
      this.#quote = null;
      this.#last = char;
    }
  }

  #outside(char: string): void {
    if (char === "\n") this.#at_line_start = true;
    if (/\s/.test(char)) return;
    this.#at_line_start = false;
    if ((char === '"' || char === "'") && BEFORE_STRING.has(this.#last)) this.#quote = char;
    this.#last = char;
  }

  #over(body: string, { closing, rest }: { closing: string; rest: string }): BlockProgress {
    const found = read_body(body);
    const text = { kind: "text", body: body + closing + rest } as const;
    if (found.some(({ kind }) => kind === "malformed") && TEMPLATE.test(body)) return text;
    // What follows is not there yet.
    if (intent_of({ lead: this.lead, inline: false, rest: "" }) === "meant") {
      return { kind: "block", found, rest };
    }
    return { ...text, shown: found[0]?.name ?? UNREADABLE };
  }
}
