/** What stands in a text for code that a model did not write out. */
import { ToolFailure } from "../../failure.ts";

/** Prose may be about such lines. */
const PROSE = /\.(?:md|mdx|markdown|rst|txt|adoc|tex|html?)$/i;
/** A line that is a comment and nothing else, in any language. */
const COMMENT = /^(?:\/\/+|#+|--+|;+|%+|\/\*+|\*|<!--|\{\/\*)(.*)$/;
const COMMENT_END = /(?:(?<!\*)\*+\/\}?|-->)$/;
const DOTS = /^[[(<]?\s*(?:\.\.\.|…)|(?:\.\.\.|…)\s*[\])>]?$/;
const OF_THE_REST =
  /\b(?:existing|unchanged|same as before|as before|(?:rest|remainder) of|(?:remaining|previous|other|original) (?:code|functions?|methods?|class(?:es)?|imports?|tests?|content|implementation|logic|fields?|routes?|cases?|lines?))\b|\b(?:rest|bleibt|bestehende\w*|unverandert)\b|\b(?:reste|inchange|existant)\b|\b(?:resto|existente|sin cambios)\b|其余|其他代码|现有代码|保持不变|省略|残り|既存|変更なし/i;
const BARE =
  /^[[(]?(?:the )?(?:rest|remainder) of (?:the |this )?(?:code|file|class|function|method|module|implementation|component)(?: (?:is|remains|stays|here|goes here))*(?: (?:unchanged|the same|as before|as is))?[\])]?\.?$/i;

function stands_for_text(line: string): boolean {
  // By parts, as blanks that several could take are tried in each: 20,000 of them took forever.
  const said = (COMMENT.exec(line.trim())?.[1] ?? "").replace(COMMENT_END, "").trim();
  const plain = said.normalize("NFD").replace(/\p{M}/gu, "");
  return DOTS.test(said) && OF_THE_REST.test(plain) || BARE.test(plain);
}

/** Throws a `ToolFailure` where fewer lines replace those that were there, and one of them stands for what was left out. */
export function refuse_left_out(path: string, before: string, after: string): void {
  if (PROSE.test(path)) return;
  const lines = after.split("\n");
  const old = before.split("\n");
  if (lines.length >= old.length) return;
  const known = new Set(old);
  const at = lines.findIndex((line) => !known.has(line) && stands_for_text(line));
  if (at < 0) return;
  throw new ToolFailure(
    `${path} was not changed: line ${at + 1} of the new text, "${lines[at]?.trim()}", stands for ` +
      "code that is left out. Replace only what changes with edit, or write all of it",
  );
}
