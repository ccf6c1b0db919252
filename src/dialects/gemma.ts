import type { Dialect, ParsedCall } from "./dialect.ts";
import { head_by_name, held_dialect, unreadable } from "./call_buffer.ts";
import { json_object } from "./repair.ts";
import { without_start } from "./json_calls.ts";

const WORD = /^\s*call:\s*([\w.-]+)\s*\{/;

/** `call:N{k:"v"}`, where a token stands for the quotes and keys have none. */
function braces(
  name: string,
  marks: { readonly opening: string; readonly quote: string; readonly end: RegExp },
): Dialect {
  return held_dialect({ name, openings: [marks.opening], anywhere: true }, () => ({
    head: (body, { offered }) => head_by_name(body, WORD, offered),
    read(body, { cut }) {
      const head = WORD.exec(body);
      if (head === null) return cut ? { kind: "cut" } : { kind: "text", body };
      const [, tool = ""] = head;
      const read = read_braces(body, { at: head[0].length - 1, quote: marks.quote });
      if (read === null) return cut ? { kind: "cut" } : unreadable(tool, body);
      const call: ParsedCall = { kind: "call", name: tool, arguments: read.args, repaired: false };
      return { kind: "block", found: [call], rest: without_start(body.slice(read.end), marks.end) };
    },
  }));
}

const KEY = /\s*([A-Za-z_][\w-]*)\s*:/y;

/** The object that begins at `at`, as JSON, and where it ends. */
function read_braces(
  text: string,
  { at: from, quote }: { at: number; quote: string },
): { readonly args: string; readonly end: number } | null {
  const out: string[] = [];
  let depth = 0;
  for (let at = from; at < text.length;) {
    const char = text[at] as string;
    if (text.startsWith(quote, at)) {
      const end = text.indexOf(quote, at + quote.length);
      if (end < 0) return null;
      out.push(JSON.stringify(text.slice(at + quote.length, end)));
      at = end + quote.length;
      continue;
    }
    out.push(char);
    at++;
    if (char === "{" || char === "[") depth++;
    if (char === "}" || char === "]") depth--;
    if (depth === 0) {
      const args = json_object(out.join(""));
      return args === undefined ? null : { args: JSON.stringify(args), end: at };
    }
    KEY.lastIndex = at;
    const key = char === "{" || char === "," ? KEY.exec(text) : null;
    if (key === null) continue;
    out.push(`${JSON.stringify(key[1])}:`);
    at = KEY.lastIndex;
  }
  return null;
}

export const gemma4 = braces("gemma4", {
  opening: "<|tool_call>",
  quote: '<|"|>',
  end: /<tool_call\|>/,
});

export const functiongemma = braces("functiongemma", {
  opening: "<start_function_call>",
  quote: "<escape>",
  end: /<end_function_call>/,
});
