import type { BlockPlace, BlockReader, Dialect } from "./dialect.ts";
import { named_dialect } from "./named_calls.ts";
import { xml_dialect } from "./xml_calls.ts";

/** Functionary 3.1, and Llama 3.1 where its prompt presents tools this way; Llama 3.3 drops or replaces the `>`. */
export const functionary_v31 = named_dialect({
  name: "functionary-v3.1",
  openings: ["<function="],
  anywhere: "sentence",
  name_part: "([\\w.-]+)(?:>|=\\(?|\\()?",
  between: "",
  after: "\\)?>?</function>",
});

export const functionary_v32 = named_dialect({
  name: "functionary-v3.2",
  openings: [">>>"],
  anywhere: "sentence",
  name_part: "([\\w.-]+)\\n",
  between: "",
  after: "",
});

/** What Kimi K3, Command R7B and OpenThinker begin their words with. */
export const recipients: Dialect = {
  name: "recipient",
  openings: [
    ...["<|open|>response\n", "<|open|>response<|sep|>"],
    ...["<|START_RESPONSE|>", "<|begin_of_solution|>"],
  ],
  begin: (_opening: string, { lead }: BlockPlace): BlockReader => ({
    push: (rest) =>
      lead.trim() === "" ? { kind: "block", found: [], rest } : { kind: "text", body: rest },
    end: () => ({ kind: "block", found: [], rest: "" }),
  }),
};

/** MiniCPM 5; values may be in CDATA. */
export const minicpm5 = xml_dialect({
  name: "minicpm5",
  openings: ['<function name="'],
  call: '<function name="([^"]+)">',
  argument: '<param name="([^"]+)">(?:<!\\[CDATA\\[)?',
  argument_end: "(?:\\]\\]>)?</param>",
  call_end: "</function>",
  after: "(?!)",
  line_breaks: "none",
});
