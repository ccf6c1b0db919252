/** Removes from answers what small models repeat of `hamr`'s own words in the conversation. */
import { NO_REPLY } from "./history.ts";

const [OPEN, CLOSE] = ["<hamr>", "</hamr>"];
const FENCE = "```";

/** Takes blocks of `<hamr>` that begin a line out of a text, also in pieces, but not in code; and the placeholder of an empty reply. */
export class EchoFilter {
  #held = "";
  #inside = false;
  #in_code = false;
  /** What was given of the line under way: its beginning, as that is what is asked for. */
  #line = "";
  #given = false;

  /** What is new, without blocks, and without what may become one. */
  push(text: string): string {
    this.#held += text;
    let out = "";
    for (;;) {
      if (this.#inside) {
        const end = this.#held.indexOf(CLOSE);
        if (end < 0) return out;
        this.#held = this.#held.slice(end + CLOSE.length).replace(/^\n/, "");
        this.#inside = false;
      }
      const fresh = this.#line === "" && !this.#in_code;
      if (fresh && this.#held.startsWith(OPEN)) {
        this.#held = this.#held.slice(OPEN.length);
        this.#inside = true;
        continue;
      }
      if (this.#held === "" || (fresh && OPEN.startsWith(this.#held))) return out;
      const end = this.#held.indexOf("\n") + 1 || this.#held.length;
      const line = this.#held.slice(0, end).trimEnd();
      if (!this.#given && line !== "" && NO_REPLY.startsWith(line)) {
        if (!this.#held.includes("\n")) return out;
        if (line === NO_REPLY) {
          this.#held = this.#held.slice(end);
          continue;
        }
      }
      out += this.#give(this.#held.slice(0, end));
      this.#held = this.#held.slice(end);
    }
  }

  end(): string {
    const placeholder = !this.#given && this.#held.trimEnd() === NO_REPLY;
    const rest = this.#inside || placeholder ? "" : this.#held;
    this.#held = "";
    return rest;
  }

  #give(piece: string): string {
    this.#given ||= piece.trim() !== "";
    if (this.#line.trimStart().length < FENCE.length) this.#line += piece;
    if (!piece.endsWith("\n")) return piece;
    if (this.#line.trimStart().startsWith(FENCE)) this.#in_code = !this.#in_code;
    this.#line = "";
    return piece;
  }
}

/** A whole text without such blocks. One that ends with a mark which nothing has opened, or not for long, is nothing else. */
export function without_echo(text: string): string {
  const filter = new EchoFilter();
  const marked = text.includes(OPEN) || text.includes(NO_REPLY);
  const rest = marked ? (filter.push(text) + filter.end()).trim() : text;
  return !rest.includes(OPEN) && rest.trimEnd().endsWith(`\n${CLOSE}`) ? "" : rest;
}
