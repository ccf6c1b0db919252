/** Checks rows of a saved session: they may be damaged, or come from someone else's file. */
import { is_record, json } from "../../config/json.ts";
import * as v from "valibot";
import type { Message } from "../../model/message.ts";
import type { LedgerRow } from "../../tools/ledger.ts";

const count = v.pipe(v.number(), v.finite(), v.minValue(0));
const texts = v.array(v.string());
const memory = v.record(v.string(), v.unknown());
const { optional } = v;

/** Only what it cannot go on without has to be there: another version may have saved less. */
export const STATE = v.looseObject({
  tools: texts,
  schemas: optional(v.array(v.looseObject({
    name: v.string(),
    description: v.string(),
    parameters: v.looseObject({
      type: v.literal("object"),
      properties: v.record(v.string(), v.record(v.string(), v.unknown())),
      required: texts,
    }),
  }))),
  in_text: v.boolean(),
  without: texts,
  steps: count,
  turn: count,
  turn_start: optional(count),
  changes: optional(count),
  memory: optional(memory),
  warnings: optional(texts),
  token_ratio: optional(count),
  window: optional(v.nullable(v.looseObject({ tokens: count, known: v.boolean() }))),
  counted_by: optional(v.string()),
  counted: optional(count),
  counts_all: optional(v.boolean()),
  tools_seen: optional(v.boolean()),
  blind: optional(v.boolean()),
  described: optional(v.record(v.string(), v.string())),
  refused_at: optional(count),
  compacted: optional(count),
  compactions: optional(v.array(count)),
  summary: optional(v.string()),
  heard: optional(texts),
  kept: optional(v.string()),
  todos: optional(v.array(v.looseObject({
    text: v.string(),
    status: v.picklist(["pending", "in_progress", "completed"]),
  }))),
  todos_step: optional(count),
  asked: optional(v.string()),
  reminded: optional(memory),
  leaked: optional(texts),
  told: optional(v.string()),
});

/** There are thousands of messages and rows of the ledger: judged by a schema, 10,000 of them took 35 ms of a start. */
export const MESSAGE = v.custom<Message>(is_message, "not a message");

export const PART = v.looseObject({ opening: v.array(MESSAGE) });

const FACTS = [
  "file",
  "command",
  "attempt",
  "planned",
  "ref",
  "path",
  "noted",
  "served",
  "verification",
];

export const LEDGER_ROW = v.custom<LedgerRow>(
  (value) => is_record(value) && FACTS.includes(value["kind"] as string) && is_count(value["step"]),
  "not a row of a ledger",
);

export const ACTION = v.looseObject({
  turn: count,
  step: count,
  name: v.string(),
  args: v.string(),
  ran: v.boolean(),
  valid: v.boolean(),
  ok: v.boolean(),
  result: v.string(),
  ms: count,
  changes: count,
});

/** The value of a text of JSON, if it is like that. Throws a `TypeError` that says what is wrong, or a `SyntaxError`. */
export function value_like(schema: v.GenericSchema, text: string): unknown {
  const { success, output, issues: [issue] = [] } = v.safeParse(schema, JSON.parse(text));
  if (success) return output;
  const path = issue && v.getDotPath(issue);
  throw new TypeError(`${path ? `${path}: ` : ""}${issue?.message ?? "not such a row"}`);
}

function is_count(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}

function is_message(value: unknown): boolean {
  if (!is_record(value) || typeof value["content"] !== "string") return false;
  switch (value["role"]) {
    case "system":
      return true;
    case "user":
      return are_images(value["images"]);
    case "tool":
      return typeof value["tool_call_id"] === "string" && are_images(value["images"]);
    case "assistant":
      return ["string", "undefined"].includes(typeof value["reasoning"]) &&
        is_kept(value["kept"]) && all(value["tool_calls"], is_call);
    default:
      return false;
  }
}

function all(list: unknown, is_one: (value: unknown) => boolean): boolean {
  return list === undefined || (Array.isArray(list) && list.every(is_one));
}

function are_images(list: unknown): boolean {
  return all(list, (value) => has_texts(value, ["media_type", "data"]));
}

function is_kept(value: unknown): boolean {
  return value === undefined || (has_texts(value, ["wire"]) && Array.isArray(value["items"]));
}

function is_call(value: unknown): boolean {
  return has_texts(value, ["id", "name", "arguments"]) &&
    json(String(value["arguments"])) !== undefined;
}

function has_texts(
  value: unknown,
  names: readonly string[],
): value is Readonly<Record<string, unknown>> {
  return is_record(value) && names.every((name) => typeof value[name] === "string");
}
