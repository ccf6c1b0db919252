import type { BlockPlace, BlockProgress, Dialect, Marks } from "./dialect.ts";
import { head_by_name, held_dialect, MOST_CUT_HEAD, MOST_HEAD, unreadable } from "./call_buffer.ts";
import { NOT_WHOLE, without_start } from "./json_calls.ts";
import { read_object } from "./lenient.ts";
import { json_object } from "./repair.ts";

/** A call that is a name and a JSON object with the arguments, with marks between. Patterns are sources without anchors. */
interface NamedForm {
  /** From the opening to the name, group 1. */
  readonly name_part: string;
  /** Between the name and the arguments. */
  readonly between: string;
  /** What may follow and belongs to the block. */
  readonly after: string;
}

export function named_dialect(spec: Marks & NamedForm): Dialect {
  const { name_part, between, after } = spec;
  const word = new RegExp(`^\\s*${name_part}(?![\\w.-])[^]`);
  const begin = new RegExp(`^\\s*${name_part}\\s*${between}\\s*(?=\\{)`);
  const tail = new RegExp(after);
  return held_dialect(spec, () => ({
    head: (body, { offered }) => head_by_name(body, word, offered),
    read: (body, options) => read_named(body, { ...options, begin, word, tail }),
  }));
}

function read_named(body: string, { begin, word, tail, cut, offered }: BlockPlace & {
  begin: RegExp;
  word: RegExp;
  tail: RegExp;
  cut: boolean;
}): BlockProgress {
  const head = begin.exec(body.slice(0, 2 * MOST_HEAD));
  if (head === null) {
    const name = word.exec(body)?.[1];
    const may_be = name === undefined ? body.length < MOST_CUT_HEAD : offered(name) !== undefined;
    return cut && may_be ? { kind: "cut" } : { kind: "text", body };
  }
  const name = head[1] ?? "";
  const at = head[0].length;
  const read = read_object(body, { at });
  if (read === undefined) return cut ? { kind: "cut" } : unreadable(name, body, NOT_WHOLE);
  const raw = body.slice(at, read.end);
  const strict = json_object(raw);
  const call = {
    kind: "call",
    name,
    arguments: JSON.stringify(strict ?? read.value),
    repaired: strict === undefined,
  } as const;
  return { kind: "block", found: [call], rest: without_start(body.slice(read.end), tail) };
}
