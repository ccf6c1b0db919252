/** Markdown for whoever reads it on a terminal. */
import { terminal_of } from "./colors.ts";
import type { Io } from "./io.ts";

/** Of a terminal that does not say how wide it is, such as one that nobody looks at. */
const COLUMNS = 80;

/** As a chat shows it; null where standard output is no terminal. */
export async function laid_out(
  no_color: boolean,
  io: Io,
): Promise<((markdown: string) => string) | null> {
  if (!Deno.stdout.isTerminal()) return null;
  const { on_screen } = await import("../../ui/report/on_screen.ts");
  const look = { columns: Deno.consoleSize().columns || COLUMNS, ...terminal_of(no_color, io) };
  return (markdown) => on_screen(markdown, look);
}
