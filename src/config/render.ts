/** Renders settings as TOML: the merged result with its sources, and a file to begin with. */
import { fields } from "./json.ts";
import type { SettingEntry } from "./file.ts";
import { AGENT_KEYS, type Key, MCP_KEYS, PROVIDER_KEYS } from "./key.ts";
import { NAMED, TABLES } from "./keys.ts";
import { type Loaded, origin } from "./load.ts";
import { one_line } from "./text.ts";

/** Where the comments of the merged result begin, if the setting leaves room. */
const COMMENT_COLUMN = 36;

/** People see only the first items of a longer list that nobody set: the places of keys alone would fill five screens. */
const LIST_ITEMS = 40, SHOWN_ITEMS = 2;

/** A terminal, half of a wide screen. */
const TEMPLATE_COLUMNS = 100;
const DOC_COLUMNS = 120;

/** The key of a provider whose value is a command, which may hold a secret itself: `echo sk-…`. */
const KEY_COMMAND = "api_key_cmd";
/** Names of headers and of parts of an address whose values may be secrets. */
const SECRET = /auth|key|token|secret|passw|cookie|credential|session|signature/i;

/** A variable that is filled in, and what stands for it where it is not set. */
const VARIABLE = /\$\{((?:env:)?\w+)(?::-[^}]*)?\}/g;

export function tells_secret(name: string): boolean {
  return SECRET.test(name);
}

type Keys = Readonly<Record<string, Key>>;

/**
 * All settings as TOML, each with a comment that says where it came from. What may be a secret is `***`:
 * headers with a telling name, and passwords and keys inside an address.
 *
 * @param brief whether long defaults are cut short, for a screen
 */
export function render_settings(loaded: Loaded, brief = false): string {
  const out: string[] = [];
  const sections: (readonly [readonly string[], Keys])[] = [
    ...TABLES,
    ...(["providers", "mcp", "agents"] as const).flatMap((section) =>
      Object.keys(loaded.settings[section]).map((name) =>
        [[section, name], NAMED[section].keys] as const
      )
    ),
  ];
  for (const [path, keys] of sections) {
    const values = path.reduce<object>(
      (table, name) => fields(fields(table)[name]),
      loaded.settings,
    ) as Readonly<Record<string, unknown>>;
    if (out.length > 0) out.push("");
    out.push(`[${path.map(toml_key).join(".")}]`);
    for (const name of Object.keys(keys)) {
      const { source, where } = origin(loaded, [...path, name].join("."));
      const value = values[name];
      const line = value === undefined
        ? `# ${name} is not set`
        : `${name} = ${toml_value(hide(name, value))}`;
      const from = source === "default" ? "default" : `${source} ${one_line(where)}`;
      if (brief && source === "default" && Array.isArray(value) && value.length > LIST_ITEMS) {
        const begun = toml_value(value.slice(0, SHOWN_ITEMS)).slice(0, -1);
        const more = `${value.length - SHOWN_ITEMS} more: hamr config show | less`;
        out.push(`${name} = ${begun}, …]  # default, ${more}`);
        continue;
      }
      out.push(`${line.padEnd(COMMENT_COLUMN)}  # ${from}`);
    }
  }
  return out.join("\n") + "\n";
}

/** Settings of one file, a line each, as TOML with dotted names, for whoever is to trust it: a command is what it takes trust for. */
export function render_entries(entries: readonly SettingEntry[]): string {
  return entries.map(({ path, value }) => {
    const name = path.map(toml_key).join("."), last = path.at(-1) ?? "";
    return `${name} = ${toml_value(last === KEY_COMMAND ? value : hide(last, value))}\n`;
  }).join("");
}

/** A commented file of settings in which nothing is set: every default, with its meaning. */
export function render_template(): string {
  const out = [
    "# hamr settings. Each line such as #stream = true shows a default: remove the # to change it.",
    "# Later wins: this file, a workspace's .hamr/config.toml, environment (HAMR_<SECTION>_<KEY>), flags.",
    "# hamr config show: every value, and where it came from.",
  ];
  for (const [path, keys] of TABLES) out.push("", `[${path.join(".")}]`, ...template_lines(keys));
  out.push(
    "",
    "# Your own server, for provider.default or --provider. Add as many as you like.",
    "#[providers.my-server]",
    ...template_lines(PROVIDER_KEYS),
    "",
    "# An MCP server: a command, or a url. Its tools are NAME__tool for the model.",
    "#[mcp.my-tools]",
    ...template_lines(MCP_KEYS),
    "",
    "# An agent, for --agent or for the model to delegate to.",
    "#[agents.my-agent]",
    ...template_lines(AGENT_KEYS),
  );
  return out.join("\n") + "\n";
}

function template_lines(keys: Keys): string[] {
  return Object.entries(keys).flatMap(([name, key]) => {
    const words = key.values?.filter((value) => value !== "") ?? [];
    const choice = words.length > 1 ? ` (${words.join(", ")})` : "";
    const value = key.example ?? toml_value(key.fallback);
    const hint = key.example === undefined ? "" : "; for example";
    const doc = `# ${key.doc}${choice}${hint}`;
    const docs = choice === "" || doc.length <= DOC_COLUMNS
      ? [doc]
      : [`# ${key.doc}`, `#${choice}${hint}`];
    return [...docs, ...commented(`${name} = ${value}`)];
  });
}

/** A setting that can be uncommented; a long list takes several lines. */
function commented(line: string): string[] {
  if (line.length < TEMPLATE_COLUMNS) return [`#${line}`];
  const lines: string[] = [];
  for (const part of line.split(/(?<=, |\[)(?=")/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + part.length < TEMPLATE_COLUMNS) {
      lines[lines.length - 1] = last + part;
    } else lines.push(part);
  }
  return lines.map((text) => `#${text.trimEnd()}`);
}

function hide(name: string, value: unknown): unknown {
  if (name === "headers") {
    return Object.fromEntries(
      Object.entries(value as Readonly<Record<string, string>>)
        .map(([header, content]) => [header, SECRET.test(header) ? masked(content) : content]),
    );
  }
  if (name === KEY_COMMAND && value !== "") return "***";
  if (name === "env" && !Array.isArray(value)) {
    return Object.fromEntries(
      Object.entries(value as Readonly<Record<string, string>>)
        .map(([variable, content]) => [variable, masked(content)]),
    );
  }
  return name === "base_url" || name === "url" ? hide_address(String(value)) : value;
}

/** Which of the user's variables a text is filled in with, as they stand in it; what one has where it is not set is left out. */
export function variables_in(content: string): readonly string[] {
  return [...content.matchAll(VARIABLE)].map(([, name]) => `\${${name}}`);
}

/** Only names of variables are left of a text that may hold a secret: whoever is to trust it is told where which of them goes. */
function masked(content: string): string {
  const hidden = (text: string) => text === "" ? "" : "***";
  const rest = content.split(VARIABLE);
  // Between the texts are the names.
  return rest.map((part, at) => at % 2 === 1 ? `\${${part}}` : hidden(part)).join("");
}

/** An address without its password and without the values of telling parameters. */
export function hide_address(address: string): string {
  return address
    .replace(/^(\w+:\/\/)[^/?#]*@/, "$1***@")
    .replace(
      /([?&])([^=&#]*)=([^&#]*)/g,
      (whole, start, name, value) => SECRET.test(name) ? `${start}${name}=${masked(value)}` : whole,
    );
}

export function toml_value(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml_value).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const parts = Object.entries(value).map(([name, inner]) =>
      `${toml_key(name)} = ${toml_value(inner)}`
    );
    return parts.length === 0 ? "{}" : `{ ${parts.join(", ")} }`;
  }
  return typeof value === "string" ? toml_string(value) : String(value);
}

export function toml_key(name: string): string {
  return /^[A-Za-z0-9_-]+$/.test(name) ? name : toml_string(name);
}

/** The escapes of JSON are TOML's too; what `one_line` escapes beyond them is written the same way. */
function toml_string(text: string): string {
  return one_line(JSON.stringify(text));
}
