import { schema_of } from "../tools/declared/every_tool.ts";
import type { Tool } from "../tools/tool.ts";
import { tool_tokens } from "./history.ts";
import type { Session } from "./session.ts";
import { may_see } from "./vision.ts";

/** Offers tools to the model from its next request on, behind those that it has. */
export function offer_tools(session: Session, tools: readonly Tool<unknown>[]): void {
  const fresh = deferred(session, tools);
  if (fresh.length === 0) return;
  session.tools = [...session.tools, ...fresh.map(schema_of)];
  if (!session.wire.tools_in_text) session.tool_tokens = tool_tokens(session.tools);
}

/** Which of `tools` the model could be offered and has not been. */
export function deferred(
  session: Pick<Session, "tools" | "endpoint" | "state" | "describes">,
  tools: readonly Tool<unknown>[],
): readonly Tool<unknown>[] {
  return tools.filter(({ name, offered, needs }) =>
    offered !== "never" &&
    !session.tools.some((tool) => tool.name === name) &&
    (needs !== "sight" || session.describes || may_see(session))
  );
}
