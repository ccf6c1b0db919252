/** Shrinks the results of tools without a model, before anything is summarized. */
import type { Message } from "../model/message.ts";
import { tokens_in } from "./estimate.ts";
import { type MessageGroup, sum } from "./exchange.ts";

const ESCAPE = String.fromCharCode(27);
/** Colors and cursor movements of terminals: CSI, OSC, and two-character sequences. */
const ANSI = new RegExp(
  `${ESCAPE}(?:\\[[0-9;:?<=>]*[ -/]*[@-~]|\\][^\\u0007${ESCAPE}]*(?:\\u0007|${ESCAPE}\\\\)|[@-Z\\\\-_])`,
  "g",
);

/** Results shorter than this stay: a stub would not be shorter by much. */
const STUB_CHARS = 400;
const OLD_IMAGE = "[image left out; view it again if you need it]";
/** Of a line of a stubbed result, what is kept. */
const LINE_CHARS = 80;
/** More notes than these below a result are not worth their room. */
const MOST_NOTES = 2;
/** Where a stub was made before. */
const STUBBED = /^\[old result of \d+ lines left out; /;

/** A text without colors, with repeated lines and runs of blank ones told once. */
function cleaned(text: string): string {
  const plain = text.replace(ANSI, "");
  const lines: string[] = [];
  let times = 1;
  const settle = () => {
    if (times > 1 && lines.at(-1) !== "") lines.push(`[the line above: ${times} times]`);
    times = 1;
  };
  for (const line of plain.split("\n").map((line) => line.trimEnd())) {
    if (lines.length > 0 && line === lines.at(-1)) {
      times++;
      continue;
    }
    settle();
    lines.push(line);
  }
  settle();
  const shorter = lines.join("\n");
  return shorter.length < text.length ? shorter : text;
}

/** An exchange with its results cleaned, and without images: each takes as much as a long result. */
export function clean_exchange(exchange: MessageGroup): MessageGroup {
  return exchange.map((message) =>
    message.role === "tool"
      ? without_images({ ...message, content: cleaned(message.content) }, OLD_IMAGE)
      : message
  );
}

/** A message with `note` in the place of its images. */
export function without_images(message: Message, note: string): Message {
  if (!("images" in message)) return message;
  const { images: _, ...text } = message;
  return { ...text, content: `${text.content}\n${note}` };
}

/** An exchange with what its calls brought named instead of told. */
export function stub_exchange(exchange: MessageGroup): MessageGroup {
  return exchange.map((message) =>
    message.role === "tool" && message.content.length > STUB_CHARS
      ? { ...message, content: stub(message.content) }
      : message
  );
}

function stub(content: string): string {
  const [head = "", ...tail] = ends_of(content);
  const lines = content.split("\n").length;
  return [head, `[old result of ${lines} lines left out; repeat the call if you need it]`, ...tail]
    .join("\n");
}

/** What a result is recognized and judged by: its first line, its last one, and the notes below that, such as an exit code. */
export function ends_of(content: string): string[] {
  // What hamr had to say then is no part of the result.
  const end = content.endsWith("</hamr>") ? content.lastIndexOf("\n<hamr>") : content.length;
  const lines = content.slice(0, end).split("\n")
    .filter((line) => line.trim() !== "" && !STUBBED.test(line));
  const told = lines.findLastIndex((line) => !line.startsWith("[")) + 1;
  const notes = lines.slice(told).slice(-MOST_NOTES);
  // What a file holds at a line is no outcome.
  const last = lines.slice(0, told).filter((line) => !/^\d+:/.test(line)).at(-1);
  const [head] = lines;
  return [head, ...(last === head ? [] : [last]), ...notes]
    .filter((line) => line !== undefined).map((line) => line.slice(0, LINE_CHARS));
}

/** A text with its middle left out, at most about `chars` long. */
export function without_middle(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const half = Math.max(0, Math.floor(chars / 2));
  const left_out = text.length - 2 * half;
  return `${text.slice(0, half)}\n[… ${left_out} characters left out …]\n${
    half === 0 ? "" : text.slice(-half)
  }`;
}

/** A text shortened to so many tokens, as they are estimated of it: Chinese takes four times as many as English of the same length. */
export function shortened_to(text: string, tokens: number): string {
  const all = tokens_in(text);
  return all <= tokens ? text : without_middle(text, Math.floor((text.length * tokens) / all));
}

/** An exchange with its results shortened alike, so that they take at most about `tokens`. */
export function squeeze(
  exchange: MessageGroup,
  { tokens, tokens_of }: { tokens: number; tokens_of: (message: Message) => number },
): MessageGroup {
  const now = sum(exchange, tokens_of);
  if (now <= tokens) return exchange;
  const results = exchange.filter((message) => message.role === "tool");
  const chars = results.reduce((total, { content }) => total + content.length, 0);
  const share = Math.max(0, 1 - (now - tokens) / Math.max(1, sum(results, tokens_of)));
  const each = Math.floor((chars * share) / Math.max(1, results.length));
  return exchange.map((message) =>
    message.role === "tool"
      ? { ...message, content: without_middle(message.content, Math.max(each, STUB_CHARS)) }
      : message
  );
}
