/** ASCII for hamr's signs, on a terminal that does not show them. */

/** What is drawn in the place of hamr's own signs; as many columns are filled as they take. */
export const SIGNS: Readonly<Record<string, string>> = {
  ...{ "─": "-", "│": "|", "═": "=", "█": "#", "░": ".", "·": "|", "…": ".", "•": "*" },
  ...{ "›": ">", "→": ">", "⇢": ">", "▸": ">", "↑": "^", "↓": "v", "↩": "<", "⧗": "~", "↻": "~" },
  ...{ "✓": "+", "✗": "x", "☐": "-", "☑": "x", "⇄": "=", "⇅": "=", "–": "-", "—": "-" },
  ...{ "“": '"', "”": '"', "‘": "'", "’": "'", "🔄": "=>", "🔧": "* ", "🌐": "* ", "💬": '" ' },
  ...{ "💭": "~ ", "⛔": "! ", "⚠️": "! ", "✅": "OK", "❌": "X ", "🔍": "? ", "📝": "# " },
  ...{ "🧠": "# ", "👤": "> ", "🔔": "! ", "⏳": "~ ", "🗜": "#" },
};

/** All signs, the frames of a spinner, and the other lines of a box. */
const ANY = new RegExp(
  [...Object.keys(SIGNS), "[\\u2800-\\u28ff]|[\\u2500-\\u257f]"].join("|"),
  "gu",
);

/** A text with hamr's own signs in ASCII. All else in it may be somebody's language, and stays. */
export function signs_in_ascii(text: string): string {
  return text.replace(ANY, (sign) => SIGNS[sign] ?? (sign < "\u2800" ? "+" : "*"));
}

/** Whether the environment says that the terminal shows nothing but ASCII. Of one that says only that it is dumb, such as Emacs, the locale is believed. */
export function wants_ascii(env: Readonly<Record<string, string | undefined>>): boolean {
  const locale = env["LC_ALL"] || env["LC_CTYPE"] || env["LANG"] || "";
  return locale === "" ? env["TERM"] === "dumb" : !/utf-?8/i.test(locale);
}
