import type { BlockPlace, BlockReader, Dialect } from "./dialect.ts";
import { named_dialect } from "./named_calls.ts";

const CHANNEL =
  "(?:<\\|channel\\|>)?\\s*(?:commentary|analysis)?\\s*(?:<\\|channel\\|>\\s*(?:commentary|analysis))?\\s*";
const TO = "to=(?:functions\\.)?([\\w-]+)";
const REST =
  "(?:\\s*<\\|channel\\|>\\s*(?:commentary|analysis))?\\s*(?:<\\|constrain\\|>)?\\s*(?:json|code)?\\s*(?:<\\|message\\|>)?";

/** gpt-oss: a message on a channel, with a tool as its recipient; the recipient may be in the header of the role. */
export const harmony_call = named_dialect({
  name: "harmony",
  openings: ["<|channel|>", "<|start|>assistant"],
  anywhere: true,
  name_part: `${CHANNEL}${TO}`,
  between: REST,
  after: "<\\|call\\|>",
});

/** The same where a server has taken the marks out. */
export const harmony_bare = named_dialect({
  name: "harmony",
  openings: [
    "commentary to=functions.",
    "analysis to=functions.",
    "assistantcommentary to=functions.",
    "to=functions.",
  ],
  name_part: "([\\w-]+)",
  between: `\\s*(?:commentary|analysis)?${REST}`,
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

function text_block(at_start: boolean): BlockReader {
  let body = "";
  return {
    push(text) {
      body += text;
      const header = HEADER.exec(body);
      if (header === null) {
        return at_start && MAY_BE_HEADER.test(body) ? { kind: "open" } : { kind: "text", body };
      }
      const message = body.slice(header[0].length);
      if (!at_start) return { kind: "text", body };
      if (header[1] === "final") return { kind: "block", found: [], rest: message };
      const end = /<\|end\|>|(?=<\|(?:start|channel)\|>)/.exec(message);
      if (end === null) return { kind: "open" };
      return { kind: "block", found: [], rest: message.slice(end.index + end[0].length) };
    },
    end: () => HEADER.test(body) ? { kind: "block", found: [], rest: "" } : { kind: "text", body },
  };
}
