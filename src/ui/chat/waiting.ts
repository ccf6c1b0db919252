/** What is awaited during a task, and for how long; below that, what a command prints or the model thinks. */
import { type Component, truncateToWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { Stamped } from "../../agent/events.ts";
import { harmless, line, percent, short } from "../text.ts";
import { called, summary } from "../words.ts";
import type { Theme } from "./theme.ts";
import { FRAME_MS, FRAMES } from "../spinner.ts";

/** Characters of a token, for a rate. */
const TOKEN_CHARS = 4;
/** Lines shown while a command prints: as many as are shown once it has ended. */
const PRINTED_LINES = 5;
/** Lines of a thought, and characters of it that are kept: so many that it is seldom cut, and begins elsewhere. */
const THOUGHT_LINES = 3, THOUGHT_CHARS = 8000;
/** Columns of a command, and the least of them; what stands around it is to be seen, too. */
const COMMAND = 40, LEAST = 8;
const AROUND = "⠋ running  999 s  esc to interrupt".length;

/** Before what a command prints, or the model thinks. */
const BESIDE = "  | ";

/** The lines. Empty while nothing is waited for. */
export class WaitingLines implements Component {
  /** `room`: columns of a command's words. */
  #words: ((room: number) => string) | null = null;
  #since = 0;
  #chars = 0;
  /** When a server is asked again. */
  #asks_at = 0;
  /** Tokens of the prompt when that was first told. */
  #read = 0;
  #kind = "";
  #printed: readonly string[] = [];
  #thought = "";

  /** `asked`: whether the person is waited for. `thoughts`: the log does not show them. */
  constructor(
    private readonly theme: Theme,
    private readonly asked: () => boolean,
    private readonly thoughts = true,
  ) {}

  invalidate(): void {}

  render(width: number): string[] {
    if (this.#words === null || this.asked()) return [];
    const frame = FRAMES[Math.floor(performance.now() / FRAME_MS) % FRAMES.length];
    const room = Math.max(LEAST, Math.min(COMMAND, width - AROUND));
    const thought = last_lines(this.#thought, THOUGHT_LINES)
      .flatMap((one) => wrapTextWithAnsi(one, Math.max(1, width - BESIDE.length)))
      .filter((one) => one.trim() !== "").slice(-THOUGHT_LINES).map((one) => BESIDE + one);
    return [`${frame} ${this.#words(room)}  esc to interrupt`, ...this.#printed, ...thought]
      .map((one) => truncateToWidth(this.theme.dim(one), width, "…"));
  }

  hear(event: Stamped): void {
    switch (event.type) {
      case "step_start":
        return this.#wait("model", () => `waiting for the model ${this.#time()}`);
      case "retry":
        this.#asks_at = performance.now() + event.wait_ms;
        return this.#wait("server", () => {
          const left = Math.ceil((this.#asks_at - performance.now()) / 1000);
          return left > 0 ? `asking again in ${left} s` : `waiting for the server ${this.#time()}`;
        });
      case "prefill": {
        const { read, total } = event;
        if (this.#kind !== "prompt") this.#read = read;
        // What the cache had was not read, and of a rate nothing is known before more was.
        const rate = this.#kind === "prompt"
          ? (read - this.#read) / Math.max(0.1, this.#seconds())
          : 0;
        const left = rate > 0 ? Math.ceil((total - read) / rate) : 0;
        return this.#wait("prompt", (room) =>
          `reading the prompt ${percent(read, total)}` +
          (rate === 0
            ? `, ${this.#time()}`
            : room < COMMAND && left > 1
            ? ""
            : `, ${short(Math.round(rate))} tokens/s`) +
          (left > 1 ? `, about ${left} s left` : ""));
      }
      case "reasoning_delta":
        if (event.finished) return;
        this.#wait("thinking", () => `thinking ${this.#time()}`);
        if (!this.thoughts) return;
        this.#thought += harmless(event.text).replaceAll("\t", "  ");
        if (this.#thought.length > THOUGHT_CHARS) {
          this.#thought = this.#thought.slice(-THOUGHT_CHARS / 4);
        }
        return;
      case "text_delta":
        if (event.finished) return;
        this.#wait("writing", () => {
          const rate = this.#chars / TOKEN_CHARS / Math.max(0.5, this.#seconds());
          return `writing ${Math.round(rate)} tokens/s`;
        });
        this.#chars += event.text.length;
        return;
      case "writing":
        return this.#wait("call", () => `writing a call: ${called(event)}, ${this.#time()}`);
      case "tool_call": {
        const what = event.name === "bash" ? summary(event) : event.name;
        return this.#wait(event.id, (room) => `running ${line(what, room)} ${this.#time()}`);
      }
      case "progress":
        return this.#wait("progress", (room) => `${line(event.words, room + 8)} ${this.#time()}`);
      case "printed":
        return this.prints(event.text);
      case "tool_result":
        return this.#wait("model", () => `working ${this.#time()}`);
      case "result":
        this.#words = null;
    }
  }

  begin(command?: string): void {
    this.#kind = "";
    const what = (room: number) =>
      command === undefined ? "starting" : `running ${line(command, room)}`;
    this.#wait("start", (room) => `${what(room)} ${this.#time()}`);
  }

  end(): void {
    this.#words = null;
  }

  prints(text: string): void {
    this.#printed = last_lines(harmless(text), PRINTED_LINES).map((one) =>
      `${BESIDE}${one.replaceAll("\t", "  ").trimEnd()}`
    );
  }

  #wait(kind: string, words: (room: number) => string): void {
    if (kind !== this.#kind) {
      this.#kind = kind;
      this.#since = performance.now();
      this.#chars = 0;
      this.#printed = [];
      this.#thought = "";
    }
    this.#words = words;
  }

  #seconds(): number {
    return (performance.now() - this.#since) / 1000;
  }

  #time(): string {
    return `${Math.floor(this.#seconds())} s`;
  }
}

function last_lines(text: string, most: number): readonly string[] {
  return text.split("\n").filter((one) => one.trim() !== "").slice(-most);
}
