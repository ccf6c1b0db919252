/** Whether what is printed may have colors. */
import type { Io } from "./io.ts";

/** Where `TERM` is `dumb` (Emacs, some serial consoles), nothing but text and line breaks is understood. */
export function is_dumb(io: Pick<Io, "env">): boolean {
  return io.env("TERM") === "dumb";
}

/** Whether the person wants no colors, or their terminal has none. */
export function is_colorless(no_color: boolean, io: Pick<Io, "env">): boolean {
  return no_color || io.env("NO_COLOR") !== undefined || is_dumb(io);
}
