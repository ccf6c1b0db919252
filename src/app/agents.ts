/** Named agents and their instructions: the user's, the workspace's, and hamr's own. */
import type { AgentRole } from "../agent/session.ts";
import { ConfigError } from "../config/error.ts";
import { fields as json_fields } from "../config/json.ts";
import { front_matter } from "../config/front_matter.ts";
import { type AgentSettings, is_agent_name } from "../config/keys.ts";
import { by_name, cut, did_you_mean, one_line, some_of } from "../config/text.ts";
import type { Override } from "../config/load.ts";
import { names_in } from "../permission/paths.ts";
import { EVERY_TOOL } from "../tools/declared/every_tool.ts";
import { our_name } from "../tools/understand/names.ts";
import { is_ours, written_text } from "./custom_commands.ts";
import { own_folder, type RunSettings } from "./settings.ts";
import { MODES_BY_RIGHTS, stricter } from "./custom_commands.ts";

interface NamedAgent extends AgentRole {
  /** Empty: the run's own. */
  readonly model: string;
  /** Model replies of one run; 0: the run's own limit. */
  readonly max_steps: number;
  /** Not of a workspace. */
  readonly is_users: boolean;
}

/** Folders of the workspace: hamr's own first, then those of Claude Code and opencode. */
export const AGENT_FOLDERS = [
  ".hamr/agents",
  ".claude/agents",
  ".opencode/agent",
  ".opencode/agents",
];

/** Length of a description, as for skills. */
const DESCRIPTION_CHARS = 1024;

const OWN = { tools: null, mode: null, model: "", max_steps: 0, is_users: true } as const;

const BUILT_IN: readonly NamedAgent[] = [
  { ...OWN, name: "build", description: "does the whole work", prompt: "", mode: "auto" },
  {
    ...OWN,
    name: "plan",
    description: "makes a plan and changes nothing",
    prompt:
      "Look around, then answer with a plan: what to change in which files, in which order, " +
      "and how to check it. Name what is uncertain.",
    mode: "plan",
  },
  {
    ...OWN,
    name: "review",
    description: "looks for faults and changes nothing",
    prompt: "Review what you are asked about. Look for what is wrong: bugs, cases that are not " +
      "handled, security, tests that are missing. Check each finding in the code before you " +
      "report it, with file and line, the worst first. Say so if there is none.",
    mode: "ask",
  },
  {
    ...OWN,
    name: "explore",
    description: "finds things in the code and changes nothing",
    prompt: "Find what is asked. Search broadly, then read only what matters. Answer with the " +
      "files and lines, and what they show; quote only what is needed.",
    mode: "ask",
    tools: ["read", "bash"],
  },
];

type Written = NamedAgent & { readonly fault?: string };

/** All that can be used, by name: those of the workspace's files before the settings', the user's files and hamr's own. */
export function named_agents(place: RunSettings, is_judged = false): readonly NamedAgent[] {
  return written_agents(place, is_judged).filter(({ fault }) => fault === undefined);
}

/** The one of that name. Throws a `ConfigError` where there is none, or it can't be used. */
export function named_agent(name: string, place: RunSettings): NamedAgent {
  const all = written_agents(place);
  const found = all.find((one) => one.name === name);
  if (found?.fault !== undefined) throw new ConfigError(found.fault);
  if (found !== undefined) return found;
  const names = all.map((one) => one.name);
  const near = did_you_mean(name, names, `; known: ${some_of(names)}`);
  throw new ConfigError(`there is no agent ${one_line(name)}${near}`);
}

function written_agents(place: RunSettings, is_judged = false): readonly Written[] {
  const { workspace, settings } = place;
  const own = own_folder(place);
  const in_settings = Object.entries(settings.agents).flatMap(([name, agent]) =>
    agent === undefined ? [] : [of_settings(name, agent)]
  );
  const is_workspaces = ({ name }: NamedAgent) =>
    [...place.origins].some(([key, { source }]) =>
      source === "workspace" && key.startsWith(`agents.${name}.`)
    );
  const theirs = [
    ...AGENT_FOLDERS.flatMap((folder) => in_folder(`${workspace}/${folder}`, workspace)),
    ...in_settings.filter(is_workspaces),
  ];
  const users = [
    ...in_settings.filter((agent) => !is_workspaces(agent)),
    ...own === null ? [] : in_folder(`${own}/agents`, workspace),
    ...BUILT_IN,
  ];
  const all = [
    ...(is_judged ? [] : theirs).map((agent) => {
      const known = users.find(({ name }) => name === agent.name)?.mode ?? null;
      return { ...agent, mode: stricter(agent.mode, known), is_users: false };
    }),
    ...users,
  ];
  const first = all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at);
  return first.sort(by_name);
}

export function overrides_of_agent({ name, mode, model, max_steps }: NamedAgent): Override[] {
  const of = (key: string, value: unknown): Override => ({ key, value, where: `agent ${name}` });
  return [
    ...(mode === null ? [] : [of("agent.mode", mode)]),
    ...(model === "" ? [] : [of("provider.model", model)]),
    ...(max_steps === 0 ? [] : [of("agent.max_model_steps", max_steps)]),
  ];
}

function of_settings(name: string, agent: AgentSettings): Written {
  const { description, prompt, tools, model, mode, max_steps } = agent;
  return {
    ...{ name, description, prompt, model, max_steps, is_users: true },
    ...with_tools(tools, `agents.${name}`),
    mode: mode === "" ? null : mode,
  };
}

function in_folder(folder: string, workspace: string): Written[] {
  const names = names_in(folder).filter((name) => name.endsWith(".md"))
    .map((name) => name.slice(0, -".md".length)).filter(is_agent_name);
  return names.map((name) => {
    const file = `${folder}/${name}.md`;
    try {
      return in_file(file, { name, text: written_text(file, { workspace }) });
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      return { ...OWN, name, description: "", prompt: "", fault: error.message };
    }
  });
}

function in_file(file: string, { name, text }: { name: string; text: string }) {
  const { fields, body } = front_matter(text);
  const { description, model, mode, tools, permission, max_steps = fields["maxTurns"] } = fields;
  return {
    name,
    description: typeof description === "string"
      ? cut(one_line(description), DESCRIPTION_CHARS)
      : "",
    prompt: body.trim(),
    ...with_tools(words_in(tools), file),
    mode: MODES_BY_RIGHTS.find((one) => one === mode) ??
      // As opencode says it.
      ([permission, json_fields(permission)["edit"]].includes("deny") ? "ask" : null),
    model: typeof model === "string" && is_ours(model, file) ? model : "",
    is_users: true,
    max_steps: Number.isSafeInteger(max_steps) ? Math.max(0, max_steps as number) : 0,
  };
}

/** A list, on one line or several; or opencode's table of those that it lacks. */
function words_in(tools: unknown): readonly string[] {
  if (typeof tools === "string") return tools.split(/[,\s]+/).filter((word) => word !== "");
  if (Array.isArray(tools)) return tools.map(String).filter((word) => word !== "");
  if (typeof tools !== "object" || tools === null) return [];
  const barred = Object.entries(tools).flatMap(([name, has]) => has === false ? [name] : []);
  const lacks = new Set(known_tools(barred));
  return lacks.size === 0
    ? []
    : EVERY_TOOL.map(({ name }) => name).filter((name) => !lacks.has(name));
}

function with_tools(
  names: readonly string[],
  where: string,
): { readonly tools: readonly string[] | null; readonly fault?: string } {
  if (names.length === 0) return { tools: null };
  const tools = known_tools(names);
  if (tools.length > 0) return { tools };
  const fault = `${where}: none of its tools is one of hamr's: ${one_line(names.join(", "))}`;
  return { tools, fault };
}

/** Ours for each name; other agents' tools that have none here are left out. */
function known_tools(names: readonly string[]): readonly string[] {
  const ours = names.map((name) => {
    const [, server, tool] = /^mcp__([^_].*?)__(.+)$/.exec(name) ?? [];
    if (server !== undefined) return `${server}__${tool}`;
    return name.includes("__") ? name : our_name(name.replace(/\(.*$/, ""));
  });
  const known = new Set(
    ours.filter((name) => name.includes("__") || EVERY_TOOL.some((tool) => tool.name === name)),
  );
  // Here, changing files takes both.
  if (known.has("edit")) known.add("write");
  return [...known];
}
