/** Parts of a reply with calls that hosted models want back as they were. */
import { field } from "../errors.ts";
import type { Message, ToolCall, WireState } from "../message.ts";
import { string_of } from "./reply_fields.ts";

/** What a Chat Completions server has said beside the calls of a reply. */
interface Returned {
  /** OpenRouter's form of reasoning, signed or encrypted: "Gemini models require OpenRouter reasoning details to be preserved in each request." */
  readonly reasoning_details: readonly unknown[];
  /** One for each call. Google: {"google":{"thought_signature":"…"}}, or "Function call is missing a thought_signature in functionCall parts." */
  readonly extra_content: readonly unknown[];
}

/** For calls of another model (ai.google.dev/gemini-api/docs/thought-signatures). */
const UNSIGNED = { google: { thought_signature: "skip_thought_signature_validator" } };

/** Which field of a detail comes in pieces, by its type. */
const PIECES: Readonly<Record<string, string>> = {
  "reasoning.text": "text",
  "reasoning.summary": "summary",
};

export function add_details(all: unknown[], details: unknown): void {
  for (const detail of Array.isArray(details) ? details : []) {
    const last = all.at(-1);
    const piece = PIECES[string_of(field(detail, "type"))];
    const same = (name: string) => field(last, name) === field(detail, name);
    if (piece === undefined || !same("type") || !same("index")) {
      all.push(detail);
      continue;
    }
    // A signature comes last, and is null before.
    const said = Object.entries(detail).filter(([, value]) => value !== null);
    const text = string_of(field(last, piece)) + string_of(field(detail, piece));
    all[all.length - 1] = { ...last as object, ...Object.fromEntries(said), [piece]: text };
  }
}

/** What is kept of a reply; nothing where no server wants anything back. */
export function to_return(
  reasoning_details: readonly unknown[],
  extra_content: readonly unknown[],
): { readonly kept?: WireState } {
  const some = reasoning_details.length > 0 || extra_content.some((extra) => extra !== undefined);
  if (!some || extra_content.length === 0) return {};
  const returned: Returned = { reasoning_details, extra_content };
  return { kept: { wire: "chat_completions", items: [returned] } };
}

export function without_returned(message: Message): Message {
  if (message.role !== "assistant" || message.kept === undefined) return message;
  const { kept: _, ...rest } = message;
  return rest;
}

/** The fields of a message, and of each of its calls, in which that goes back. */
export function returned(
  { kept, tool_calls = [] }: Extract<Message, { role: "assistant" }>,
  signs: boolean,
): { readonly message: object; readonly calls: readonly object[] } {
  const { reasoning_details, extra_content } = (kept?.items[0] ?? {}) as Partial<Returned>;
  const of_call = (_: ToolCall, at: number) => {
    // Only the first of several calls is signed.
    const extra = extra_content?.[at] ?? (signs && at === 0 ? UNSIGNED : undefined);
    return extra === undefined ? {} : { extra_content: extra };
  };
  return {
    message: reasoning_details?.length ? { reasoning_details } : {},
    calls: tool_calls.map(of_call),
  };
}
