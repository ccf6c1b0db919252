import type { Message } from "../message.ts";
import type { Wire } from "../wire.ts";

/** A wire for models whose template knows no system role: what it says is at the beginning of the first task. */
export function without_system(wire: Wire): Wire {
  return { ...wire, encode: (messages) => wire.encode(folded(messages)) };
}

/** A wire for models that call the role of the first message `developer`. */
export function as_developer(wire: Wire): Wire {
  return { ...wire, encode: (messages) => wire.encode(messages).replace(SYSTEM, "$1developer") };
}

/** How the first message begins, in Chat Completions and in Responses. In none that follows can this be at the very beginning. */
const SYSTEM = /^(\{(?:"type":"message",)?"role":")system(?=")/;

/** A system message is always sent together with the task that follows it. */
function folded(messages: readonly Message[]): readonly Message[] {
  const [first, second, ...rest] = messages;
  if (first?.role !== "system") return messages;
  if (second?.role !== "user") return [{ ...first, role: "user" }, ...messages.slice(1)];
  return [{ ...second, content: `${first.content}\n\n${second.content}` }, ...rest];
}
