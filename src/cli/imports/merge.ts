/** Merges another agent's settings into a settings file as text: what is there stays as it is. */
import { ConfigError } from "../../config/error.ts";
import { fields } from "../../config/json.ts";
import { hide_address, toml_key, toml_value } from "../../config/render.ts";
import { check_document } from "../../config/schema.ts";
import { parse_toml } from "../../config/toml.ts";
import type { Imported, Table } from "./sources.ts";

interface MergedSettings {
  readonly text: string;
  /** The text as it is shown: without what may be a secret. */
  readonly shown: string;
  /** What is left out because it is there. */
  readonly notes: readonly string[];
}

/** Throws a `ConfigError` where the file can't be read as settings, or would not be any afterwards. */
export function merge_settings(file: string, before: string, from: Imported): MergedSettings {
  const { tables } = parse_toml(file, before);
  const notes: string[] = [];
  const added: string[] = [], hidden: string[] = [];
  for (
    const [section, entries] of [["providers", from.providers], ["mcp", from.servers]] as const
  ) {
    for (const [name, entry] of Object.entries(entries)) {
      if (name in fields(tables[section])) {
        notes.push(`[${section}.${name}] already exists; it was left as it is`);
        continue;
      }
      added.push(section_text([section, name], entry, false));
      hidden.push(section_text([section, name], entry, true));
    }
  }
  const base = with_used(before, { tables, used: from.used, notes });
  const joined = (parts: readonly string[]) =>
    [base.trimEnd(), ...parts].filter((part) => part !== "").join("\n\n") + "\n";
  const nothing = added.length === 0 && base === before;
  const text = nothing ? before : joined(added);
  const fault = check_document(parse_toml(file, text).tables);
  if (fault !== null) throw new ConfigError(`${file}: ${fault.path.join(".")} ${fault.problem}`);
  return { text, shown: nothing ? before : joined(hidden), notes };
}

/** Which model is used, unless the file says so itself. */
function with_used(
  before: string,
  { tables, used, notes }: { tables: Table; used: Table; notes: string[] },
): string {
  if (Object.keys(used).length === 0) return before;
  const lines = lines_of(used, false);
  const there = fields(tables["provider"]);
  if (["default", "model", "base_url"].some((name) => name in there)) {
    notes.push("[provider] says which model is used; it stays as it is");
    return before;
  }
  const header = /^\[provider\][ \t]*(?:#.*)?$/m;
  if (header.test(before)) return before.replace(header, (found) => `${found}\n${lines}`);
  return [before.trimEnd(), `[provider]\n${lines}`].filter((part) => part !== "").join("\n\n") +
    "\n";
}

function section_text(path: readonly string[], entry: Table, hides: boolean): string {
  return `[${path.map(toml_key).join(".")}]\n${lines_of(entry, hides)}`;
}

function lines_of(entry: Table, hides: boolean): string {
  return Object.entries(entry).map(([name, value]) => {
    return `${toml_key(name)} = ${toml_value(hides ? hidden(name, value) : value)}`;
  }).join("\n");
}

const SECRET = /key|token|secret|passw|auth/i;

/** A value without what may be a secret in it. */
function hidden(name: string, value: unknown): unknown {
  if (name === "env" || name === "headers") return hidden_values(value);
  if (typeof value === "string") return name.endsWith("url") ? hide_address(value) : value;
  if (!Array.isArray(value)) return value;
  return value.map((text, at) => {
    const before = String(value[at - 1] ?? "");
    const [, flag] = /^(--?[\w-]+=)./.exec(String(text)) ?? [];
    if (flag !== undefined && SECRET.test(flag)) return `${flag}***`;
    return /^--?[\w-]+$/.test(before) && SECRET.test(before) ? "***" : text;
  });
}

/** Names of variables are not secrets. */
function hidden_values(value: unknown): Table {
  return Object.fromEntries(
    Object.entries(fields(value)).map(([name, text]) => [
      name,
      /^(?:Bearer )?\$\{\w+\}$/.test(String(text)) ? text : "***",
    ]),
  );
}
