/** The scrolling log of a chat: only the last block still changes. */
import { Container } from "@earendil-works/pi-tui";
import { planned_diff } from "../../agent/call_detail.ts";
import type { EventOf, Stamped } from "../../agent/events.ts";
import { human_log } from "../human_log.ts";
import { new_screen } from "../human_log_options.ts";
import { first_of, harmless, harmless_output, last_of, line, plural, whole_line } from "../text.ts";
import { call_lines, came_to, command_on_a_line, ended, summary } from "../words.ts";
import { Answer } from "./answer.ts";
import { FittedLines } from "./fitted.ts";
import { WrappedLines } from "./lines.ts";
import type { Theme } from "./theme.ts";

/** Lines of what a command of the person's printed, and of what they say, which may be a file that they pasted. */
const MOST_PRINTED = 200, MOST_SAID = 20;
/** Lines of that at its end: below what was pasted often stands what is wanted. */
const SAID_LAST = 5;
/** How much of what was cut short can be seen in full: blocks, and lines of one block. */
const MOST_FOLDED = 100, MOST_UNFOLDED = 2000;

const QUESTION_CHARS = 200;

/** Endings whose facts stand above: what was called, and what changed. */
const JUDGED: ReadonlySet<string> = new Set(["not_done", "contract_unsatisfied"]);

interface Folded {
  readonly title: string;
  readonly lines: readonly string[];
}

type Call = EventOf<"tool_call">;

const NOTHING_SETTLED = { width: 0, blocks: 0, lines: [] };

/** What the live line and the status show, or nobody. */
const UNSHOWN = new Set([
  ...["session_start", "step_start", "step_end", "prefill", "writing", "progress", "printed"],
  ...["background", "refusal", "thinking", "state", "steer"],
]);

export class ChatLog extends Container {
  #lines: WrappedLines | null = null;
  #answer: Answer | null = null;
  /** Blanks and line breaks that it ended in so far: models end, and begin, with some that nothing follows. */
  #breaks = "";
  /** Whether an empty line comes before what is said next. */
  #gap = false;
  readonly #told: (event: Stamped) => void;
  #settled: { readonly width: number; blocks: number; readonly lines: string[] } = NOTHING_SETTLED;
  /** The newest last. */
  readonly #folded: Folded[] = [];
  readonly #calls = new Map<string, Call>();
  answer = "";
  /** What comes behind the answer that streams. */
  readonly #held: (() => void)[] = [];
  /** What the model thinks, since when. */
  #thought: { text: string; readonly since: number } | null = null;

  constructor(
    private readonly theme: Theme,
    private readonly options: { readonly verbose: boolean },
  ) {
    super();
    this.#told = human_log({
      ...{ quiet: false, requests: false, live: false, heartbeat_ms: 0, unfolds: "ctrl-o" },
      verbose: options.verbose,
      get color() {
        return theme.name !== "none";
      },
      write: (text) => this.print(text),
      width: Infinity,
      screen: new_screen(),
    });
  }

  /** Only the last block still changes: what the others look like is kept. */
  override render(width: number): string[] {
    const last = Math.max(0, this.children.length - 1);
    if (this.#settled.width !== width) this.#settled = { width, blocks: 0, lines: [] };
    const { lines } = this.#settled;
    for (; this.#settled.blocks < last; this.#settled.blocks++) {
      for (const one of this.children[this.#settled.blocks]?.render(width) ?? []) lines.push(one);
    }
    return [...lines, ...this.children[last]?.render(width) ?? []];
  }

  override invalidate(): void {
    super.invalidate();
    this.#settled = NOTHING_SETTLED;
  }

  /** Adds text as it stands, escape sequences of ours included. */
  print(text: string): void {
    this.#end_answer();
    if (this.#lines === null) {
      this.#lines = new WrappedLines();
      this.addChild(new FittedLines(this.#lines));
    }
    this.#lines.add(this.#gap ? `\n${text}` : text);
    this.#gap = false;
  }

  gap(): void {
    this.#gap = true;
  }

  #apart(text: string): void {
    this.gap();
    this.print(text);
    this.gap();
  }

  said(text: string): void {
    const lines = harmless(text).split("\n");
    const { shown, more } = first_of(lines, MOST_SAID);
    if (more > 0) this.#keep({ title: "message", lines });
    const { accent, bold } = this.theme;
    const [first = "", ...rest] = shown.map(bold);
    if (more > 0) {
      const last = lines.slice(-SAID_LAST).map(bold);
      rest.splice(-SAID_LAST, SAID_LAST, this.#cut(more), ...last);
    }
    this.#apart([`${accent("›")} ${first}`, ...rest.map((one) => `  ${one}`), ""].join("\n"));
  }

  note(text: string): void {
    if (text !== "") this.print(`${this.theme.dim(harmless(text))}\n`);
  }

  diff(text: string): void {
    const lines = harmless(text).trimEnd().split("\n");
    const { shown, more } = first_of(lines, MOST_PRINTED);
    if (more > 0) this.#keep({ title: "diff", lines });
    const cut = more > 0 ? [this.#cut(more)] : [];
    this.#apart([...shown.map((one) => this.#in_diff(one)), ...cut, ""].join("\n"));
  }

  /** Not into an answer that streams: behind it. */
  beside(question: string, answer: string): void {
    if (this.#answer !== null) return void this.#held.push(() => this.beside(question, answer));
    this.gap();
    this.note(`btw: ${line(question, QUESTION_CHARS)}`);
    this.#lines = null;
    const shown = new Answer(
      this.theme.markdown,
      (part) => this.addChild(new FittedLines(part)),
    );
    shown.add(harmless(answer));
    shown.end();
    this.gap();
  }

  #cut(more: number): string {
    return this.theme.dim(`… ${plural(more, "more line")} (ctrl-o)`);
  }

  #in_diff(line: string): string {
    const { bold, accent, green, red } = this.theme;
    if (/^(?:diff |--- |\+\+\+ )/.test(line)) return bold(line);
    if (line.startsWith("@@")) return accent(line);
    return line.startsWith("+") ? green(line) : line.startsWith("-") ? red(line) : line;
  }

  /** The end of what a command of the person's printed, and how it ended. */
  printed(output: string, ending: string): void {
    const lines = harmless_output(output).trimEnd().split("\n").filter((one, at, all) =>
      at > 0 || one !== "" || all.length > 1
    );
    const { shown, more } = last_of(lines, MOST_PRINTED);
    if (more > 0) this.note(`  … ${plural(more, "line")} before this`);
    this.print(shown.map((one) => `  ${one}\n`).join(""));
    this.note(`  ${ending}`);
    this.gap();
  }

  /** Shows in full what was cut short last; what was before that the next time. */
  unfold(): void {
    const folded = this.#folded.pop();
    if (folded === undefined) return this.note("nothing more to show");
    const { title, lines } = folded;
    const { bold } = this.theme;
    const of_diff = title === "diff" || /^(?:edit|write) /.test(title);
    const shown = lines.slice(-MOST_UNFOLDED).map(harmless)
      .map((one) => of_diff ? this.#in_diff(one) : one);
    const more = lines.length - shown.length;
    const cut = more > 0 ? [`… ${plural(more, "line")} before this`] : [];
    this.#apart([bold(title), ...[...cut, ...shown].map((one) => `  ${one}`), ""].join("\n"));
  }

  hear(event: Stamped): void {
    if (event.agent === undefined) this.#fold(event);
    if (UNSHOWN.has(event.type)) return;
    switch (event.type) {
      case "text_delta":
        if (event.agent !== undefined) return this.#told(event);
        this.#stream(event.text);
        if (!event.finished) return;
        this.#end_answer();
        return this.#held.splice(0).forEach((show) => show());
      case "result":
        this.#ended(event);
        return this.note(came_to(event)?.replace(/^/, "   ") ?? "");
      default:
        return this.#told(event);
    }
  }

  #ended({ error, status, stop_reason }: EventOf<"result">): void {
    this.gap();
    if (error === null) return;
    if (stop_reason === "user_interrupt") return this.print(this.theme.yellow("interrupted\n"));
    const { red, yellow } = this.theme;
    const paint = status === "failed" ? red : yellow;
    const message = harmless(error.message).trimEnd();
    // A model that says that it is not done has just said why.
    if (stop_reason === "not_done" && this.answer.includes(message.replace(/…$/, ""))) {
      return this.print(`${paint(ended(stop_reason))}\n`);
    }
    const [text = "", facts = ""] = JUDGED.has(stop_reason)
      ? message.split(/(?<=[.:]) (.*)/s, 2)
      : [message];
    if (facts !== "") this.#keep({ title: text, lines: facts.split("\n") });
    const shown = `${ended(stop_reason)}: ${text}${facts === "" ? "" : " (ctrl-o)"}`;
    this.print(`${shown.split("\n").map(paint).join("\n")}\n`);
  }

  #fold(event: Stamped): void {
    if (event.type === "reasoning_delta" && !this.options.verbose) {
      this.#thought ??= { text: "", since: performance.now() };
      this.#thought.text += event.text;
    }
    if (event.type !== "reasoning_delta" || event.finished) this.#fold_thought(event);
    if (event.type === "tool_call") this.#fold_call(event);
    if (event.type === "nudge") {
      this.#keep({ title: `hamr to the model: ${event.name}`, lines: event.message.split("\n") });
    }
    const call = event.type === "detail" && event.more > 0 ? this.#calls.get(event.id) : undefined;
    if (event.type !== "detail" || call === undefined) return;
    const { name: tool, arguments: args } = call;
    const title = `${whole_line(tool)} → ${command_on_a_line(summary(call))}`;
    this.#keep({ title, lines: event.whole?.split("\n") ?? planned_diff({ tool, args }) });
  }

  #fold_call(call: Call): void {
    this.#calls.set(call.id, call);
    if (call_lines(call).more > 0) {
      this.#keep({ title: whole_line(call.name), lines: summary(call).split("\n") });
    }
  }

  #fold_thought({ type }: Stamped): void {
    if (this.#thought === null || type === "writing" || type === "prefill") return;
    const { text, since } = this.#thought;
    this.#thought = null;
    if (text.trim() === "") return;
    const seconds = Math.round((performance.now() - since) / 1000);
    this.#keep({ title: "thinking", lines: text.trim().split("\n") });
    this.note(`   💭 thought for ${seconds} s (ctrl-o)`);
  }

  #keep(folded: Folded): void {
    this.#folded.push(folded);
    if (this.#folded.length > MOST_FOLDED) this.#folded.shift();
  }

  #end_answer(): void {
    this.#answer?.end();
    this.#answer = null;
    this.#breaks = "";
  }

  /** The answer as it comes. Another one may have come just before it, if the model was asked again. */
  #stream(said: string): void {
    const all = this.#breaks + harmless(said);
    const words = all.trimEnd();
    const breaks = all.slice(words.length);
    const text = this.#answer === null ? words.replace(/^(?:[^\S\n]*\n)+/, "") : words;
    if (this.#answer === null && text !== "") {
      if (this.#gap || this.children.length > 0) {
        this.gap();
        this.print("");
      }
      this.#lines = null;
      this.answer = "";
      this.#answer = new Answer(
        this.theme.markdown,
        (part) => this.addChild(new FittedLines(part)),
      );
    }
    this.#breaks = breaks;
    this.answer += text;
    this.#answer?.add(text);
  }
}
