/** Reads the settings and instructions of other agents, as far as they mean something here. */
import { or_throw } from "../../config/attempt.ts";
import { without_comments } from "../../config/jsonc.ts";
import { fields } from "../../config/json.ts";
import { is_mcp_name, is_provider_name } from "../../config/keys.ts";
import { one_line } from "../../config/text.ts";
import { parse_toml } from "../../config/toml.ts";
import { ConfigError } from "../../config/error.ts";
import { text_file } from "../../config/file.ts";

export const IMPORTED = ["codex", "claude", "opencode"] as const;

export type Table = Readonly<Record<string, unknown>>;

export interface Imported {
  readonly files: readonly string[];
  /** By their names, as `[mcp.NAME]` has them. */
  readonly servers: Readonly<Record<string, Table>>;
  /** As `[providers.NAME]` has them. */
  readonly providers: Readonly<Record<string, Table>>;
  /** For `[provider]`. */
  readonly used: Table;
  readonly instructions: string;
  /** What is left out, and why, a line each. */
  readonly notes: readonly string[];
}

interface ForeignPlaces {
  readonly codex: string;
  /** Claude Code's folder, and the file that holds its servers. */
  readonly claude: string;
  readonly claude_file: string;
  readonly opencode: string;
  readonly workspace: string;
}

/** Reads them. Throws a `ConfigError` for a file that can't be read. */
export function imported(agent: (typeof IMPORTED)[number], places: ForeignPlaces): Imported {
  const notes: string[] = [];
  const reader = new Reader(notes);
  switch (agent) {
    case "codex": {
      const tables = reader.toml(`${places.codex}/config.toml`);
      return {
        ...of_codex(tables, notes),
        ...reader.rest(`${places.codex}/AGENTS.md`),
        servers: named(fields(tables["mcp_servers"]), { notes, as: codex_server }),
        notes,
      };
    }
    case "claude": {
      const tables = reader.json(places.claude_file);
      const here = fields(fields(fields(tables["projects"])[places.workspace])["mcpServers"]);
      const all = { ...fields(tables["mcpServers"]), ...here };
      return {
        ...of_claude(reader.json(`${places.claude}/settings.json`), notes),
        ...reader.rest(`${places.claude}/CLAUDE.md`),
        servers: named(all, { notes, as: claude_server }),
        notes,
      };
    }
    case "opencode": {
      const folder = places.opencode;
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
    return text === "" ? {} : or_throw(
      () => fields(JSON.parse(without_comments(text))),
      (error) => new ConfigError(`${file}: not JSON: ${one_line((error as Error).message)}`),
    );
  }

  /** The instructions, and what was read by then. */
  rest(file: string): Pick<Imported, "instructions" | "files"> {
    return { instructions: this.#text(file).trim(), files: this.files };
  }

  #text(file: string): string {
    const text = text_file(file);
    if (text !== null) this.files.push(file);
    return text ?? "";
  }
}

/** Codex's settings that are the person's choice, and what they are called here. */
const CODEX_CHOICES: readonly (readonly [name: string, here: string])[] = [
  ["model_reasoning_effort", "agent.reasoning_effort in your settings, or --reasoning-effort"],
  ["approval_policy", "agent.confirm in your settings, or --confirm"],
  ["sandbox_mode", "see hamr help permissions"],
  ["profiles", "hamr has none"],
];

function of_codex(tables: Table, notes: string[]): Pick<Imported, "providers" | "used"> {
  const { model, model_provider } = tables;
  for (const [name, here] of CODEX_CHOICES) {
    if (name in tables) notes.push(`${name}: left out; ${here}`);
  }
  const all = fields(tables["model_providers"]);
  const providers = named(all, { notes, as: codex_provider, fits: is_provider_name });
  const used = typeof model_provider === "string" && providers[model_provider] !== undefined
    ? { default: model_provider, ...(typeof model === "string" ? { model } : {}) }
    : {};
  if (typeof model === "string" && !("model" in used)) {
    notes.push(
      `model ${
        one_line(model)
      }: it is Codex's own; use --provider openai --model NAME with OPENAI_API_KEY`,
    );
  }
  return { providers, used };
}

function codex_provider(entry: Table): TakenOver {
  const { base_url, env_key, wire_api, http_headers, name: _, env_key_instructions: __, ...rest } =
    entry;
  if (typeof base_url !== "string") return "it has no base_url";
  const headers = texts(http_headers);
  const made = {
    base_url,
    // What codex calls "chat" is what it no longer speaks; what says nothing is in its own format.
    api_mode: wire_api === "chat" ? "chat_completions" : "codex_responses",
    ...(typeof env_key === "string" ? { api_key_env: env_key } : {}),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
  };
  return { made, rest };
}

/** Claude Code's own model is its maker's; where a variable of its settings names another server, that one is meant. */
function of_claude(tables: Table, notes: string[]): Pick<Imported, "providers" | "used"> {
  const env = texts(tables["env"]);
  const model = [env["ANTHROPIC_MODEL"], tables["model"]].find((one) => typeof one === "string");
  const { ANTHROPIC_BASE_URL: base_url = "", ANTHROPIC_AUTH_TOKEN: token } = env;
  if (base_url === "") {
    if (model !== undefined) {
      notes.push(
        `model ${
          one_line(model)
        }: left out; --provider anthropic --model NAME with ANTHROPIC_API_KEY`,
      );
    }
    return { providers: {}, used: {} };
  }
  const api_key_env = token === undefined ? "ANTHROPIC_API_KEY" : "ANTHROPIC_AUTH_TOKEN";
  notes.push(`${one_line(base_url)}: its key is read from ${api_key_env}, which you have to set`);
  return {
    providers: { claude: { base_url, api_mode: "anthropic_messages", api_key_env } },
    used: { default: "claude", ...(model === undefined ? {} : { model }) },
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

/** The packages of opencode that speak another protocol than Chat Completions. */
const OPENCODE_PROTOCOLS: Readonly<Record<string, string>> = {
  "@ai-sdk/anthropic": "anthropic_messages",
  "@ai-sdk/openai": "codex_responses",
};

function opencode_provider(entry: Table): TakenOver {
  const { baseURL, apiKey, headers, ...rest } = fields(entry["options"]);
  if (typeof baseURL !== "string") return "it has no baseURL";
  const [, from, where] = /^\{(env|file):(.+)\}$/.exec(String(apiKey)) ?? [];
  const api_mode = OPENCODE_PROTOCOLS[String(entry["npm"])];
  // A variable in a header has no match here.
  const sent = Object.entries(texts(headers));
  const plain = sent.filter(([, text]) => !/\{(?:env|file):/.test(text));
  const made = {
    base_url: baseURL,
    ...(api_mode === undefined ? {} : { api_mode }),
    ...(from === "env" ? { api_key_env: where } : {}),
    ...(from === "file" ? { api_key_file: where } : {}),
    ...(plain.length > 0 ? { headers: Object.fromEntries(plain) } : {}),
  };
  const lost = {
    ...(from === undefined ? { apiKey } : {}),
    ...(plain.length < sent.length ? { headers } : {}),
  };
  return { made, rest: { ...rest, ...lost } };
}

function codex_server(entry: Table): TakenOver {
  const { command, args, env, env_vars, cwd, enabled, enabled_tools, ...more } = entry;
  const { url, http_headers, env_http_headers, bearer_token_env_var, tool_timeout_sec, ...rest } =
    more;
  const variables = Array.isArray(env_vars) ? env_vars : [];
  const from = variables.map((one) => typeof one === "string" ? one : fields(one)["name"])
    .flatMap((name) => typeof name === "string" ? [[name, `\${${name}}`]] : []);
  const asked = Object.entries(texts(env_http_headers))
    .map(([name, variable]) => [name, `\${${variable}}`]);
  const headers = {
    ...texts(http_headers),
    ...Object.fromEntries(asked),
    ...(typeof bearer_token_env_var === "string"
      ? { Authorization: `Bearer \${${bearer_token_env_var}}` }
      : {}),
  };
  return server(rest, {
    ...{ command, cwd, url, headers, enabled },
    args: list(args),
    env: { ...texts(env), ...Object.fromEntries(from) },
    tools: list(enabled_tools),
    timeout_s: tool_timeout_sec,
  });
}

function claude_server(entry: Table): TakenOver {
  if (entry["type"] === "sse") return 'its type is "sse", which MCP has dropped';
  const { type: _, command, args, env, url, headers, ...rest } = entry;
  return server(rest, {
    ...{ command, url },
    args: list(args),
    env: texts(env),
    headers: texts(headers),
  });
}

function opencode_server(entry: Table): TakenOver {
  const { type: _, command: line, url, enabled, timeout, environment, headers, cwd, ...rest } =
    entry;
  const [command, ...args] = list(line);
  const own = (values: unknown) =>
    Object.fromEntries(
      Object.entries(texts(values)).map(([name, text]) => [
        name,
        text.replace(/\{env:(\w+)\}/g, "${$1}"),
      ]),
    );
  return server(rest, {
    ...{ command, args, cwd, url, enabled, env: own(environment), headers: own(headers) },
    timeout_s: typeof timeout === "number" ? Math.ceil(timeout / 1000) : undefined,
  });
}

/** A server without what is left at its default. */
function server(rest: Table, given: {
  readonly command: unknown;
  readonly args: readonly string[];
  readonly cwd?: unknown;
  readonly env: Table;
  readonly url: unknown;
  readonly headers: Table;
  readonly enabled?: unknown;
  readonly tools?: readonly string[];
  readonly timeout_s?: unknown;
}): TakenOver {
  const { command, args, cwd, env, url, headers, enabled, tools = [], timeout_s } = given;
  const by_command = typeof command === "string" && command !== "";
  if (by_command === (typeof url === "string" && url !== "")) {
    return "it has neither a command nor a url";
  }
  const made = {
    ...(by_command ? { command } : { url }),
    ...(args.length > 0 && by_command ? { args } : {}),
    ...(typeof cwd === "string" && cwd !== "" && by_command ? { cwd } : {}),
    ...(Object.keys(env).length > 0 && by_command ? { env } : {}),
    ...(Object.keys(headers).length > 0 && !by_command ? { headers } : {}),
    ...(enabled === false ? { enabled } : {}),
    ...(tools.length > 0 ? { tools } : {}),
    ...(typeof timeout_s === "number" && timeout_s > 0 ? { timeout_s } : {}),
  };
  return { made, rest };
}

/** An entry as ours, with what has no match here; or why it can't be one. */
type TakenOver = string | { readonly made: Table; readonly rest: Table };

/** Each entry of a table as ours; what can't be taken over is noted. */
function named(entries: Table, { notes, as, fits = is_mcp_name }: {
  notes: string[];
  as: (entry: Table) => TakenOver;
  fits?: (name: string) => boolean;
}): Record<string, Table> {
  const found: Record<string, Table> = Object.create(null);
  for (const [given, entry] of Object.entries(entries)) {
    const name = given.replace(/[^A-Za-z0-9-]+/g, "_").replace(/^[_-]+|_+$/g, "");
    const taken = fits(name) ? as(fields(entry)) : "its name can't be used here";
    if (typeof taken === "string") {
      notes.push(`${one_line(given)}: left out, ${taken}`);
      continue;
    }
    found[name] = taken.made;
    const lost = Object.entries(taken.rest).filter(([, value]) => says_something(value));
    if (lost.length > 0) {
      notes.push(
        `${one_line(given)}: taken over without its ${lost.map(([key]) => key).join(", ")}`,
      );
    }
  }
  return found;
}

function says_something(value: unknown): boolean {
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return value !== undefined && value !== null && value !== false && value !== "";
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(is_word).map(String) : [];
}

/** Numbers and booleans are texts, too, where only texts can be meant. */
function is_word(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function texts(value: unknown): Record<string, string> {
  return Object.fromEntries(
    Object.entries(fields(value)).flatMap(([name, text]) =>
      is_word(text) ? [[name, String(text)]] : []
    ),
  );
}
