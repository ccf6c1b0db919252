import { Pile } from "../config/text_pieces.ts";
import { MOST_HEAD } from "./call_buffer.ts";
import type { BlockPlace, BlockReader, Dialect } from "./dialect.ts";
import { named_dialect } from "./named_calls.ts";

// Blanks belong to what is before them, so that there is one way to take many.
const CHANNEL =
  "(?:<\\|channel\\|>\\s*)?(?:(?:commentary|analysis)\\s*)?(?:<\\|channel\\|>\\s*(?:commentary|analysis)\\s*)?";
const TO = "to=(?:functions\\.)?([\\w-]+)";
const REST =
  "(?:<\\|channel\\|>\\s*(?:commentary|analysis)\\s*)?(?:<\\|constrain\\|>\\s*)?(?:(?:json|code)\\s*)?(?:<\\|message\\|>)?";

/** gpt-oss: a message on a channel, with a tool as its recipient; the recipient may be in the header of the role. */
export const harmony_call = named_dialect({
  name: "harmony",
  openings: ["<|channel|>", "<|start|>assistant"],
  anywhere: true,
  name_part: `${CHANNEL}${TO}`,
  between: REST,
  after: "<\\|call\\|>",
});

/** Harmony where a server has taken the marks out. */
export const harmony_bare = named_dialect({
  name: "harmony",
  openings: [
    "commentary to=functions.",
    "analysis to=functions.",
    "assistantcommentary to=functions.",
    "to=functions.",
  ],
  name_part: "([\\w-]+)",
  between: `(?:(?:commentary|analysis)\\s*)?${REST}`,
  after: "<\\|call\\|>",
});

/** Thinking, or the answer itself, with the marks that a server should have taken out. */
export const harmony_text: Dialect = {
  name: "harmony",
  openings: ["<|channel|>", "<|start|>assistant"],
  begin: (_opening: string, { lead }: BlockPlace) => text_block(lead.trim() === ""),
};

const HEADER =
  /^\s*(?:<\|channel\|>)?\s*(final|analysis|commentary)\s*(?:<\|constrain\|>\s*\w+\s*)?<\|message\|>/;
const MAY_BE_HEADER = /^\s*(?:<\|[a-z|]*>?\s*)?[a-z]{0,10}\s*(?:<[a-z|]*>?\w*\s*<?[a-z|]*)?$/;

/** Ends a message; what begins the next one stays. */
const END = /<\|end\|>|(?=<\|(?:start|channel)\|>)/;
/** How much of a mark that ends a message may have come before a piece: all but its last character. */
const BEGUN_MARK = "<|channel|>".length - 1;

function text_block(at_start: boolean): BlockReader {
  const body = new Pile();
  let in_message = false;
  let before = "";
  return {
    push(text) {
      body.add(text);
      let fresh = text;
      if (!in_message) {
        const head = body.text.slice(0, MOST_HEAD);
        const header = HEADER.exec(head);
        if (header === null) {
          const may_be = at_start && head.length < MOST_HEAD && MAY_BE_HEADER.test(head);
          return may_be ? { kind: "open" } : { kind: "text", body: body.text };
        }
        if (!at_start) return { kind: "text", body: body.text };
        fresh = body.text.slice(header[0].length);
        if (header[1] === "final") return { kind: "block", found: [], rest: fresh };
        in_message = true;
      }
      const looked_at = before + fresh;
      const end = END.exec(looked_at);
      before = looked_at.slice(-BEGUN_MARK);
      if (end === null) return { kind: "open" };
      return { kind: "block", found: [], rest: looked_at.slice(end.index + end[0].length) };
    },
    end: () =>
      in_message ? { kind: "block", found: [], rest: "" } : { kind: "text", body: body.text },
  };
}
