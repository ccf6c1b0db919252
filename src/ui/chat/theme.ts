/** Colors of a chat: the terminal's own sixteen, or none. */
import type { EditorTheme, MarkdownTheme, SelectListTheme } from "@earendil-works/pi-tui";

type Paint = (text: string) => string;

/** How each part looks. */
export interface Theme {
  readonly dim: Paint;
  readonly bold: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly accent: Paint;
  readonly markdown: MarkdownTheme;
  readonly select: SelectListTheme;
  readonly editor: EditorTheme;
}

/** `color`: false for none at all. */
export function theme_of(color: boolean): Theme {
  const paint = (on: number, off: number): Paint =>
    color ? (text) => `\x1b[${on}m${text}\x1b[${off}m` : (text) => text;
  const bold = paint(1, 22), dim = paint(2, 22), italic = paint(3, 23), underline = paint(4, 24);
  const red = paint(31, 39), green = paint(32, 39), yellow = paint(33, 39), accent = paint(36, 39);
  const plain: Paint = (text) => text;
  const select: SelectListTheme = {
    selectedPrefix: accent,
    selectedText: accent,
    description: dim,
    scrollInfo: dim,
    noMatch: dim,
  };
  return {
    ...{ dim, bold, red, green, yellow, accent, select },
    editor: { borderColor: dim, selectList: select },
    markdown: {
      ...{ bold, italic, underline, heading: bold, link: accent, linkUrl: dim, code: yellow },
      ...{ codeBlock: plain, codeBlockBorder: dim, quote: dim, quoteBorder: dim, hr: dim },
      ...{ listBullet: accent, strikethrough: paint(9, 29) },
    },
  };
}
