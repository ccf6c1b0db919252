import { attempt } from "../config/attempt.ts";
import { type Schema, Validator } from "@cfworker/json-schema";
import { schema_faults } from "../config/schema_faults.ts";
import { checkable } from "./foreign_schema.ts";
import type { Tool } from "./tool.ts";

/** What is wrong with the arguments of a call, in words; null if they fit the tool's schema. */
export function fault_of(tool: Tool<unknown>, args: unknown): string | null {
  if (tool.mcp !== undefined) {
    // Keywords with values that they can't have: the server knows what it means.
    return attempt(() => fault_in(checkable({ ...tool.parameters }), args), null);
  }
  const schema = structuredClone(tool.parameters);
  return fault_in({ ...schema, required: [...schema.required] }, args);
}

function fault_in(schema: Schema | boolean, args: unknown): string | null {
  const { valid, errors } = new Validator(schema, "2020-12", false).validate(args);
  return valid ? null : schema_faults(errors);
}
