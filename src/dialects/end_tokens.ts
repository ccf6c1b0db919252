import type { Dialect } from "./dialect.ts";

const TOKENS = [
  ...["<|im_end|>", "<|endoftext|>", "<|eot_id|>", "<|eom_id|>", "<|end_of_text|>", "<|end|>"],
  ...["<|return|>", "<|call|>", "<|eom|>", "<|eot|>", "<|end_of_role|>", "<|endofprompt|>"],
  ...[
    "<|END_OF_TURN_TOKEN|>",
    "<|END_RESPONSE|>",
    "<|end_of_solution|>",
    "<|user|>",
    "<|observation|>",
    "<|assistant_end|>",
  ],
  ...["<｜end▁of▁sentence｜>", "<end_of_turn>", "<turn|>", "[e~[", "</s>", "<seed:eos>", "[EOS]"],
  ...["<|tool_calls_section_end|>", "<|tool_call_end|>", "<｜tool▁calls▁end｜>", "<|END_ACTION|>"],
];

export const END_TOKENS = new RegExp(TOKENS.map(RegExp.escape).join("|"));

const LEADING = new RegExp(`^\\s*(?:(?:${END_TOKENS.source})\\s*)*`);

/** No call, but the end of a reply in the model's own tokens, which may leak into its text. It counts at the very end or before another mark. */
export const end_tokens: Dialect = {
  name: "end-token",
  openings: TOKENS,
  anywhere: true,
  begin(opening, { inline, lead }) {
    let behind = "";
    // "… ends with <|im_end|>", a struck-out `<s>` and what ends a block that was no call are words of an answer.
    const is_word = /<[|｜]/.test(lead) ||
      (inline && (/\s$/.test(lead) || (opening === "</s>" && lead.includes("<s>"))));
    return {
      push(text) {
        behind += text;
        if (is_word) return { kind: "text", body: behind };
        const rest = behind.replace(LEADING, "");
        if (TOKENS.some((token) => token.startsWith(rest))) return { kind: "open" };
        return /^[<[]/.test(rest)
          ? { kind: "block", found: [], rest }
          : { kind: "text", body: behind };
      },
      end: () => is_word ? { kind: "text", body: behind } : { kind: "block", found: [], rest: "" },
    };
  },
};
