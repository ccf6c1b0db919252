import { Validator } from "@cfworker/json-schema";
import type { Tool } from "./tool.ts";

/** What is wrong with the arguments of a call, in words; null if they fit the tool's schema. */
export function fault_of(tool: Tool<unknown>, args: unknown): string | null {
  const schema = structuredClone(tool.parameters);
  const { valid, errors } = new Validator(
    { ...schema, required: [...schema.required] },
    "2020-12",
    false,
  )
    .validate(args);
  if (valid) return null;
  // "properties" and "items" only say that one of them does not fit, which the next entry says better.
  return errors.filter(({ keyword }) => keyword !== "properties" && keyword !== "items")
    .map(({ instanceLocation, error }) => {
      const path = instanceLocation.replace(/^#\/?/, "").replaceAll("/", ".");
      return path === "" ? error : `${path}: ${error}`;
    }).join(" ");
}
