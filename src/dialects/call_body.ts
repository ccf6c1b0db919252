import { is_record, json } from "../config/json.ts";
import { malformed_call, type ParsedCall, UNREADABLE } from "./dialect.ts";
import { repair } from "./repair.ts";

/** A name as tools have it; anything else cannot be one. */
const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** The calls of a text like `{"name":"read","arguments":{"path":"a"}}`, or of a list of such objects. */
export function read_body(body: string): readonly ParsedCall[] {
  const text = body.trim();
  const strict = json(text);
  if (Array.isArray(strict) && strict.length > 0) {
    return strict.map((item) => from_object(item, { text: JSON.stringify(item), repaired: false }));
  }
  const value = is_record(strict) ? strict : repair(text);
  return [from_object(value, { text, repaired: value !== strict })];
}

/** Whether a text is a call to the letter: all that can be known of one that was cut off behind its end. */
export function is_whole(body: string): boolean {
  return json(body) !== undefined;
}

/** The call that an object stands for; `text` is how it was written. */
export function from_object(
  value: unknown,
  { text, repaired }: { text: string; repaired: boolean },
): ParsedCall {
  if (!is_record(value)) {
    const name = /["'](?:tool_)?name["']\s*:\s*["']([A-Za-z0-9_-]{1,64})["']/.exec(text)?.[1];
    return malformed_call(name ?? UNREADABLE, { text, fault: "the call is not one JSON object" });
  }
  const { name } = value;
  if (typeof name !== "string" || !NAME.test(name)) {
    return malformed_call(UNREADABLE, { text, fault: 'the call has no "name"' });
  }
  const bare = Object.keys(value).every((key) => key === "name" || key === "type" || key === "id");
  const args = bare ? {} : value["arguments"] ?? stand_in(value);
  if (is_record(args)) {
    const fixed = repaired || value["arguments"] === undefined;
    return { kind: "call", name, arguments: JSON.stringify(args), repaired: fixed };
  }
  // Encoded once more than the format wants: what it says is looked at with every call's arguments.
  if (typeof args === "string") return { kind: "call", name, arguments: args, repaired: true };
  return malformed_call(name, { text, fault: 'the call has no "arguments" object' });
}

/** Llama's word for the arguments; but a schema under it makes the whole the definition of a tool. */
function stand_in({ parameters }: Readonly<Record<string, unknown>>): unknown {
  return is_record(parameters) && is_record(parameters["properties"]) ? undefined : parameters;
}
