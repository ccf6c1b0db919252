/** Checks arguments against the schema of a foreign tool, on the main thread: without patterns, which may take years, and with references resolved up to a bound. */
import { fields } from "../config/json.ts";

type Unreferenced = Readonly<Record<string, unknown>> | boolean;

/** Of the tree; schemas of servers in use have some hundreds. */
const MOST_NODES = 5000;
/** Of schemas in schemas, and of references that lead to references. */
const MOST_DEPTH = 32;

/** Keywords that are compared as they are. */
const PLAIN = [
  ...["type", "enum", "const", "required", "minimum", "maximum", "multipleOf"],
  ...["exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength"],
  ...["minItems", "maxItems", "minProperties", "maxProperties"],
];
const ONE = [
  ...["additionalProperties", "propertyNames", "items", "contains"],
  ...["not", "if", "then", "else"],
];
const LIST = ["anyOf", "oneOf", "allOf", "prefixItems"];

/** What can be checked of it, in time that grows with the arguments and no faster. */
export function checkable(schema: Readonly<Record<string, unknown>>): Unreferenced {
  let left = MOST_NODES;
  const tree = (value: unknown, depth: number): Unreferenced => {
    if (typeof value === "boolean") return value;
    // Whatever it is fits.
    if (--left < 0 || depth > MOST_DEPTH) return true;
    const node = fields(value);
    const { $ref, ...beside } = node;
    if ($ref !== undefined) {
      const target = typeof $ref === "string" ? referred_to($ref, schema) : undefined;
      const all = [target ?? true, ...(Object.keys(beside).length === 0 ? [] : [beside])];
      return all.length === 1
        ? tree(all[0], depth + 1)
        : { allOf: all.map((one) => tree(one, depth + 1)) };
    }
    const found: Record<string, unknown> = {};
    for (const key of PLAIN) if (Object.hasOwn(node, key)) found[key] = node[key];
    for (const key of ONE) {
      if (Object.hasOwn(node, key) && !Array.isArray(node[key])) {
        found[key] = tree(node[key], depth + 1);
      }
    }
    for (const key of LIST) {
      const many = node[key];
      if (Array.isArray(many) && many.length > 0) {
        found[key] = many.map((one) => tree(one, depth + 1));
      }
    }
    if (Object.hasOwn(node, "properties")) {
      const properties = fields(node["properties"]);
      found["properties"] = Object.fromEntries(
        Object.entries(properties).map(([name, one]) => [name, tree(one, depth + 1)]),
      );
      if (Array.isArray(node["required"])) {
        // zod requires what has a default, as @playwright/mcp's `scale`: the server puts it in.
        found["required"] = node["required"].filter((name: string) =>
          !Object.hasOwn(fields(properties[name]), "default")
        );
      }
    }
    return found;
  };
  return tree(schema, 0);
}

/** What `#/$defs/name` leads to; undefined if it leads nowhere in this schema. */
export function referred_to(ref: string, schema: unknown): unknown {
  if (!ref.startsWith("#")) return undefined;
  let at: unknown = schema;
  for (const part of ref.slice(1).split("/").slice(1)) {
    const name = part.replaceAll("~1", "/").replaceAll("~0", "~");
    const here: Readonly<Record<string, unknown>> = fields(at);
    at = Object.hasOwn(here, name) ? here[name] : undefined;
  }
  return at;
}
