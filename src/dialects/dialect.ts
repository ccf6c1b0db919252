import type { Parameters } from "../tools/tool.ts";

export type ParsedCall =
  | {
    readonly kind: "call";
    readonly name: string;
    /** The text of a JSON object. */
    readonly arguments: string;
    /** Whether it was not written as the format wants it. */
    readonly repaired: boolean;
  }
  | {
    readonly kind: "malformed";
    /** As far as it can be read; else `UNREADABLE`. */
    readonly name: string;
    /** All that was written. */
    readonly text: string;
    readonly fault: string;
  };

/** A call that can't be made: `text` is all that was written, and `fault` what is wrong with it. */
export function malformed_call(
  name: string,
  { text, fault }: { readonly text: string; readonly fault: string },
): ParsedCall {
  return { kind: "malformed", name, text, fault };
}

/** Stands for a name that cannot be read: no tool is called so, and every server takes it. */
export const UNREADABLE = "_";

export type BlockProgress =
  | { readonly kind: "open" }
  /** No block after all: `body` is all that was taken. `shown`: the tool of a call that may be shown only, or meant. */
  | { readonly kind: "text"; readonly body: string; readonly shown?: string }
  | {
    readonly kind: "block";
    readonly found: readonly ParsedCall[];
    /** What was taken beyond the end of the block. */
    readonly rest: string;
    /** The output limit has cut off a call at its end. */
    readonly dropped?: true;
  }
  /** A block that the output limit has cut off: not one call of it is known to be whole. */
  | { readonly kind: "cut" };

/** Reads one block, from behind its opening, in whatever pieces it comes. */
export interface BlockReader {
  push(text: string): BlockProgress;
  /** Nothing follows; never `open`. `cut`: the reply was ended by the output limit, not by the model. */
  end(cut: boolean): BlockProgress;
}

/** The schema of a tool's arguments; undefined if it is not offered. Names of other agents count, too, unless `exactly` is asked for. */
export type Offered = (name: string, exactly?: true) => Parameters | undefined;

export interface BlockPlace {
  readonly offered: Offered;
  /** The end of the answer before it. */
  readonly lead: string;
  /** Words stand before it in the same line. */
  readonly inline: boolean;
}

export interface Marks {
  readonly name: string;
  /** What a block begins with, at the beginning of a line. */
  readonly openings: readonly string[];
  /** The openings are tokens that no text has by itself: they count in the middle of a line, too; or there behind a sentence. */
  readonly anywhere?: true | "sentence";
}

/** One way in which models print calls. A file each. */
export interface Dialect extends Marks {
  begin(opening: string, place: BlockPlace): BlockReader;
}
