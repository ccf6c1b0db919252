/** `hamr doctor --network`: every address that hamr itself contacts, now and later. Loaded for that flag only. */
import { other_addresses } from "../app/fallbacks.ts";
import type { RunSettings } from "../app/settings.ts";
import type { McpServer } from "../tools/mcp_server.ts";
import { StartError } from "../config/error.ts";

/** Records whom this thread asks from now on, by `fetch` or by connecting. Returns the addresses, each once, in order. */
export function record_addresses(): () => readonly string[] {
  const asked = new Set<string>();
  const [real_fetch, real_connect] = [globalThis.fetch, Deno.connect];
  globalThis.fetch = (input, init) => {
    asked.add(new URL(input instanceof Request ? input.url : `${input}`).host);
    return real_fetch(input, init);
  };
  const connect = (options: Deno.ConnectOptions) => {
    asked.add(`${options.hostname ?? "127.0.0.1"}:${options.port}`);
    return real_connect(options);
  };
  Object.assign(Deno, { connect });
  return () => [...asked];
}

/** A line for each kind of address; `asked` has those that were asked just now. */
export async function network_lines(
  settings: RunSettings,
  { asked, servers }: { asked: readonly string[]; servers: readonly McpServer[] },
): Promise<readonly string[]> {
  const lines = [
    asked.length === 0 ? "nothing was contacted now" : `contacted now: ${asked.join(", ")}`,
  ];
  try {
    for (const { provider, url } of await other_addresses(settings)) {
      const where = url === null ? "looked for then" : new URL(url).host;
      lines.push(`contacted where settings say so: ${where} (${provider})`);
    }
  } catch (error) {
    if (!(error instanceof StartError)) throw error;
    lines.push(`another model can't be used: ${error.message}`);
  }
  for (const server of servers) {
    if (server.by.kind !== "http") continue;
    lines.push(`MCP server ${server.name}: ${new URL(server.by.url).host}`);
  }
  const proxies = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY"]
    .flatMap((name) => [name, name.toLowerCase()])
    .filter((name) => settings.environ[name]);
  if (proxies.length > 0) lines.push(`through a proxy where ${proxies.join(", ")} says so`);
  return [
    ...lines,
    "hamr itself contacts nothing else; what the model may reach is in the policy (-v)",
  ];
}
