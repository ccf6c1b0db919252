import { from_object } from "./call_body.ts";
import {
  type BlockProgress,
  type Dialect,
  malformed_call,
  type Marks,
  type Offered,
  type ParsedCall,
} from "./dialect.ts";
import { type Head, held_dialect, MOST_HEAD } from "./call_buffer.ts";
import { end_of_match, read_object } from "./lenient.ts";
import { is_record } from "../config/json.ts";
import { json_object } from "./repair.ts";

/** Calls that are JSON objects, in a list or one after another, between marks. */
interface JsonForm {
  /** What may follow them and belongs to the block. */
  readonly after?: RegExp;
  /** Each object has one key, the name, and the arguments under it. */
  readonly keyed?: true;
}

export function json_dialect(form: Marks & JsonForm): Dialect {
  return held_dialect(form, () => ({
    head: (body, { offered }) => json_head(body, offered, form),
    // Cut off before it could say anything, or none at all.
    read: (body, { cut }) =>
      read_calls(body, { form, cut }) ??
        (cut && START.test(body) ? { kind: "cut" } : { kind: "text", body }),
  }));
}

/** What a list of calls begins with, or any beginning of that. */
const START = /^\s*(?:`{0,3}|```(?:j(?:s(?:on?)?)?)?\s*)(?:\[\s*)?(?:\{[^]*)?$/;
const NAME = /["'](?:name|tool_name|tool)["']\s*:\s*["']([^"']*)["']/g;
const KEY = /[{,]\s*["']([^"']*)["']\s*:\s*\{/g;

function json_head(text: string, offered: Offered, { keyed }: JsonForm): Head {
  const head = text.slice(0, MOST_HEAD);
  for (const match of head.matchAll(keyed ? KEY : NAME)) {
    if (offered(match[1] ?? "") === undefined) continue;
    return START.test(head.slice(0, match.index + match[0].length)) ? "yes" : "no";
  }
  return START.test(head) && text.length < MOST_HEAD ? "undecided" : "no";
}

const SEPARATORS = /(?:\s|,|;)*/y;
const FENCE = /\s*```(?:json)?\s*/y;
const LIST_END = /\s*\](?:\s*```)?|\s*```/y;

/** The calls at the beginning of a text; null if there are none. */
export function read_calls(
  text: string,
  { form, cut }: { form: JsonForm; cut: boolean },
): BlockProgress | null {
  let at = end_of_match(FENCE, text, 0);
  at = end_of_match(SEPARATORS, text, at);
  if (text[at] === "[") at++;
  const found: ParsedCall[] = [];
  for (;;) {
    const from = end_of_match(SEPARATORS, text, at);
    if (text[from] !== "{") break;
    const read = read_object(text, { at: from }) ?? unclosed(text, from);
    const end = read?.end ?? end_of_broken(text, from, form);
    const raw = text.slice(from, end);
    at = end;
    if (read === undefined && cut && end === text.length) return cut_behind(found);
    found.push(...meant(read?.value, { raw, ...form }));
    if (read === undefined) break;
  }
  if (found.length === 0) return null;
  at = end_of_match(LIST_END, text, at);
  return { kind: "block", found, rest: without_start(text.slice(at), form.after) };
}

/** What is whole of a block that was cut. */
export function cut_behind(found: readonly ParsedCall[]): BlockProgress {
  return found.length === 0 ? { kind: "cut" } : { kind: "block", found, rest: "", dropped: true };
}

/** Where nothing but the last bracket of the call is missing: its arguments have theirs. */
function unclosed(text: string, from: number): ReturnType<typeof read_object> {
  const body =
    /^\{\s*["']name["']\s*:\s*["']([\w.-]+)["']\s*,\s*["'](?:arguments|parameters)["']\s*:\s*/
      .exec(text.slice(from));
  if (body === null) return undefined;
  const read = read_object(text, { at: from + body[0].length });
  if (read === undefined || !/^\s*(?:<|$)/.test(text.slice(read.end))) return undefined;
  return { value: { name: body[1], arguments: read.value }, end: read.end };
}

/** A call that cannot be read goes on to the mark that ends the block, or to the end. */
function end_of_broken(text: string, from: number, { after }: JsonForm): number {
  const rest = text.slice(from);
  const at = after === undefined ? -1 : rest.search(new RegExp(`(?<=\\s|[}\\]])${after.source}`));
  return at < 0 ? text.length : from + at;
}

/** What is wrong with arguments that are cut off or go on behind their end. */
export const NOT_WHOLE = "its arguments are not one whole JSON object";

/** A definition is not a call, and neither is a format that is explained. */
function meant(
  value: Readonly<Record<string, unknown>> | undefined,
  { raw, keyed }: JsonForm & { raw: string },
): readonly ParsedCall[] {
  if (value === undefined && TEMPLATE.test(raw)) return [];
  const repaired = json_object(raw) === undefined;
  if (keyed && value !== undefined) {
    return Object.entries(value).map(([name, args]) =>
      from_object({ name, arguments: args }, { text: raw, repaired })
    );
  }
  const call = value === undefined ? value : flat(value);
  if (call !== undefined && is_definition(call)) return [];
  const found = from_object(call, { text: raw, repaired });
  if (found.kind === "malformed") return [found];
  if (json_object(found.arguments) !== undefined) {
    // `parameters` is as good a word as `arguments` where nobody has asked for either.
    const is_usual = !repaired && is_record(call?.["arguments"] ?? call?.["parameters"]);
    return [{ ...found, repaired: found.repaired && !is_usual }];
  }
  return [malformed_call(found.name, { text: raw, fault: NOT_WHOLE })];
}

/** One form for `{"function":{…}}`, `{"tool_name","parameters"}`, `{"tool","args"}` and the usual one. */
function flat(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { function: inner, tool_name, tool, args } = value;
  if (is_record(inner)) return inner;
  if (typeof tool === "string" && is_record(args)) return { name: tool, arguments: args };
  return typeof tool_name === "string" ? { ...value, name: tool_name } : value;
}

/** Whether an object tells of a tool instead of calling it. */
function is_definition(call: Readonly<Record<string, unknown>>): boolean {
  const { parameters, description } = call;
  if (call["arguments"] !== undefined) return false;
  return typeof description === "string" ||
    (is_record(parameters) &&
      (is_record(parameters["properties"]) || parameters["type"] === "object"));
}

/** A format that is explained, not used: `{"name": "read", "arguments": {...}}`. */
const TEMPLATE = /["'](?:arguments|parameters)["']\s*:\s*(?:\{\s*)?(?:\.{3}|…|<[^"<>]*>)/;

/** A text without what a pattern matches at its beginning. */
export function without_start(text: string, pattern: RegExp | undefined): string {
  if (pattern === undefined) return text;
  const found = new RegExp(`^\\s*(?:${pattern.source})`, "u").exec(text);
  return found === null ? text : text.slice(found[0].length);
}
