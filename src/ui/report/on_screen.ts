/** A page in Markdown for who reads it on a terminal: as a chat shows an answer. */
import { setCapabilities } from "@earendil-works/pi-tui";
import { MarkdownView } from "../chat/markdown_view.ts";
import { theme_of } from "../chat/theme.ts";
import { harmless } from "../text.ts";

export function on_screen(
  page: string,
  { columns, colorless }: { columns: number; colorless: boolean },
): string {
  // What is printed may be a link by its text alone.
  setCapabilities({ images: null, trueColor: false, hyperlinks: false });
  const { markdown } = theme_of(colorless ? "none" : "dark");
  const fence = "\0";
  const theme = { ...markdown, codeBlockBorder: () => fence };
  const lines = new MarkdownView(harmless(page), 0, 0, theme).render(columns);
  return lines.filter((line) => !line.includes(fence)).map((line) => `${line.trimEnd()}\n`).join(
    "",
  );
}
