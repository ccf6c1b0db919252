/** The tools that work on the run itself, as they are described to the model; `agent/tools/` has what each does. `…Args`: what a call gives. */
import { plural } from "../../config/text.ts";
import { takes, TEXT_ARGUMENT, type Tool } from "../tool.ts";

export interface QueryArgs {
  readonly query: string;
}

export interface SaveMemoryArgs {
  readonly fact: string;
  /* Taken, but not told of in requests: with them, recordings of before would not be the same. What `search_memory` gives names them. */
  /** What the fact begins with whose place this one takes. */
  readonly replaces?: unknown;
  /** `project` or `user`. */
  readonly scope?: unknown;
}

const search_memory: Tool<QueryArgs> = {
  name: "search_memory",
  description: "Search facts saved in earlier sessions, by words.",
  parameters: takes({ query: TEXT_ARGUMENT }),
  kind: "search",
  offered: "always",
  needs: "memory",
  agent_level: true,
  summary: ({ query }) => query,
};

const save_memory: Tool<SaveMemoryArgs> = {
  name: "save_memory",
  description: "Save a lasting fact about this project for later sessions. No secrets.",
  parameters: takes({ fact: TEXT_ARGUMENT }),
  kind: "other",
  offered: "always",
  needs: "memory",
  agent_level: true,
  summary: ({ fact }) => fact,
};

/** More is not a list to work by, and each call of it is part of every later request. */
const MOST_ITEMS = 50;
const ITEM_CHARS = 500;

/** One line of the model's own list. */
export interface TodoItem {
  /** What is to be done. */
  readonly text: string;
  /** How far it has come. */
  readonly status: "pending" | "in_progress" | "completed";
}

export interface TodoArgs {
  readonly items: readonly TodoItem[];
}

/** The model's own list, shown to the user. */
export const todo: Tool<TodoArgs> = {
  name: "todo",
  description: "Keep a list of steps for a longer task, shown to the user. Give the whole list.",
  parameters: takes({
    items: {
      type: "array",
      maxItems: MOST_ITEMS,
      items: takes({
        text: { type: "string", minLength: 1, maxLength: ITEM_CHARS },
        status: { type: "string", enum: ["pending", "in_progress", "completed"] },
      }),
    },
  }),
  kind: "think",
  offered: "in_large_windows",
  agent_level: true,
  summary: ({ items }) => `${plural(items.length, "item")}, ${completed(items)} completed`,
};

export function completed(items: readonly TodoItem[]): number {
  return items.filter(({ status }) => status === "completed").length;
}

const MOST_CHOICES = 4;
const QUESTION_CHARS = 1000;

export interface ClarifyArgs {
  readonly question: string;
  readonly choices?: readonly string[];
}

/** Asks the person. Offered where somebody can answer. */
const clarify: Tool<ClarifyArgs> = {
  name: "clarify",
  description: "Ask the user what only they know. They pick a choice, or say something else.",
  parameters: takes({
    question: { type: "string", maxLength: QUESTION_CHARS },
    choices: { type: "array", maxItems: MOST_CHOICES, items: TEXT_ARGUMENT },
  }, ["question"]),
  kind: "think",
  offered: "in_large_windows",
  agent_level: true,
  needs: "person",
  summary: ({ question }) => question,
};

export interface DelegateArgs {
  readonly task: string;
  /** Default `all`; `read`: the subagent can look, and nothing else. */
  readonly tools?: "read" | "all";
  readonly agent?: string;
}

/** A subagent with a context of its own does a part of the work. */
export const delegate_task: Tool<DelegateArgs> = {
  name: "delegate_task",
  description:
    "A fresh subagent does a task: say all it must know. You get its answer and changes. agent: explore, review",
  parameters: takes({
    task: { type: "string", minLength: 1 },
    tools: { type: "string", enum: ["read", "all"] },
    agent: TEXT_ARGUMENT,
  }, ["task"]),
  kind: "other",
  offered: "in_large_windows",
  agent_level: true,
  summary: ({ task, tools, agent }) =>
    `${agent ? `${agent}: ` : ""}${task}${tools === "read" ? " (reads only)" : ""}`,
};

/** Offered where there is a database of sessions. */
export const session_search: Tool<QueryArgs> = {
  name: "session_search",
  description: "Search what was said in earlier sessions in this workspace, by words.",
  parameters: takes({ query: TEXT_ARGUMENT }),
  kind: "search",
  offered: "in_large_windows",
  needs: "store",
  agent_level: true,
  summary: ({ query }) => query,
};

/** Offered where other tools are deferred; it brings them in. */
export const tool_search: Tool<QueryArgs> = {
  name: "tool_search",
  description:
    "Find more tools, such as a todo list, subagents or earlier sessions, by words; `*` finds all.",
  parameters: takes({ query: TEXT_ARGUMENT }),
  kind: "search",
  offered: "finder",
  agent_level: true,
  summary: ({ query }) => query,
};

const NAMES_CHARS = 120;

/** `tool_search` where there are MCP servers or skills, which it names. */
export function tool_search_with(
  { servers, skills }: { servers: readonly string[]; skills: readonly string[] },
): Tool<QueryArgs> {
  const more = [...named("MCP servers", servers), ...named("Skills", skills)].join("");
  return more === ""
    ? tool_search
    : { ...tool_search, description: tool_search.description + more };
}

function named(what: string, names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  const all = names.join(", ");
  const shown = all.length <= NAMES_CHARS ? all : `${all.slice(0, NAMES_CHARS - 1)}…`;
  return [` ${what}: ${shown}.`];
}

export interface SkillArgs {
  readonly name: string;
}

/** Of all descriptions together: a tenth of a small window. */
const DESCRIPTIONS_CHARS = 4000;

const MOST_SKILLS = 200;

/** Loads the text of a skill. Offered once it is known which there are. */
export const skill: Tool<SkillArgs> = {
  name: "skill",
  description:
    "Load a skill: instructions for one kind of task. Do so before you begin such a task.",
  parameters: takes({ name: TEXT_ARGUMENT }),
  kind: "read",
  read_only: true,
  offered: "never",
  agent_level: true,
  summary: ({ name }) => name,
};

export function skill_with(
  skills: readonly { readonly name: string; readonly description: string }[],
): Tool<SkillArgs> {
  let left = DESCRIPTIONS_CHARS;
  const lines = skills.slice(0, MOST_SKILLS).map(({ name, description }) => {
    const line = `\n- ${name}: ${description}`;
    if (line.length > left || description === "") return `\n- ${name}`;
    left -= line.length;
    return line;
  });
  const more = skills.length - lines.length;
  if (more > 0) lines.push(`\n- and ${more} more`);
  return { ...skill, offered: "in_large_windows", description: skill.description + lines.join("") };
}

export interface WebFetchArgs {
  readonly url: string;
  readonly find?: string;
  readonly offset?: number;
}

/** Fetches a page. Offered where the user allows the network. */
const web_fetch: Tool<WebFetchArgs> = {
  name: "web_fetch",
  description: "Fetch a web page as Markdown. `find`: only what the page says about that.",
  parameters: takes({
    url: { type: "string", minLength: 1 },
    find: TEXT_ARGUMENT,
    offset: { type: "integer", minimum: 1 },
  }, ["url"]),
  kind: "fetch",
  offered: "in_large_windows",
  needs: "net",
  agent_level: true,
  summary: ({ url, find, offset }) =>
    url + (offset ? `:${offset}` : "") + (find ? ` "${find}"` : ""),
};

export const AGENT_LEVEL_TOOLS: readonly Tool<unknown>[] = [
  search_memory,
  save_memory,
  todo,
  clarify,
  delegate_task,
  session_search,
  web_fetch,
  tool_search,
  skill,
];
