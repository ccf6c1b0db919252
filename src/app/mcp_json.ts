/** Reads lists of MCP servers in the JSON of other agents. Loaded if there is one. */
import { or_throw } from "../config/attempt.ts";
import { ConfigError } from "../config/error.ts";
import { fields, is_record } from "../config/json.ts";
import { MCP_KEYS } from "../config/key.ts";
import { fallbacks, is_mcp_name, type McpSettings } from "../config/keys.ts";
import { one_line } from "../config/text.ts";
import { read_inside } from "../sandbox/kernel/read_inside.ts";

/** A server as a file describes it; what it leaves out has the defaults of `[mcp.NAME]`. */
export type ListedServer = McpSettings & { readonly name: string; readonly where: string };

interface McpList {
  readonly servers: readonly ListedServer[];
  readonly faults: readonly string[];
}

/** Transports by their names; without one, what else is there says which it is. */
const TRANSPORTS = ["stdio", "http", "streamable-http", "streamableHttp", "local", "remote"];
/** A list of servers is written by hand. */
const MOST_BYTES = 1024 * 1024;
/** What a server would miss, so that it is said. */
const NOT_HERE = ["envFile", "headersHelper"];

/** Reads `{"mcpServers": …}`, or `servers` as VS Code has it. A bad entry does not keep out the others. Throws a `ConfigError` without a list. */
export function listed_servers(file: string, text: string): McpList {
  const document: unknown = or_throw(
    () => JSON.parse(text),
    (error) => new ConfigError(`${file}: not JSON: ${one_line((error as Error).message)}`),
  );
  const lists = fields(document);
  const list = lists["mcpServers"] ?? lists["servers"];
  if (list === undefined) throw new ConfigError(`${file}: it has no "mcpServers"`);
  const servers: ListedServer[] = [];
  const faults: string[] = [];
  for (const [given, value] of Object.entries(fields(list))) {
    const name = given.replace(/[^A-Za-z0-9-]+/g, "_").replace(/^[_-]+|_+$/g, "");
    const entry = fields(value);
    const made = is_mcp_name(name) ? settings_of(entry) : "its name has no letter, or is too long";
    const who = `MCP server ${one_line(given)} (${one_line(file)})`;
    if (typeof made === "string") {
      faults.push(`${who} is not used: ${made}`);
      continue;
    }
    const missing = NOT_HERE.filter((key) => key in entry);
    if (missing.length > 0) faults.push(`${who}: ${missing.join(" and ")} can't be used here`);
    servers.push({ ...made, name, where: file });
  }
  return { servers, faults };
}

/** What a workspace's list holds. It may be anything, even a pipe. Throws a `ConfigError` where it can't be read. */
export function workspace_list(file: string): Uint8Array<ArrayBuffer> {
  const bytes = read_inside(file, { folder: "/", most: MOST_BYTES + 1 });
  if (bytes === null) throw new ConfigError(`${one_line(file)}: not a file that can be read`);
  if (bytes.length <= MOST_BYTES) return bytes;
  throw new ConfigError(`${one_line(file)}: larger than 1 MiB`);
}

function settings_of(entry: Readonly<Record<string, unknown>>): McpSettings | string {
  const { type, command = "", args = [], cwd = "", env = {}, headers = {}, timeout } = entry;
  // Gemini and Windsurf have names of their own for the address.
  const { httpUrl, serverUrl, url = httpUrl ?? serverUrl ?? "", disabled, enabled } = entry;
  const { includeTools = [], tools = includeTools } = entry;
  if (type === "sse") {
    return 'MCP has dropped type "sse": give its address for "http", which often ends in /mcp';
  }
  if (type !== undefined && !TRANSPORTS.includes(String(type))) {
    return `its type is not one of ${TRANSPORTS.slice(0, 2).join(" and ")}`;
  }
  for (const [key, value] of Object.entries({ command, url, cwd })) {
    if (typeof value !== "string") return `${key} must be a string`;
  }
  if (!is_list(args)) return "args must be a list of strings";
  if (!is_list(tools)) return "tools must be a list of strings";
  const [variables, sent] = [texts(env), texts(headers)];
  if (variables === null) return "env must be a table of strings";
  if (sent === null) return "headers must be a table of strings";
  return {
    ...fallbacks(MCP_KEYS) as unknown as McpSettings,
    ...{ command: String(command), args, cwd: String(cwd), url: String(url) },
    ...{ env: variables, headers: sent, enabled: disabled !== true && enabled !== false },
    tools: tools.includes("*") ? [] : tools,
    // Most have milliseconds; Cline has seconds, and nobody means less than one.
    ...(typeof timeout === "number" && timeout > 0
      ? { timeout_s: Math.ceil(timeout < 1000 ? timeout : timeout / 1000) }
      : {}),
  };
}

function is_list(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** A table of texts, numbers among them; null if it is not one. */
function texts(value: unknown): Record<string, string> | null {
  if (!is_record(value)) return null;
  const entries = Object.entries(value);
  return entries.every(([, item]) => ["string", "number", "boolean"].includes(typeof item))
    ? Object.fromEntries(entries.map(([key, item]) => [key, String(item)]))
    : null;
}
