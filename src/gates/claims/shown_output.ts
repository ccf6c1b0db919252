/** Output that an answer shows of something it ran, and that no result has. */
import type { Message } from "../../model/message.ts";
import { plain } from "../answer/text.ts";
import { claims_to_have_run } from "../phrases/reports.ts";

/** A line, and the block of text that follows it. */
const BLOCK =
  /^(.*\S)[ \t]*\n+[ \t]*(```|~~~)(?:text|txt|console|log|output)?[ \t]*\n([^]*?)\n[ \t]*\2/gm;
/** Lines of output; "Done" may be anyone's word for it. */
const FEWEST = 2;
/** Shorter ones stand anywhere. */
const LINE_CHARS = 8;
const SHOWN_CHARS = 60;

/** The first line of each block behind "I ran it:" of which not one line is known, but for its numbers and what it leaves out. */
export function unshown_output(answer: string, before: readonly Message[]): readonly string[] {
  const blocks = [...answer.matchAll(BLOCK)]
    .filter(([, line = ""]) => line.endsWith(":") && claims_to_have_run(plain(line)))
    .map(([, , , block = ""]) => block.split("\n").filter(is_output));
  if (blocks.every(({ length }) => length < FEWEST)) return [];
  const known = likened(before.map(text_of).join("\n"));
  return blocks.filter((lines) =>
    lines.length >= FEWEST && !lines.some((line) => known.includes(likened(line)))
  ).map(([first = ""]) => `"${first.trim().slice(0, SHOWN_CHARS)}"`);
}

/** What a call was given counts, too: a command may print what it says. */
function text_of(message: Message): string {
  return message.role === "assistant"
    ? (message.tool_calls ?? []).map((call) => call.arguments).join("\n")
    : message.content;
}

/** A line that is more than a word; no command that was typed, no table and no tree. */
function is_output(line: string): boolean {
  return /\p{L}{3}/u.test(line) && line.trim().length >= LINE_CHARS &&
    !/^\s*(?:[$>#] |[|│├└])/.test(line);
}

/** Spaces, colors and times may differ from what was printed. */
function likened(text: string): string {
  return text.toLowerCase().replace(/…|\.{3}/g, "").replace(/[\d.,]+/g, "#").replace(/\s+/g, " ")
    .trim();
}
