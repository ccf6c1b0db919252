/** Receives a reply: what is shown of it, and how many tokens it has. */
import { quarters_in } from "../context/estimate.ts";
import type { Delta } from "../model/wire.ts";
import { EchoFilter } from "./echo.ts";
import type { Session } from "./session.ts";

/** One reply. Where it is not `shown`, it is only counted. */
export class IncomingReply {
  /** Quarters of tokens that have come, by estimate. */
  quarters = 0;
  /** Its text, as far as it was shown. */
  text = "";
  #last: "text_delta" | "reasoning_delta" = "text_delta";
  #began = false;
  readonly #whole = whole_characters();
  readonly #echo = new EchoFilter();

  constructor(private readonly emit: Session["emit"], private readonly shown: boolean) {}

  readonly take = ({ kind, text }: Delta): void => {
    this.quarters += quarters_in(text);
    if (!this.shown) return;
    this.#began = true;
    this.#last = kind === "text" ? "text_delta" : "reasoning_delta";
    const shown = this.#whole(kind === "text" ? this.#echo.push(text) : text);
    if (kind === "text") this.text += shown;
    if (shown !== "") this.emit({ type: this.#last, text: shown });
  };

  end(): void {
    const rest = this.shown ? this.#whole(this.#echo.end()) : "";
    this.text += rest;
    if (rest !== "") this.emit({ type: "text_delta", text: rest });
  }

  /** The reply, or the attempt at one, is over; `came`: whether it is a reply. */
  finish(came: boolean): void {
    if (!this.#began && !(this.shown && came)) return;
    this.emit({ type: this.#last, text: "", finished: true });
  }
}

/** Passes text on in whole characters: half of one waits for its other half, and is replaced where that never comes. */
function whole_characters(): (text: string) => string {
  let half = "";
  return (text) => {
    const all = half + text;
    const last = all.charCodeAt(all.length - 1);
    half = last >= 0xd800 && last <= 0xdbff ? all.slice(-1) : "";
    return all.slice(0, all.length - half.length).toWellFormed();
  };
}
