/** Repairs the JSON object that a model meant, in the order of seed 004. Nothing is made up: only missing brackets are added, and in doubt nothing is returned. */
import { is_record, json } from "../config/json.ts";
import { read_object } from "./lenient.ts";

type JsonObject = Readonly<Record<string, unknown>>;

/** A JSON text in a JSON text in a JSON text: some gateways encode once more than the model did. */
const MOST_ENCODINGS = 3;

/** The arguments a text stands for; undefined if they cannot be made out. */
export function repair(text: string): JsonObject | undefined {
  return meant(text, MOST_ENCODINGS);
}

export function json_object(text: string): JsonObject | undefined {
  const value = json(text);
  return is_record(value) ? value : undefined;
}

function meant(text: string, encodings: number): JsonObject | undefined {
  const bare = unfenced(text.trim()).replace(EMPTY_FIRST, "");
  return json_object(bare) ?? decoded(bare, encodings) ?? whole(bare) ?? embedded(bare) ??
    whole(bare, { close: true });
}

/** All of a text: also Python's spelling, and trailing commas. */
function whole(text: string, how: { close?: true } = {}): JsonObject | undefined {
  const read = read_object(text, how);
  return read?.end === text.length ? read.value : undefined;
}

/** Without the marks of a block of code around it. */
function unfenced(text: string): string {
  if (!text.startsWith("```")) return text;
  const inner = text.replace(/^```[\w-]*/, "");
  return (inner.endsWith("```") ? inner.slice(0, -3) : inner).trim();
}

function decoded(text: string, encodings: number): JsonObject | undefined {
  const value = text.startsWith('"') ? json(text) : undefined;
  return typeof value === "string" && encodings > 0 ? meant(value, encodings - 1) : undefined;
}

/** Objects without anything in them that stand before another one: gateways in front of Anthropic (BerriAI/litellm#4537). */
const EMPTY_FIRST = /^(?:\{\s*\}\s*)+(?=\{)/;

/** One object with words around it; of two, or behind the end of another, nobody knows which is meant. */
function embedded(text: string): JsonObject | undefined {
  const at = text.indexOf("{");
  const is_first = at >= 0 && !text.slice(0, at).includes("}");
  const read = is_first ? read_object(text, { at }) : undefined;
  return read === undefined || text.includes("{", read.end) ? undefined : read.value;
}
