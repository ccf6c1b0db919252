import { cut } from "../../config/text.ts";
import type { CheckedCall } from "../../tools/protocol.ts";
import type { Done, Tool } from "../../tools/tool.ts";
import type { QueryArgs } from "../../tools/declared/agent_level_tools.ts";
import { deferred, offer_tools } from "../offer_tools.ts";
import { schema_of } from "../../tools/declared/every_tool.ts";
import type { Session } from "../session.ts";

/** Shorter words of a description (the, and, for) say nothing of a tool. */
const LEAST_CHARS = 4;

/** A skill, in the description of the tool that loads it: its name says something, however short it is. */
const NAMED = /^- ([\w-]+)(?::|$)/gm;

/** Offers the deferred tools that a query is about, from the next request on. */
export async function run_tool_search(call: CheckedCall, session: Session): Promise<Done> {
  const { tools } = await session.services();
  const left = deferred(session, tools);
  const { query } = call.args as QueryArgs;
  const { found, more } = fitting(by_relevance(query, matching(query, left)));
  offer_tools(session, found);
  if (found.length > 0) {
    // What is in no list of the request has to stand here.
    const shown = session.wire.tools_in_text
      ? found.map((tool) => JSON.stringify(schema_of(tool))).join("\n")
      : tool_lines(found);
    const rest = more.length === 0 ? "" : `\nAlso found; ask for one by its name: ${named(more)}`;
    return {
      ok: true,
      text: `From now on you can call:\n${shown}${rest}`,
      summary: found.map(({ name }) => name).join(", "),
    };
  }
  // Those of a server may have been offered since the model asked.
  const known = tools.filter((tool) => tool.mcp !== undefined && !left.includes(tool));
  const fitted = fitting(by_relevance(query, matching(query, known))).found;
  const text = fitted.length > 0
    ? `You can already call:\n${tool_lines(fitted)}`
    : left.length === 0
    ? "You already have every tool."
    : `No match. Ask for one of these by name:\n${names_of(left)}`;
  return { ok: true, text, summary: fitted.length > 0 ? "already offered" : "nothing found" };
}

function names_of(tools: readonly Tool<unknown>[]): string {
  const own = tools.filter(({ mcp }) => mcp === undefined);
  const served = tools.filter(({ mcp }) => mcp !== undefined);
  return [tool_lines(own), named(served)].filter((part) => part !== "").join("\n");
}

/** Bytes of the schemas that one search brings in: they are part of every later request. */
const FOUND_BYTES = 6000;
const MOST_NAMED = 60;
const DESCRIPTION_CHARS = 160;

/** The tools whose schemas fit into `FOUND_BYTES`, one at least; our own always do. */
function fitting(tools: readonly Tool<unknown>[]): {
  readonly found: readonly Tool<unknown>[];
  readonly more: readonly Tool<unknown>[];
} {
  let left = FOUND_BYTES;
  const found: Tool<unknown>[] = [];
  const more: Tool<unknown>[] = [];
  for (const tool of tools) {
    const bytes = tool.mcp === undefined ? 0 : JSON.stringify(schema_of(tool)).length;
    const fits = bytes <= left || found.length === 0;
    (fits ? found : more).push(tool);
    if (fits) left -= bytes;
  }
  return { found, more };
}

/** The tools of servers with those first that more words of the query speak of, in the name above all. */
function by_relevance(query: string, tools: readonly Tool<unknown>[]): readonly Tool<unknown>[] {
  const wanted = words(query);
  const score = ({ name, description, mcp }: Tool<unknown>) => {
    if (mcp === undefined) return Infinity;
    if (query.includes(name)) return Number.MAX_VALUE;
    const count = (text: string) =>
      wanted.filter((word) => words(text).some((known) => alike(word, known))).length;
    return 3 * count(name) + count(description);
  };
  const scored = tools.map((tool) => ({ tool, points: score(tool) }));
  return scored.sort((a, b) => a.points === b.points ? 0 : b.points > a.points ? 1 : -1)
    .map(({ tool }) => tool);
}

function named(tools: readonly Tool<unknown>[]): string {
  const names = tools.slice(0, MOST_NAMED).map(({ name }) => name).join(", ");
  return tools.length > MOST_NAMED ? `${names} and ${tools.length - MOST_NAMED} more` : names;
}

/** Tools with a word of the query in name or description; all where it is empty or `*`. */
export function matching(query: string, tools: readonly Tool<unknown>[]): readonly Tool<unknown>[] {
  if (["", "*"].includes(query.trim())) return tools;
  const wanted = words(query);
  return tools.filter(({ name, description }) => {
    const telling = words(description).filter((word) => word.length >= LEAST_CHARS);
    const named = [...description.matchAll(NAMED)].flatMap(([, skill = ""]) => words(skill));
    return [...words(name), ...named, ...telling].some((known) =>
      wanted.some((word) => alike(word, known))
    );
  });
}

/** One form of a word begins with another: task and tasks, delegate and delegated. */
function alike(a: string, b: string): boolean {
  if (Math.min(a.length, b.length) < LEAST_CHARS) return a === b;
  return a.startsWith(b) || b.startsWith(a);
}

function words(text: string): readonly string[] {
  return text.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

/** A server's descriptions stand whole in the list of the request. */
export function tool_lines(tools: readonly Tool<unknown>[]): string {
  return tools.map(({ name, description, mcp }) => {
    const [first = ""] = description.split(/(?<=[.!?])\s|\n/);
    return `- ${name}: ${mcp === undefined ? description : cut(first, DESCRIPTION_CHARS)}`;
  }).join("\n");
}
