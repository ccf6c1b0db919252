import type {
  ResponseOutputMessage,
  ResponseReasoningItem,
} from "openai/resources/responses/responses";
import { json_text, string_of, with_unique_ids } from "./reply_fields.ts";
import { field } from "../errors.ts";
import type { ToolCall } from "../message.ts";

/** Reasoning as a request takes it: the id is optional there. */
export type KeptReasoning = Omit<ResponseReasoningItem, "id"> & { readonly id?: string };

export type KeptItem =
  | {
    readonly kind: "reasoning";
    /** Id of the call that it led to; empty: it led to the text. */
    readonly before: string;
    readonly item: KeptReasoning;
  }
  /** Whether the text was said on the way or at the end: models that tell these apart do worse without (OpenAI). */
  | { readonly kind: "phase"; readonly phase: NonNullable<ResponseOutputMessage["phase"]> };

/** Between two messages, or two parts of a summary, of one reply. */
export const GAP = "\n\n";

export interface ReplyItems {
  readonly text: string;
  readonly reasoning: string;
  readonly calls: readonly ToolCall[];
  readonly kept: readonly KeptItem[];
  readonly refused: boolean;
}

/** What these items say; no call gets an id that is `taken`. */
export function said_by(items: readonly unknown[], taken: Iterable<string>): ReplyItems {
  const drafts = items.filter(is_call);
  const calls = with_unique_ids(drafts.map(draft_of), taken);
  const messages = items.filter((item) => field(item, "type") === "message");
  return {
    text: messages.map(text_of).filter((text) => text !== "").join(GAP),
    reasoning: items.map(thoughts_of).filter((text) => text !== "").join(GAP),
    calls,
    kept: kept_of(items, (call) => calls[drafts.indexOf(call)]?.id ?? ""),
    refused: messages.some((item) => parts_of(item, "content", "refusal").length > 0),
  };
}

function is_call(item: unknown): boolean {
  return field(item, "type") === "function_call";
}

function draft_of(item: unknown): { id: string; name: string; arguments: string } {
  return {
    id: string_of(field(item, "call_id")) || string_of(field(item, "id")),
    name: string_of(field(item, "name")),
    arguments: json_text(field(item, "arguments") ?? ""),
  };
}

function parts_of(item: unknown, list: "content" | "summary", type: string): unknown[] {
  const parts = field(item, list);
  return Array.isArray(parts) ? parts.filter((part) => field(part, "type") === type) : [];
}

function text_of(message: unknown): string {
  const parts = field(message, "content");
  if (!Array.isArray(parts)) return string_of(parts);
  return parts.map((part) => string_of(field(part, "text") ?? field(part, "refusal"))).join("");
}

/** The reasoning itself where the server shows it, else its summary. */
function thoughts_of(item: unknown): string {
  if (field(item, "type") !== "reasoning") return "";
  const whole = parts_of(item, "content", "reasoning_text");
  const parts = whole.length > 0 ? whole : parts_of(item, "summary", "summary_text");
  return parts.map((part) => string_of(field(part, "text"))).filter((text) => text !== "")
    .join(GAP);
}

/** Reasoning that only the server can read, with what follows it; what leads to nothing is not wanted back. */
function kept_of(items: readonly unknown[], id_of: (call: unknown) => string): KeptItem[] {
  const kept: KeptItem[] = [];
  let pending: KeptReasoning[] = [];
  const lead_to = (before: string) => {
    kept.push(...pending.map((item) => ({ kind: "reasoning", before, item } as const)));
    pending = [];
  };
  for (const item of items) {
    if (is_call(item)) lead_to(id_of(item));
    else if (field(item, "type") === "message" && text_of(item) !== "") {
      lead_to("");
      const phase = field(item, "phase");
      if (phase === "commentary" || phase === "final_answer") kept.push({ kind: "phase", phase });
    } else if (field(item, "type") === "reasoning") pending.push(...encrypted(item));
  }
  return kept;
}

/** The fields that a request may have. llama.cpp's reasoning is not encrypted, and not wanted back. */
function encrypted(item: unknown): KeptReasoning[] {
  const encrypted_content = string_of(field(item, "encrypted_content"));
  if (encrypted_content === "") return [];
  const summary = parts_of(item, "summary", "summary_text") as ResponseReasoningItem["summary"];
  const id = string_of(field(item, "id"));
  return [{ type: "reasoning", ...(id === "" ? {} : { id }), summary, encrypted_content }];
}
