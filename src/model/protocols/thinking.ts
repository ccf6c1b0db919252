import { Pile } from "../../config/text_pieces.ts";
import type { Delta } from "../wire.ts";

/** Marks of thinking: Qwen, DeepSeek and most; then fine-tunes; Mistral; Kimi; Seed; MiniMax; Command R; OpenThinker. */
const TAGS: readonly (readonly [open: string, close: string])[] = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["<reasoning>", "</reasoning>"],
  ["[THINK]", "[/THINK]"],
  ["◁think▷", "◁/think▷"],
  ["<seed:think>", "</seed:think>"],
  ["<mm:think>", "</mm:think>"],
  ["<|START_THINKING|>", "<|END_THINKING|>"],
  ["<|begin_of_thought|>", "<|end_of_thought|>"],
];

/** Takes thinking out of a reply's text, in any pieces: at its beginning or behind other thinking, but not inside an answer. */
export class Thinking {
  readonly #content = new Pile();
  readonly #reasoning = new Pile();
  /** The tag that ends the thinking under way; null outside. */
  #close: string | null = null;
  #thought = false;
  /** Nothing but blanks and thinking so far. */
  #at_start = true;
  /** What may be the beginning of a tag. */
  #held = "";

  /** The next piece of text; what it brings, with thinking told apart. */
  push(text: string): Delta[] {
    const news: Delta[] = [];
    this.#held += text;
    while (this.#step(news));
    return news;
  }

  end(): Delta[] {
    const rest = this.#held;
    this.#held = "";
    const news: Delta[] = [];
    const blank = this.#thought && this.#at_start && rest.trim() === "";
    if (!blank) this.#emit(news, this.#close === null ? "text" : "reasoning", rest);
    return news;
  }

  get open(): boolean {
    return this.#close !== null;
  }

  /** Everything, after `end`. Some templates open the thinking themselves: then only its end is in the text. */
  result(): { readonly content: string; readonly reasoning: string } {
    const { before, after } = split_at_end(this.#content.text);
    return { content: after, reasoning: this.#reasoning.text + before };
  }

  /** Takes one piece off what is held; false if more has to come first. */
  #step(news: Delta[]): boolean {
    if (this.#held === "") return false;
    if (this.#close !== null) return this.#think(this.#close, news);
    if (!this.#at_start) return this.#take(news, "text", this.#held.length);
    const blank = this.#held.length - this.#held.trimStart().length;
    const rest = this.#held.slice(blank);
    const tag = TAGS.find(([open]) => rest.startsWith(open));
    if (tag !== undefined) {
      this.#held = rest.slice(tag[0].length);
      this.#close = tag[1];
      this.#thought = true;
      return true;
    }
    if (TAGS.some(([open]) => open.startsWith(rest))) return false;
    // Blanks between thinking and answer belong to neither.
    if (this.#thought) this.#held = rest;
    this.#at_start = false;
    return true;
  }

  #think(close: string, news: Delta[]): boolean {
    const at = this.#held.indexOf(close);
    if (at >= 0) {
      this.#take(news, "reasoning", at);
      this.#held = this.#held.slice(close.length);
      this.#close = null;
      return true;
    }
    const kept = longest_beginning(this.#held, close);
    if (kept === this.#held.length) return false;
    this.#take(news, "reasoning", this.#held.length - kept);
    return false;
  }

  #take(news: Delta[], kind: Delta["kind"], length: number): true {
    this.#emit(news, kind, this.#held.slice(0, length));
    this.#held = this.#held.slice(length);
    return true;
  }

  #emit(news: Delta[], kind: Delta["kind"], text: string): void {
    if (text === "") return;
    (kind === "text" ? this.#content : this.#reasoning).add(text);
    news.push({ kind, text });
  }
}

/** How much of the end of a text may be the beginning of a tag. */
function longest_beginning(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length--) {
    if (tag.startsWith(text.slice(-length))) return length;
  }
  return 0;
}

/** The end of a line, or the mark of a call. */
const AFTER_END =
  /^[ \t]*(?:\n|$|<tool_calls?>|<TOOLCALL>|<function[=_]|<minimax:|<invoke |<[|｜]|\[TOOL_CALLS\]|\{\s*"name")/;

/** A lone end of thinking is at the end of a line, or before a call; inside a block of code it is someone's example. */
function split_at_end(text: string): { readonly before: string; readonly after: string } {
  for (const [, close] of TAGS) {
    const at = text.indexOf(close);
    if (at < 0) continue;
    const before = text.slice(0, at);
    // A sentence that ends right before it, or nothing, and another that begins right behind it: nobody writes so about a tag.
    const between = /(?:^|[.!?。！？])\s*$/.test(before) &&
      /^[\p{Lu}\p{Lo}]/u.test(text.slice(at + close.length));
    if (!between && !AFTER_END.test(text.slice(at + close.length))) continue;
    const in_code = (before.match(/^```/gm)?.length ?? 0) % 2 === 1 || before.endsWith("`");
    if (!in_code) return { before, after: text.slice(at + close.length).replace(/^\s+/, "") };
  }
  return { before: "", after: text };
}
