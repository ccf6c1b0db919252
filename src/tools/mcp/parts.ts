/** Parts of what servers say: lists in pages, resources, signs of progress. */
import type { Client } from "@modelcontextprotocol/client";
import { fields } from "../../config/json.ts";
import { text_of_resource } from "./content.ts";
import { harmless_text } from "./described.ts";
import type { McpAnswer } from "../mcp_server.ts";

/** Pages of a list; a server that gives more goes round in circles. */
const MOST_PAGES = 64;
/** Whatever it is: it is looked at piece by piece. */
export const ANYTHING = {
  "~standard": { version: 1 as const, vendor: "hamr", validate: (value: unknown) => ({ value }) },
};

/** All that a list has. Throws where the server says no, or never comes to its end. */
export async function pages(
  client: Client,
  { method, of, timeout }: {
    readonly method: string;
    readonly of: string;
    /** Milliseconds for each page. */
    readonly timeout: number;
  },
): Promise<readonly unknown[]> {
  const all: unknown[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES; page++) {
    const params = cursor === undefined ? {} : { cursor };
    const answer = fields(
      await client.request({ method, params }, ANYTHING, { timeout }),
    );
    const items = answer[of];
    if (!Array.isArray(items)) throw new Error(`the answer to ${method} has no list`);
    all.push(...items);
    cursor = answer["nextCursor"];
    if (typeof cursor !== "string") return all;
  }
  throw new Error(`${method} has more than ${MOST_PAGES} pages`);
}

/** What a resource holds, as the answer to a call. */
export function resource_answer(result: unknown): McpAnswer {
  const { contents } = fields(result);
  const parts = (Array.isArray(contents) ? contents : []).map(text_of_resource);
  const uri = fields(Array.isArray(contents) ? contents[0] : undefined)["uri"];
  return { ok: true, text: parts.join("\n"), summary: typeof uri === "string" ? uri : "nothing" };
}

/** How far a call is, in words. */
export function progress_words(
  { done, total, message }: {
    readonly done: number;
    readonly total: number | undefined;
    readonly message: string | undefined;
  },
): string {
  const share = total === undefined ? `${done}` : `${done} of ${total}`;
  return message === undefined ? share : `${share}, ${harmless_text(message).slice(0, 100)}`;
}
