import { find_all } from "./loose_lines.ts";

export interface TextMatch {
  readonly start: number;
  readonly end: number;
}

/** Of a text that begins so in many places more is compared in each: 8 kB of blanks around a letter took 4 s in 1 MB of blanks. */
const BEGIN_CHARS = 32;

/** Where `old` is in `content`, not overlapping. Models see no `\r` and write `\n`: in a file with `\r\n` either line end matches. */
export function text_matches(content: string, old: string): TextMatch[] {
  const places: TextMatch[] = [];
  if (old.includes("\n") && content.includes("\r\n")) return places_in_crlf(content, old);
  const put = (start: number) => places.push({ start, end: start + old.length });
  const begin = old.slice(0, BEGIN_CHARS);
  let compared = 0;
  for (let at = content.indexOf(begin), next; at >= 0; at = content.indexOf(begin, next)) {
    const is_it = content.startsWith(old, at);
    if (is_it) put(at);
    else if ((compared += old.length) > content.length) {
      const from = places.at(-1)?.end ?? 0;
      for (const one of find_all(content, old, from)) {
        if (one >= (places.at(-1)?.end ?? 0)) put(one);
      }
      break;
    }
    next = is_it ? at + old.length : at + 1;
  }
  return places;
}

/** The places of `old` where `\r\n` counts as `\n` in both. */
function places_in_crlf(content: string, old: string): TextMatch[] {
  const lines = content.split("\r\n");
  let line = 0;
  /** Where the line begins, without the `\r` before it; and how many of those there are. */
  let begin = 0;
  /** The place in the content of a place among the characters that count. */
  const real = (at: number) => {
    while (line + 1 < lines.length && at > begin + (lines[line] ?? "").length) {
      begin += (lines[line] ?? "").length + 1;
      line++;
    }
    return at + line;
  };
  return text_matches(lines.join("\n"), old.replaceAll("\r\n", "\n"))
    .map(({ start, end }) => ({ start: real(start), end: real(end) }));
}

/** Puts `text` at each of the places, with the line ends that are used there; all else stays as it is. */
export function put_at(
  content: string,
  places: readonly TextMatch[],
  pair: { readonly old: string; readonly new: string },
): string {
  const pieces: string[] = [];
  let from = 0;
  const is_open = pair.new.includes("\n") && !pair.old.includes("\r\n");
  const last = content.lastIndexOf("\n");
  /** The line end inside a place, else the next one after it, else the one before it. */
  let at = -1;
  for (const place of places) {
    if (at < place.start) at = place.start > last ? last : content.indexOf("\n", place.start);
    const end = !is_open ? null : content[at - 1] === "\r" ? "\r\n" : "\n";
    const replaced = content.slice(place.start, place.end);
    pieces.push(
      content.slice(from, place.start),
      end !== null && (end === "\r\n" || replaced.includes("\r\n"))
        ? with_ends_of(replaced, pair.new, end)
        : pair.new,
    );
    from = place.end;
  }
  pieces.push(content.slice(from));
  return pieces.join("");
}

/**
 * `text`, which comes in the place of `old`, where each may have any line ends: the lines with which both begin, and end, have
 * the ends they had, as nobody meant to change them; where both have as many lines, so have all. Others have `usual`.
 */
export function with_ends_of(old: string, text: string, usual: "\n" | "\r\n"): string {
  const had = old.split("\n");
  const has = text.replaceAll("\r\n", "\n").split("\n");
  const is_same = (at: number, other: number) => had[at]?.replace(/\r$/, "") === has[other];
  // What stands last has no end.
  const [ends_then, ends_now] = [had.length - 1, has.length - 1];
  const most = Math.min(ends_then, ends_now);
  let first = ends_then === ends_now ? most : 0;
  while (first < most && is_same(first, first)) first++;
  let last = 0;
  while (last < most - first && is_same(ends_then - 1 - last, ends_now - 1 - last)) last++;
  const ended = has.slice(0, -1).map((line, n) => {
    const from = n < first ? n : n >= ends_now - last ? n + ends_then - ends_now : null;
    return line + (from === null ? usual : had[from]?.endsWith("\r") ? "\r\n" : "\n");
  });
  return ended.join("") + (has.at(-1) ?? "");
}

/** What stands before a place in its first line and in `more` lines above that, and behind it in its last and below. */
export function lines_around(
  content: string,
  { start, end }: TextMatch,
  more: number,
): [string, string] {
  let from = start;
  for (let n = 0; n <= more && from > 0; n++) from = content.lastIndexOf("\n", from - 1);
  // A line end at the end of what is replaced belongs to its last line.
  let to = content[end - 1] === "\n" ? end - 1 : content.indexOf("\n", end);
  for (let n = 0; n < more && to >= 0; n++) to = content.indexOf("\n", to + 1);
  const [before, behind] = [
    content.slice(from + 1, start),
    content.slice(end, to < 0 ? undefined : to),
  ];
  return [before.replaceAll("\r\n", "\n"), behind.replaceAll("\r\n", "\n").replace(/\r$/, "")];
}

/** Line numbers of the places, the first few. */
export function line_numbers(content: string, places: readonly TextMatch[], most: number): string {
  const numbers: number[] = [];
  let line = 1;
  let from = 0;
  for (const { start } of places.slice(0, most)) {
    for (let at = content.indexOf("\n", from); at >= 0 && at < start;) {
      line++;
      at = content.indexOf("\n", at + 1);
    }
    from = start;
    if (numbers.at(-1) !== line) numbers.push(line);
  }
  return numbers.join(", ") + (places.length > most ? ", …" : "");
}
