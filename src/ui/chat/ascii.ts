/** A chat on a terminal that shows nothing but ASCII. */
import { visibleWidth } from "@earendil-works/pi-tui";
import { SIGNS } from "../signs.ts";

const BOX = /^[\u2500-\u257f]$/;
/** The frames of a spinner. */
const BRAILLE = /^[\u2800-\u28ff]$/;

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The same with ASCII characters only, on as many columns; what has no letter there is a question mark. */
export function in_ascii(text: string): string {
  return text.replace(
    /[^\0-\x7f]+/g,
    (found) => [...graphemes.segment(found)].map(({ segment }) => plain(segment)).join(""),
  );
}

function plain(sign: string): string {
  const width = visibleWidth(sign);
  const known = SIGNS[sign] ?? (BOX.test(sign) ? "+" : BRAILLE.test(sign) ? "*" : letters(sign));
  return known.padEnd(width, known === "?" ? "?" : " ").slice(0, width);
}

function letters(sign: string): string {
  return sign.normalize("NFKD").replace(/[^\x20-\x7e]/g, "") || "?";
}
