/** What came with a task and is given back worked on: "format this JSON: …", `hamr run "convert this to YAML" -`. The answer is the product. */
import type { View } from "../../guards/rule.ts";
import type { FinalAnswer } from "../answer/answer.ts";
import { files_in } from "../answer/files.ts";
import { plain } from "../answer/text.ts";
import * as says from "../phrases/triggers.ts";
import { is_unseen } from "./idle.ts";

/** The order, and what stands behind a blank line or a colon. */
const ORDER_AND_CONTENT = /^([^]{1,200}?)(?:\n\s*\n|(?<=^[^\n]*):\s+)([^]+)$/;
/** Of a text that is at hand. */
const OF_TEXT =
  /\b(?:this|these|the following) (?:\w+ ){0,2}?(?:sentences?|text|paragraph|phrase|string|word|lists?|numbers|message|expression|json|ya?ml|xml|csv|sql|html|markdown|table)\b|\bmy (?:grammar|spelling|french|german|english|spanish)\b|\bfix the (?:typos|grammar|spelling|punctuation)$/;
/** In other words: hardly one has to stay. */
const REWORDED =
  /^(?:please |now |can you |could you )*(?:rewrite|rephrase|reword|paraphrase|proofread|shorten|condense) (?:this|these|the following)\b(?! (?:\w+ )?(?:function|code|class|script|module|method|component|snippet))/;
/** Of code: to fix it may be to fix where it came from. */
const OF_CODE =
  /^(?:please |now |can you |could you )*(?:convert|translate|turn|transform|rewrite|format|pretty-print|minify|sort|refactor|simplify|shorten|replace|add (?:types|comments|docs|docstrings))\b/;
/** "Corrected:", before what is given back. */
const LABEL = /^\s*[\p{L}' ]{1,40}:\s+/u;
const FENCED = /^(?:```|~~~)[^\n]*\n([^]*?)\n(?:```|~~~)/m;
const LEAST_SHARE = 0.5;
/** More than any window of a local model holds. */
const READ_CHARS = 100_000;

/** Whether the answer is made of what came with the task. Only where not one call was made, and the order names no file. */
export function is_given_back({ text }: FinalAnswer, view: View): boolean {
  const [, order = "", content = ""] = ORDER_AND_CONTENT.exec(view.asked.trim()) ?? [];
  const asked = plain(order);
  if (content === "" || !is_unseen(view) || files_in(asked).length > 0) return false;
  const code = FENCED.exec(text)?.[1];
  const body = code ?? text.replace(LABEL, "");
  const share = share_of(body, content);
  if (code !== undefined) return OF_CODE.test(asked) && share >= LEAST_SHARE;
  return !says.claims_change(plain(body)) &&
    (share === 1 || REWORDED.test(asked) || OF_TEXT.test(asked) && share >= LEAST_SHARE);
}

/** How many of the words of a text stand in another one. */
function share_of(text: string, other: string): number {
  const words = plain(text.slice(0, READ_CHARS)).match(/[\p{L}\p{N}]+/gu) ?? [];
  const known = new Set(plain(other.slice(0, READ_CHARS)).match(/[\p{L}\p{N}]+/gu));
  return words.length === 0 ? 0 : words.filter((word) => known.has(word)).length / words.length;
}
