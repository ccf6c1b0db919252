/** Rewrites the schema of a tool's arguments so that every service takes it. What it says less of them, the server checks. */
import { fields } from "../../config/json.ts";
import { referred_to } from "../foreign_schema.ts";

type Schema = Readonly<Record<string, unknown>>;

/** The arguments of an object, whichever of its choices is taken. */
interface Folded {
  readonly properties: Schema;
  readonly required: readonly string[];
}

/** Of choices in choices, and of references, which may lead round and round. */
const MOST_PARTS = 1000;

/**
 * OpenAI: "schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level" (langchain-ai/langchainjs#9804),
 * "array schema missing items" (spacelift-io/spacectl#402); Anthropic: "input_schema does not support oneOf, allOf, or anyOf at the top level"
 * (zereight/gitlab-mcp#552). `text` is the schema in JSON.
 */
export function portable(text: string): Schema & Folded {
  const whole: Schema = JSON.parse(text, with_items);
  const { anyOf: _any, oneOf: _one, allOf: _all, enum: _enum, not: _not, ...rest } = whole;
  return { type: "object", ...rest, ...folded(whole, { whole, left: MOST_PARTS }) };
}

function with_items(_key: string, value: unknown): unknown {
  const { type, items, prefixItems } = fields(value);
  return type === "array" && items === undefined && prefixItems === undefined
    ? { ...value as Schema, items: {} }
    : value;
}

function folded(schema: Schema, at: { readonly whole: Schema; left: number }): Folded {
  const parts = (key: string) => {
    const list = schema[key];
    return (Array.isArray(list) ? list : []).filter(() => --at.left > 0).map((one: unknown) => {
      const { $ref } = fields(one);
      return folded(fields(typeof $ref === "string" ? referred_to($ref, at.whole) : one), at);
    });
  };
  const all = parts("allOf");
  const choices = [parts("anyOf"), parts("oneOf")].filter((list) => list.length > 0);
  const own = Object.entries(fields(schema["properties"]))
    .map(([name, value]) => [name, fields(value)] as const);
  const needed = Array.isArray(schema["required"]) ? schema["required"] : [];
  const needed_by_all = choices.flatMap(([first, ...others]) =>
    (first?.required ?? []).filter((name) =>
      others.every(({ required }) => required.includes(name))
    )
  );
  return {
    properties: { ...merged([...all, ...choices.flat()]), ...Object.fromEntries(own) },
    required: [
      ...new Set([
        ...needed.filter((name) => typeof name === "string"),
        ...all.flatMap(({ required }) => required),
        ...needed_by_all,
      ]),
    ],
  };
}

/** What several say of one argument may each be meant. */
function merged(parts: readonly Folded[]): Schema {
  const said = new Map<string, Map<string, unknown>>();
  for (const [name, value] of parts.flatMap(({ properties }) => Object.entries(properties))) {
    const ways = said.get(name) ?? new Map<string, unknown>();
    said.set(name, ways.set(JSON.stringify(value), value));
  }
  return Object.fromEntries(
    [...said].map(([name, ways]) => {
      const [first, ...others] = ways.values();
      return [name, others.length === 0 ? first : { anyOf: [first, ...others] }];
    }),
  );
}
