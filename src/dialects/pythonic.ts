import type { Dialect, Offered, ParsedCall } from "./dialect.ts";
import { type Head, held_dialect, unreadable } from "./call_buffer.ts";
import { end_of_match, read_value } from "./lenient.ts";
import { without_start } from "./json_calls.ts";
import { unmarked } from "./unmarked.ts";

/** A name and the beginning of named arguments; `read(2)` is a page of a manual. */
const CALL_HEAD = /^\s*(?:\[\s*)?([A-Za-z_][\w.]*)\(\s*(?:\)|[A-Za-z_]\w*\s*=(?!=))/;
/** Any beginning of `CALL_HEAD`. */
const MAY_BE_HEAD = /^\s*(?:\[\s*)?(?:[A-Za-z_][\w.]*(?:\(\s*(?:[A-Za-z_]\w*\s*=?)?)?)?$/;
const MOST_HEAD = 120;

function head_of(text: string, offered: Offered): Head {
  const name = CALL_HEAD.exec(text.slice(0, MOST_HEAD))?.[1];
  if (name !== undefined) return offered(name) === undefined ? "no" : "yes";
  return text.length < MOST_HEAD && MAY_BE_HEAD.test(text) ? "undecided" : "no";
}

const NAME = /\s*([A-Za-z_][\w.]*)\(\s*/y;
const KEY = /\s*([A-Za-z_]\w*)\s*=\s*/y;
const NEXT = /\s*([,)])\s*/y;
const BETWEEN = /\s*[,;]?\s*/y;

/** Calls of functions with named arguments, in a list or a line each; null if these are none. */
function read_calls(
  text: string,
): { readonly found: readonly ParsedCall[]; readonly rest: string } | null {
  const list = /^\s*\[/.exec(text);
  let at = list?.[0].length ?? 0;
  const found: ParsedCall[] = [];
  for (let call = read_call(text, at); call !== null; call = read_call(text, at)) {
    found.push(call.found);
    at = end_of_match(BETWEEN, text, call.end);
  }
  if (found.length === 0) return null;
  const rest = text.slice(at);
  if (list === null) return { found, rest };
  return /^\s*\]/.test(rest) ? { found, rest: rest.replace(/^\s*\]/, "") } : null;
}

function read_call(
  text: string,
  from: number,
): { readonly found: ParsedCall; readonly end: number } | null {
  NAME.lastIndex = from;
  const name = NAME.exec(text);
  if (name === null) return null;
  const args: [string, unknown][] = [];
  let at = NAME.lastIndex;
  for (let more = text[at] !== ")"; more;) {
    KEY.lastIndex = at;
    const key = KEY.exec(text);
    const read = key === null ? undefined : read_value(text, KEY.lastIndex);
    if (key === null || read === undefined) return null;
    args.push([key[1] ?? "", read.value]);
    NEXT.lastIndex = read.end;
    const next = NEXT.exec(text);
    if (next === null) return null;
    at = NEXT.lastIndex;
    // A comma may be before the closing bracket.
    more = next[1] === "," && text[at] !== ")";
    if (next[1] === ")") return { found: call_of(name[1], args), end: at };
  }
  return { found: call_of(name[1], args), end: at + 1 };
}

function call_of(name = "", args: readonly [string, unknown][]): ParsedCall {
  return {
    kind: "call",
    name,
    arguments: JSON.stringify(Object.fromEntries(args)),
    repaired: false,
  };
}

/** Llama 3.2 and 4, Gemma 3, ToolACE: a list without any mark. */
export const pythonic: Dialect = {
  name: "pythonic",
  openings: ["["],
  begin: (opening, place) =>
    unmarked({
      head: (body, offered) => head_of(opening + body, offered),
      read: (body) => read_calls(opening + body),
    }, place),
};

/** What some prompts for Gemma ask for. */
export const tool_code: Dialect = {
  name: "tool-code",
  openings: ["```tool_code"],
  begin: (_opening, place) =>
    unmarked({
      head: (body, offered) => head_of(body.replace(/^\s*print\(/, ""), offered),
      read(body) {
        const read = read_calls(body.replace(/^\s*print\((.*)\)\s*(?=```)/s, "$1"));
        return read === null ? null : { ...read, rest: read.rest.replace(/^\s*```/, "") };
      },
    }, place),
};

/** Python-like calls between the marks of one model. */
function between(
  name: string,
  marks: { readonly openings: readonly string[]; readonly end: RegExp },
): Dialect {
  return held_dialect({ name, openings: marks.openings, anywhere: true }, () => ({
    head: (body, { offered }) => head_of(body, offered),
    read(body, { cut, offered }) {
      const read = read_calls(body);
      if (read !== null) {
        return { kind: "block", found: read.found, rest: without_start(read.rest, marks.end) };
      }
      const open = head_of(body, offered);
      if (cut && open !== "no") return { kind: "cut" };
      return open === "yes"
        ? unreadable(CALL_HEAD.exec(body)?.[1] ?? "", body)
        : { kind: "text", body };
    },
  }));
}

export const llama4 = between("llama4", {
  openings: ["<|python_start|>"],
  end: /<\|python_end\|>/,
});

export const lfm2 = between("lfm2", {
  openings: ["<|tool_call_start|>"],
  end: /<\|tool_call_end\|>/,
});

/** OLMo 3: a line a call. */
export const olmo3 = between("olmo3", {
  openings: ["<function_calls>"],
  end: /<\/function_calls>/,
});
