/** The input of a chat. */
import { Editor } from "@earendil-works/pi-tui";

const PASTE = /^\x1b\[200~([^]*\t[^]*)\x1b\[201~$/;
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f]/g;
/** A longer paste stands as a mark in the input, as in the library. */
const LINES = 10, CHARS = 1000;
/** As many as a list to pick from shows. */
const COMPLETIONS = 8;

/**
 * The library's editor, but tabs stay (four spaces are another text in a Makefile), and ↑ leaves the cursor behind an earlier
 * message of one line. In one of several lines it has to be before it, for the next ↑.
 */
export class Input extends Editor {
  constructor(...args: ConstructorParameters<typeof Editor>) {
    super(...args);
    this.setAutocompleteMaxVisible(COMPLETIONS);
    this["normalizeText"] = in_unix_lines;
    const put = this["setTextInternal"].bind(this);
    this["setTextInternal"] = (text: string, cursor?: "start" | "end") =>
      put(text, text.includes("\n") ? cursor : "end");
  }

  override handleInput(data: string): void {
    const [, pasted] = PASTE.exec(data) ?? [];
    if (pasted === undefined) return super.handleInput(data);
    const text = in_unix_lines(pasted).replace(CONTROL, "");
    const lines = text.split("\n").length;
    if (lines <= LINES && text.length <= CHARS) return this.insertTextAtCursor(text);
    const id = ++this["pasteCounter"];
    this["pastes"].set(id, text);
    const size = lines > LINES ? `+${lines} lines` : `${text.length} chars`;
    this.insertTextAtCursor(`[paste #${id} ${size}]`);
  }
}

function in_unix_lines(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}
