/** A chat in plain lines, for screen readers, simple terminals and pipes: whole lines, nothing redrawn, words instead of signs. */
import type { Stamped } from "../../agent/events.ts";
import type { AskWords } from "../../agent/session.ts";
import type { PersonAnswer, Question } from "../../permission/approval.ts";
import { human_log } from "../human_log.ts";
import { new_screen } from "../human_log_options.ts";
import { signs_in_ascii } from "../signs.ts";
import { always_words } from "../question.ts";
import { all_seen, first_of, harmless, last_of, line, plural, to_be_allowed } from "../text.ts";
import { came_to, ended } from "../words.ts";
import type { Choice } from "./picker.ts";
import type { ChatHandlers } from "./screen.ts";
import { type StatusFacts, StatusLine } from "./status.ts";
import { theme_of } from "./theme.ts";
import { each_typed } from "./typed.ts";
import type { ChatView } from "./view.ts";

/** After so long without a line one says that the task is under way. */
const SILENT_MS = 30_000;
const MOST_PRINTED = 200, MOST_CHOICES = 20, MOST_DIFF = 200;
/** What the log of a run draws before its words. */
const SIGNS = /^(\s*)(?:🔧|🌐|📝|🗜|↻|⇄|↩|⛔|🔔|🧠|⏳|🔍|👤|✓|⚠️) */u;
const HELP = [
  "Type a task, then Enter. A backslash at the end continues on the next line.",
  "While it works, a line you type reaches the model before its next step; Ctrl-C interrupts.",
  "/help lists the commands, Ctrl-D quits.",
];

export class PlainLines implements ChatView {
  readonly theme = theme_of("none");
  readonly status: StatusLine;
  readonly queued: string[] = [];
  readonly cleared: string[] = [];
  readonly editor = {
    getExpandedText: () => "",
    setText: (text: string) => {
      if (text !== "") this.#line(`your message was: ${harmless(text)}`);
    },
    setAutocompleteProvider() {},
  };
  readonly log = {
    answer: "",
    gap() {},
    note: (text: string) => {
      if (text !== "") this.#line(harmless(text));
    },
    diff: (text: string) => this.log.note(text.trimEnd()),
    beside: (question: string, answer: string) =>
      this.log.note(`btw: ${line(question, 200)}\n${answer}`),
    said: (text: string) => this.#line(`you: ${line(text, 2000)}`),
    hear: (event: Stamped) => this.hear(event),
    printed: (output: string, ending: string) => {
      const { shown, more } = last_of(harmless(output).trimEnd().split("\n"), MOST_PRINTED);
      if (more > 0) this.#line(`${plural(more, "line")} before this`);
      shown.forEach((one) => this.#line(one));
      this.#line(ending);
    },
  };
  readonly picker = {
    pick: (title: string, choices: readonly Choice[]) => this.#pick(title, choices),
  };
  readonly asking: ChatView["asking"] = {
    leave: (question, signal) =>
      this.#in_turn(signal, "no" as const, () => this.#leave(question, signal)),
    words: (asked, signal) => this.#in_turn(signal, null, () => this.#words(asked, signal)),
  };
  readonly #told: (event: Stamped) => void;
  /** What was typed, or printed, of a line that has not ended. */
  #typed = "";
  #rest = "";
  #more = "";
  /** Takes the next line, where something is asked. */
  #answer: ((text: string) => void) | null = null;
  #asked: Promise<unknown> = Promise.resolve();
  #working = false;
  #left = false;

  constructor(
    private readonly handlers: ChatHandlers,
    private readonly options: {
      readonly ascii: boolean;
      readonly verbose: boolean;
      /** A mark where something may be typed. */
      readonly prompt: boolean;
      /** It does not go on with a conversation that this terminal shows: how to type is told. */
      readonly greets: boolean;
      readonly facts: () => StatusFacts;
      readonly write: (text: string) => void;
    },
  ) {
    this.status = new StatusLine(this.theme, options.facts);
    this.#told = human_log({
      ...{ quiet: false, requests: false, live: false, color: false, width: Infinity },
      ...{ verbose: options.verbose, heartbeat_ms: SILENT_MS, unfolds: "not shown" },
      says_ok: true,
      write: (text) => this.#print(text),
      screen: new_screen(() => this.#answer !== null),
    });
  }

  start(typed: string): void {
    if (this.options.greets) HELP.forEach((one) => this.#line(one));
    void this.#read();
    this.#prompt();
    this.#type(typed);
  }

  sleep(): void {}
  awake(): void {}
  render(): void {}
  redraw(): void {}
  remember(): void {}
  hear_command(): void {}

  copy(): string {
    return "plain lines can't reach the clipboard; /export FILE writes the conversation";
  }

  leave(): void {
    this.#end_line();
    this.#left = true;
  }

  late(): string {
    return this.#typed;
  }

  signaled(): boolean {
    return this.handlers.interrupt();
  }

  begin(text: string, command?: string): void {
    this.#working = true;
    if (text.startsWith("/") || this.options.prompt) return;
    this.#line(`${command === undefined ? "task" : "command"}: ${line(text, 200)}`);
  }

  end(): string | undefined {
    this.#working = false;
    const next = this.queued.shift();
    if (next === undefined && !this.#left) this.#prompt();
    return next;
  }

  hear(event: Stamped): void {
    this.status.hear(event);
    switch (event.type) {
      case "text_delta":
        if (event.agent !== undefined) return this.#told(event);
        this.#rest += harmless(event.text);
        return event.finished ? this.#end_line() : this.#flush();
      case "steer":
        return this.#line(`to the model: ${line(event.text, 200)}`);
      case "result":
        this.#end_line();
        if (event.error !== null) {
          this.#line(`${ended(event.stop_reason)}: ${harmless(event.error.message).trimEnd()}`);
        } else this.#line(`done${came_to(event)?.replace(/^/, ": ") ?? ""}`);
        return;
      case "session_start":
      case "step_start":
        return;
      default:
        return this.#told(event);
    }
  }

  #print(text: string): void {
    this.#end_line();
    for (const one of text.replace(/\n$/, "").split("\n")) {
      this.#line(one.replace(/^(\s*)✗ /, "$1failed: ").replace(SIGNS, "$1").replace(" → ", ": "));
    }
  }

  #line(text: string): void {
    this.#end_line();
    this.#rest += `${text}\n`;
    this.#flush();
  }

  #end_line(): void {
    if (this.#rest !== "") this.#rest += "\n";
    this.#flush();
  }

  #flush(): void {
    const at = this.#rest.lastIndexOf("\n") + 1;
    if (at === 0) return;
    const text = this.#rest.slice(0, at);
    this.#rest = this.#rest.slice(at);
    this.options.write(this.options.ascii ? signs_in_ascii(text) : text);
  }

  #prompt(): void {
    if (this.options.prompt) this.options.write("> ");
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    await each_typed((bytes) => this.#type(decoder.decode(bytes, { stream: true })));
    this.handlers.quit();
  }

  #type(text: string): void {
    this.#typed += text;
    if (this.#left) return;
    const lines = this.#typed.split("\n");
    this.#typed = lines.pop() ?? "";
    lines.forEach((one) => this.#take(one.replace(/\r$/, "")));
  }

  #take(typed: string): void {
    const answer = this.#answer;
    if (answer !== null) {
      this.#answer = null;
      return answer(typed.trim());
    }
    if (typed.endsWith("\\")) {
      this.#more += `${typed.slice(0, -1)}\n`;
      return;
    }
    const text = (this.#more + typed).trim();
    this.#more = "";
    if (text === "?") HELP.forEach((one) => this.#line(one));
    if (text === "" || text === "?") return this.#working ? undefined : this.#prompt();
    if (!this.#working) return this.handlers.submit(text);
    const became = this.handlers.steer(text);
    if (became === "wait") this.queued.push(text);
    if (became === "told") this.#line("the model gets it before its next step");
    if (became === "wait") this.#line("it comes after this task");
  }

  /** Questions that come together are asked one after the other. */
  #in_turn<T>(signal: AbortSignal, otherwise: T, ask: () => Promise<T>): Promise<T> {
    const answer = this.#asked.then(() => signal.aborted ? otherwise : ask());
    this.#asked = answer;
    return answer;
  }

  /** The next line that is typed; null where the question is given up. */
  #ask(help: string, signal?: AbortSignal): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<string | null>();
    this.#line(help);
    this.#prompt();
    const give_up = () => {
      this.#answer = null;
      resolve(null);
    };
    signal?.addEventListener("abort", give_up, { once: true });
    this.#answer = (text) => {
      signal?.removeEventListener("abort", give_up);
      resolve(text);
    };
    return promise;
  }

  async #leave(question: Question, signal: AbortSignal): Promise<PersonAnswer> {
    const { tool, summary, why, diff, command, edits } = question;
    this.#line(`may this run? ${tool}: ${to_be_allowed(command ?? summary)}`);
    const { shown, more } = first_of(diff, MOST_DIFF);
    shown.forEach((one) => this.#line(`  ${all_seen(one)}`));
    if (more > 0) this.#line(`  ${plural(more, "more line")}`);
    if (why !== null) this.#line(harmless(why));
    const keys = [
      ...["y yes", "n no", "n WORDS: no, with these words to the model"],
      `a ${always_words(question, "chat")}`,
      ...(edits ? ["A all edits"] : []),
      ...(command === null ? [] : ["e COMMAND: run this instead"]),
    ];
    for (;;) {
      const typed = await this.#ask(`answer: ${keys.join("; ")}`, signal);
      if (typed === null) return "no";
      const [, key = "", words = ""] = /^(\S+)\s*(.*)$/s.exec(typed) ?? [];
      if (/^y(?:es)?$/i.test(typed)) return "yes";
      if (/^no?$/i.test(typed)) return "no";
      if (typed === "a" || typed === "always") return "always";
      if (typed === "A" && edits) return "edits";
      // On a screen `w` asks for the words.
      if (/^(?:no?|w)$/i.test(key) && words !== "") return { no: words };
      if (key === "e" && words !== "" && command !== null) return { instead: words };
    }
  }

  async #words(
    { question, choices }: Parameters<AskWords>[0],
    signal: AbortSignal,
  ): Promise<string | null> {
    this.#line(`the model asks: ${harmless(question)}`);
    choices.forEach((choice, at) => this.#line(`  ${at + 1}: ${line(choice, 200)}`));
    const help = choices.length === 0 ? "your answer" : "a number, or your answer";
    const typed = await this.#ask(`${help}; an empty line: no answer`, signal);
    if (typed === null || typed === "") return null;
    return choices[Number(typed) - 1] ?? typed;
  }

  async #pick(title: string, choices: readonly Choice[]): Promise<Choice | null> {
    for (let found = choices;;) {
      this.#line(harmless(title));
      found.slice(0, MOST_CHOICES).forEach(({ label, description = "" }, at) =>
        this.#line(`  ${at + 1}: ${label}${description === "" ? "" : `, ${description}`}`)
      );
      const more = found.length - MOST_CHOICES;
      if (more > 0) this.#line(`  and ${more} more`);
      const typed = await this.#ask("a number, a word to search for, or an empty line for none");
      if (typed === null || typed === "") return null;
      const chosen = found[Number(typed) - 1];
      if (chosen !== undefined) return chosen;
      const fits = choices.filter(({ label, description = "" }) =>
        `${label} ${description}`.toLowerCase().includes(typed.toLowerCase())
      );
      if (fits.length > 0) found = fits;
      else this.#line(`nothing fits ${line(typed, 200)}`);
    }
  }
}
