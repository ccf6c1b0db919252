import { json } from "../../config/json.ts";
import { Pile } from "../../config/text_pieces.ts";

/** Arguments that come in pieces. Some gateways repeat the name with each, and each time it is asked whether all is there: each piece is read once. */
export class ArgumentsSoFar {
  readonly #pile = new Pile();
  #depth = 0;
  #in_string = false;
  #is_escaped = false;
  /** How far the object has come; what follows a closed one, or is no object, can't be made one. */
  #state: "before" | "open" | "closed" | "other" = "before";
  /** Whether what was closed is JSON; null: nobody has asked. */
  #is_json: boolean | null = null;

  add(piece: string): void {
    this.#pile.add(piece);
    for (let at = 0; at < piece.length && this.#state !== "other"; at++) this.#read(piece[at]!);
  }

  get text(): string {
    return this.#pile.text;
  }

  get length(): number {
    return this.#pile.length;
  }

  /** Nothing can follow a whole object. */
  get is_whole(): boolean {
    return this.#state === "closed" && (this.#is_json ??= json(this.text) !== undefined);
  }

  #read(char: string): void {
    if (this.#in_string) {
      if (this.#is_escaped) this.#is_escaped = false;
      else if (char === "\\") this.#is_escaped = true;
      else if (char === '"') this.#in_string = false;
    } else if (this.#state !== "open") {
      if (char.trim() === "") return;
      this.#state = this.#state === "before" && char === "{" ? "open" : "other";
      this.#depth = 1;
    } else if (char === '"') this.#in_string = true;
    else if (char === "{" || char === "[") this.#depth++;
    else if ((char === "}" || char === "]") && --this.#depth === 0) this.#state = "closed";
  }
}
