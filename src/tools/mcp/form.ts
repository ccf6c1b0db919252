/** An MCP server's question to the person: a message, and a form that is filled in field by field. */
import { fields } from "../../config/json.ts";
import { either } from "../../config/text.ts";
import { harmless_text } from "./described.ts";

/** Puts a question to the person; null: no answer. */
type AskField = (question: string, choices: readonly string[]) => Promise<string | null>;

type Filled =
  | { readonly action: "accept"; readonly content: Record<string, string | number | boolean> }
  | { readonly action: "decline" | "cancel" };

/** Longer forms are no question beside a call. */
const MOST_FIELDS = 10;
/** How often a field is asked for that got no answer of its kind. */
const TRIES = 3;
const MESSAGE_CHARS = 1000;
const LABEL_CHARS = 200;
/** A list that can be chosen from by one key. */
const MOST_CHOICES = 9;
const YES = "yes", NO = "no";

/** Asks for all that a server wants to know. `cancel`: the person did not answer. */
export async function fill_in_form(
  server: string,
  params: unknown,
  ask: AskField,
): Promise<Filled> {
  const { message, requestedSchema, mode = "form" } = fields(params);
  const { properties, required } = fields(requestedSchema);
  const wanted = Object.entries(fields(properties));
  if (mode !== "form" || wanted.length > MOST_FIELDS) return { action: "decline" };
  const says = `MCP server ${server} asks: ${words(message, MESSAGE_CHARS)}`;
  if (wanted.length === 0) {
    const answer = await ask(says, [YES, NO]);
    if (answer === null) return { action: "cancel" };
    return answer === YES ? { action: "accept", content: {} } : { action: "decline" };
  }
  const content: Record<string, string | number | boolean> = {};
  const needed = Array.isArray(required) ? required : [];
  for (const [at, [name, described]] of wanted.entries()) {
    const field = { name, schema: fields(described), optional: !needed.includes(name) };
    // Each says whose it is: a field may be called like a question of hamr's own.
    const before = at === 0 ? `${says}\n` : `MCP server ${server}: `;
    const answer = await of_field(field, before, ask);
    if (answer === null) return { action: "cancel" };
    if (answer !== "") content[name] = answer;
  }
  return { action: "accept", content };
}

function words(value: unknown, chars: number): string {
  return harmless_text(String(value ?? "")).slice(0, chars);
}

/** Its value; empty where it may be left out, null where nothing came that it could be. */
async function of_field(
  { name, schema, optional }: {
    readonly name: string;
    readonly schema: Record<string, unknown>;
    readonly optional: boolean;
  },
  before: string,
  ask: AskField,
): Promise<string | number | boolean | null> {
  const kind = value_kind(schema);
  const label = words(schema["title"] ?? name, LABEL_CHARS);
  const more = schema["description"] === undefined
    ? ""
    : `: ${words(schema["description"], LABEL_CHARS)}`;
  const choices = kind.values.length <= MOST_CHOICES ? kind.values : [];
  const question = `${before}${label}${more} (${kind.words}${optional ? ", may be empty" : ""})`;
  for (let left = TRIES, why = ""; left > 0; left--) {
    const answer = (await ask(why + question, choices))?.trim();
    if (answer === undefined) return null;
    if (answer === "" && optional) return "";
    const value = kind.read(answer);
    if (value !== null) return value;
    why = `Not ${kind.words}. `;
  }
  return null;
}

/** What a field may hold, in words, and how an answer is read: null if it is not that. */
function value_kind(schema: Record<string, unknown>): {
  readonly words: string;
  readonly values: readonly string[];
  read(text: string): string | number | boolean | null;
} {
  const { type, enum: listed, oneOf } = schema;
  const { minimum, maximum, minLength = 0, maxLength = Infinity } = schema;
  const values = Array.isArray(listed)
    ? listed.map(String)
    : Array.isArray(oneOf)
    ? oneOf.map((one) => String(fields(one)["const"]))
    : [];
  if (values.length > 0) {
    const shown = values.map((value) => words(value, LABEL_CHARS));
    const read = (text: string) => values[shown.indexOf(text)] ?? null;
    return { words: `one of ${either(shown)}`, values: shown, read };
  }
  if (type === "boolean") {
    const read = (text: string) =>
      /^(?:y|yes|true)$/i.test(text) ? true : /^(?:n|no|false)$/i.test(text) ? false : null;
    return { words: "yes or no", values: [YES, NO], read };
  }
  if (type === "number" || type === "integer") {
    const read = (text: string) => {
      const value = text === "" ? NaN : Number(text);
      const fits = Number.isFinite(value) && (type === "number" || Number.isInteger(value)) &&
        value >= Number(minimum ?? -Infinity) && value <= Number(maximum ?? Infinity);
      return fits ? value : null;
    };
    const from = minimum === undefined ? "" : ` from ${Number(minimum)}`;
    const to = maximum === undefined ? "" : ` up to ${Number(maximum)}`;
    return {
      words: `${type === "number" ? "a number" : "a whole number"}${from}${to}`,
      values,
      read,
    };
  }
  const read = (text: string) =>
    text.length >= Math.max(1, Number(minLength)) && text.length <= Number(maxLength) ? text : null;
  return { words: "text", values, read };
}
