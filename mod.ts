/**
 * `hamr` as a library: an agent that works in a folder, with a model of your choice, and reaches no further than you allow.
 *
 * ```ts
 * import { createAgent } from "hamr";
 *
 * await using agent = await createAgent({ workspace: "./project" });
 * console.log(await agent.chat("Which command runs the tests?"));
 * ```
 *
 * Your program keeps its own rights: what is confined is the thread in which the agent's tools work, and every process that they
 * start. On Linux two things hold for your whole process once a tool is used: its own user can't trace it or read its memory
 * anymore (`prctl(PR_SET_DUMPABLE)`), and processes that detach themselves become its children (`PR_SET_CHILD_SUBREAPER`).
 *
 * @module
 */
import { Agent } from "./src/app/agent.ts";
import { type AgentOptions, setup_of } from "./src/app/agent_options.ts";

export type { Agent } from "./src/app/agent.ts";
export * from "./src/app/agent_api.ts";
export type { AgentOptions } from "./src/app/agent_options.ts";
export type {
  Doing,
  Event,
  Evidence,
  From,
  Phase,
  PolicyView,
  Result,
  Stamped,
  Verification,
} from "./src/agent/events.ts";
export type { Mode, StopReason } from "./src/guards/rule.ts";
export type { AskWords } from "./src/agent/session.ts";
export type { Detail } from "./src/agent/call_detail.ts";
export type { Stage } from "./src/context/compact.ts";
export type { ApiMode, Image, Message, ToolCall, Usage, WireState } from "./src/model/message.ts";
export type { Prefill, Writing } from "./src/model/wire.ts";
export type { Lent, Policy } from "./src/sandbox/policy.ts";
export type { PolicyLine } from "./src/sandbox/report/describe.ts";
export type { TodoItem } from "./src/tools/declared/agent_level_tools.ts";
export type { HookEvent, HookRun } from "./src/tools/hook.ts";
export type { LiveNews } from "./src/tools/live_news.ts";
export type { AskPerson, Confirm, PersonAnswer, Question } from "./src/permission/approval.ts";
export type { FileChange } from "./src/changes/turn_diff.ts";

/**
 * Makes an agent. Nothing is started before its first task.
 *
 * Throws an error with one line for people if an option can't be used, or the session to resume is not there.
 *
 * ```ts
 * import { createAgent } from "hamr";
 *
 * const agent = await createAgent({ workspace: "./project", verify: "test -s notes.txt" });
 * const run = agent.run("write down in notes.txt what this project is");
 * for await (const event of run) {
 *   if (event.type === "tool_call") console.log(event.name);
 * }
 * const { status, files_changed } = await run.result;
 * console.log(status, files_changed.length);
 * await agent.close();
 * ```
 */
export async function createAgent(options: AgentOptions = {}): Promise<Agent> {
  const setup = setup_of(options);
  if (options.resume === undefined) return new Agent(setup);
  const { reopen } = await import("./src/app/reopen.ts");
  const id = options.resume === "newest" ? null : options.resume;
  const reopening = await reopen(setup, setup.io, { id, tell: () => {} });
  return new Agent({ ...setup, ...reopening });
}
