import { cut } from "../../config/text.ts";
import type { CheckedCall } from "../../tools/protocol.ts";
import { completed, type TodoArgs } from "../../tools/declared/agent_level_tools.ts";
import type { Done } from "../../tools/tool.ts";
import type { Session } from "../session.ts";

/** Of an item, when the list is shown back: the model has just written it. */
const ITEM_CHARS = 80;

export function run_todo(
  call: CheckedCall,
  { state, emit }: Pick<Session, "state" | "emit">,
): Done {
  const { items } = call.args as TodoArgs;
  state.notes.todos = items.map(({ text, status }) => ({ text, status }));
  state.notes.todos_step = state.steps;
  emit({ type: "todo", items: state.notes.todos });
  const summary = `${completed(items)} of ${items.length} completed`;
  const open = items.filter(({ status }) => status !== "completed")
    .map(({ text, status }) =>
      `[${status === "in_progress" ? ">" : " "}] ${cut(text, ITEM_CHARS)}`
    );
  return { ok: true, text: [`${summary}.`, ...open].join("\n"), summary };
}
