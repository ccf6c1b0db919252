/** What a JSON Schema itself has to look like, draft 2020-12: its meta-schema, without what only describes. */
import type { Schema } from "@cfworker/json-schema";

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

/** Held against a schema. */
export const META_SCHEMA: Schema = { type: ["object", "boolean"], properties: KEYWORDS };

/** Whether a name is a word of the draft. */
export function is_keyword(name: string): boolean {
  return Object.hasOwn(KEYWORDS, name);
}
