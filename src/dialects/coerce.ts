import { is_record, json } from "../config/json.ts";
import type { Parameters } from "../tools/tool.ts";

/** JSON Schema, as far as it is looked at here. */
type Schema = Readonly<Record<string, unknown>>;
type JsonObject = Readonly<Record<string, unknown>>;

/** Arguments in the types of the schema, if nothing is lost: "5" for 5, a lone string for a list. What can't be made to fit stays. */
export function coerce(
  args: JsonObject,
  { properties, required }: Pick<Parameters, "properties" | "required">,
): JsonObject {
  let changed = false;
  const entries = Object.entries(args).flatMap(([name, given]) => {
    const wanted = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (wanted === undefined) return [[name, given] as const];
    const value = to_type(given, wanted);
    const optional = !required.includes(name);
    if (optional && (is_nothing(given, wanted) || is_nothing(value, wanted))) {
      changed = true;
      return [];
    }
    changed ||= value !== given;
    return [[name, value] as const];
  });
  return changed ? Object.fromEntries(entries) : args;
}

function types_of(schema: Schema): readonly unknown[] {
  const { type } = schema;
  return Array.isArray(type) ? type : type === undefined ? [] : [type];
}

/** No text where a text is none of the types: `""`, `"null"`, `"None"`. */
const NO_VALUE = /^\s*(?:null|none|undefined|nil)?\s*$/i;

/** Whether a value that the schema refuses says that there is none. */
function is_nothing(value: unknown, schema: Schema): boolean {
  const types = types_of(schema);
  if (types.length === 0) return false;
  if (value === null) return !types.includes("null");
  if (typeof value === "string") {
    if (types.includes("string")) {
      return value === "" && Array.isArray(schema["enum"]) && !schema["enum"].includes("");
    }
    // A list may have one that is called so.
    return types.includes("array") ? value.trim() === "" : NO_VALUE.test(value);
  }
  return value === 0 && typeof schema["minimum"] === "number" && schema["minimum"] > 0;
}

function to_type(given: unknown, schema: Schema): unknown {
  const types = types_of(schema);
  if (typeof given !== "string" || types.length !== 1 || types[0] === "string") return given;
  switch (types[0]) {
    case "integer":
    case "number": {
      const value = Number(given);
      // "007" and "1e3" may be names.
      return Number.isFinite(value) && String(value) === given.trim() ? value : given;
    }
    case "boolean":
      return /^\s*true\s*$/i.test(given) ? true : /^\s*false\s*$/i.test(given) ? false : given;
    case "array": {
      const value = json(given);
      if (Array.isArray(value)) return value;
      const { items } = schema;
      return is_record(items) && types_of(items).includes("string") ? [given] : given;
    }
    case "object": {
      const value = json(given);
      return is_record(value) ? value : given;
    }
    default:
      return given;
  }
}
