/** What may be printed to a terminal. */
import { wants_ascii } from "../../ui/signs.ts";
import type { Io } from "./io.ts";

/** What the environment says of the terminal. It is read at the start: a run gives up the right to. */
export interface Terminal {
  /** Nothing but text and line breaks is understood: `TERM` is `dumb` (Emacs, some serial consoles). */
  readonly dumb: boolean;
  readonly ascii: boolean;
  /** The person wants no colors, or their terminal has none. */
  readonly colorless: boolean;
}

export function terminal_of(no_color: boolean, io: Pick<Io, "env" | "environ">): Terminal {
  const dumb = io.env("TERM") === "dumb";
  const ascii = wants_ascii(io.environ());
  return { dumb, ascii, colorless: no_color || io.env("NO_COLOR") !== undefined || dumb };
}
