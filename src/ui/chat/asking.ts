/** What the person is asked: for leave to run a call, or a question of the model's. One at a time, above the input. */
import { Container, type Editor, matchesKey } from "@earendil-works/pi-tui";
import type { AskWords } from "../../agent/session.ts";
import type { AskPerson, PersonAnswer, Question } from "../../permission/approval.ts";
import { harmless, line, plural, to_be_allowed } from "../text.ts";
import { Lines, Phrases } from "./lines.ts";
import type { Theme } from "./theme.ts";

/** Lines of a diff or of a command; what it is about is seen by then, and the log has the rest. */
const MOST_LINES = 40;

interface OpenQuestion {
  /** Keys that answer at once. */
  key(data: string): boolean;
  /** What Enter sends. */
  typed(text: string): void;
  /** Esc, and the end of the task. */
  given_up(): void;
  /** What was in the input before. */
  readonly draft: string;
}

/** What is asked, and how it is answered. */
export class Asking extends Container {
  #asked: OpenQuestion | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly theme: Theme,
    private readonly screen: {
      readonly editor: Editor;
      render(): void;
      /** For the log: what was answered. */
      note(text: string): void;
      /** Somebody is waited for. */
      asked(what: string): void;
    },
  ) {
    super();
  }

  /** Asks for leave to run a call. */
  readonly leave: AskPerson = (question, signal) =>
    this.#next<PersonAnswer>(signal, "no", (done) => this.#for_leave(question, done));

  /** Asks a question of the model's. */
  readonly words: AskWords = (asked, signal) =>
    this.#next<string | null>(signal, null, (done) => this.#for_words(asked, done));

  /** Whether an answer is waited for. */
  get open(): boolean {
    return this.#asked !== null;
  }

  /** Whether a key was for the question. */
  key(data: string): boolean {
    const asked = this.#asked;
    if (asked === null) return false;
    if (matchesKey(data, "escape")) {
      asked.given_up();
      return true;
    }
    return this.screen.editor.getText() === "" && asked.key(data);
  }

  /** Whether what was typed was for the question. */
  typed(text: string): boolean {
    if (this.#asked === null) return false;
    this.#asked.typed(text);
    return true;
  }

  /** Questions that come together are asked one after the other. */
  #next<T>(signal: AbortSignal, otherwise: T, show: (done: (answer: T) => void) => OpenQuestion) {
    const answer = this.#turn.then(() => {
      const { promise, resolve } = Promise.withResolvers<T>();
      if (signal.aborted) return otherwise;
      const done = (answer: T) => {
        signal.removeEventListener("abort", give_up);
        const { draft } = this.#asked ?? { draft: "" };
        this.#asked = null;
        this.clear();
        this.screen.editor.setText(draft);
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

  #show(lines: readonly string[], keys: readonly string[]): void {
    this.clear();
    this.addChild(new Lines(lines.join("\n")));
    this.addChild(new Phrases(keys, this.theme.dim));
    this.screen.render();
  }

  #for_leave(question: Question, done: (answer: PersonAnswer) => void): OpenQuestion {
    const about = this.#about(question);
    const keys = [
      "y yes",
      "n no",
      "w no, with words",
      "a always",
      ...(question.edits ? ["A all edits"] : []),
      ...(question.command === null ? [] : ["e change it"]),
    ];
    const { editor, note } = this.screen;
    const answer = (words: string, answer: PersonAnswer) => {
      note(`${question.tool}: ${words}`);
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
    this.#show(about, keys);
    return {
      draft: editor.getText(),
      key: (data) => {
        if (writing !== null) return false;
        if (matchesKey(data, "ctrl+c")) return false;
        if (data === "y") return answer("yes", "yes");
        if (data === "n") return answer("no", "no");
        if (data === "a") return answer("always", "always");
        if (data === "A" && question.edits) return answer("all edits", "edits");
        if (data === "w") return write("no", "", "say what to do instead, then enter");
        if (data === "e" && question.command !== null) {
          return write("instead", question.command, "change the command, then enter runs it");
        }
        return true;
      },
      typed(text) {
        if (writing === "no") answer(`no: ${line(text, 200)}`, { no: text });
        if (writing === "instead") answer(`instead: ${line(text, 200)}`, { instead: text });
      },
      given_up: () => {
        if (writing === null) return void answer("no", "no");
        writing = null;
        editor.setText("");
        this.#show(about, keys);
      },
    };
  }

  #about({ tool, summary, why, diff, command }: Question): readonly string[] {
    const { bold, yellow, green, red } = this.theme;
    const text = to_be_allowed(command ?? summary).split("\n");
    const lines = diff.map((one) => harmless(one)).map((one) =>
      one.startsWith("+") ? green(one) : one.startsWith("-") ? red(one) : one
    );
    const [head = "", ...rest] = text;
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
    const help = choices.length === 0
      ? "type an answer; esc: no answer"
      : "a number, or type an answer; esc: no answer";
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
    return {
      draft: editor.getText(),
      key: (data) => {
        const choice = /^[1-9]$/.test(data) ? choices[Number(data) - 1] : undefined;
        if (choice === undefined) return false;
        answer(choice);
        return true;
      },
      typed: answer,
      given_up: () => answer(null),
    };
  }
}

function indented(lines: readonly string[]): readonly string[] {
  const more = lines.length - MOST_LINES;
  return [
    ...lines.slice(0, MOST_LINES).map((one) => `  ${one}`),
    ...(more > 0 ? [`  … ${plural(more, "more line")}`] : []),
  ];
}
