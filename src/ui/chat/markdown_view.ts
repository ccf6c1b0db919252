/** Markdown as a browser would show it: columns are aligned as their table says, and entities are characters. */
import { Markdown, visibleWidth, wrapTextWithAnsi } from "@earendil-works/pi-tui";

/** What `Markdown` keeps to itself, and is changed here; the version is pinned, and each is seen by a test. */
interface Inside {
  renderInlineTokens(tokens: readonly MarkdownToken[], style?: unknown): string;
  renderToken(token: MarkdownToken, width: number, next?: string, style?: unknown): string[];
  wrapCellText(text: string, width: number, style?: string): string[];
  renderTable(table: TableToken, width: number, next?: string, style?: unknown): string[];
}

interface MarkdownToken {
  readonly type: string;
  readonly text: string;
  readonly tokens?: readonly MarkdownToken[];
}

interface TableToken {
  readonly align: readonly ("left" | "center" | "right" | null)[];
  readonly rows: readonly unknown[];
}

const Base = Markdown as unknown as new (
  ...args: ConstructorParameters<typeof Markdown>
) => Pick<Markdown, "render" | "setText" | "invalidate"> & Inside;

const ENTITIES = new Map(Object.entries({
  ...{ amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00a0", hellip: "…" },
  ...{ mdash: "—", ndash: "–", middot: "·", bull: "•", times: "×", deg: "°", copy: "©" },
  ...{ larr: "←", rarr: "→", harr: "↔", rArr: "⇒", le: "≤", ge: "≥", ne: "≠", plusmn: "±" },
  ...{ ldquo: "“", rdquo: "”", lsquo: "‘", rsquo: "’", check: "✓", cross: "✗" },
}));
const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-zA-Z]+));/g;
/** No control character and no mark of direction is made of an entity. */
const VISIBLE = /^[\p{L}\p{N}\p{P}\p{S}]$/u;

const FLOWING = new Set(["heading", "paragraph", "text"]);

export class MarkdownView extends Base {
  #align: TableToken["align"] = [];
  #cell = 0;

  override renderInlineTokens(tokens: readonly MarkdownToken[], style?: unknown): string {
    return super.renderInlineTokens(
      tokens.map((token) =>
        token.type === "text" && token.tokens === undefined
          ? { ...token, text: token.text.replace(ENTITY, character) }
          : token
      ),
      style,
    );
  }

  override renderToken(
    token: MarkdownToken,
    width: number,
    next?: string,
    style?: unknown,
  ): string[] {
    const lines = super.renderToken(token, width, next, style);
    if (!FLOWING.has(token.type)) return lines;
    return lines.flatMap((line) => wrapTextWithAnsi(line, width).map(without_first_blank));
  }

  override renderTable(table: TableToken, width: number, next?: string, style?: unknown): string[] {
    this.#align = table.align;
    this.#cell = 0;
    const lines = super.renderTable(table, width, next, style);
    // Where each row is one line, no lines are needed between them.
    const empty = lines.at(-1) === "" ? 1 : 0;
    const one_each = lines.length - empty === 2 * table.rows.length + 3;
    return one_each
      ? lines.filter((_, at) => at < 3 || at % 2 === 1 || at > lines.length - 2 - empty)
      : lines;
  }

  /** Called for each cell of a table, row by row. */
  override wrapCellText(text: string, width: number, style?: string): string[] {
    const align = this.#align[this.#cell++ % this.#align.length];
    const lines = super.wrapCellText(text, width, style).map(without_first_blank);
    if (align !== "right" && align !== "center") return lines;
    return lines.map((line) => {
      const free = Math.max(0, width - visibleWidth(line));
      return " ".repeat(align === "right" ? free : Math.floor(free / 2)) + line;
    });
  }
}

const ESC = "\x1b";
/** The blanks at the start of a line, and the styles before them. */
const BLANK = new RegExp(`^((?:${ESC}\\[[\\d;]*m)*) +`);

/** The blank behind a word in bold that fills its line begins the next one: it is not taken for one, as the end of bold stands before it. */
function without_first_blank(line: string): string {
  return line.replace(BLANK, "$1");
}

function character(all: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return ENTITIES.get(name) ?? all;
  const point = decimal === undefined ? parseInt(hex ?? "", 16) : Number(decimal);
  const made = point > 0x10ffff ? "" : String.fromCodePoint(point);
  return VISIBLE.test(made) ? made : all;
}
