/** MCP servers from settings, `--mcp-config` and a workspace's `.mcp.json`. Loaded if any of them names one. */
import { ConfigError } from "../config/error.ts";
import { named_text } from "../config/file.ts";
import { tells_secret } from "../config/render.ts";
import { type Environ, is_file } from "../config/paths.ts";
import { one_line, uri_decoded } from "../config/text.ts";
import { trust_in } from "../config/trust.ts";
import type { McpServer } from "../tools/mcp_server.ts";
import { McpServers } from "../tools/mcp/servers.ts";
import type { AskWords, Session } from "../agent/session.ts";
import type { Flags } from "./flags.ts";
import { listed_servers, type ListedServer, workspace_list } from "./mcp_json.ts";
import { read_named } from "./named_file.ts";
import type { RunSettings } from "./settings.ts";

/** A shorter key would be found in every other word. */
const LEAST_CHARS = 6;

/** The servers that are to be started, with what there is to say of the others. Throws a `ConfigError`. */
export async function mcp_servers(
  place: RunSettings,
  { mcp_config: files, mcp_handed: handed }: Pick<Flags, "mcp_config" | "mcp_handed">,
): Promise<{ readonly servers: readonly McpServer[]; readonly warnings: readonly string[] }> {
  const warnings: string[] = [];
  const all: ListedServer[] = [
    ...of_settings(place),
    ...files.flatMap((file) => of_list(...list_at(file, place), warnings)),
    ...await of_workspace(place, warnings),
  ];
  const seen = new Map<string, ListedServer>();
  // An editor often has what the workspace's file has, too.
  const known = new Set(all.map(({ name }) => name));
  const more = handed === undefined ? [] : of_list("the editor", handed, warnings);
  all.push(...more.filter(({ name }) => !known.has(name)));
  for (const server of all) {
    const { name, where } = server;
    const other = seen.get(name);
    if (other !== undefined) {
      throw new ConfigError(
        `two MCP servers are called ${name}, in ${other.where} and ${where}: rename one of them`,
      );
    }
    seen.set(name, server);
  }
  const servers: McpServer[] = [];
  for (const server of all.filter(({ enabled }) => enabled)) {
    const made = resolved(server, place);
    if (typeof made === "string") warnings.push(`MCP server ${server.name} is not used: ${made}`);
    else servers.push(made);
  }
  return { servers, warnings };
}

/** The servers of a run, which start once its tools worker can hold them. */
export function begin_mcp(
  servers: readonly McpServer[],
  heard: Parameters<typeof heard_by>[0],
): McpServers {
  return new McpServers(servers, heard_by(heard));
}

export function heard_by({ folders, emit, clarify, signal }: {
  folders: readonly string[];
  emit: Session["emit"];
  clarify: AskWords | undefined;
  /** Nobody is asked any longer. */
  signal: AbortSignal;
}): ConstructorParameters<typeof McpServers>[1] {
  return {
    folders,
    warn: (message) => emit({ type: "warning", message: one_line(message) }),
    progress: (id, words) => emit({ type: "progress", id, words }),
    ask: clarify === undefined ? null : (asked) => {
      emit({ type: "question", ...asked });
      return clarify(asked, signal);
    },
  };
}

function of_settings({ settings, origins }: RunSettings): ListedServer[] {
  return Object.entries(settings.mcp).flatMap(([name, server]) => {
    if (server === undefined) return [];
    const key = server.url === "" ? "command" : "url";
    const line = origins.get(`mcp.${name}.${key}`)?.where ?? "the settings";
    return [{ ...server, name, where: line.replace(/:\d+$/, "") }];
  });
}

async function of_workspace(
  { workspace, paths: { data_dir } }: RunSettings,
  warnings: string[],
): Promise<readonly ListedServer[]> {
  const file = `${workspace}/.mcp.json`;
  if (!is_file(file)) return [];
  let bytes: Uint8Array<ArrayBuffer>;
  try {
    bytes = workspace_list(file);
  } catch (error) {
    // Someone else's broken file must not keep people from working here.
    if (!(error instanceof ConfigError)) throw error;
    warnings.push(error.message);
    return [];
  }
  if (await trust_in(bytes, { data_dir, workspace, file }) !== null) {
    return of_list(file, new TextDecoder().decode(bytes), warnings);
  }
  warnings.push(
    `${one_line(file)}: ignored until you trust it: look at it and run hamr config trust`,
  );
  return [];
}

function of_list(file: string, text: string, warnings: string[]): readonly ListedServer[] {
  const { servers, faults } = listed_servers(file, text);
  warnings.push(...faults);
  return servers;
}

/** What `--mcp-config` names, and what it holds: a file, or the list itself, as Claude Code takes it. */
function list_at(given: string, place: RunSettings): [string, string] {
  const flag = "--mcp-config";
  if (given.trimStart().startsWith("{")) return [flag, given];
  return [
    given,
    named_text(given, `${flag} ${given}`, (file, most) => read_named(file, { most, place })),
  ];
}

function resolved(
  described: ListedServer,
  { environ, settings, workspace }: RunSettings,
): McpServer | string {
  const { name, tools, timeout_s, where, net, permissions } = described;
  const missing = new Set<string>();
  const known = { ...environ, workspaceFolder: workspace, CLAUDE_PROJECT_DIR: workspace };
  const fill = (text: string) => filled(text, known, missing);
  const map = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, fill(value)]));
  const command = fill(described.command);
  const cwd = fill(described.cwd);
  const url = fill(described.url);
  const [args, env, headers] = [
    described.args.map(fill),
    map(described.env),
    map(described.headers),
  ];
  if (missing.size > 0) return `${[...missing].join(" and ")} is not set in the environment`;
  if ((command === "") === (url === "")) return "give it a command or a url, and not both";
  if (url !== "" && !/^https?:\/\/[^/]/i.test(url)) {
    return "its url must begin with http:// or https://";
  }
  if (net && settings.permissions.net !== "all") return "it needs the network: --allow-net";
  const is_narrower = Object.keys(permissions).length > 0;
  if (is_narrower && url !== "") {
    return "permissions limit a program that hamr starts; a server over HTTP can't be limited";
  }
  const by = command !== ""
    ? {
      ...{ kind: "stdio" as const, command, args, cwd, env },
      written: [described.command, ...described.args],
      ...(is_narrower ? { permissions } : {}),
    }
    : { kind: "http" as const, url, headers, secrets: secrets_in_address(url, headers) };
  return { name, by, tools, timeout_s, where };
}

/** What proves who asks, in an address and in headers; a scheme in front, such as `Bearer`, is none. */
function secrets_in_address(url: string, headers: Readonly<Record<string, string>>): string[] {
  const { password, searchParams } = URL.canParse(url) ? new URL(url) : new URL("x:");
  const named = [...Object.entries(headers), ...searchParams]
    .filter(([name]) => tells_secret(name)).map(([, value]) => value.replace(/^\w+ +/, ""));
  const found = [...named, uri_decoded(password)].filter((value) => value.length >= LEAST_CHARS);
  return [...new Set([...found, ...found.map(encodeURIComponent)])];
}

/** `${NAME}` and `${NAME:-default}`, as other agents have them, and VS Code's `${env:NAME}`. */
function filled(text: string, known: Environ, missing: Set<string>): string {
  const place = /\$\{(?:env:)?(\w+|input:[^}]+)(?::-([^}]*))?\}/g;
  return text.replace(place, (_, name: string, otherwise?: string) => {
    const value = known[name] || otherwise;
    if (value === undefined) missing.add(one_line(name));
    return value ?? "";
  });
}
