/** `--agent NAME`: the run is that agent's. */
import { named_agent, named_agents, overrides_of_agent } from "../../app/agents.ts";
import { load_settings } from "../../app/settings.ts";
import type { Parsed } from "./args.ts";
import type { Io } from "../base/io.ts";
import { given_text } from "../base/given_text.ts";
import { UsageError } from "../../config/error.ts";

/** The arguments with what the agent has; flags win over that. Throws `UsageError` and `ConfigError`. */
export async function with_agent(parsed: Parsed, io: Pick<Io, "environ">): Promise<Parsed> {
  const { flags, overrides } = parsed;
  const place = await load_settings(parsed, io);
  const agent = named_agent(flags.agent ?? "", place);
  const said = new Set(overrides.map(({ key }) => key));
  // A verify command brings its mode along.
  if (said.has("verify.command")) said.add("agent.mode");
  const { prompt, tools } = agent;
  const asked = flags.only_tools;
  const only = tools === null ? asked : tools.filter((name) => asked?.includes(name) ?? true);
  if (only?.length === 0) {
    throw new UsageError(`--tools: agent ${agent.name} has none of them, but ${tools?.join(", ")}`);
  }
  const own = flags.system === undefined ? "" : given_text("--system", flags.system, place);
  const system = [prompt, own].filter((text) => text !== "").join("\n\n");
  return {
    ...parsed,
    flags: {
      ...flags,
      ...(only === undefined ? {} : { only_tools: only }),
      // Not a name of a file, whatever it begins with.
      ...(system === "" ? {} : { system: `\n${system}` }),
    },
    overrides: [...overrides_of_agent(agent).filter(({ key }) => !said.has(key)), ...overrides],
  };
}

export async function agent_names(
  parsed: Parsed,
  io: Pick<Io, "environ">,
): Promise<readonly { readonly word: string; readonly help: string }[]> {
  return named_agents(await load_settings(parsed, io))
    .map(({ name, description }) => ({ word: name, help: description }));
}
