import type { BlockPlace, Dialect, Offered } from "./dialect.ts";
import type { Head } from "./call_buffer.ts";
import { read_calls } from "./json_calls.ts";
import { unmarked } from "./unmarked.ts";

/** First keys of calls, whoever prints them; anything else is an answer in JSON. */
const KEYS = new Set([
  "name",
  "type",
  "id",
  "function",
  "arguments",
  "parameters",
  "tool_name",
  "tool_call_id",
]);
const FIRST_KEY = /^\s*(?:\[\s*)?\{\s*["'](\w*)(["'])?/;
const BEFORE_KEY = /^\s*(?:\[\s*)?(?:\{\s*)?$/;
const NAME = /["'](?:name|tool_name)["']\s*:\s*["']([^"']*)["']/;
/** Between the first key and the name. */
const MOST_HEAD = 300;

/** Whether the text of an object, or of a list of them, may be a call. */
function json_call_head(text: string, offered: Offered): Head {
  const head = text.slice(0, MOST_HEAD);
  const key = FIRST_KEY.exec(head);
  if (key === null) return BEFORE_KEY.test(head) && text.length < MOST_HEAD ? "undecided" : "no";
  const [, word = "", quote] = key;
  if (quote === undefined) return head === key[0] ? "undecided" : "no";
  if (!KEYS.has(word)) return "no";
  const name = NAME.exec(head)?.[1];
  if (name !== undefined) return offered(name) === undefined ? "no" : "yes";
  return text.length < MOST_HEAD ? "undecided" : "no";
}

/** Llama 3 without its mark, Qwen2.5-Coder, Gemma 3, and xLAM, which prints a list. */
export const bare_json: Dialect = {
  name: "json",
  openings: ["{", "["],
  begin: (opening: string, place: BlockPlace) =>
    unmarked({
      head: (body, offered) => json_call_head(opening + body, offered),
      read: (body) => read_sequence(opening + body),
    }, place),
};

function read_sequence(text: string) {
  const block = read_calls(text, { form: {}, cut: false });
  return block?.kind === "block" ? block : null;
}

const FENCE = /^[ \t]*\r?\n/;

/** A bare JSON call in a block of code that is all there is. */
export const fenced_json: Dialect = {
  name: "fenced-json",
  openings: ["```json", "```tool_call", "```"],
  begin: (_opening: string, place: BlockPlace) =>
    unmarked({
      head(body, offered) {
        if (/^[ \t]*\r?$/.test(body)) return "undecided";
        const line = FENCE.exec(body);
        return line === null ? "no" : json_call_head(body.slice(line[0].length), offered);
      },
      read(body) {
        const found = [];
        let rest = body;
        for (;;) {
          const block = read_sequence(rest);
          if (block === null) break;
          found.push(...block.found);
          rest = block.rest;
          if (!/^\s*```(?:json|tool_call)?[ \t]*\r?\n/.test(rest)) break;
          rest = rest.trimStart().replace(/^```tool_call/, "```json");
        }
        return found.length === 0 ? null : { found, rest };
      },
    }, place),
};
