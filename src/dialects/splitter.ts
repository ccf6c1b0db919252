import { Candidates } from "./candidates.ts";
import type { Dialect, Offered, ParsedCall } from "./dialect.ts";
import { leads_to_act } from "./lead.ts";

export type HeardCall = ParsedCall & { readonly dialect: string };

export interface Split {
  /** The text without the blocks. */
  readonly content: string;
  readonly found: readonly HeardCall[];
  /** Whether a block was cut off by the output limit and is left out. */
  readonly dropped: boolean;
  /** The tool of a call in `content` that may be meant. */
  readonly shown: string | null;
}

/** Begins a result. A model that writes one itself after its calls continues with what it made up. */
const RESULT = "<tool_response>";
/** The first line of a block of code: a longer one is prose. */
const FENCE_CHARS = 200;
/** Blanks at the beginning of a line that may be one of a block of code in a list. */
const MOST_BLANKS = 64;
/** How much of an opening must have come before the cut for it to be taken for one. */
const LEAST_OPENING = 2;

/** How much of a whole text is looked at at once: each line is a piece until these are joined. */
const PART_CHARS = 65_536;

/** How much is kept of what was said before a block: its last lines. */
const LEAD_CHARS = 400;
const MOST_LEAD_CHARS = 16 * LEAD_CHARS;

/** What ends where words about a mark would go on. */
const SENTENCE = /(?:[.!?:…)。！？：]|\s[—–-])\s*$/;

/** Ends thinking that a template has opened: what follows begins like a reply, wherever it stands. */
const THOUGHT = "</think>";

/** Takes the calls out of a whole text. `cut`: it was ended by the output limit. */
export function split(
  text: string,
  { dialects, offered, cut }: { dialects: readonly Dialect[]; offered?: Offered; cut: boolean },
): Split {
  const splitter = new Splitter(dialects, offered);
  const content: string[] = [];
  for (let at = 0; at < text.length; at += PART_CHARS) {
    content.push(splitter.push(text.slice(at, at + PART_CHARS)));
  }
  content.push(splitter.end(cut));
  return {
    content: content.join(""),
    found: splitter.found,
    dropped: splitter.dropped,
    shown: splitter.shown,
  };
}

/** Takes calls out of a reply's text, in pieces of any size. A block counts at the start of a line outside code; what may begin one is held back. */
export class Splitter {
  readonly found: HeardCall[] = [];
  dropped = false;
  shown: string | null = null;
  #held = "";
  #at_line_start = true;
  /** The marks that opened the block of code under way. */
  #fence: string | null = null;
  /** An odd number of backticks in this line so far: code within it. */
  #in_code = false;
  #block: Candidates | null = null;
  #indent = "";
  /** What this line begins with is known to be no block. */
  #refused = false;
  /** The end of what is known to be no call. */
  #lead = "";
  /** Nothing that follows counts. */
  #over = false;
  /** No more will come, and why; null while it may. */
  #ended: { readonly cut: boolean } | null = null;

  readonly #openings: readonly string[];
  readonly #anywhere: readonly string[];
  /** First characters of the openings. */
  readonly #first: ReadonlySet<string>;

  /** `offered`: needed by dialects that nobody has asked for. */
  constructor(
    private readonly dialects: readonly Dialect[],
    private readonly offered: Offered = () => undefined,
  ) {
    this.#openings = dialects.flatMap(({ openings }) => openings);
    this.#anywhere = dialects.flatMap(({ anywhere, openings }) => anywhere ? openings : []);
    this.#first = new Set(this.#anywhere.map((opening) => opening.charAt(0)));
  }

  /** The next piece of text; gives what of it is known to be no call. */
  push(text: string): string {
    this.#held += text;
    return this.#run();
  }

  /** The text is over: gives what was held back and is not a call. */
  end(cut: boolean): string {
    this.#ended = { cut };
    return this.#run();
  }

  #run(): string {
    const shown: string[] = [];
    for (let piece = this.#step(); piece !== null; piece = this.#step()) {
      shown.push(piece);
      if (piece === "") continue;
      // To look at a text that has grown costs a copy of it.
      this.#lead += piece;
      if (this.#lead.length > MOST_LEAD_CHARS) this.#lead = this.#lead.slice(-LEAD_CHARS);
      if (piece.endsWith(">") && this.#lead.endsWith(THOUGHT)) this.#at_line_start = true;
    }
    return shown.join("");
  }

  /** Takes one piece off what is held; null if more has to come first. */
  #step(): string | null {
    if (this.#over) {
      this.#held = "";
      return null;
    }
    if (this.#block !== null) return this.#in_block(this.#block);
    if (this.#held === "") return null;
    if (!this.#at_line_start) return this.#rest_of_line();
    return this.#line_start();
  }

  #in_block(block: Candidates): string | null {
    if (this.#held === "" && this.#ended === null) return null;
    const outcome = this.#held === "" && this.#ended !== null
      ? block.end(this.#ended.cut)
      : block.push(this.#held);
    this.#held = "";
    if (outcome.kind === "open") return this.#ended === null ? null : "";
    this.#block = null;
    switch (outcome.kind) {
      case "block":
        this.found.push(...outcome.found);
        this.#held = outcome.rest;
        this.#at_line_start = true;
        this.#in_code = false;
        this.dropped ||= outcome.dropped === true;
        return "";
      case "cut":
        this.dropped = true;
        return "";
      case "text":
        this.shown ??= outcome.shown ?? null;
        return this.#no_block(block.opening, outcome.body);
    }
  }

  /** What was taken for a block is a part of the answer: a block of code, perhaps. */
  #no_block(opening: string, body: string): string {
    this.#held = body;
    if (!opening.startsWith("`")) {
      this.#at_line_start = false;
      return this.#indent + opening;
    }
    this.#held = this.#indent + opening + body;
    this.#refused = true;
    return "";
  }

  #rest_of_line(): string | null {
    const end = this.#held.indexOf("\n") + 1;
    const line = end > 0 ? this.#held.slice(0, end) : this.#held;
    const at = this.#anywhere_in(line);
    if (at > 0) return this.#pass(at);
    if (at === 0) return this.#begin_inline(line);
    const thought = line.includes(">") ? this.#end_of_thought(line) : -1;
    if (thought >= 0 && thought < line.length) return this.#pass(thought);
    this.#at_line_start = end > 0;
    const passed = this.#pass(line.length);
    if (end > 0) this.#in_code = this.#refused = false;
    return passed;
  }

  /** Where in a line the words go on behind the end of thinking, which may have begun before it; -1 for nowhere. */
  #end_of_thought(line: string): number {
    const before = this.#lead.slice(1 - THOUGHT.length);
    const at = (before + line).indexOf(THOUGHT);
    return at < 0 ? -1 : at + THOUGHT.length - before.length;
  }

  /** Where in a line, or the beginning of one, something may begin that counts anywhere; -1 for nowhere. */
  #anywhere_in(line: string): number {
    if (this.#fence !== null) return -1;
    let in_code = this.#in_code;
    for (let at = 0; at < line.length; at++) {
      if (line[at] === "`") in_code = !in_code;
      else if (!in_code && this.#may_begin(line, at)) return at;
    }
    return -1;
  }

  #may_begin(line: string, at: number): boolean {
    if (!this.#first.has(line[at] as string)) return false;
    const rest = line.length - at;
    return this.#anywhere.some((opening) =>
      rest < opening.length ? opening.startsWith(line.slice(at)) : line.startsWith(opening, at)
    );
  }

  #begin_inline(line: string): string | null {
    const begun = this.#open(line, true);
    if (begun === "yes") return "";
    return begun === "undecided" && this.#ended === null ? null : this.#pass(1);
  }

  #pass(length: number): string {
    const piece = this.#take(length);
    if (piece.split("`").length % 2 === 0) this.#in_code = !this.#in_code;
    return piece;
  }

  #line_start(): string | null {
    const line = this.#held.trimStart();
    const blanks = this.#held.slice(0, this.#held.length - line.length);
    if (blanks.includes("\n")) return this.#take(blanks.lastIndexOf("\n") + 1);
    if (line === "" && blanks.length <= MOST_BLANKS) return this.#wait();
    // Four blanks make a block of code, too.
    if (this.#fence === null && !this.#refused && /^ {0,3}$/.test(blanks)) {
      const begun = this.#begin(line);
      if (begun !== "no") return begun === "yes" ? "" : this.#wait();
    }
    if (line.startsWith("`") || line.startsWith("~")) return this.#maybe_fence(line);
    this.#at_line_start = false;
    return "";
  }

  #begin(line: string): "yes" | "no" | "undecided" {
    const begun = this.#open(line, false);
    if (begun !== "no") {
      return begun === "yes" || this.#ended === null ? begun : this.#cut_off(line);
    }
    if (this.found.length === 0) return "no";
    if (line.startsWith(RESULT)) {
      this.#over = true;
      return "yes";
    }
    return RESULT.startsWith(line) ? this.#cut_off(line) : "no";
  }

  /** The beginning of an opening; where the limit has cut it off, it was one. */
  #cut_off(line: string): "yes" | "undecided" {
    if (!this.#ended?.cut || line.length < LEAST_OPENING || line.startsWith("`")) {
      return "undecided";
    }
    this.dropped = true;
    this.#over = true;
    return "yes";
  }

  /** Begins a block with the longest opening that a text begins with; undecided while a longer one may come. */
  #open(text: string, inline: boolean): "yes" | "no" | "undecided" {
    const openings = inline ? this.#anywhere : this.#openings;
    const longer = openings.some((one) => one.length > text.length && one.startsWith(text));
    if (longer && this.#ended === null) return "undecided";
    const opening = openings.filter((one) => text.startsWith(one))
      .reduce((longest, one) => one.length > longest.length ? one : longest, "");
    if (opening === "") return longer ? "undecided" : "no";
    const dialects = this.dialects.filter((dialect) =>
      dialect.openings.includes(opening) &&
      (!inline || dialect.anywhere === true || (dialect.anywhere && leads_on(this.#lead)))
    );
    if (dialects.length === 0) return "no";
    const place = { offered: this.offered, lead: this.#lead.slice(-LEAD_CHARS), inline };
    this.#block = new Candidates(opening, { dialects, place });
    const at = this.#held.indexOf(opening);
    this.#indent = this.#held.slice(0, at);
    this.#held = this.#held.slice(at + opening.length);
    return "yes";
  }

  /** Whether a fence opens or closes shows at the end of its line. */
  #maybe_fence(line: string): string | null {
    const marks = /^(?:`{3,}|~{3,})/.exec(line)?.[0];
    const may_come = /^(?:`{1,2}|~{1,2})$/.test(line);
    const end = this.#held.indexOf("\n");
    if (marks === undefined && !may_come) {
      this.#at_line_start = false;
      return "";
    }
    if (end < 0 && line.length <= FENCE_CHARS) return this.#wait();
    if (marks !== undefined && end >= 0) this.#pass_fence(marks, line.split("\n", 1)[0] ?? "");
    this.#at_line_start = false;
    return "";
  }

  #pass_fence(marks: string, line: string): void {
    const info = line.slice(marks.length).trim();
    if (this.#fence === null) {
      // Backticks behind backticks: code within the line.
      if (!(marks.startsWith("`") && info.includes("`"))) this.#fence = marks;
    } else if (info === "" && marks.startsWith(this.#fence)) this.#fence = null;
  }

  #wait(): string | null {
    if (this.#ended === null) return null;
    this.#at_line_start = false;
    return "";
  }

  #take(length: number): string {
    const piece = this.#held.slice(0, length);
    this.#held = this.#held.slice(length);
    return piece;
  }
}

/** Whether a block in the same line may be more than a word of the sentence before it. */
function leads_on(lead: string): boolean {
  return SENTENCE.test(lead) || (/\S *$/.test(lead) && leads_to_act(lead));
}
