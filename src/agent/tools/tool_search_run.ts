import type { CheckedCall } from "../../tools/protocol.ts";
import type { Done, Tool } from "../../tools/tool.ts";
import type { SearchArgs } from "../../tools/declared/tool_search.ts";
import { deferred, offer } from "../offer.ts";
import { schema_of } from "../../tools/declared/registry.ts";
import type { Session } from "../session.ts";

/** Shorter words of a description (the, and, for) say nothing of a tool. */
const LEAST_CHARS = 4;

/** Offers the deferred tools that a query is about, from the next request on. */
export async function run_tool_search(call: CheckedCall, session: Session): Promise<Done> {
  const left = deferred(session, (await session.services()).tools);
  const found = matching((call.args as SearchArgs).query, left);
  offer(session, found);
  if (found.length > 0) {
    return {
      ok: true,
      text: `From now on you can call:\n${
        // What is in no list of the request has to stand here.
        session.wire.tools_in_text
          ? found.map((tool) => JSON.stringify(schema_of(tool))).join("\n")
          : listed(found)}`,
      summary: found.map(({ name }) => name).join(", "),
    };
  }
  const text = left.length === 0
    ? "You already have every tool."
    : `No match. Ask for one of these by name:\n${listed(left)}`;
  return { ok: true, text, summary: "nothing found" };
}

/** Tools with a word of the query in name or description; all where it is empty or `*`. */
export function matching(
  query: string,
  tools: readonly Tool<unknown>[],
): readonly Tool<unknown>[] {
  if (["", "*"].includes(query.trim())) return tools;
  const wanted = words(query);
  return tools.filter(({ name, description }) => {
    const telling = words(description).filter((word) => word.length >= LEAST_CHARS);
    return [...words(name), ...telling].some((known) => wanted.some((word) => alike(word, known)));
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

function listed(tools: readonly Tool<unknown>[]): string {
  return tools.map(({ name, description }) => `- ${name}: ${description}`).join("\n");
}
