/** What was said and done, as it scrolls up: nothing that stands there changes any more but the last block. */
import { type Component, Container, Markdown, wrapTextWithAnsi } from "@earendil-works/pi-tui";
import type { Stamped } from "../../agent/events.ts";
import { human_log } from "../human_log.ts";
import { harmless, plural } from "../text.ts";
import { Fitted } from "./fitted.ts";
import type { Theme } from "./theme.ts";

/** Lines of what a command of the person's printed. */
const MOST_PRINTED = 200;

/** Lines of text, wrapped at words. */
class Lines implements Component {
  #text = "";
  #wrapped: { readonly width: number; readonly lines: string[] } | null = null;

  add(text: string): void {
    this.#text += text;
    this.#wrapped = null;
  }

  invalidate(): void {
    this.#wrapped = null;
  }

  render(width: number): string[] {
    if (this.#wrapped?.width !== width) {
      const lines = this.#text.replace(/\n$/, "").split("\n")
        .flatMap((one) => one === "" ? [""] : hanging(one, width));
      this.#wrapped = { width, lines };
    }
    return this.#wrapped.lines;
  }
}

/** A line wrapped so that what follows stands below its words. */
function hanging(text: string, width: number): string[] {
  const indent = /^\s*/.exec(text)?.[0].length ?? 0;
  const hang = Math.min(indent + 3, Math.floor(width / 3));
  const [first = "", ...rest] = wrapTextWithAnsi(text, width);
  if (rest.length === 0) return [first];
  const more = wrapTextWithAnsi(rest.join(" "), width - hang);
  return [first, ...more.map((one) => " ".repeat(hang) + one)];
}

/** The log of a chat. */
export class ChatLog extends Container {
  #lines: Lines | null = null;
  #answer: { readonly view: Markdown; text: string } | null = null;
  readonly #told: (event: Stamped) => void;

  constructor(
    private readonly theme: Theme,
    { verbose, color }: { readonly verbose: boolean; readonly color: boolean },
  ) {
    super();
    this.#told = human_log({
      ...{ quiet: false, verbose, requests: false, color, live: false, heartbeat_ms: 0 },
      write: (text) => this.print(text),
      width: Infinity,
      asking: () => false,
    });
  }

  /** Adds text as it stands, escape sequences of ours included. */
  print(text: string): void {
    this.#answer = null;
    if (this.#lines === null) {
      this.#lines = new Lines();
      this.addChild(new Fitted(this.#lines));
    }
    this.#lines.add(text);
  }

  /** What the person says. */
  said(text: string): void {
    const [first = "", ...rest] = harmless(text).split("\n");
    const { accent, bold } = this.theme;
    this.print(
      ["", `${accent("›")} ${bold(first)}`, ...rest.map((one) => `  ${bold(one)}`), ""].join("\n"),
    );
  }

  /** A line of hamr's own. */
  note(text: string): void {
    this.print(`${this.theme.dim(harmless(text))}\n`);
  }

  /** The end of what a command of the person's printed, and how it ended. */
  printed(output: string, ending: string): void {
    const lines = harmless(output).trimEnd().split("\n").filter((one, at, all) =>
      at > 0 || one !== "" || all.length > 1
    );
    const more = lines.length - MOST_PRINTED;
    if (more > 0) this.note(`  … ${plural(more, "line")} before this`);
    this.print(lines.slice(-MOST_PRINTED).map((one) => `  ${one}\n`).join(""));
    this.note(`  ${ending}\n`);
  }

  hear(event: Stamped): void {
    switch (event.type) {
      case "text_delta":
        return event.agent === undefined ? this.#stream(event.text) : this.#told(event);
      case "session_start":
      case "step_start":
      case "prefill":
      case "writing":
      case "progress":
      case "steer":
        return;
      case "result": {
        if (event.error === null) return this.print("\n");
        const { red, yellow } = this.theme;
        const paint = event.status === "failed" ? red : yellow;
        const text = `${event.stop_reason}: ${harmless(event.error.message).trimEnd()}`;
        return this.print(`${text.split("\n").map(paint).join("\n")}\n`);
      }
      default:
        return this.#told(event);
    }
  }

  /** The answer as it comes. */
  #stream(text: string): void {
    if (text === "" && this.#answer === null) return;
    if (this.#answer === null) {
      this.#lines = null;
      this.#answer = { view: new Markdown("", 0, 0, this.theme.markdown), text: "" };
      this.addChild(new Fitted(this.#answer.view));
    }
    this.#answer.text += harmless(text);
    this.#answer.view.setText(this.#answer.text);
  }
}
