import { Pile } from "../config/text_pieces.ts";
import {
  type BlockPlace,
  type BlockProgress,
  type BlockReader,
  type Dialect,
  malformed_call,
  type Marks,
  type Offered,
  type ParsedCall,
} from "./dialect.ts";
import { intent_of } from "./lead.ts";

/** Whether a text begins a block of calls; `undecided` while more has to come. */
export type Head = "yes" | "no" | "undecided";

interface Form {
  /** Whether calls begin here, by as few characters as possible, as the user waits. The verdict must hold for every longer text, unless `undecided`. */
  head(body: string, place: BlockPlace): Head;
  /** The block that is wanted, all of what follows being there. */
  read(body: string, options: BlockPlace & { readonly cut: boolean }): BlockProgress;
}

/** A dialect whose blocks are held until the reply ends. */
export function held_dialect(marks: Marks, form: (opening: string) => Form): Dialect {
  return { ...marks, begin: (opening, place) => held(form(opening), place) };
}

/** Characters behind an opening among which the name of a tool must stand. */
export const MOST_HEAD = 400;

/** Characters of a call that the output limit has cut off before its name could be read. */
export const MOST_CUT_HEAD = 80;

/** Reads a block of unasked calls, holding it until the reply ends, as later text may show it was none. Counts only with an offered tool. */
export function held(form: Form, place: BlockPlace): BlockReader {
  const pieces = new Pile();
  let begun = false;
  return {
    push(text) {
      pieces.add(text);
      if (begun) return { kind: "open" };
      const body = pieces.text;
      const head = form.head(body, place);
      if (head === "no") return { kind: "text", body };
      begun = head === "yes";
      return { kind: "open" };
    },
    end(cut) {
      const body = pieces.text;
      const read = form.read(body, { ...place, cut });
      if (read.kind === "block") return judged(body, { ...place, block: read });
      return read;
    },
  };
}

/** By the first name in a text: `word` finds it, with what shows that it is whole. */
export function head_by_name(body: string, word: RegExp, offered: Offered): Head {
  const name = word.exec(body.slice(0, MOST_HEAD))?.[1];
  if (name !== undefined) return offered(name) === undefined ? "no" : "yes";
  return body.length < MOST_HEAD ? "undecided" : "no";
}

/** A block that is one call whose arguments can't be made out. */
export function unreadable(
  name: string,
  text: string,
  fault = "its arguments cannot be read",
): BlockProgress {
  return { kind: "block", found: [malformed_call(name, { text, fault })], rest: "" };
}

/** What may follow a call in its line where words came before it: otherwise these are words about it. */
const LINE_END = /^[ \t]*(?:$|\r?\n|<[|｜/]|<tool|\[TOOL_CALLS\])/;

function judged(body: string, { block, offered, lead, inline }: BlockPlace & {
  block: Extract<BlockProgress, { kind: "block" }>;
}): BlockProgress {
  const text = { kind: "text", body } as const;
  if (inline && !LINE_END.test(block.rest)) return text;
  if (block.found.length > 0) {
    const shown = block.found.find(({ name }) => offered(name) !== undefined)?.name;
    const intent = intent_of({ lead, inline, rest: block.rest });
    if (shown === undefined || intent === "shown") return text;
    if (intent === "doubtful") return { ...text, shown };
  }
  return { ...block, found: block.found.map((found) => known(found, offered)) };
}

function known(found: ParsedCall, offered: Offered): ParsedCall {
  if (found.kind === "malformed" || offered(found.name) !== undefined) return found;
  const { name, arguments: text } = found;
  return malformed_call(name, { text, fault: `no tool "${name}" is offered` });
}
