import { type Agent, type AgentOptions, createAgent } from "../../mod.ts";
import type { Stage } from "./stage.ts";

/** An agent in the workspace of a stage, with the HOME of it. */
export async function agent_on(s: Stage, options: AgentOptions = {}): Promise<Agent> {
  return await createAgent({
    workspace: s.ws.path,
    baseUrl: s.server.url,
    model: "m",
    env: { ...s.env, HOME: s.home.path, PATH: Deno.env.get("PATH") ?? "" },
    ...options,
  });
}
