/** The terminal of a chat, through Deno's own calls, which need no permissions. */
import { attempt } from "../../config/attempt.ts";
import {
  isKeyRelease,
  matchesKey,
  parseOsc11BackgroundColor,
  parseTerminalColorSchemeReport,
  setKittyProtocolActive,
  StdinBuffer,
} from "@earendil-works/pi-tui";
import { later } from "../../config/timer.ts";
import type { AskedTerminal } from "./main_screen.ts";
import type { Place } from "./resized.ts";
import { each_typed } from "./typed.ts";

/** A terminal that says nothing of its size. */
const SIZE = { columns: 80, rows: 24 };
/** Smaller ones are drawn over: a letter may take two columns, and the input three rows. */
const LEAST = { columns: 8, rows: 4 };
/** A terminal that knows the Kitty protocol answers at once; over a slow line it is still usable without. */
const ANSWER_MS = 150;

/** After that a person wonders where their keys are. They are only told: over a slow line the rest may still come. */
const UNENDED_MS = 1000;

/** How long to wait for the terminal to say where its cursor is. */
const PLACE_MS = 500;

const ESC = "\x1b";
const PASTE_ON = `${ESC}[?2004h`, PASTE_OFF = `${ESC}[?2004l`;
const PASTE_END = `${ESC}[201~`;
/** Which keys are pressed, and not also which are let go: that would be one more. */
const KITTY_ASK = `${ESC}[?u`, KITTY_ON = `${ESC}[>5u`, KITTY_OFF = `${ESC}[<u`;
/** xterm's modifyOtherKeys, for terminals without the Kitty protocol, such as tmux. */
const OTHER_KEYS_ON = `${ESC}[>4;2m`, OTHER_KEYS_OFF = `${ESC}[>4;0m`;
/** It says when its window is left and entered. */
const FOCUS_ON = `${ESC}[?1004h`, FOCUS_OFF = `${ESC}[?1004l`;
const ENTERED = `${ESC}[I`, LEFT = `${ESC}[O`;
const CURSOR_ASK = `${ESC}[6n`;
/** Where the cursor is, and where in the last corner: how large the window is by then. */
const PLACE_ASK = `${CURSOR_ASK}${ESC}7${ESC}[999;999H${CURSOR_ASK}${ESC}8`;
const CURSOR_ANSWER = /^\x1b\[(\d+);(\d+)R$/;
const BACKGROUND_ASK = `${ESC}]11;?\x07`;
/** Keys by which a person wants to get away, whatever is going on. */
const STOPS = ["ctrl+c", "ctrl+d"] as const;
/** Sum of the three colors, 255 each, from which a background counts as light. */
const LIGHT_FROM = 384;
const KITTY_ANSWER = /^\x1b\[\?\d+u$/;

interface Window {
  readonly columns: number;
  readonly rows: number;
}

/** Standard input and standard output, in raw mode between `start` and `stop`. */
export class ChatTerminal implements AskedTerminal {
  #buffer: StdinBuffer | null = null;
  #kitty = false;
  #other_keys = false;
  #answered_keys: () => void = () => {};
  resized = 0;
  #on_resize: () => void = () => {};
  #on_input: (data: string) => void = () => {};
  #reading = false;
  #late = "";
  #pasted: () => void = () => {};
  /** What is drawn now: all of it goes to the terminal at once, for a window of one size. */
  #frame: { readonly window: Window; text: string } | null = null;
  /** Those who have asked, in that order, and what has been answered so far; an answer that comes too late is theirs, too. */
  #asking: { readonly rows: number[]; readonly told: (place: Place | null) => void }[] = [];
  #unasked: () => void = () => {};
  /** The last question is answered, or will not be. */
  #settled: Promise<void> = Promise.resolve();
  #leaves = false;
  /** The last question had no answer in time. */
  #says_no_place = false;
  /** Whether the person looks at it; null: the terminal has not said. */
  focused: boolean | null = null;

  constructor(
    private readonly options: {
      readonly put: (text: string) => void;
      /** Bytes that were typed while keys came line by line. */
      readonly typed_ahead: number;
      readonly ended: () => void;
      /** A paste has begun, and nothing more comes of it, nor its end. */
      readonly unended: () => void;
      readonly background: (light: boolean) => void;
    },
  ) {}

  get columns(): number {
    return this.#window().columns;
  }

  get rows(): number {
    return this.#window().rows;
  }

  get kittyProtocolActive(): boolean {
    return this.#kitty;
  }

  start(on_input: (data: string) => void, on_resize: () => void): void {
    this.raw();
    this.#on_input = on_input;
    const buffer = this.#buffer = new StdinBuffer({ timeout: 10 });
    buffer.on("data", (sequence) => this.#take(sequence));
    buffer.on("paste", (text) => this.#take(`${ESC}[200~${text}${ESC}[201~`));
    this.#on_resize = () => {
      this.resized++;
      on_resize();
    };
    Deno.addSignalListener("SIGWINCH", this.#on_resize);
    this.write(PASTE_ON + FOCUS_ON + BACKGROUND_ASK + KITTY_ASK);
    this.#answered_keys = later(ANSWER_MS, () => {
      this.#other_keys = true;
      this.write(OTHER_KEYS_ON);
    });
    this.typed_before(this.take_late());
    if (!this.#reading) void this.#read();
  }

  /** Each key is to come at once, and unseen. */
  raw(): void {
    this.#raw(true);
  }

  /** The terminal may be gone: who closes it sends SIGCONT, too, behind which a screen is drawn again. */
  #raw(raw: boolean): void {
    attempt(() => Deno.stdin.setRaw(raw));
  }

  frame(draw: () => void): void {
    const frame = this.#frame = { window: this.#window(), text: "" };
    try {
      draw();
    } finally {
      this.#frame = null;
      this.write(frame.text);
    }
  }

  ask_place(wait_ms: number, told: (place: Place | null) => void): void {
    this.#unasked();
    if (wait_ms === 0) this.#ask(told);
    else this.#unasked = later(wait_ms, () => this.#ask(told));
  }

  #ask(told: (place: Place | null) => void): void {
    if (this.#says_no_place) return told(null);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#settled = promise;
    const stop = later(PLACE_MS, () => {
      this.#says_no_place = true;
      told(null);
      told = () => {};
      resolve();
    });
    this.#asking.push({
      rows: [],
      told: (place) => {
        stop();
        told(place);
        resolve();
      },
    });
    this.write(PLACE_ASK);
  }

  /** Waits for what the terminal was asked: behind `stop`, the answer would be typed into the next program. Keys are kept, for `take_late`. */
  async settle(): Promise<void> {
    this.#leaves = true;
    this.#unasked();
    await this.#settled;
  }

  stop(): void {
    this.#leaves = false;
    this.#pasted();
    this.#unasked();
    this.#asking.splice(0).forEach(({ told }) => told(null));
    this.#answered_keys();
    this.write(
      PASTE_OFF + FOCUS_OFF + (this.#kitty ? KITTY_OFF : "") +
        (this.#other_keys ? OTHER_KEYS_OFF : ""),
    );
    this.#kitty = this.#other_keys = false;
    setKittyProtocolActive(false);
    this.#buffer?.destroy();
    this.#buffer = null;
    Deno.removeSignalListener("SIGWINCH", this.#on_resize);
    this.#raw(false);
  }

  drainInput(): Promise<void> {
    return Promise.resolve();
  }

  /** What was typed since it was left, once. */
  take_late(): string {
    const late = this.#late;
    this.#late = "";
    return late;
  }

  typed_before(text: string): void {
    this.#buffer?.process(as_keys(text));
  }

  write(data: string): void {
    if (this.#frame !== null) this.#frame.text += data;
    else if (data !== "") this.options.put(data);
  }

  moveBy(lines: number): void {
    if (lines !== 0) this.write(`${ESC}[${Math.abs(lines)}${lines > 0 ? "B" : "A"}`);
  }

  hideCursor(): void {
    this.write(`${ESC}[?25l`);
  }

  showCursor(): void {
    this.write(`${ESC}[?25h`);
  }

  clearLine(): void {
    this.write(`${ESC}[K`);
  }

  clearFromCursor(): void {
    this.write(`${ESC}[J`);
  }

  clearScreen(): void {
    this.write(`${ESC}[2J${ESC}[H`);
  }

  setTitle(title: string): void {
    this.write(`${ESC}]0;${title}\x07`);
  }

  setProgress(): void {}

  #window(): Window {
    if (this.#frame !== null) return this.#frame.window;
    return usable(attempt(() => {
      const { columns, rows } = Deno.consoleSize();
      return columns > 0 && rows > 0 ? { columns, rows } : SIZE;
    }, SIZE));
  }

  #take(sequence: string): void {
    // Read together with the key that stopped it.
    if (this.#buffer === null) {
      this.#late += sequence;
      return;
    }
    // The end of a paste that had none; and a key that is let go, in a terminal that tells it all the same.
    if (sequence === PASTE_END || isKeyRelease(sequence)) return;
    if (!this.#kitty && KITTY_ANSWER.test(sequence)) {
      this.#answered_keys();
      this.#kitty = true;
      setKittyProtocolActive(true);
      return this.write(KITTY_ON);
    }
    const at = CURSOR_ANSWER.exec(sequence);
    if (at !== null) return this.#answered({ rows: Number(at[1]), columns: Number(at[2]) });
    if (sequence === ENTERED || sequence === LEFT) {
      this.focused = sequence === ENTERED;
      return;
    }
    const light = is_light(sequence);
    if (light === null && this.#leaves) this.#late += sequence;
    else if (light === null) this.#on_input(sequence);
    else this.options.background(light);
  }

  #answered(at: Window): void {
    this.#says_no_place = false;
    const [first] = this.#asking;
    if (first === undefined) return;
    const [row] = first.rows;
    if (row === undefined) return void first.rows.push(at.rows - 1);
    this.#asking.shift();
    first.told({ row, ...usable(at) });
  }

  async #read(): Promise<void> {
    this.#reading = true;
    let ahead = this.options.typed_ahead;
    const decoder = new TextDecoder();
    await each_typed((bytes) => {
      const decoded = (from: number, to?: number) =>
        decoder.decode(bytes.subarray(from, to), { stream: true });
      const lines = Math.min(ahead, bytes.length);
      ahead -= lines;
      this.#typed(as_keys(decoded(0, lines)) + decoded(lines));
    });
    this.options.ended();
  }

  #typed(typed: string): void {
    if (this.#buffer === null) {
      this.#late += typed;
      return;
    }
    // A paste whose end was lost would take this key, too. It comes alone; what is pasted comes with it.
    const keys = typed.split(/(?=[\x03\x04\x1b])/);
    if (keys.every((one) => STOPS.some((key) => matchesKey(one, key)))) {
      this.#buffer.process(PASTE_END);
    }
    this.#buffer.process(typed);
    this.#pasted();
    if (this.#buffer?.["pasteMode"]) this.#pasted = later(UNENDED_MS, this.options.unended);
  }
}

function usable({ columns, rows }: Window): Window {
  return { columns: Math.max(LEAST.columns, columns), rows: Math.max(LEAST.rows, rows) };
}

/** What was typed while keys came line by line: the end of one was Enter. */
function as_keys(typed: string): string {
  return typed.replaceAll("\n", "\r");
}

/** Whether a background is light, where that is what the terminal says. */
function is_light(sequence: string): boolean | null {
  const scheme = parseTerminalColorSchemeReport(sequence);
  if (scheme !== undefined) return scheme === "light";
  const color = parseOsc11BackgroundColor(sequence);
  return color === undefined ? null : color.r + color.g + color.b >= LIGHT_FROM;
}
