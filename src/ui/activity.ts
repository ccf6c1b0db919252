import type { EventOf, Stamped } from "../agent/events.ts";
import { later } from "../config/timer.ts";
import { PROTOCOLS } from "../model/protocols/protocols.ts";
import type { HumanLogOptions } from "./human_log_options.ts";
import { Spinner } from "./spinner.ts";
import { line, percent } from "./text.ts";
import { bar, called } from "./words.ts";

/** Slow hardware writes a token in half a second: what is silent for longer than some of these writes what is not shown. */
const SILENT_MS = 5000;

interface Log {
  /** Whether text is in the middle of being shown. */
  readonly streams: () => boolean;
  readonly interrupt: () => void;
  readonly tell: (words: string) => void;
}

/** What is shown while something is awaited: a live line, or now and then one of its own. */
export class Activity {
  readonly #spinner: Spinner;
  readonly #heartbeat: Heartbeat;
  #doing = "";
  /** Whether the server says nothing about a call before all of it is written. */
  #holds_calls = false;
  #quiet: () => void = () => {};

  /** `silent_ms`: of a reply, before it is said that a call is written. */
  constructor(
    private readonly options: HumanLogOptions,
    private readonly log: Log,
    private readonly silent_ms = SILENT_MS,
  ) {
    const { write, live, screen, heartbeat_ms } = options;
    this.#spinner = new Spinner(write, { live, held: screen.asking });
    this.#heartbeat = new Heartbeat(heartbeat_ms, (words) => {
      if (!this.#spinner.running && !screen.asking()) log.tell(`   ⏳ ${words}`);
    });
  }

  /** Shows how far something is; false where an event is about something else. */
  progress(event: Stamped): boolean {
    this.#quiet();
    switch (event.type) {
      case "prefill":
        this.#reads(event);
        return true;
      case "writing":
        this.#writes(`a call: ${called(event)}`);
        return true;
      case "progress": {
        const words = line(event.words, 60);
        this.#heartbeat.say(words);
        if (this.#spinner.running || this.log.streams()) this.#spinner.say(`   ${words}`);
        else this.#spinner.start(`   ${words}`);
        return true;
      }
      default:
        return false;
    }
  }

  /** Takes the live line away, if there is one, for what others print. */
  clear(): boolean {
    return this.#spinner.clear();
  }

  /** Makes room for what is printed of an event. */
  over(event: Stamped): void {
    this.#heartbeat.heard(event);
    const hidden = event.type === "reasoning_delta" && !event.finished && !this.options.verbose;
    if (event.type === "turn_diff") this.#spinner.clear();
    else if (!hidden) this.#spinner.stop();
    if (event.type === "step_start") this.#doing = "";
  }

  /** Begins to wait for what comes after an event that was printed. */
  begin(event: Stamped): void {
    if (event.type === "session_start") this.#holds_calls = PROTOCOLS[event.api_mode].holds_calls;
    if (event.type === "step_start") this.#spinner.start("   waiting for the model");
    if (event.type === "reasoning_delta" && !event.finished) this.#thinks();
    if (event.type === "text_delta" && !event.finished) this.#watch();
    const hooked = event.type === "hook" && event.event === "pre_tool";
    if (event.type === "tool_call" || hooked) this.#spinner.start("      running");
  }

  /** Reading, thinking and writing a call are three things, and each may take minutes. */
  #reads(event: EventOf<"prefill">): void {
    const { read, total } = event;
    if (read === total) return this.#awaiting("writing", "the model is writing");
    this.#awaiting(
      `reading the prompt ${bar(event)}`,
      `reading the prompt, ${percent(read, total)}`,
    );
  }

  #thinks(): void {
    if (!this.log.streams()) this.#awaiting("thinking", "the model is thinking");
    this.#watch();
  }

  #writes(what: string): void {
    if (!this.#spinner.running) this.log.interrupt();
    this.#awaiting(`writing ${what}`, `the model is writing ${what}`);
  }

  #awaiting(live: string, words: string): void {
    const [doing = ""] = live.split(" ");
    const same = this.#doing === doing && this.#spinner.running;
    this.#heartbeat.say(words, this.#doing !== doing);
    this.#doing = doing;
    const shown = `   ${live}`;
    if (same) this.#spinner.say(shown);
    else this.#spinner.start(shown);
  }

  /** Ollama shows a call once all of it is written: what is silent in the middle of a reply is writing one. */
  #watch(): void {
    if (this.#holds_calls) this.#quiet = later(this.silent_ms, () => this.#writes("a call"));
  }
}

const NAME_CHARS = 40;

/** Repeats what is awaited while nothing else is printed: whoever watches a log can't tell slow from dead. */
export class Heartbeat {
  /** When something happened last, and when something was last told, in milliseconds of this process. */
  #since = performance.now();
  #told = this.#since;
  #words = "starting";
  #stop: () => void = () => {};

  /** `tell` gets `waiting for the model, 30s` each time nothing was printed for `ms` milliseconds; 0 is never. */
  constructor(private readonly ms: number, private readonly tell: (words: string) => void) {
    if (ms > 0) this.#wait(ms);
  }

  heard(event: Stamped): void {
    this.#since = this.#told = performance.now();
    this.#words = awaited(event) ?? this.#words;
    if (event.type === "result") this.#stop();
  }

  /** Other words for what is awaited, where nothing else says so; `begins`: it is not what it was before. */
  say(words: string, begins = false): void {
    this.#words = words;
    if (begins) this.#since = performance.now();
  }

  #wait(ms: number): void {
    this.#stop = later(ms, () => {
      const now = performance.now();
      const left = this.#told + this.ms - now;
      // Timers are a little early.
      if (left > 1) return this.#wait(left);
      this.#told = now;
      this.tell(`${this.#words}, ${Math.round((now - this.#since) / 1000)}s`);
      this.#wait(this.ms);
    });
  }
}

/** What comes after an event takes as long as it takes; null if the event says nothing about that. */
function awaited(event: Stamped): string | null {
  switch (event.type) {
    case "step_start":
      return "waiting for the model";
    case "text_delta":
      return event.finished ? "working" : "the model is writing";
    case "reasoning_delta":
      return event.finished ? "working" : "the model is thinking";
    case "tool_call":
      return `running ${line(event.name, NAME_CHARS)}`;
    case "tool_result":
      return "working";
    default:
      return null;
  }
}
