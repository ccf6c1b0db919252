/** What may be printed to a terminal. */
import type { Io } from "./io.ts";

/** What the environment says of the terminal. It is read at the start: a run gives up the right to. */
export interface Terminal {
  /** Nothing but text and line breaks is understood: `TERM` is `dumb` (Emacs, some serial consoles). */
  readonly dumb: boolean;
  /** The person wants no colors, or their terminal has none. */
  readonly colorless: boolean;
}

/** `no_color`: the flag. */
export function terminal_of(no_color: boolean, io: Pick<Io, "env">): Terminal {
  const dumb = io.env("TERM") === "dumb";
  return { dumb, colorless: no_color || io.env("NO_COLOR") !== undefined || dumb };
}
