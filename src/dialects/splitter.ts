import type { BlockReader, Dialect, Found, Progress } from "./dialect.ts";

/** A call with the dialect it was written in. */
export type Heard = Found & { readonly dialect: string };

/** What a text comes to. */
export interface Split {
  /** The text without the blocks. */
  readonly content: string;
  readonly found: readonly Heard[];
  /** Whether a block was cut off by the output limit and is left out. */
  readonly dropped: boolean;
}

/** Begins a result. A model that writes one itself after its calls goes on with what it made up. */
const RESULT = "<tool_response>";
/** The first line of a block of code: a longer one is prose. */
const FENCE_CHARS = 200;
/** Blanks at the beginning of a line that may be one of a block of code in a list. */
const MOST_BLANKS = 64;
/** Of an opening, what must have come before the cut for it to be taken for one. */
const LEAST_OPENING = 2;

/** A block that is being read, and what it began with. */
interface Block {
  readonly reader: BlockReader;
  readonly opening: string;
  readonly dialect: string;
}

/** Takes the calls out of a whole text. `cut`: it was ended by the output limit. */
export function split(
  text: string,
  { dialects, cut }: { readonly dialects: readonly Dialect[]; readonly cut: boolean },
): Split {
  const splitter = new Splitter(dialects);
  const content = splitter.push(text) + splitter.end(cut);
  return { content, found: splitter.found, dropped: splitter.dropped };
}

/**
 * Takes the calls out of the text of a reply, whatever pieces it comes in. A block counts at the beginning of a line outside
 * blocks of code; anywhere else the same words are part of the answer, which may be about them. What may be the
 * beginning of a block is held back until that is known.
 */
export class Splitter {
  readonly found: Heard[] = [];
  dropped = false;
  #held = "";
  #at_line_start = true;
  /** The marks that opened the block of code under way. */
  #fence: string | null = null;
  #block: Block | null = null;
  /** Nothing that follows counts. */
  #over = false;
  /** No more will come, and why; null while it may. */
  #ended: { readonly cut: boolean } | null = null;

  constructor(private readonly dialects: readonly Dialect[]) {}

  /** The next piece of text; gives what of it is known to be no call. */
  push(text: string): string {
    this.#held += text;
    return this.#run();
  }

  /** The text is over: gives what was held back and is no call. */
  end(cut: boolean): string {
    this.#ended = { cut };
    return this.#run();
  }

  #run(): string {
    const shown: string[] = [];
    for (let piece = this.#step(); piece !== null; piece = this.#step()) shown.push(piece);
    return shown.join("");
  }

  /** Takes one piece off what is held; null where more has to come first. */
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

  #in_block(block: Block): string | null {
    const { reader, opening, dialect } = block;
    if (this.#held === "" && this.#ended === null) return null;
    const progress: Progress = this.#held === "" && this.#ended !== null
      ? reader.end(this.#ended.cut)
      : reader.push(this.#held);
    this.#held = "";
    if (progress.kind === "open") return this.#ended === null ? null : "";
    this.#block = null;
    switch (progress.kind) {
      case "block":
        this.found.push(...progress.found.map((found) => ({ ...found, dialect })));
        this.#held = progress.rest;
        this.#at_line_start = true;
        return "";
      case "cut":
        this.dropped = true;
        return "";
      case "text":
        this.#held = progress.body;
        this.#at_line_start = false;
        return opening;
    }
  }

  #rest_of_line(): string {
    const end = this.#held.indexOf("\n") + 1;
    this.#at_line_start = end > 0;
    return this.#take(end > 0 ? end : this.#held.length);
  }

  #line_start(): string | null {
    const line = this.#held.trimStart();
    const blanks = this.#held.slice(0, this.#held.length - line.length);
    if (blanks.includes("\n")) return this.#take(blanks.lastIndexOf("\n") + 1);
    if (line === "" && blanks.length <= MOST_BLANKS) return this.#wait();
    if (line.startsWith("`") || line.startsWith("~")) return this.#maybe_fence(line);
    // Four blanks make a block of code, too.
    if (this.#fence === null && /^ {0,3}$/.test(blanks)) {
      const begun = this.#begin(line);
      if (begun !== "no") return begun === "yes" ? "" : this.#wait();
    }
    this.#at_line_start = false;
    return "";
  }

  #begin(line: string): "yes" | "no" | "undecided" {
    for (const dialect of this.dialects) {
      const opening = dialect.openings.find((one) => line.startsWith(one));
      if (opening === undefined) continue;
      this.#block = { reader: dialect.begin(opening), opening, dialect: dialect.name };
      this.#held = line.slice(opening.length);
      return "yes";
    }
    const openings = this.dialects.flatMap((dialect) => dialect.openings);
    if (this.found.length > 0) {
      if (line.startsWith(RESULT)) {
        this.#over = true;
        return "yes";
      }
      openings.push(RESULT);
    }
    if (!openings.some((opening) => opening.startsWith(line))) return "no";
    if (this.#ended?.cut && line.length >= LEAST_OPENING) {
      this.dropped = true;
      this.#over = true;
      return "yes";
    }
    return "undecided";
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
