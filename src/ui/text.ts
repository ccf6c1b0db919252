import { cut, first_of, last_of, plural } from "../config/text.ts";

export { first_of, last_of, plural };

/** Text that can't steer a terminal: no control characters but line breaks and tabs. Models and commands may print escape sequences. */
export function harmless(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(
    /[\p{Cc}\p{Cf}]/gu,
    (char) => char === "\n" || char === "\t" || char === "\u200d" ? char : "",
  );
}

/** What a command printed, made harmless: of a line that was drawn over, as progress is, only its last state. */
export function harmless_output(text: string): string {
  return harmless(text.replace(/[^\n]*\r(?=[^\r\n])/g, ""));
}

/** What is not seen, and what `harmless()` takes out; behind an emoji, or a letter of a script that joins them, some belong to it. */
const UNSEEN =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])\ufe0f(?!\u20e3)|(?<![[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f\p{L}\p{M}]--[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]])[\u200c\u200d]|[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]--[\n\t\u200c\u200d\ufe0f]]/v;
const MANY_UNSEEN = new RegExp(`(?:(?:${UNSEEN.source})[ \\t]*){4,}`, "gv");
const EACH_UNSEEN = new RegExp(UNSEEN.source, "gv");

/** What somebody is asked to allow: no blanks push anything out of sight (code has fewer), and what can't be seen is named. */
export function to_be_allowed(text: string): string {
  return all_seen(text).replace(/[^\S\n]{60,}/g, (blanks) => ` [${blanks.length} blanks] `)
    .replace(
      /\n(?:[^\S\n]*\n){5,}/g,
      (lines) => `\n[${lines.split("\n").length - 2} blank lines]\n`,
    );
}

/** As `harmless()`, but what can't be seen is named instead: for changes that somebody is asked to allow. */
export function all_seen(text: string): string {
  const seen = text.replace(/\r(?=\n|$)/g, "")
    .replace(MANY_UNSEEN, (all) => `[${[...all].length} characters that can't be seen]`)
    .replace(
      EACH_UNSEEN,
      (char) => `[U+${char.codePointAt(0)!.toString(16).toUpperCase().padStart(4, "0")}]`,
    );
  return harmless(seen);
}

export function whole_line(text: string): string {
  return harmless(text).replace(/\s+/g, " ").trim();
}

/** One harmless line of at most `chars` characters. */
export function line(text: string, chars: number): string {
  const flat = whole_line(text);
  return flat.length > chars ? cut(flat, chars - 1) : flat;
}

/** 1234 → `1.2k`, 128000 → `128k`. */
export function short(count: number): string {
  const [size, unit] = count < 1000 ? [1, ""] : count < 999_950 ? [1000, "k"] : [1_000_000, "M"];
  return (count / size).toFixed(1).replace(/\.0$/, "") + unit;
}

/** `1 token`, `4.1k tokens`. */
export function tokens(count: number): string {
  return `${short(count)} token${count === 1 ? "" : "s"}`;
}

const MINUTE_MS = 60_000, HOUR_MS = 60 * MINUTE_MS, DAY_MS = 24 * HOUR_MS;
/** Below, how long a call or a run took is of no interest afterwards. */
const SLOW_MS = 10_000;

/** `12 s`, `13 min`. */
export function duration(ms: number): string {
  return ms < 2 * MINUTE_MS ? `${Math.round(ms / 1000)} s` : `${Math.round(ms / MINUTE_MS)} min`;
}

/** How long something took that was not quick, as an item of a list. */
export function if_slow(ms: number): readonly string[] {
  return ms < SLOW_MS ? [] : [duration(ms)];
}

/** How long ago something was, as people say it. */
export function ago(ms: number): string {
  if (ms < MINUTE_MS) return "just now";
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  if (ms < DAY_MS) return `${Math.floor(ms / HOUR_MS)} h ago`;
  return `${plural(Math.floor(ms / DAY_MS), "day")} ago`;
}

/** `41%`; `<1%` of what is not nothing. */
export function percent(part: number, whole: number): string {
  const share = Math.floor((part / whole) * 100);
  return share === 0 && part > 0 ? "<1%" : `${share}%`;
}
