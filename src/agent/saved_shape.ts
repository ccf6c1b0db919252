/** What a session that is read back must be like: its rows may be damaged, or out of somebody else's file. */
import * as v from "valibot";

const count = v.pipe(v.number(), v.finite(), v.minValue(0));
const texts = v.array(v.string());
const memory = v.record(v.string(), v.unknown());
const { optional } = v;

/** Only what it cannot go on without has to be there: another version may have saved less. */
export const STATE = v.looseObject({
  tools: texts,
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
});

const images = optional(v.array(v.looseObject({ media_type: v.string(), data: v.string() })));
const arguments_text = v.pipe(v.string(), v.check(is_json, "Invalid arguments"));

export const MESSAGE = v.variant("role", [
  v.looseObject({ role: v.literal("system"), content: v.string() }),
  v.looseObject({ role: v.literal("user"), content: v.string(), images }),
  v.looseObject({
    role: v.literal("assistant"),
    content: v.string(),
    reasoning: optional(v.string()),
    kept: optional(v.looseObject({ wire: v.string(), items: v.array(v.unknown()) })),
    tool_calls: optional(
      v.array(v.looseObject({ id: v.string(), name: v.string(), arguments: arguments_text })),
    ),
  }),
  v.looseObject({
    role: v.literal("tool"),
    tool_call_id: v.string(),
    content: v.string(),
    images,
  }),
]);

export const PART = v.looseObject({ opening: v.array(MESSAGE) });

export const LEDGER_ROW = v.looseObject({
  kind: v.picklist(["file", "command", "attempt", "planned", "verification"]),
  step: count,
});

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
  const path = issue?.path?.map(({ key }) => String(key)).join(".") ?? "";
  throw new TypeError(`${path === "" ? "" : `${path}: `}${issue?.message ?? "it is no such row"}`);
}

function is_json(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
