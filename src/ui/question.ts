import { at_end } from "../config/attempt.ts";
import { null_on_abort } from "../agent/interrupt.ts";
import type { AskPerson, PersonAnswer, Question } from "../permission/approval.ts";
import { all_seen, first_of, harmless, plural, to_be_allowed } from "./text.ts";

/** Shown of a call, and of a line of a change; the rest is counted. What is dangerous in a command is named as well. */
const SHOWN_CHARS = 2000;

/** Lines of a change; the rest is counted. */
const SHOWN_LINES = 200;

/** What was typed before a question was there has come by then. */
const BEFORE_MS = 50;

interface QuestionTerminal {
  readonly write: (text: string) => void;
  /** The next piece of what the user types, a line at most; null at its end. */
  readonly read: () => Promise<string | null>;
  /** Told before a question is put and after its answer: no live line may cover it. */
  readonly asking: (now: boolean) => void;
}

export class AskedLines {
  /** A question that was given up leaves its read behind: the next one takes it over. */
  #reading: Promise<string | null> | null = null;

  constructor(private readonly read: QuestionTerminal["read"]) {}

  /** The next one; null at the end. */
  async next(): Promise<string | null> {
    const text = await (this.#reading ??= this.read());
    this.#reading = null;
    return text;
  }

  /** Lines that were typed before a question answer nothing. */
  async drop(): Promise<void> {
    for (;;) {
      const { promise, resolve } = Promise.withResolvers<false>();
      const timer = setTimeout(() => resolve(false), BEFORE_MS);
      const text = await Promise.race([this.#reading ??= this.read(), promise]);
      clearTimeout(timer);
      // The end of the input stays: it is a no.
      if (text === false || text === null) return;
      this.#reading = null;
    }
  }
}

/** Asks on a terminal: `y`, `n`, `n WHY` or `a` and Enter. The end of the input is a no, as is Enter alone. */
export function ask_on(terminal: QuestionTerminal): AskPerson {
  const lines = new AskedLines(terminal.read);
  return async (question, signal) => {
    await lines.drop();
    const always = always_words(question, "run").slice(1);
    terminal.asking(true);
    // Over a live line, if there is one.
    terminal.write(`\r\x1b[K${words_of(question)}`);
    using _ = at_end(() => terminal.asking(false));
    for (;;) {
      terminal.write(`      Run it? [y]es, [n]o (or n and why), [a]${always}: `);
      const typed = await Promise.race([lines.next(), null_on_abort(signal)]);
      const answer = typed === null ? "no" : answer_of(typed);
      if (typed === null) terminal.write("\n");
      if (answer !== null || signal.aborted) return answer ?? "no";
    }
  };
}

/** What an `a` allows: of a plain command every other one, too, but not what is asked about for its danger. */
export function always_words({ tool, why }: Question, where: "run" | "chat"): string {
  if (tool === "bash" && why === null) return "all but dangerous commands";
  const until = where === "run" ? "run" : why === null ? "conversation" : "task";
  return `always in this ${until}`;
}

/** Nothing but a letter that was asked for is an answer; what follows a no is for the model. */
function answer_of(typed: string): PersonAnswer | null {
  const [, why] = /^\s*no?[\s,:]+(\S.*?)\s*$/is.exec(typed) ?? [];
  if (why !== undefined) return { no: why };
  const text = typed.trim().toLowerCase();
  if (/^y(?:es)?$/.test(text)) return "yes";
  if (/^a(?:lways)?$/.test(text)) return "always";
  return /^(?:no?)?$/.test(text) ? "no" : null;
}

function words_of({ tool, summary, why, diff }: Question): string {
  const reason = why === null ? "" : `      ${harmless(why)}\n`;
  const lines = [limited(to_be_allowed(summary)).trimEnd(), ...change_of(diff)];
  return `   ❓ ${tool} → ${lines.join("\n").replaceAll("\n", "\n      ")}\n${reason}`;
}

function change_of(diff: readonly string[]): readonly string[] {
  const { shown, more } = first_of(diff, SHOWN_LINES);
  const lines = shown.map((one) => limited(all_seen(one)));
  return more > 0 ? [...lines, `… ${plural(more, "more line")}`] : lines;
}

function limited(text: string): string {
  const more = text.length - SHOWN_CHARS;
  return more > 0 ? `${text.slice(0, SHOWN_CHARS)}… (${plural(more, "more character")})` : text;
}
