import {
  type BlockPlace,
  type BlockProgress,
  type Dialect,
  malformed_call,
  type Marks,
  type ParsedCall,
} from "./dialect.ts";
import { head_by_name, held_dialect, MOST_CUT_HEAD } from "./call_buffer.ts";
import { cut_behind, without_start } from "./json_calls.ts";
import { json } from "../config/json.ts";
import type { Parameters } from "../tools/tool.ts";
import { coerce } from "./coerce.ts";
import { read_value } from "./lenient.ts";

/** Calls in tags, with the arguments as raw text between them. Patterns are sources without anchors. */
interface XmlForm {
  /** From the opening to the name, group 1, and what ends it. */
  readonly call: string;
  /** Any beginning of a block, and of what follows it; default: a tag, whatever it is. */
  readonly start?: RegExp;
  /** To the name of an argument, group 1, and what ends it. */
  readonly argument: string;
  /** Ends an argument; `$1` is its name. */
  readonly argument_end: string;
  readonly call_end: string;
  /** What may follow and belongs to the block. */
  readonly after: string;
  /** Line breaks that the template puts around each value: one at each end, or none. */
  readonly line_breaks: "one" | "none";
}

/** A dialect of this kind. A body without its closing tag is not a call: what it lacks is unknown. */
export function xml_dialect(form: Marks & XmlForm): Dialect {
  const word = new RegExp(`^\\s*${form.call}`);
  return held_dialect(form, (opening) => {
    // An opening may be a part of the call itself: `<function=`.
    const is_part = form.call.includes(opening);
    const whole = (body: string) => is_part ? opening + body : body;
    return {
      head: (body, { offered }) =>
        is_part || (form.start ?? START).test(body)
          ? head_by_name(whole(body), word, offered)
          : "no",
      read: (body, options) => read_block(whole(body), { ...options, form, body }),
    };
  });
}

const START = /^\s*(?:[<\]][^]*)?$/;

interface XmlReading extends BlockPlace {
  readonly form: XmlForm;
  readonly cut: boolean;
  /** What was taken, in case it is not a block. */
  readonly body: string;
}

function read_block(text: string, reading: XmlReading): BlockProgress {
  const { form, cut, body } = reading;
  const found: ParsedCall[] = [];
  let rest = text;
  for (;;) {
    const read = read_call(rest, reading);
    if (read === null) break;
    if (read.found === "unfinished") {
      if (cut && read.rest === "") return cut_behind(found);
      found.push(unfinished(rest, form));
      rest = read.rest;
      break;
    }
    found.push(read.found);
    rest = without_start(read.rest, new RegExp(`(?:${form.after})`));
    const next = new RegExp(`^\\s*${form.call}`).test(rest);
    if (!next) break;
  }
  if (found.length > 0) return { kind: "block", found, rest };
  return cut && text.length < MOST_CUT_HEAD ? { kind: "cut" } : { kind: "text", body };
}

function unfinished(text: string, { call }: XmlForm): ParsedCall {
  const name = new RegExp(`^\\s*${call}`).exec(text)?.[1] ?? "";
  return malformed_call(name, { text, fault: "its end is missing" });
}

function read_call(
  text: string,
  { form, offered }: XmlReading,
): { readonly found: ParsedCall | "unfinished"; readonly rest: string } | null {
  const begin = new RegExp(`^\\s*${form.call}`).exec(text);
  if (begin === null) return null;
  const name = begin[1] ?? "";
  const schema = offered(name) ?? { type: "object", properties: {}, required: [] };
  const raw = new Map<string, string>();
  const argument = new RegExp(`\\s*${form.argument}`, "y");
  const call_end = new RegExp(`\\s*${form.call_end}`, "y");
  let at = begin[0].length;
  for (;;) {
    call_end.lastIndex = at;
    const over = call_end.exec(text);
    if (over !== null) {
      // A bare name without its arguments is a word in tags.
      if (form.start !== undefined && raw.size === 0 && schema.required.length > 0) return null;
      const rest = text.slice(at + over[0].length);
      return {
        found: { kind: "call", name, arguments: typed(raw, schema), repaired: false },
        rest,
      };
    }
    argument.lastIndex = at;
    const key = argument.exec(text);
    // A sister format with its arguments in JSON; or tags that were cut off.
    if (key === null) {
      return /^\s*(?:<|$)/.test(text.slice(at)) ? unfinished_at(text.slice(at), form) : null;
    }
    at += key[0].length;
    const end = value_end(text, { at, key: key[1] ?? "", form, known: schema.properties });
    if (end === null) return { found: "unfinished", rest: "" };
    const value = text.slice(at, end.at);
    const bare = value.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
    raw.set(key[1] ?? "", form.line_breaks === "one" ? bare : value);
    at = end.next;
  }
}

/** Between two arguments a block may end all the same, and calls follow that are whole; in a value nobody can tell. */
function unfinished_at(text: string, { after }: XmlForm) {
  const [, rest = ""] = new RegExp(`(?:${after})([^]*)$`).exec(text) ?? [];
  return { found: "unfinished", rest } as const;
}

/** Where a tag begins, and what is behind it. */
interface Tag {
  readonly at: number;
  readonly next: number;
}

/** A value ends at its closing tag, if the next argument or the call's end follows, and unless that tag is balanced within it. */
function value_end(text: string, { at, key, form, known }: {
  at: number;
  key: string;
  form: XmlForm;
  known: Readonly<Record<string, unknown>>;
}): Tag | null {
  const end = form.argument_end.replace("$1", RegExp.escape(key));
  const tags = new RegExp(`(${form.argument})|${end}`, "g");
  const argument = new RegExp(`\\s*${form.argument}`, "y");
  const call_end = new RegExp(`\\s*${form.call_end}`, "y");
  const block_end = new RegExp(`\\s*(?:${form.after})`, "y");
  const nothing_else = new RegExp(`\\s*(?:$|<|${form.after}|${form.call})`, "y");
  let likely: Tag | null = null;
  let possible: Tag | null = null;
  let depth = 0;
  /** The next argument begins before this one has ended: what belongs to which is unknown. */
  let merged = false;
  tags.lastIndex = at;
  for (let tag = tags.exec(text); tag !== null; tag = tags.exec(text)) {
    if (tag[1] !== undefined) {
      merged ||= Object.hasOwn(known, tag[2] ?? "");
      depth++;
      continue;
    }
    const here = { at: tag.index, next: tag.index + tag[0].length };
    argument.lastIndex = call_end.lastIndex = here.next;
    const next_key = argument.exec(text)?.[1];
    const ends_call = next_key === undefined && call_end.test(text);
    nothing_else.lastIndex = call_end.lastIndex;
    const follows = next_key === undefined
      ? ends_call && nothing_else.test(text)
      : Object.hasOwn(known, next_key);
    block_end.lastIndex = here.next;
    if (depth === 0 && (follows || block_end.test(text))) return whole_value(here);
    if (follows && !merged) likely ??= here;
    if (ends_call && !merged) possible ??= here;
    if (depth > 0) depth--;
  }
  return whole_value(likely ?? possible);

  /** With a call begun in it that does not end in it, it is not one value. */
  function whole_value(tag: Tag | null): Tag | null {
    const value = tag === null ? "" : text.slice(at, tag.at);
    const begun = value.match(new RegExp(`^[ \\t]*${form.call}`, "gm"))?.length ?? 0;
    const ended = value.match(new RegExp(form.call_end, "g"))?.length ?? 0;
    return begun > ended ? null : tag;
  }
}

/** Arguments that stood as raw text between tags, as one JSON text: the schema decides their types, never the look of a value. */
function typed(raw: ReadonlyMap<string, string>, parameters: Parameters): string {
  const entries = [...raw].map(([name, text]) => {
    const schema = Object.hasOwn(parameters.properties, name)
      ? parameters.properties[name]
      : undefined;
    return [name, schema === undefined ? text : value_of(text, schema["type"])] as const;
  });
  return JSON.stringify(coerce(Object.fromEntries(entries), parameters));
}

function value_of(text: string, type: unknown): unknown {
  const types = Array.isArray(type) ? type : [type];
  if (type === undefined || types.includes("string")) return text;
  const bare = text.trim();
  const strict = json(bare);
  if (strict !== undefined) return strict;
  const read = read_value(bare, 0);
  return read?.end === bare.length ? read.value : bare;
}
