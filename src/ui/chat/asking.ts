/** Questions to the person: approvals, and questions of the model. One at a time, above the input. */
import { Container, type Editor, matchesKey } from "@earendil-works/pi-tui";
import type { AskWords } from "../../agent/session.ts";
import { later } from "../../config/timer.ts";
import type { AskPerson, PersonAnswer, Question } from "../../permission/approval.ts";
import { always_words } from "../question.ts";
import { all_seen, first_of, harmless, line, plural, to_be_allowed } from "../text.ts";
import { Phrases, WrappedLines } from "./lines.ts";
import type { Theme } from "./theme.ts";

/** Lines of a diff or of a command; what it is about is seen by then, and the rest can be asked for. */
const MOST_LINES = 40;
/** Letters closer together than this are words: whoever types them has not read the question, and answers nothing. */
const TYPING_MS = 300;
/** Rows of the input and the status, and the fewest of a question. */
const OTHER_ROWS = 6, LEAST_ROWS = 3;
const LETTER = /^[^\x00-\x1f\x7f]$/u;

interface OpenQuestion {
  /** Whether this letter is an answer: it has to stand alone. */
  answers(data: string): boolean;
  key(data: string): boolean;
  takes_words(): boolean;
  /** What Enter sends; false if it is not for the question. */
  typed(text: string): boolean;
  /** Esc, and the end of the task. */
  given_up(): void;
  /** What was in the input before; null once it is there again. */
  draft: string | null;
}

/** Keys of the screen itself, whatever is asked: interrupt, quit, suspend, redraw, show in full. */
const SCREEN_KEYS = ["ctrl+c", "ctrl+d", "ctrl+z", "ctrl+l", "ctrl+o"] as const;

export class Asking extends Container {
  #asked: OpenQuestion | null = null;
  /** A letter that may be an answer, or the first of a word. */
  #alone: { readonly letter: string; readonly stop: () => void } | null = null;
  #letter_at = -Infinity;
  #about_it = new WrappedLines();
  #keys: readonly string[] = [];
  /** Whether a key shows all that is asked about: where the window is too low for it, or in any. */
  #shows_all: "never" | "where cut" | "always" = "never";
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly theme: Theme,
    private readonly screen: {
      readonly editor: Pick<Editor, "getText" | "setText" | "insertTextAtCursor">;
      rows(): number;
      render(): void;
      note(text: string): void;
      asked(what: string): void;
    },
  ) {
    super();
  }

  readonly leave: AskPerson = (question, signal) =>
    this.#next<PersonAnswer>(signal, "no", (done) => this.#for_leave(question, done));

  readonly words: AskWords = (asked, signal) =>
    this.#next<string | null>(signal, null, (done) => this.#for_words(asked, done));

  get open(): boolean {
    return this.#asked !== null;
  }

  /** Whether a key was for the question. An answer is a letter that stands alone; any other begins a message. */
  key(data: string): boolean {
    const letter = LETTER.test(data);
    const types = letter && performance.now() - this.#letter_at < TYPING_MS;
    this.#letter_at = letter ? performance.now() : -Infinity;
    const asked = this.#asked;
    if (asked === null) return false;
    const first = this.#first_letter();
    if (matchesKey(data, "escape")) {
      asked.given_up();
      return true;
    }
    if (this.screen.editor.getText() !== "") return false;
    if (first !== "" && letter) return this.#words(asked, first);
    if (first !== "" && !is_screens(data)) {
      asked.key(first);
      // A letter followed by Enter is an answer.
      return matchesKey(data, "enter") || this.key(data);
    }
    const answers = asked.answers(data);
    if (types || (letter && !answers && !asked.takes_words())) return this.#words(asked, "");
    if (!answers) return asked.key(data);
    const stop = later(TYPING_MS, () => {
      this.#alone = null;
      asked.key(data);
    });
    this.#alone = { letter: data, stop };
    return true;
  }

  typed(text: string): boolean {
    return this.#asked?.typed(text) ?? false;
  }

  #first_letter(): string {
    const { letter = "", stop } = this.#alone ?? {};
    stop?.();
    this.#alone = null;
    return letter;
  }

  /** Words that are being typed go to the input, behind what was there before. */
  #words(asked: OpenQuestion, first: string): boolean {
    const { editor } = this.screen;
    if (asked.draft !== null) editor.setText(asked.draft);
    asked.draft = null;
    if (first !== "") editor.insertTextAtCursor(first);
    return false;
  }

  /** Questions that come together are asked one after the other. */
  #next<T>(signal: AbortSignal, otherwise: T, show: (done: (answer: T) => void) => OpenQuestion) {
    const answer = this.#turn.then(() => {
      const { promise, resolve } = Promise.withResolvers<T>();
      if (signal.aborted) return otherwise;
      const done = (answer: T) => {
        signal.removeEventListener("abort", give_up);
        const { draft } = this.#asked ?? { draft: "" };
        this.#first_letter();
        this.#asked = null;
        if (draft !== null) this.screen.editor.setText(draft);
        this.screen.render();
        resolve(answer);
      };
      const give_up = () => done(otherwise);
      signal.addEventListener("abort", give_up, { once: true });
      this.#asked = show(done);
      this.screen.asked("a question for you");
      this.screen.editor.setText("");
      this.screen.render();
      return promise;
    });
    this.#turn = answer;
    return answer;
  }

  #show(
    lines: readonly string[],
    keys: readonly string[],
    shows_all: "never" | "where cut" | "always" = "never",
  ): void {
    this.#about_it = new WrappedLines(lines.join("\n"));
    this.#keys = keys;
    this.#shows_all = shows_all;
    this.screen.render();
  }

  #help(all: boolean, width: number): string[] {
    const keys = all ? [...this.#keys, "v show all of it"] : this.#keys;
    return new Phrases(keys, this.theme.dim).render(width);
  }

  /** Its beginning and its end are seen, however low the window is. */
  override render(width: number): string[] {
    if (this.#asked === null) return [];
    const about = this.#about_it.render(width);
    const room_above = (keys: readonly string[]) =>
      Math.max(LEAST_ROWS, this.screen.rows() - OTHER_ROWS - keys.length);
    const short = this.#help(this.#shows_all === "always", width);
    if (about.length <= room_above(short)) return [...about, ...short];
    const keys = this.#help(this.#shows_all !== "never", width);
    const room = room_above(keys);
    const end = Math.floor((room - 1) / 2);
    const start = room - 1 - end;
    const left_out = `  … ${plural(about.length - start - end, "row")} left out`;
    return [
      ...about.slice(0, start),
      this.theme.yellow(left_out),
      ...about.slice(about.length - end),
      ...keys,
    ];
  }

  #for_leave(question: Question, done: (answer: PersonAnswer) => void): OpenQuestion {
    const about = this.#about(question);
    const keys = [
      "y yes",
      "n no",
      "w no, with words",
      `a ${always_words(question, "chat")}`,
      ...(question.edits ? ["A all edits"] : []),
      ...(question.command === null ? [] : ["e change it"]),
    ];
    const is_cut = [question.diff, (question.command ?? question.summary).split("\n")]
      .some((lines) => first_of(lines, MOST_LINES).more > 0);
    const show = () => this.#show(about, keys, is_cut ? "always" : "where cut");
    const { editor, note } = this.screen;
    // What is refused or run instead is seen by what comes of it.
    const answer = (words: string, answer: PersonAnswer) => {
      if (words !== "") note(`${question.tool}: ${words}`);
      done(answer);
      return true;
    };
    let writing: "no" | "instead" | null = null;
    const write = (what: "no" | "instead", text: string, help: string) => {
      writing = what;
      this.#show(about, [`${help}; esc goes back`]);
      editor.setText(text);
      return true;
    };
    show();
    const draft = editor.getText();
    return {
      draft,
      answers: (data) => writing === null && /^[ynwaAev]$/.test(data),
      takes_words: () => writing !== null,
      key: (data) => {
        if (writing !== null || is_screens(data)) return false;
        if (data === "y") return answer("yes", "yes");
        if (data === "n") return answer("", "no");
        if (data === "a") return answer("always", "always");
        if (data === "A" && question.edits) return answer("all edits", "edits");
        if (data === "w") return write("no", "", "say what to do instead, then enter");
        if (data === "e" && question.command !== null) {
          return write("instead", question.command, "change the command, then enter runs it");
        }
        if (data === "v") note(whole(question));
        return true;
      },
      typed: (text) => {
        if (writing === "no") return answer("", { no: text });
        if (writing === "instead") return answer("", { instead: text });
        const word = draft === "" ? text.toLowerCase() : "";
        return (word === "yes" && answer(word, word)) || (word === "no" && answer("", word));
      },
      given_up: () => {
        if (writing === null) return void answer("", "no");
        writing = null;
        editor.setText("");
        show();
      },
    };
  }

  #about({ tool, summary, why, diff, command }: Question): readonly string[] {
    const { bold, yellow, green, red } = this.theme;
    const lines = diff.map((one) => all_seen(one)).map((one) =>
      one.startsWith("+") ? green(one) : one.startsWith("-") ? red(one) : one
    );
    const [head = "", ...rest] = to_be_allowed(command ?? summary).split("\n");
    return [
      `${yellow("?")} ${bold(`${tool} →`)} ${head}`,
      ...indented(rest),
      ...indented(lines),
      ...(why === null ? [] : [`  ${harmless(why)}`]),
    ];
  }

  #for_words(
    { question, choices }: Parameters<AskWords>[0],
    done: (answer: string | null) => void,
  ): OpenQuestion {
    const { bold, yellow, accent } = this.theme;
    const [first = "", ...rest] = harmless(question).split("\n");
    const help = `${choices.length === 0 ? "" : "a number, or "}type an answer; esc: no answer`;
    this.#show([
      `${yellow("?")} ${bold(first)}`,
      ...indented(rest),
      ...choices.map((choice, at) => `  ${accent(String(at + 1))} ${line(choice, 200)}`),
    ], [help]);
    const { note, editor } = this.screen;
    const answer = (words: string | null) => {
      note(`${line(question, 200)} ${words === null ? "(no answer)" : line(words, 200)}`);
      done(words);
    };
    let begun = editor.getText();
    const open: OpenQuestion = {
      draft: begun,
      answers: (data) => /^[1-9]$/.test(data) && choices.length >= Number(data),
      takes_words: () => true,
      key: (data) => {
        const choice = /^[1-9]$/.test(data) ? choices[Number(data) - 1] : undefined;
        if (choice === undefined) return false;
        answer(choice);
        return true;
      },
      typed: (text) => {
        // A message that was begun before, and is typed on, is not for who asks: that may be a stranger's server.
        if (open.draft === null && begun !== "") {
          begun = "";
          return false;
        }
        answer(text);
        return true;
      },
      given_up: () => answer(null),
    };
    return open;
  }
}

function is_screens(data: string): boolean {
  return SCREEN_KEYS.some((key) => matchesKey(data, key));
}

function whole({ tool, summary, command, diff }: Question): string {
  return [`${tool} →`, to_be_allowed(command ?? summary), ...diff.map(all_seen)].join("\n");
}

function indented(lines: readonly string[]): readonly string[] {
  const { shown, more } = first_of(lines, MOST_LINES);
  return [
    ...shown.map((one) => `  ${one}`),
    ...(more > 0 ? [`  … ${plural(more, "more line")}`] : []),
  ];
}
