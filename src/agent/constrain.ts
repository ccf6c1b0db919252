/** Constrains a reply to the schema of a call, for a model that has failed to write one. Loaded when that has happened. */
import type { Endpoint } from "../model/server/endpoint.ts";
import type { ToolSchema } from "../tools/tool.ts";
import type { Session } from "./session.ts";

/** Servers that make a grammar of a schema; others leave it out, or refuse it. */
const HOLDING: readonly Endpoint["server"][] = ["llama.cpp", "vllm", "sglang"];

/** What makes a server reply with one call: of the tool meant last, or any. Tools and messages stay. Undefined if it can't. Says so. */
export function held_to_a_call(
  { endpoint: { api_mode, server }, state, tools, emit }: Pick<
    Session,
    "endpoint" | "state" | "tools" | "emit"
  >,
): unknown {
  if (api_mode !== "chat_completions" || !HOLDING.includes(server)) return undefined;
  const meant = tools.filter(({ name }) => name === state.turn.actions.at(-1)?.name);
  const [some, names] = meant.length > 0 ? [meant, meant[0]?.name] : [tools, "a tool"];
  const message = `two replies in a row had no call that could be run: ${server} holds ` +
    `the next one to the schema of ${names}`;
  emit({ type: "warning", message });
  const schemas = some.map(call_of);
  const schema = schemas.length === 1 ? schemas[0] : { anyOf: schemas };
  return { type: "json_schema", json_schema: { name: "call", strict: true, schema } };
}

function call_of({ name, parameters }: ToolSchema) {
  return {
    type: "object",
    properties: { name: { const: name }, arguments: parameters },
    required: ["name", "arguments"],
    additionalProperties: false,
  };
}
