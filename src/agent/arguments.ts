import { hash } from "../config/hash.ts";
import { cut, nearest } from "../config/text.ts";
import { coerce } from "../dialects/coerce.ts";
import { hermes_block } from "../dialects/hermes.ts";
import { json_object, repair } from "../dialects/repair.ts";
import { only_looks, waits } from "../guards/looks.ts";
import type { AskedCall, Mode } from "../guards/rule.ts";
import type { Message, Reply, ToolCall } from "../model/message.ts";
import { not_in_mode } from "./mode.ts";
import type { Services } from "./session.ts";
import { find_tool, schema_of } from "../tools/declared/every_tool.ts";
import { read } from "../tools/declared/machine_tools.ts";
import type { CheckedCall } from "../tools/protocol.ts";
import { understand } from "../tools/understand/understand.ts";
import type { Tool } from "../tools/tool.ts";

export interface Runnable {
  readonly kind: "run";
  readonly call: CheckedCall;
  readonly tool: Tool<unknown>;
}

export type Prepared =
  | Runnable
  /** `why`: what is wrong with it, for a person. */
  | { readonly kind: "invalid"; readonly text: string; readonly why: string }
  /** The mode of the run does not offer it. */
  | { readonly kind: "barred"; readonly text: string };

const QUOTED_CHARS = 300;

/** The reply with its calls as they were meant, repaired and in the types of the tool. All that is stored, shown and run comes from this. */
export function repair_calls(reply: Reply, taken: ReadonlySet<string>): Reply {
  const tool_calls = with_own_ids(reply.tool_calls, taken).map(repair_call);
  const changed = tool_calls.some((call, at) => call !== reply.tool_calls[at]);
  return changed ? { ...reply, tool_calls } : reply;
}

/** Some servers give `call_0` in every reply, or no id, which another one may refuse (Anthropic: "`tool_use` ids must be unique"). */
function with_own_ids(calls: readonly ToolCall[], taken: ReadonlySet<string>): readonly ToolCall[] {
  const own = new Set<string>();
  return calls.map((call) => {
    let id = call.id;
    for (let n = 2; taken.has(id) || own.has(id); n++) id = `${call.id}_${n}`;
    own.add(id);
    return id === call.id ? call : { ...call, id };
  });
}

function repair_call(given: ToolCall): ToolCall {
  if (given.fault !== undefined) return given;
  const call = with_plain_name(given);
  const written = parse(call.arguments);
  const meant = written ?? repair(call.arguments);
  if (meant === undefined) return call;
  const tool = find_tool(call.name);
  const args = tool === undefined ? meant : coerce(meant, tool.parameters);
  return args === written ? call : { ...call, arguments: JSON.stringify(args), repaired: true };
}

/** Small models end a name with the line break or the blank that their template has there. */
function with_plain_name(call: ToolCall): ToolCall {
  const name = call.name.trim();
  return name === call.name || find_tool(name) === undefined
    ? call
    : { ...call, name, repaired: true };
}

/** A call as it was meant. Events, guards and tools go by it; the history keeps what the model wrote. */
interface Meant {
  readonly call: ToolCall;
  /** What the model has to know of how it was understood. */
  readonly notes: readonly string[];
  /** Why it is not a call of the tool that was meant; null if it may be one. */
  readonly fault: string | null;
}

/** The call in our words, whichever agent's words the model has written. */
export function interpreted(written: ToolCall): Meant {
  const given = without_prefix(written);
  const args = given.fault === undefined ? parse(given.arguments) : undefined;
  const understood = args === undefined ? null : understand(given.name, args);
  if (understood === null) return { call: given, notes: [], fault: null };
  const { name } = understood;
  if (understood.kind === "fault") {
    return { call: { ...given, name }, notes: [], fault: understood.text };
  }
  const tool = find_tool(name);
  const coerced = tool === undefined ? understood.args : coerce(understood.args, tool.parameters);
  const text = JSON.stringify(coerced);
  const call = name === given.name && text === JSON.stringify(args)
    ? given
    : { ...given, name, arguments: text, repaired: true as const };
  return { call, notes: understood.notes, fault: null };
}

/** Claude Code's name for a tool of an MCP server: `mcp__server__tool`. */
function without_prefix(call: ToolCall): ToolCall {
  const name = call.name.replace(/^mcp__(?=.+__)/, "");
  return name === call.name ? call : { ...call, name };
}

/** To a question that nobody is there to answer, or that may not be asked. */
const NOBODY =
  'there is no tool "clarify" in this run: decide from the task and the files, and say in your answer what you assumed';

/** Checks a call against its tool's schema. An invalid call is never run, least of all with `{}`. */
export function prepare(
  { call, fault: misunderstood }: Pick<Meant, "call" | "fault">,
  { tools, fault_of, mode }: Pick<Services, "tools" | "fault_of"> & { mode: Mode },
): Prepared {
  const tool = tools.find(({ name }) => name === call.name);
  if (call.fault !== undefined) {
    const sent = cut(call.arguments, QUOTED_CHARS);
    const text = `not run: ${call.fault}. You wrote: ${sent}\n${example(call, tool)}`;
    return invalid(text, call.fault);
  }
  const barred = not_in_mode(find_tool(call.name), mode);
  if (barred !== null) return { kind: "barred", text: `Error: ${barred}` };
  if (tool === undefined) {
    if (find_tool(call.name)?.needs === "person") return invalid(NOBODY);
    // Servers may have a thousand.
    const names = tools.filter(({ offered, mcp }) => offered !== "never" && mcp === undefined)
      .map((known) => known.name).join(", ");
    const of_servers = tools.flatMap(({ name, mcp }) => mcp === undefined ? [] : [name]);
    const meant = of_servers.find((name) => name.endsWith(`__${call.name}`)) ??
      nearest(call.name, of_servers);
    const more = of_servers.length === 0
      ? ""
      : `; tool_search finds those of MCP servers${meant === null ? "" : `, such as ${meant}`}`;
    const unknown = `there is no tool "${cut(call.name, QUOTED_CHARS)}"`;
    return invalid(`${unknown}; the tools are: ${names}${more}`, unknown);
  }
  const written = parse(call.arguments);
  // Those of our own tools are in the types that they want already.
  const args = tool.mcp === undefined || written === undefined
    ? written
    : coerce(written, tool.parameters);
  const fault = misunderstood !== null
    ? misunderstood
    : args === undefined
    ? `the arguments are not a JSON object: ${cut(call.arguments, QUOTED_CHARS)}`
    : fault_of(tool, args);
  if (fault === null) {
    const { id, name } = call;
    const route = tool.mcp === undefined ? {} : { mcp: tool.mcp };
    return { kind: "run", call: { id, tool: name, args, ...route }, tool };
  }
  const schema = JSON.stringify(schema_of(tool).parameters);
  const why = fault.replace(/\.$/, "");
  return invalid(
    `${call.name} was not run: ${why}. The arguments must fit this schema: ${schema}\n` +
      example(call, tool),
    why,
  );
}

/** What stands for a value of each type in an example; "..." for any other. */
const SAMPLES: Readonly<Record<string, unknown>> = {
  integer: 1,
  number: 1,
  boolean: true,
  array: [],
  object: {},
};

/** A call as it should be written, in the way the model calls. */
function example(call: ToolCall, tool: Tool<unknown> = read): string {
  const { properties, required } = tool.parameters;
  const sample = (name: string) => SAMPLES[String(properties[name]?.["type"])] ?? "...";
  const args = JSON.stringify(Object.fromEntries(required.map((name) => [name, sample(name)])));
  return call.dialect !== "hermes"
    ? `For example: ${args}`
    : `Write a call like this:\n${hermes_block(tool.name, args)}`;
}

/** What servers take for a tool's name (OpenAI: `^[a-zA-Z0-9_-]{1,64}$`). */
const NAME_CHARS = 64;

/** The call as it may be in the history: servers refuse odd names, and arguments that do not parse. */
export function storable(given: ToolCall): ToolCall {
  const name = given.name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, NAME_CHARS) || "_";
  const call = { ...given, name };
  const whole = call.arguments.trim() !== "" && arguments_of(call) !== undefined;
  return whole ? call : { ...call, arguments: "{}" };
}

/** Longer arguments, as of `write`, are remembered by their hash: else the calls of a long turn would take tens of megabytes. */
const REMEMBERED_CHARS = 1000;

/** What a call asks for, in one spelling: the order of keys and blanks make no difference. */
export function asked(call: ToolCall): AskedCall {
  const args = spelled(call);
  const long = args.length > REMEMBERED_CHARS;
  return {
    name: call.name,
    args: long ? `${args.length} characters, ${hash(args)}` : args,
    ...purpose_of(call),
  };
}

function purpose_of(call: ToolCall): Pick<AskedCall, "looks" | "waits"> {
  if (find_tool(call.name)?.read_only) return { looks: true };
  if (call.name === "background") return { looks: true, waits: true };
  const command = parse(call.arguments)?.["command"];
  if (call.name !== "bash" || typeof command !== "string") return {};
  return {
    ...(only_looks(command) ? { looks: true } : {}),
    ...(waits(command) ? { waits: true } : {}),
  };
}

function spelled(call: ToolCall): string {
  const args = parse(call.arguments);
  if (args === undefined) return call.arguments;
  return JSON.stringify(
    Object.fromEntries(Object.entries(args).sort(([a], [b]) => a < b ? -1 : 1)),
  );
}

/** A reply as the history keeps it: what is sent back has to be valid. */
export function assistant({ content, reasoning, kept, tool_calls }: Reply, from: string): Message {
  return {
    role: "assistant",
    content,
    ...(reasoning === "" ? {} : { reasoning }),
    ...(kept === undefined ? {} : { kept: { ...kept, from } }),
    ...(tool_calls.length === 0 ? {} : { tool_calls: tool_calls.map(storable) }),
  };
}

export function shown_arguments(call: ToolCall): unknown {
  return arguments_of(call) ?? {};
}

function arguments_of(call: ToolCall): Readonly<Record<string, unknown>> | undefined {
  return call.fault === undefined ? parse(call.arguments) : undefined;
}

function invalid(text: string, why = text): Prepared {
  return { kind: "invalid", text: `Error: ${text}`, why };
}

/** A JSON object; no arguments at all are an empty one, as models send for a tool that takes none. */
function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  return text.trim() === "" ? {} : json_object(text);
}
