import type { HeardCall, Split } from "../../dialects/splitter.ts";
import type { Reply, ToolCall } from "../message.ts";

/** A reply without calls, with the one that its text may mean. */
export function with_shown(reply: Reply, { shown }: Split): Reply {
  return shown === null || reply.tool_calls.length > 0 ? reply : { ...reply, shown_call: shown };
}

export function tool_call_of(heard: HeardCall, id: string): ToolCall {
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
