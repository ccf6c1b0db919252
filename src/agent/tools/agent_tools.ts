/** What the agent-level tools do, on the main thread. Loaded by the first call of one. */
import type { CheckedCall } from "../../tools/protocol.ts";
import type { Done, ToolResult } from "../../tools/tool.ts";
import { run_clarify } from "./clarify_run.ts";
import type { DelegateArgs } from "../../tools/declared/agent_level_tools.ts";
import { interruptible, not_begun } from "../interrupt.ts";
import { run_delegate_task, run_delegate_tasks } from "./delegate_task_run.ts";
import { most_at_once } from "./lanes.ts";
import { run_save_memory, run_search_memory } from "./memory_run.ts";
import type { Session } from "../session.ts";
import { run_session_search } from "./session_search_run.ts";
import { run_skill } from "./skill_run.ts";
import { run_todo } from "./todo_run.ts";
import { run_tool_search } from "./tool_search_run.ts";
import { run_web_fetch } from "./web_fetch_run.ts";

/** What one does. Its arguments have been checked. Throws for what ends the run. */
export type AgentRunner = (
  call: CheckedCall,
  session: Session,
  signal: AbortSignal,
) => Done | Promise<Done>;

interface AgentTool {
  readonly run: AgentRunner;
  /** What it changes of the run: a fact of the ledger. Absent: nothing. */
  readonly leaves?: "memory" | "todo" | "subagent";
}

export const AGENT_RUNNERS: ReadonlyMap<string, AgentTool> = new Map<string, AgentTool>([
  ["todo", { run: run_todo, leaves: "todo" }],
  ["clarify", { run: run_clarify }],
  ["tool_search", { run: run_tool_search }],
  ["delegate_task", { run: run_delegate_task, leaves: "subagent" }],
  ["search_memory", { run: run_search_memory }],
  ["save_memory", { run: run_save_memory, leaves: "memory" }],
  ["session_search", { run: run_session_search }],
  ["skill", { run: run_skill }],
  ["web_fetch", { run: run_web_fetch }],
]);

/** Runs calls of agent-level tools: one after the other, but for subagents that only read. */
export async function run_agent_tools(
  session: Session,
  calls: readonly CheckedCall[],
  signal: AbortSignal,
): Promise<readonly ToolResult[]> {
  const results: ToolResult[] = [];
  while (results.length < calls.length) {
    const rest = calls.slice(results.length);
    // Nothing more is begun for a run that is stopped.
    if (signal.aborted) {
      const { text, ...how } = not_begun(session);
      return [...results, ...rest.map(() => ({ ...how, text, ms: 0 }))];
    }
    const together = readers(rest);
    results.push(
      ...await interruptible(
        session,
        async () =>
          together.length > 1
            ? await run_together(session, together, signal)
            : [await run_one(session, rest[0] as CheckedCall, signal)],
      ),
    );
  }
  return results;
}

/** The calls at the beginning that let a subagent read. */
function readers(calls: readonly CheckedCall[]): readonly CheckedCall[] {
  const other = calls.findIndex(({ tool, args }) =>
    tool !== "delegate_task" || (args as DelegateArgs).tools !== "read"
  );
  return other < 0 ? calls : calls.slice(0, other);
}

/** As many of them as may work at the same time: one at least. */
async function run_together(
  session: Session,
  calls: readonly CheckedCall[],
  signal: AbortSignal,
): Promise<readonly ToolResult[]> {
  const lanes = session.tape.lanes(calls.map(({ id }) => id), most_at_once(session, calls.length));
  if (lanes.length === 0) return [await run_one(session, calls[0] as CheckedCall, signal)];
  const together = calls.slice(0, lanes.length);
  const results = await run_delegate_tasks(together, session, lanes);
  together.forEach((call, at) => leave(session, call, results[at] as ToolResult));
  return results;
}

async function run_one(
  session: Session,
  call: CheckedCall,
  signal: AbortSignal,
): Promise<ToolResult> {
  const start = performance.now();
  const { run } = AGENT_RUNNERS.get(call.tool) ?? {};
  if (run === undefined) throw new Error(`nothing runs ${call.tool}`);
  // What was said in other sessions is not of this run's making.
  const done = call.tool === "session_search"
    ? await session.tape.ask("session_search", async () => await run(call, session, signal))
    : await run(call, session, signal);
  leave(session, call, done);
  return { ...done, ms: Math.round(performance.now() - start) };
}

function leave({ state, limits }: Session, { id: call, tool }: CheckedCall, { ok }: Done): void {
  const what = AGENT_RUNNERS.get(tool)?.leaves;
  if (what === undefined) return;
  const { ledger, steps: step } = state;
  const planned = limits.dry_run && what === "memory";
  ledger.push(
    planned ? { kind: "planned", step, call, tool } : { kind: "noted", step, call, what, ok },
  );
}
