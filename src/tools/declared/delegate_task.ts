import type { Tool } from "../tool.ts";

/** What a call of `delegate_task` gives. */
export interface DelegateArgs {
  readonly task: string;
  /** Default `all`; `read`: the subagent can look, and nothing else. */
  readonly tools?: "read" | "all";
  /** Name of the agent that is sent. */
  readonly agent?: string;
}

/** A subagent with a context of its own does a part of the work. */
export const delegate_task: Tool<DelegateArgs> = {
  name: "delegate_task",
  description:
    "A fresh subagent does a task: say all it must know. You get its answer and changes. agent: explore, review",
  parameters: {
    type: "object",
    properties: {
      task: { type: "string", minLength: 1 },
      tools: { type: "string", enum: ["read", "all"] },
      agent: { type: "string" },
    },
    required: ["task"],
  },
  read_only: false,
  offered: "deferrable",
  agent_level: true,
  summary: ({ task, tools, agent }) =>
    `${agent ? `${agent}: ` : ""}${task}${tools === "read" ? " (reads only)" : ""}`,
};
