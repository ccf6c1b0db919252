/** Colors of a chat: the terminal's own sixteen, or none. */
import type { EditorTheme, MarkdownTheme, SelectListTheme } from "@earendil-works/pi-tui";
import { painted_code } from "./highlight.ts";

type Paint = (text: string) => string;

/** What can be chosen: `auto` is light or dark, as the terminal says that its background is. */
export const THEMES = ["auto", "light", "dark", "none"] as const;

export type ThemeName = (typeof THEMES)[number];

export interface Theme {
  readonly dim: Paint;
  readonly bold: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly accent: Paint;
  readonly markdown: MarkdownTheme & Required<Pick<MarkdownTheme, "highlightCode">>;
  readonly select: SelectListTheme;
  readonly editor: EditorTheme;
  name: ThemeName;
  /** Whether the terminal's background is light, as far as that is known. */
  light: boolean;
  /** What is sent to the terminal: nobody knows how light that is while the first lines are painted. */
  readonly sent: Paint;
}

/** On light backgrounds yellow and cyan can't be read: magenta and blue can. */
const DARK = /\x1b\[3([36])m/g;

/** What Konsole, rxvt and others say of themselves where they are not asked: colors of text and background, of which 0 to 6 and 8 are dark. */
const LIGHT = /;(?:7|9|1[0-5])$/;

/** `colors`: the value of COLORFGBG; the terminal's own answer counts over it. */
export function theme_of(name: ThemeName, colors = ""): Theme {
  const paint = (on: number, off: number): Paint => (text) =>
    theme.name === "none" ? text : `\x1b[${on}m${text}\x1b[${off}m`;
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
  const paints = {
    ...{ comment: dim, string: green, number: yellow, keyword: accent },
    ...{ added: green, removed: red },
  };
  const theme: Theme = {
    ...{ name, light: LIGHT.test(colors) },
    sent: (text) =>
      theme.name === "light" || (theme.name === "auto" && theme.light)
        ? text.replace(DARK, (_, color) => `\x1b[3${color === "3" ? 5 : 4}m`)
        : text,
    ...{ dim, bold, red, green, yellow, accent, select },
    editor: { borderColor: dim, selectList: select },
    markdown: {
      ...{ bold, italic, underline, heading: bold, link: accent, linkUrl: dim, code: yellow },
      ...{ codeBlock: plain, codeBlockBorder: dim, quote: dim, quoteBorder: dim, hr: dim },
      ...{ listBullet: accent, strikethrough: paint(9, 29) },
      highlightCode: (code, name = "") => [...painted_code(code, name, paints)],
    },
  };
  return theme;
}
