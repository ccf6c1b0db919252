import { Pile } from "../../config/text_pieces.ts";
import type { Reply } from "../message.ts";
import type { LeakedCalls } from "./leaked_calls.ts";
import type { Delta, Leaks } from "../wire.ts";

/** How a line of a leaked call can begin; elsewhere it has `<`, `>>`, or `[` before `T` or `e`. `leaks_test.ts` checks it for all dialects. */
const BEGINNINGS: readonly string[] = [
  ...["{", "[", "```", "]<]", ">>>", "functools", "functions.", "Action:"],
  ...["to=functions.", "commentary to=", "analysis to=", "assistantcommentary to="],
  "*** Begin Patch",
];
const ANYWHERE = /<|>(?:$|>)|\[(?:$|[TEe])|\](?:$|<)/;
const MOST_BEGINNING = 32;

/** Takes leaked calls out of a reply. Text without a trace of one costs nothing; from the first trace on the dialects are loaded and read it. */
export class LeakFilter {
  readonly #passed = new Pile();
  #line = "";
  #reader: LeakedCalls | null = null;

  constructor(private readonly leaks: Leaks) {}

  /** What is new in a reply, without calls, and without what may become one. */
  async take(news: readonly Delta[]): Promise<readonly Delta[]> {
    const out: Delta[] = [];
    for (const delta of news) {
      const text = delta.kind === "text" ? await this.#pass(delta.text) : delta.text;
      if (text !== "") out.push({ kind: delta.kind, text });
    }
    return out;
  }

  /** The whole reply with its calls, and what was held back of its text. */
  async end(reply: Reply): Promise<{ readonly reply: Reply; readonly shown: string }> {
    if (this.#reader === null && !has_trace(reply)) return { reply, shown: "" };
    const reader = this.#reader ?? await this.#load();
    return reader.end(reply);
  }

  async #pass(text: string): Promise<string> {
    if (this.#reader !== null) return this.#reader.push(text);
    if (!this.#is_suspicious(text)) {
      this.#passed.add(text);
      return text;
    }
    const reader = await this.#load();
    return reader.push(text);
  }

  async #load() {
    const { LeakedCalls } = await import("./leaked_calls.ts");
    this.#reader = new LeakedCalls(this.leaks, this.#passed.text);
    return this.#reader;
  }

  #is_suspicious(text: string): boolean {
    if (ANYWHERE.test(text)) return true;
    const lines = (this.#line + text).split("\n");
    this.#line = (lines.at(-1) ?? "").slice(0, MOST_BEGINNING);
    return lines.some(may_begin);
  }
}

function may_begin(line: string): boolean {
  const start = line.trimStart();
  return start !== "" &&
    BEGINNINGS.some((one) => start.startsWith(one) || one.startsWith(start));
}

/** Thinking that never ended may end in a call. */
function has_trace({ content, reasoning, still_thinking }: Reply): boolean {
  return still_thinking === true && content.trim() === "" && ANYWHERE.test(reasoning);
}
