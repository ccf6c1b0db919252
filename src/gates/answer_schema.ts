/** An answer that has to meet a JSON Schema (`--output-schema`). Loaded only where one is given. */
import { dereference, type Schema, validate, Validator } from "@cfworker/json-schema";
import { read_value } from "../dialects/lenient.ts";
import { schema_faults } from "../config/schema_faults.ts";
import { on_thread } from "../config/thread.ts";

/** What is wrong with an answer; a long list helps nobody. */
const MOST_FAULTS = 8;
/** An answer with more brackets that begin nothing is prose. */
const MOST_STARTS = 64;

/** Milliseconds; patterns that people write take none. */
const PATTERNS_MS = 10_000;

export type Shaped =
  | { readonly ok: true; readonly json: string }
  | { readonly ok: false; readonly fault: string };

/** The schema that a text holds; a message that follows "it" where it holds none. Draft 2020-12. */
export function read_schema(text: string): { readonly schema: Schema } | string {
  let schema: unknown;
  try {
    schema = JSON.parse(text);
  } catch (error) {
    return `is not JSON: ${error instanceof Error ? error.message : error}`;
  }
  if (typeof schema !== "object" || schema === null || Array.isArray(schema)) {
    return "is not a JSON Schema: it has to be an object";
  }
  const { valid, errors } = new Validator(META_SCHEMA, "2020-12", false).validate(schema);
  if (!valid) return `is not a JSON Schema: ${schema_faults(errors, MOST_FAULTS)}`;
  const keys = Object.keys(schema);
  if (keys.length > 0 && !keys.some(is_keyword)) {
    return `is not a JSON Schema: it knows no ${keys.map((key) => `"${key}"`).join(", ")}`;
  }
  return lost_reference(schema) ?? { schema };
}

/** A reference that leads nowhere, or round and round; null where there is none. */
function lost_reference(schema: Schema): string | null {
  try {
    const known = dereference(schema);
    const parts = Object.values(known).filter((part) => typeof part === "object");
    const lost = parts.find(({ $ref, __absolute_ref__: at = $ref }) =>
      $ref !== undefined && known[at ?? ""] === undefined
    );
    if (lost !== undefined) return `refers to ${lost.$ref}, which is not in it`;
    // The validator ignores it, and would let everything pass.
    if (parts.some((part) => "$dynamicRef" in part)) {
      return "has a $dynamicRef, which is not supported; use $ref";
    }
    for (const part of parts) validate(null, part, "2020-12", known, false);
    return null;
  } catch (error) {
    if (error instanceof RangeError) return "refers to itself without end";
    return `is not a JSON Schema: ${error instanceof Error ? error.message : error}`;
  }
}

/** The last value in an answer that meets the schema, as JSON: the whole, a block of code, or from a bracket. Else what is wrong with it. */
export function shape(answer: string, schema_text: string): Shaped {
  const read = read_schema(schema_text);
  if (typeof read === "string") throw new TypeError(`the schema ${read}`);
  const validator = new Validator(read.schema, "2020-12", false);
  const found = candidates(answer.trim());
  let fault = "it is not JSON";
  for (const { value, text } of found) {
    const { valid, errors } = validator.validate(bare(value));
    if (valid) return { ok: true, json: as_written(text) ?? JSON.stringify(value) };
    fault = schema_faults(errors, MOST_FAULTS);
  }
  return { ok: false, fault };
}

/** The same where a pattern may go back and forth for years. */
export async function shape_in_time(
  answer: string,
  schema: string,
  signal: AbortSignal,
): Promise<Shaped> {
  if (!/"pattern(?:Properties)?"/.test(schema)) return shape(answer, schema);
  const late = { ok: false, fault: `its patterns take more than ${PATTERNS_MS / 1000} s` } as const;
  const module = new URL("./answer_schema_worker.ts", import.meta.url);
  const how = { ms: PATTERNS_MS, lost: late, signal };
  return await on_thread<Shaped>(module, { answer, schema }, how) ?? late;
}

/** What V8 has, and TypeScript does not know yet. */
interface ExactJson {
  parse(
    text: string,
    keep: (key: string, value: unknown, at: { source: string }) => unknown,
  ): unknown;
  rawJSON(source: string): unknown;
}

/** On one line, its numbers with all their digits: an id may have more than a double holds. Null where it is no strict JSON. */
function as_written(text: string): string | null {
  const exact = JSON as unknown as ExactJson;
  try {
    return JSON.stringify(
      exact.parse(
        text,
        (_, value, { source }) => typeof value === "number" ? exact.rawJSON(source) : value,
      ),
    );
  } catch {
    return null;
  }
}

/** A value without what every object inherits: a property may be called `constructor`. */
function bare(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(bare);
  const entries = Object.entries(value).map(([name, one]) => [name, bare(one)]);
  return Object.setPrototypeOf(Object.fromEntries(entries), null);
}

/** A value, and the text that it was read out of. */
interface WrittenValue {
  readonly value: unknown;
  readonly text: string;
}

/** The last that was said comes first; the whole before its parts. */
function candidates(text: string): WrittenValue[] {
  const whole = parsed(text);
  if (whole.length > 0) return whole;
  const blocks = [...text.matchAll(/```[a-z0-9]*[ \t]*\r?\n(.*?)```/gis)]
    .flatMap((match) => parsed((match[1] ?? "").trim()));
  return [...blocks.reverse(), ...inside(text).reverse()];
}

function inside(text: string): WrittenValue[] {
  const found: WrittenValue[] = [];
  const next = (from: number) => {
    const at = text.slice(from).search(/[{[]/);
    return at < 0 ? -1 : from + at;
  };
  let starts = 0;
  for (let at = next(0); at >= 0 && ++starts <= MOST_STARTS;) {
    const read = read_value(text, at);
    if (read !== undefined) found.push({ value: read.value, text: text.slice(at, read.end) });
    at = next(read?.end ?? at + 1);
  }
  return found;
}

/** The one value that a text is; none where it is not. */
function parsed(text: string): WrittenValue[] {
  try {
    return [{ value: JSON.parse(text), text }];
  } catch {
    const read = read_value(text, 0);
    return read !== undefined && text.slice(read.end).trim() === ""
      ? [{ value: read.value, text }]
      : [];
  }
}

const SCHEMA: Schema = { $ref: "#" };
const TYPE: Schema = {
  enum: ["null", "boolean", "object", "array", "number", "string", "integer"],
};
const COUNT: Schema = { type: "integer", minimum: 0 };
const NUMBER: Schema = { type: "number" };
const TEXT: Schema = { type: "string" };
const PATTERN: Schema = { type: "string", format: "regex" };
const NAMES: Schema = { type: "array", items: TEXT, uniqueItems: true };
const LIST: Schema = { type: "array", items: SCHEMA, minItems: 1 };
const MAP: Schema = { type: "object", additionalProperties: SCHEMA };

/** The values of a row's keywords have that form. */
const FORMS: readonly (readonly [form: Schema, keywords: string])[] = [
  [TEXT, "$schema $id $ref $anchor format"],
  [MAP, "$defs definitions properties dependentSchemas"],
  [{ ...MAP, propertyNames: PATTERN }, "patternProperties"],
  [SCHEMA, "items contains additionalProperties propertyNames if then else not"],
  [SCHEMA, "unevaluatedItems unevaluatedProperties"],
  [LIST, "allOf anyOf oneOf prefixItems"],
  [NUMBER, "minimum maximum exclusiveMinimum exclusiveMaximum"],
  [{ type: "number", exclusiveMinimum: 0 }, "multipleOf"],
  [COUNT, "minLength maxLength minItems maxItems minProperties maxProperties"],
  [COUNT, "minContains maxContains"],
  [PATTERN, "pattern"],
  [{ type: "boolean" }, "uniqueItems"],
  [NAMES, "required"],
  [{ type: "object", additionalProperties: NAMES }, "dependentRequired"],
  [{ type: "array" }, "enum"],
  [{}, "const default examples title description $comment deprecated readOnly writeOnly"],
  [
    { if: { type: "array" }, then: { items: TYPE, minItems: 1, uniqueItems: true }, else: TYPE },
    "type",
  ],
];

/** By keyword. Others mean nothing, as the draft has it. */
const KEYWORDS: Readonly<Record<string, Schema>> = Object.fromEntries(
  FORMS.flatMap(([form, keywords]) => keywords.split(" ").map((keyword) => [keyword, form])),
);

/** Held against a schema: the meta-schema of draft 2020-12, without what only describes. */
const META_SCHEMA: Schema = { type: ["object", "boolean"], properties: KEYWORDS };

/** Whether a name is a word of the draft. */
function is_keyword(name: string): boolean {
  return Object.hasOwn(KEYWORDS, name);
}
