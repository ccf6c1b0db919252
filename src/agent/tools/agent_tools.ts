/** What the agent-level tools do, on the main thread. Loaded by the first call of one. */
import type { CheckedCall } from "../../tools/protocol.ts";
import type { Done, ToolResult } from "../../tools/tool.ts";
import { run_clarify } from "./clarify_run.ts";
import { run_delegate_task } from "./delegate_task_run.ts";
import { run_save_memory, run_search_memory } from "./memory_run.ts";
import type { Session } from "../session.ts";
import { run_session_search } from "./session_search_run.ts";
import { run_skill } from "./skill_run.ts";
import { run_todo } from "./todo_run.ts";
import { run_tool_search } from "./tool_search_run.ts";

/** What one does. Its arguments have been checked. Throws for what ends the run. */
export type AgentRunner = (call: CheckedCall, session: Session) => Done | Promise<Done>;

/** Each by its tool's name. */
const AGENT_RUNNERS: ReadonlyMap<string, AgentRunner> = new Map<string, AgentRunner>([
  ["todo", run_todo],
  ["clarify", run_clarify],
  ["tool_search", run_tool_search],
  ["delegate_task", run_delegate_task],
  ["search_memory", run_search_memory],
  ["save_memory", run_save_memory],
  ["session_search", run_session_search],
  ["skill", run_skill],
]);

/** What those leave that change something of the run: facts of the ledger. */
const LEAVES = new Map<string, "memory" | "todo" | "subagent">([
  ["save_memory", "memory"],
  ["todo", "todo"],
  ["delegate_task", "subagent"],
]);

/** Runs a call of an agent-level tool. */
export async function run_agent_tool(session: Session, call: CheckedCall): Promise<ToolResult> {
  const start = performance.now();
  const run = AGENT_RUNNERS.get(call.tool);
  if (run === undefined) throw new Error(`nothing runs ${call.tool}`);
  // What was said in other sessions is not of this run's making.
  const done = call.tool === "session_search"
    ? await session.tape.ask("session_search", async () => await run(call, session))
    : await run(call, session);
  const what = LEAVES.get(call.tool);
  if (what !== undefined) {
    const { ledger, steps: step } = session.state;
    const planned = session.limits.dry_run && what === "memory";
    ledger.push(
      planned
        ? { kind: "planned", step, call: call.id, tool: call.tool }
        : { kind: "noted", step, call: call.id, what, ok: done.ok },
    );
  }
  return { ...done, ms: Math.round(performance.now() - start) };
}
