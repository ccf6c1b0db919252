/** Resources of MCP servers that a task names as `@server:URI`, as other agents have them: read before it begins, and told with it. */
import { defused, message_of, one_line } from "../../config/text.ts";
import { configured_mcp } from "../../app/mcp_configured.ts";
import { ToolsError } from "../../tools/failure.ts";
import type { McpServers } from "../../tools/mcp/servers.ts";
import type { PromptPlace } from "./mcp_prompts.ts";

/** `@docs:file:///guide.md`; a bare address, or a person's, is not one. */
const MENTION = /(?<![\w@/.])@([A-Za-z][\w-]*):([a-z][a-z0-9+.-]*:[^\s`"'<>]+)/gi;
/** Of one: the model can read the rest itself. */
const MOST_BYTES = 16_384;
const MOST_RESOURCES = 10;

/** What those hold that can be read, for the model; empty for none. What can't be is said, and left to the model. */
export async function named_resources(
  task: string,
  { running, place, flags, io, warn }: PromptPlace & { warn: (words: string) => void },
): Promise<string> {
  const mentioned = mentions(task);
  if (mentioned.length === 0) return "";
  const { servers } = await configured_mcp(place, flags);
  const named = mentioned.filter(({ server }) => servers.some(({ name }) => name === server));
  if (named.length === 0) return "";
  const read = (servers: McpServers) =>
    Promise.all(named.map(async ({ server, uri }) => {
      try {
        return shown(await servers.resource(server, uri), { server, uri });
      } catch (error) {
        warn(one_line(`@${server}:${uri}: ${message_of(error)}`));
        return "";
      }
    }));
  const read_apart = async (wanted: typeof servers) => {
    const { ask_apart } = await import("./mcp_look.ts");
    try {
      // Why one did not start is said of its resources.
      return await ask_apart(wanted, { place, flags, io }, read);
    } catch (error) {
      if (!(error instanceof ToolsError)) throw error;
      warn(error.message);
      return [];
    }
  };
  const found = running !== null
    ? await read(running)
    : await read_apart(servers.filter(({ name }) => named.some(({ server }) => server === name)));
  return found.filter((text) => text !== "").join("\n\n");
}

function mentions(task: string): readonly { readonly server: string; readonly uri: string }[] {
  const all = [...task.matchAll(MENTION)].map(([, server = "", uri = ""]) => ({
    server,
    // The end of a sentence is not the address's.
    uri: uri.replace(/[.,;:!?)\]}]+$/, ""),
  }));
  const first = all.filter(({ server, uri }, at) =>
    all.findIndex((one) => one.server === server && one.uri === uri) === at
  );
  return first.slice(0, MOST_RESOURCES);
}

function shown(text: string, { server, uri }: { server: string; uri: string }) {
  const bytes = new TextEncoder().encode(text).subarray(0, MOST_BYTES);
  const head = new TextDecoder().decode(bytes, { stream: true });
  const more = head.length < text.length
    ? `\n[it is longer; ${server}__read_resource has all]`
    : "";
  return `<resource server="${server}" uri=${JSON.stringify(uri)}>\n${
    defused(head, "resource|hamr")
  }${more}\n</resource>`;
}
