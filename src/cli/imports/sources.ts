/** What other agents have been told, as far as it means something here. */
import { fields } from "../../config/json.ts";
import { is_mcp_name, is_provider_name } from "../../config/keys.ts";
import { one_line } from "../../config/text.ts";
import { parse_toml } from "../../config/toml.ts";
import { ConfigError } from "../../config/error.ts";

/** The agents whose settings are read. */
export const IMPORTED = ["codex", "claude", "opencode"] as const;

/** Whose settings they are. */
export type ImportedAgent = (typeof IMPORTED)[number];

/** A table of settings. */
export type Table = Readonly<Record<string, unknown>>;

/** What is taken over. */
export interface Imported {
  /** Files that were read. */
  readonly files: readonly string[];
  /** By their names, as `[mcp.NAME]` has them. */
  readonly servers: Readonly<Record<string, Table>>;
  /** As `[providers.NAME]` has them. */
  readonly providers: Readonly<Record<string, Table>>;
  /** For `[provider]`. */
  readonly used: Table;
  /** Instructions for all workspaces; empty for none. */
  readonly instructions: string;
  /** What is left out, and why, a line each. */
  readonly notes: readonly string[];
}

/** Reads them. `home` and `config` are the folders of the user. Throws a `ConfigError` for a file that can't be read. */
export function imported(
  agent: ImportedAgent,
  places: { readonly home: string; readonly config: string; readonly workspace: string },
): Imported {
  const notes: string[] = [];
  const reader = new Reader(notes);
  const { home, config, workspace } = places;
  switch (agent) {
    case "codex": {
      const tables = reader.toml(`${home}/.codex/config.toml`);
      return {
        ...of_codex(tables, notes),
        ...reader.rest(`${home}/.codex/AGENTS.md`),
        servers: named(fields(tables["mcp_servers"]), { notes, as: codex_server }),
        notes,
      };
    }
    case "claude": {
      const tables = reader.json(`${home}/.claude.json`);
      const here = fields(fields(fields(tables["projects"])[workspace])["mcpServers"]);
      const all = { ...fields(tables["mcpServers"]), ...here };
      return {
        ...reader.rest(`${home}/.claude/CLAUDE.md`),
        servers: named(all, { notes, as: claude_server }),
        providers: {},
        used: {},
        notes,
      };
    }
    case "opencode": {
      const folder = `${config}/opencode`;
      const tables = {
        ...reader.json(`${folder}/opencode.json`),
        ...reader.json(`${folder}/opencode.jsonc`),
      };
      return {
        ...of_opencode(tables, notes),
        ...reader.rest(`${folder}/AGENTS.md`),
        servers: named(fields(tables["mcp"]), { notes, as: opencode_server }),
        notes,
      };
    }
  }
}

class Reader {
  readonly files: string[] = [];

  constructor(readonly notes: string[]) {}

  toml(file: string): Table {
    const text = this.#text(file);
    return text === "" ? {} : parse_toml(file, text).tables;
  }

  json(file: string): Table {
    const text = this.#text(file);
    try {
      return text === "" ? {} : fields(JSON.parse(without_comments(text)));
    } catch (error) {
      throw new ConfigError(`${file}: not JSON: ${one_line((error as Error).message)}`);
    }
  }

  /** The instructions, and what was read by then. */
  rest(file: string): Pick<Imported, "instructions" | "files"> {
    const instructions = this.#text(file).trim();
    return { instructions, files: this.files };
  }

  #text(file: string): string {
    try {
      const text = Deno.readTextFileSync(file);
      this.files.push(file);
      return text;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return "";
      throw new ConfigError(`${file}: can't be read: ${one_line((error as Error).message)}`);
    }
  }
}

/** JSON as editors have it: with comments, and commas at the end of lists. */
function without_comments(text: string): string {
  const parts = /"(?:[^"\\]|\\.)*"|\/\/[^\n]*|\/\*[^]*?\*\/|,(?=\s*(?:\/\/[^\n]*\s*)*[}\]])/g;
  return text.replace(parts, (found) => found.startsWith('"') ? found : "");
}

function of_codex(tables: Table, notes: string[]): Pick<Imported, "providers" | "used"> {
  const { model, model_provider } = tables;
  const all = fields(tables["model_providers"]);
  const providers = named(all, { notes, as: codex_provider, fits: is_provider_name });
  const used = typeof model_provider === "string" && providers[model_provider] !== undefined
    ? { default: model_provider, ...(typeof model === "string" ? { model } : {}) }
    : {};
  if (typeof model === "string" && !("model" in used)) {
    notes.push(
      `model ${
        one_line(model)
      }: it is codex' own; --provider openai --model NAME with OPENAI_API_KEY`,
    );
  }
  return { providers, used };
}

function codex_provider(entry: Table): Table | string {
  const { base_url, env_key, wire_api } = entry;
  if (typeof base_url !== "string") return "it has no base_url";
  return {
    base_url,
    api_mode: wire_api === "responses" ? "codex_responses" : "chat_completions",
    ...(typeof env_key === "string" ? { api_key_env: env_key } : {}),
  };
}

function of_opencode(tables: Table, notes: string[]): Pick<Imported, "providers" | "used"> {
  const all = fields(tables["provider"]);
  const providers = named(all, { notes, as: opencode_provider, fits: is_provider_name });
  const { model } = tables;
  if (typeof model !== "string") return { providers, used: {} };
  const [, provider = "", name = ""] = /^([^/]+)\/(.+)$/.exec(model) ?? [];
  if (providers[provider] === undefined) {
    notes.push(`model ${one_line(model)}: its provider has no address of its own; see --provider`);
    return { providers, used: {} };
  }
  return { providers, used: { default: provider, model: name } };
}

function opencode_provider(entry: Table): Table | string {
  const { baseURL, apiKey } = fields(entry["options"]);
  if (typeof baseURL !== "string") return "it has no baseURL";
  const key = typeof apiKey === "string" ? /^\{env:(\w+)\}$/.exec(apiKey)?.[1] : undefined;
  return { base_url: baseURL, ...(key === undefined ? {} : { api_key_env: key }) };
}

function codex_server(entry: Table): Table | string {
  const { command, url, enabled, tool_timeout_sec, enabled_tools, bearer_token_env_var } = entry;
  const from = list(entry["env_vars"]).map((name) => [name, `\${${name}}`]);
  const headers = {
    ...texts(entry["http_headers"]),
    ...(typeof bearer_token_env_var === "string"
      ? { Authorization: `Bearer \${${bearer_token_env_var}}` }
      : {}),
  };
  return server({
    command,
    args: list(entry["args"]),
    env: { ...texts(entry["env"]), ...Object.fromEntries(from) },
    url,
    headers,
    enabled,
    tools: list(enabled_tools),
    timeout_s: tool_timeout_sec,
  });
}

function claude_server(entry: Table): Table | string {
  if (entry["type"] === "sse") return 'its type is "sse", which MCP has dropped';
  const { command, args, env, url, headers } = entry;
  return server({ command, args: list(args), env: texts(env), url, headers: texts(headers) });
}

function opencode_server(entry: Table): Table | string {
  const { url, enabled, timeout } = entry;
  const [command, ...args] = list(entry["command"]);
  const own = (values: unknown) =>
    Object.fromEntries(
      Object.entries(texts(values)).map(([name, text]) => [
        name,
        text.replace(/\{env:(\w+)\}/g, "${$1}"),
      ]),
    );
  return server({
    ...{ command, args, url, enabled, env: own(entry["environment"]) },
    headers: own(entry["headers"]),
    timeout_s: typeof timeout === "number" ? Math.ceil(timeout / 1000) : undefined,
  });
}

/** A server without what is left at its default. */
function server(
  given: {
    readonly command: unknown;
    readonly args: readonly string[];
    readonly env: Table;
    readonly url: unknown;
    readonly headers: Table;
    readonly enabled?: unknown;
    readonly tools?: readonly string[];
    readonly timeout_s?: unknown;
  },
): Table | string {
  const { command, args, env, url, headers, enabled, tools = [], timeout_s } = given;
  const by_command = typeof command === "string" && command !== "";
  if (by_command === (typeof url === "string" && url !== "")) {
    return "it has neither a command nor a url";
  }
  return {
    ...(by_command ? { command } : { url }),
    ...(args.length > 0 && by_command ? { args } : {}),
    ...(Object.keys(env).length > 0 && by_command ? { env } : {}),
    ...(Object.keys(headers).length > 0 && !by_command ? { headers } : {}),
    ...(enabled === false ? { enabled } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(typeof timeout_s === "number" && timeout_s > 0 ? { timeout_s } : {}),
  };
}

/** Each entry of a table as ours; what can't be one is noted. */
function named(
  entries: Table,
  { notes, as, fits = is_mcp_name }: {
    readonly notes: string[];
    readonly as: (entry: Table) => Table | string;
    readonly fits?: (name: string) => boolean;
  },
): Record<string, Table> {
  const found: Record<string, Table> = Object.create(null);
  for (const [given, entry] of Object.entries(entries)) {
    const name = given.replace(/[^A-Za-z0-9-]+/g, "_").replace(/^[_-]+|_+$/g, "");
    const made = fits(name) ? as(fields(entry)) : "its name can't be used here";
    if (typeof made === "string") notes.push(`${one_line(given)}: left out, ${made}`);
    else found[name] = made;
  }
  return found;
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}

function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields(value)).flatMap(([name, text]) =>
      typeof text === "string" ? [[name, text]] : []
    ),
  );
}
