/** What a chat shows while its screen is loading: the same lines, without a library. Keys wait for it. */

import { attempt } from "../../config/attempt.ts";
import { whole_line } from "../text.ts";
import { columns } from "../wrap.ts";
import { typed_ahead } from "../../sandbox/kernel/typed_ahead.ts";

const COLUMNS = 80;

/** What is said where nothing was said before, in one row: the workspace, or where that is too long, its end. */
export function hello(workspace: string, home = "", room = width()): string {
  const below = home !== "" && `${workspace}/`.startsWith(`${home}/`);
  const folder = whole_line(below ? `~${workspace.slice(home.length)}` : workspace);
  const says = (who: string) => `${who}: type a task. ? lists the keys, / the commands.`;
  const ends = [-2, -1].map((from) => `…/${folder.split("/").slice(from).join("/")}`);
  const named = [folder, ...ends].map((name) => says(`hamr in ${name}`));
  return named.find((one) => columns(one) < room) ?? says("hamr");
}

const SIGNALS = ["SIGTERM", "SIGHUP", "SIGINT"] as const;

export class EarlyFrame {
  #rows = 0;
  #raw = false;
  #typed_ahead = 0;
  readonly #ended = Promise.withResolvers<void>();
  readonly #end = () => {
    this.clear({ leave: true });
    this.#ended.resolve();
  };

  constructor(private readonly write: (text: string) => void) {}

  /** Resolves where a signal ends the program while these lines stand; the terminal is as it was then. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  /** Bytes that were typed while keys came line by line. */
  get typed_ahead(): number {
    return this.#typed_ahead;
  }

  take_keys(): void {
    if (this.#raw) return;
    for (const name of SIGNALS) Deno.addSignalListener(name, this.#end);
    Deno.stdin.setRaw(true);
    this.#raw = true;
    this.#typed_ahead = typed_ahead();
  }

  draw(says: string, { color, ascii }: { color: boolean; ascii: boolean }): void {
    this.take_keys();
    const columns = width();
    const dim = (text: string) => color ? `\x1b[2m${text}\x1b[22m` : text;
    const rule = dim((ascii ? "-" : "─").repeat(columns));
    const lines = [dim(says), rule, "", rule];
    // In a window that is narrower than the words they take more than a row.
    this.#rows = lines.length - 1 + Math.ceil(says.length / columns) - 1;
    // The terminal has shown what was typed so far; it comes again in the input.
    const typed = this.#typed_ahead > 0 ? "\r\x1b[2K" : "";
    this.write(`${typed}${lines.join("\r\n")}\x1b[1A\r`);
  }

  /** Makes room for what comes: the screen, or why there is none. */
  clear({ leave }: { leave: boolean }): void {
    const rows = this.#rows;
    if (rows > 0) {
      // Line by line: a screen that is cleared at once goes up into what can be scrolled back to.
      const emptied = "\x1b[2K\x1b[1B".repeat(rows);
      this.write(`\x1b[${rows - 1}A\r${emptied}\x1b[2K\x1b[${rows}A\x1b[J`);
    }
    this.#rows = 0;
    if (!this.#raw) return;
    this.#raw = false;
    for (const name of SIGNALS) Deno.removeSignalListener(name, this.#end);
    if (!leave) return;
    // The terminal may be gone.
    attempt(() => Deno.stdin.setRaw(false));
  }
}

function width(): number {
  return attempt(() => Deno.consoleSize().columns || COLUMNS, COLUMNS);
}
