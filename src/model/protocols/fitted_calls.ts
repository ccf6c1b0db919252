/** Rewrites calls for servers that refuse those of other servers. Loaded when another model or protocol takes over. */
import { fnv1a } from "../../config/hash.ts";
import type { Message } from "../message.ts";
import type { RefusedPart } from "../refusals.ts";
import type { Wire } from "../wire.ts";
import { without_returned } from "./returned.ts";

/** The wire without what the server has refused of calls. */
export function without_refused_parts(wire: Wire, refused: ReadonlySet<RefusedPart>): Wire {
  const changes = [
    ...(refused.has("several_calls") ? [one_call] : []),
    ...(refused.has("call_ids") ? [short_ids] : []),
    ...(refused.has("text_with_calls") ? [calls_alone] : []),
    ...(refused.has("returned") ? [(all: readonly Message[]) => all.map(without_returned)] : []),
  ];
  if (changes.length === 0) return wire;
  const fit = (messages: readonly Message[]) =>
    changes.reduce((so_far, fit) => fit(so_far), messages);
  return { ...wire, encode: (messages) => wire.encode(fit(messages)) };
}

type Assistant = Extract<Message, { role: "assistant" }>;

/** Each call, followed by its result, in a message of its own. All results of one reply come together with it. */
function one_call(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message, at): readonly Message[] => {
    if (message.role === "tool") return answered_above(messages, at) ? [] : [message];
    const { tool_calls = [] } = message.role === "assistant" ? message : {};
    if (tool_calls.length < 2) return [message];
    const results = results_after(messages, at);
    return tool_calls.flatMap((call, nth): Message[] => {
      const said: Assistant = nth === 0
        ? { ...message as Assistant, tool_calls: [call] }
        : { role: "assistant", content: "", tool_calls: [call] };
      return [said, ...results.filter((result) => result.tool_call_id === call.id)];
    });
  });
}

type Result = Extract<Message, { role: "tool" }>;

function results_after(messages: readonly Message[], at: number): readonly Result[] {
  const rest = messages.slice(at + 1);
  const end = rest.findIndex(({ role }) => role !== "tool");
  return rest.slice(0, end < 0 ? rest.length : end).filter((one) => one.role === "tool");
}

/** Whether a result was put behind its call already. */
function answered_above(messages: readonly Message[], at: number): boolean {
  const { tool_call_id } = messages[at] as Result;
  const asking = messages.slice(0, at).findLast(({ role }) => role !== "tool");
  const { tool_calls = [] } = asking?.role === "assistant" ? asking : {};
  return tool_calls.length > 1 && tool_calls.some(({ id }) => id === tool_call_id);
}

function calls_alone(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) =>
    message.role === "assistant" && message.tool_calls?.length
      ? { ...message, content: "" }
      : message
  );
}

const SHORT = /^[a-zA-Z0-9]{9}$/;
const DIGITS = 9;

function short_ids(messages: readonly Message[]): readonly Message[] {
  return messages.map((message) => {
    switch (message.role) {
      case "tool":
        return { ...message, tool_call_id: short(message.tool_call_id) };
      case "assistant": {
        const { tool_calls } = message;
        if (tool_calls === undefined) return message;
        return { ...message, tool_calls: tool_calls.map((one) => ({ ...one, id: short(one.id) })) };
      }
      case "user":
        return message.after === undefined ? message : { ...message, after: short(message.after) };
      case "system":
        return message;
    }
  });
}

/** Made from the id alone, so that a call and its result agree, in whatever request. 46 bits are in nine digits of base 36. */
function short(id: string): string {
  if (SHORT.test(id)) return id;
  return fnv1a(id).toString(36).padStart(DIGITS, "0").slice(-DIGITS);
}
