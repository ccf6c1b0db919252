/** The screen of a chat: the log, then what is awaited, queued messages, the input and the status. */
import { matchesKey } from "@earendil-works/pi-tui";
import type { Stamped } from "../../agent/events.ts";
import { signs_in_ascii } from "../signs.ts";
import { line, plural } from "../text.ts";
import { Asking } from "./asking.ts";
import { FittedLines } from "./fitted.ts";
import { Picker } from "./picker.ts";
import { ChatLog } from "./log.ts";
import { Input } from "./input.ts";
import { MainScreen } from "./main_screen.ts";
import { Queued } from "./queued.ts";
import { type StatusFacts, StatusLine } from "./status.ts";
import { Title } from "./title.ts";
import { ChatTerminal } from "./terminal.ts";
import { type Theme, theme_of, type ThemeName } from "./theme.ts";
import type { ChatView } from "./view.ts";
import { WaitingLines } from "./waiting.ts";

export interface ChatHandlers {
  /** A message while nothing is under way. */
  submit(text: string): void;
  /** One while a task is under way: the task is told, it is a command and done, or it has to wait for the task's end. */
  steer(text: string): "told" | "done" | "wait";
  /** Tells the task under way; false if nobody hears it anymore. */
  tell(text: string): boolean;
  /** Takes back what it was told; false if the model has heard it. */
  take_back(text: string): boolean;
  /** Drops what is under way; false if nothing is. */
  interrupt(): boolean;
  next_mode(): void;
  rewind(): void;
  edit(): void;
  paste_image(): void;
  /** Puts the program to sleep, as Ctrl-Z does; back when it is awake again. */
  sleep(): void;
  quit(): void;
  /** The terminal was closed: that comes before its signal, or after it. */
  gone(): void;
}

/** Twice within this time is meant. */
const TWICE_MS = 1500;
const NO_KEY = { key: "", at: -Infinity };
/** Holds as long as it is shown. */
const QUITS = "ctrl-c again to quit";
/** Between two frames, and between two looks at what runs in the background. */
const FRAME_MS = 100, BACKGROUND_MS = 1000;
/** Nobody looks on for so long, where the terminal does not say whether somebody does. */
const UNSEEN_MS = 60_000;
/** What shells and other agents have for arrows, too. */
const ARROWS = [["ctrl+p", "\x1b[A"], ["alt+up", "\x1b[A"], ["ctrl+n", "\x1b[B"]] as const;
const KEYS = [
  "enter sends; shift-enter, alt-enter, ctrl-j or a \\ at the end start a new line",
  "esc interrupts; ctrl-c clears the input, then interrupts, twice quits; ctrl-d quits",
  "while it works: enter tells it right away, tab queues it for later, ↑ changes it or takes it back",
  "shift-tab changes the mode; ↑ earlier messages, ctrl-r searches them, esc esc goes back to one",
  "ctrl-o shows the last thing that was cut short in full; again, the one before it",
  "ctrl-g opens your editor; ctrl-v takes an image from the clipboard; ctrl-l redraws; ctrl-z suspends",
  "@ completes files; / lists commands; !command runs one in the sandbox, and the model sees it",
];

export class ChatScreen implements ChatView {
  readonly log: ChatLog;
  readonly status: StatusLine;
  readonly #tui: MainScreen;
  readonly #waiting: WaitingLines;
  readonly asking: Asking;
  readonly picker: Picker;
  /** Said to the task under way and not heard by the model yet, or for after it. */
  readonly #queued: Queued;
  /** What is drawn again and again below the log. */
  readonly #below: readonly FittedLines[];
  readonly theme: Theme;
  readonly #terminal: ChatTerminal;
  readonly #title: Title;
  readonly editor: Input;
  readonly cleared: string[] = [];
  /** All that was typed, for the search in it; the newest last. */
  readonly #typed: string[] = [];
  #working = false;
  #asleep = false;
  #left = false;
  #began = 0;
  #timer: ReturnType<typeof setInterval> | undefined;
  #last = NO_KEY;

  constructor(
    private readonly handlers: ChatHandlers,
    private readonly options: {
      readonly theme: ThemeName;
      readonly colors: string;
      readonly ascii: boolean;
      readonly notify: "off" | "bell" | "osc9";
      /** The workspace's name for the terminal's title; empty: that is left alone. */
      readonly title: string;
      readonly verbose: boolean;
      readonly facts: () => StatusFacts;
      readonly write: (text: string) => void;
      readonly typed_ahead: number;
      /** All that was said is drawn here, also what was said before this start. */
      readonly greets: boolean;
    },
  ) {
    const theme = this.theme = theme_of(options.theme, options.colors);
    const { write, ascii, typed_ahead } = options;
    this.#terminal = new ChatTerminal({
      typed_ahead,
      put: (text) => write(theme.sent(ascii ? signs_in_ascii(text) : text)),
      ended: () => handlers.gone(),
      unended: () => {
        this.status.hint = "a paste has not ended yet: keys wait for it; ctrl-c ends it";
        this.render();
      },
      background: (light) => {
        const changes = theme.light !== light;
        theme.light = light;
        if (changes) this.redraw();
      },
    });
    this.#title = new Title(options.title, (text) => this.#terminal.write(text));
    this.#tui = new MainScreen(this.#terminal, options.greets);
    this.log = new ChatLog(theme, options);
    this.#waiting = new WaitingLines(theme, () => this.asking.open, !options.verbose);
    this.status = new StatusLine(theme, options.facts);
    this.editor = new Input(this.#tui, theme.editor);
    this.editor.onSubmit = (text) => this.#submit(text);
    this.asking = new Asking(theme, {
      editor: this.editor,
      rows: () => this.#terminal.rows,
      render: () => this.render(),
      note: (text) => this.log.note(text),
      asked: (what) => this.#call(what),
    });
    this.picker = new Picker(theme, () => this.render(), () => this.editor.getText() !== "");
    this.#queued = new Queued(theme, handlers);
    const below = [
      this.#waiting,
      this.asking,
      this.picker,
      this.#queued,
      this.editor,
      this.status,
    ];
    this.#below = below.map((part) => new FittedLines(part));
    [this.log, ...this.#below].forEach((part) => this.#tui.addChild(part));
    this.#tui.addInputListener((data) => {
      const key = ARROWS.find(([name]) => matchesKey(data, name))?.[1] ?? data;
      return this.#key(key) ? { consume: true } : { data: key };
    });
    this.#tui.setFocus(this.editor);
  }

  start(typed: string): void {
    this.#tui.start();
    this.#terminal.typed_before(typed);
    this.render();
  }

  async sleep(): Promise<void> {
    await this.#terminal.settle();
    this.#asleep = true;
    this.stop();
  }

  awake(): void {
    // The program that has the terminal now finds it as it was.
    if (this.#left) return;
    if (this.#asleep) this.#tui.start();
    else this.#terminal.raw();
    this.#asleep = false;
    this.#tui.repaint("below");
    this.#tick();
    this.render();
  }

  /** Draws again what changes by itself: while something is under way each frame, else what runs beside it. */
  #tick(): void {
    clearInterval(this.#timer);
    if (this.#working) this.#timer = setInterval(() => this.render(), FRAME_MS);
    else if (this.options.facts().background.length > 0) {
      this.#timer = setInterval(() => {
        this.render();
        if (this.options.facts().background.length === 0) clearInterval(this.#timer);
      }, BACKGROUND_MS);
    }
  }

  /** Gives the terminal back; what was said stays. */
  stop(): void {
    clearInterval(this.#timer);
    this.#title.end();
    this.#tui.stop();
  }

  async leave(): Promise<void> {
    await this.#terminal.settle();
    this.#left = true;
    for (const part of this.#below) this.#tui.removeChild(part);
    this.#tui.leave();
    this.stop();
  }

  late(): string {
    return this.#terminal.take_late();
  }

  signaled(): boolean {
    return false;
  }

  render(): void {
    if (!this.#left && !this.#asleep) {
      this.#title.show(this.asking.open ? "asks you" : this.#working ? "working" : "");
    }
    this.#tui.requestRender();
  }

  redraw(): void {
    this.#tui.invalidate();
    this.#tui.repaint("over");
  }

  copy(): string {
    const text = this.log.answer.trim();
    if (text === "") return "there is no answer yet";
    // OSC 52 reaches the person's own machine over SSH, too. No terminal says whether it took it.
    this.#terminal.write(`\x1b]52;c;${new TextEncoder().encode(text).toBase64()}\x07`);
    const size = plural(text.split("\n").length, "line");
    return `the last answer (${size}) was sent to the terminal's clipboard, which not every terminal has`;
  }

  hear(event: Stamped): void {
    this.log.hear(event);
    this.#waiting.hear(event);
    this.status.hear(event);
    if (event.type === "steer") {
      this.#queued.heard(event.text);
      this.log.said(event.text);
    }
    this.render();
  }

  hear_command(printed: string): void {
    this.#waiting.prints(printed);
    this.render();
  }

  get queued(): readonly string[] {
    return this.#queued.texts;
  }

  remember(texts: readonly string[]): void {
    this.#typed.unshift(...texts);
    texts.forEach((text) => this.editor.addToHistory(text));
  }

  /** A task is under way; or a command of the person's, which is named then. */
  begin(text: string, command?: string): void {
    this.#working = true;
    this.#began = performance.now();
    this.log.said(text);
    this.#waiting.begin(command);
    this.#tick();
    this.render();
  }

  /** It has ended, if there was one; gives what comes next, if something is queued. */
  end(): string | undefined {
    const worked = this.#working;
    this.#working = false;
    this.#waiting.end();
    this.#tick();
    const next = this.#queued.ended();
    this.render();
    if (worked && next === undefined) this.#call("done");
    return next;
  }

  /** Calls the person, who is not looking. */
  #call(why: string): void {
    const { focused } = this.#terminal;
    const away = focused === null ? performance.now() - this.#began >= UNSEEN_MS : !focused;
    if (!away || this.options.notify === "off") return;
    const bell = this.options.notify === "bell";
    this.#terminal.write(bell ? "\x07" : `\x1b]9;hamr: ${line(why, 100)}\x07`);
  }

  #submit(text: string): void {
    const said = text.trim();
    if (said !== "" && this.asking.typed(said)) return;
    if (said === "") {
      this.#queued.drop();
      return this.render();
    }
    this.#keep(text);
    if (!this.#working) return this.handlers.submit(said);
    const became = this.handlers.steer(said);
    if (became === "done") this.#queued.drop();
    else this.#queued.add(said, became);
    this.render();
  }

  /** Whether a key was for the screen, and not for the input. */
  #key(data: string): boolean {
    if (!matchesKey(data, "ctrl+c")) this.status.hint = "";
    if (!matchesKey(data, "ctrl+c") && !matchesKey(data, "escape")) this.#last = NO_KEY;
    if (this.picker.key(data) || this.asking.key(data)) return true;
    const empty = this.editor.getText() === "";
    if (matchesKey(data, "escape")) {
      if (this.editor.isShowingAutocomplete()) return false;
      if (this.#queued.open) return this.#change(this.#queued.leave());
      return this.#working ? this.handlers.interrupt() : this.#escape(empty);
    }
    // Pressed fast, they come as one.
    if (data === "\x1b\x1b" && empty && !this.#working) return this.#done(this.handlers.rewind());
    if (matchesKey(data, "ctrl+c")) return this.#ctrl_c(empty);
    if (matchesKey(data, "ctrl+d") && empty) return this.#done(this.handlers.quit());
    if (matchesKey(data, "ctrl+z")) return this.#done(this.handlers.sleep());
    if (matchesKey(data, "ctrl+g")) return this.#done(this.handlers.edit());
    if (matchesKey(data, "ctrl+v")) return this.#done(this.handlers.paste_image());
    if (matchesKey(data, "ctrl+o")) return this.#done(this.log.unfold(), this.render());
    if (matchesKey(data, "ctrl+l")) return this.#done(this.#tui.repaint("top"));
    if (matchesKey(data, "ctrl+r")) return this.#done(void this.#search());
    if (matchesKey(data, "shift+tab")) return this.#done(this.handlers.next_mode());
    if (matchesKey(data, "ctrl+j") || matchesKey(data, "alt+enter")) {
      return this.#done(this.editor.insertTextAtCursor("\n"));
    }
    if (data === "?" && empty) {
      return this.#done(KEYS.forEach((words) => this.log.note(words)), this.render());
    }
    if (matchesKey(data, "tab") && this.#working && !empty) {
      if (this.editor.isShowingAutocomplete()) return false;
      this.#queued.add(this.editor.getExpandedText().trim(), "wait");
      return this.#change("");
    }
    const step = matchesKey(data, "up") ? -1 : matchesKey(data, "down") ? 1 : null;
    if (step === null || this.editor.isShowingAutocomplete()) return false;
    return this.#change(this.#queued.next(step, this.editor.getText()));
  }

  /** Puts another text into the input; false for null. */
  #change(text: string | null): boolean {
    if (text === null) return false;
    return this.#done(this.editor.setText(text), this.render());
  }

  async #search(): Promise<void> {
    const choices = [...new Set(this.#typed.toReversed())]
      .map((text) => ({ value: text, label: line(text, 200) }));
    const found = await this.picker.pick("Earlier:", choices);
    if (found !== null) this.editor.setText(found.value);
    this.render();
  }

  #escape(empty: boolean): boolean {
    const twice = this.#pressed_twice("escape");
    if (!empty) return this.#clear();
    return twice ? this.#done(this.handlers.rewind()) : true;
  }

  #pressed_twice(key: string): boolean {
    const now = performance.now();
    const twice = this.#last.key === key && now - this.#last.at < TWICE_MS;
    this.#last = { key, at: now };
    return twice;
  }

  #ctrl_c(empty: boolean): boolean {
    if (this.#queued.open) return this.#done(this.#queued.drop(), void this.#change(""));
    if (!empty) return this.#clear();
    // What has cleared the input is not the first of two.
    const twice = this.#pressed_twice("ctrl+c") || this.status.hint === QUITS;
    if (twice) return this.#done(this.handlers.quit());
    if (this.#working && this.handlers.interrupt()) return true;
    this.status.hint = QUITS;
    return this.#done(this.render());
  }

  /** Empties the input; ↑ brings back what stood there. */
  #clear(): true {
    const text = this.editor.getExpandedText();
    this.#keep(text);
    this.cleared.push(text);
    return this.#done(this.editor.setText(""), this.render());
  }

  #keep(text: string): void {
    this.editor.addToHistory(text);
    this.#typed.push(text);
  }

  #done(..._: readonly void[]): true {
    return true;
  }
}
