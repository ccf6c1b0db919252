import { json } from "../config/json.ts";
import type { Parameters } from "../tools/tool.ts";
import { coerce } from "./coerce.ts";
import { read_value } from "./lenient.ts";

/** Arguments that stood as raw text between tags, as one JSON text: the schema decides their types, never the look of a value. */
export function typed(raw: ReadonlyMap<string, string>, parameters: Parameters): string {
  const entries = [...raw].map(([name, text]) => {
    const schema = Object.hasOwn(parameters.properties, name)
      ? parameters.properties[name]
      : undefined;
    return [name, schema === undefined ? text : value_of(text, schema["type"])] as const;
  });
  return JSON.stringify(coerce(Object.fromEntries(entries), parameters));
}

function value_of(text: string, type: unknown): unknown {
  const types = Array.isArray(type) ? type : [type];
  if (type === undefined || types.includes("string")) return text;
  const bare = text.trim();
  const strict = json(bare);
  if (strict !== undefined) return strict;
  const read = read_value(bare, 0);
  return read?.end === bare.length ? read.value : bare;
}
