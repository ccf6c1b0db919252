import type { HeardCall } from "../../dialects/splitter.ts";
import type { ToolCall } from "../message.ts";

/** A call that was in the text of a reply, as one of the message format. */
export function call_of(heard: HeardCall, id: string): ToolCall {
  const { name, dialect } = heard;
  switch (heard.kind) {
    case "call":
      return {
        id,
        name,
        arguments: heard.arguments,
        dialect,
        ...(heard.repaired ? { repaired: true } : {}),
      };
    case "malformed":
      return { id, name, arguments: heard.text, dialect, fault: heard.fault };
  }
}
