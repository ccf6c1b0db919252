/** A valibot schema of configuration files, made from the settings. Loaded only if there is a file: valibot takes 5 ms. */
import { is_table } from "./json.ts";
import * as v from "valibot";
import {
  AGENT_KEYS,
  AUXILIARIES,
  AUXILIARY_KEYS,
  type Key,
  MCP_KEYS,
  PROVIDER_KEYS,
} from "./key.ts";
import {
  depth_of as depth_of_setting,
  fallbacks,
  is_agent_name,
  is_mcp_name,
  is_provider_name,
  SECTIONS,
} from "./keys.ts";
import { did_you_mean, either } from "./text.ts";
import { problem } from "./value.ts";

/** What is wrong with a document: the key and, to follow its name, the reason. */
interface SettingFault {
  readonly path: readonly string[];
  readonly problem: string;
}

const PROVIDER_NAME =
  'unusable name; a provider\'s is letters, digits, "_", "-" and ".", and not "auto"';

const MCP_NAME =
  'unusable name; a server\'s is up to 32 letters, digits, "-" and single "_", beginning with a letter or digit';

const AGENT_NAME = 'unusable name; an agent\'s is letters, digits, "_" and "-"';

/** A whole configuration file: every section and every key may be left out, and nothing may be added. */
const FILE = table({
  ...Object.fromEntries(
    Object.entries(SECTIONS).map(([name, keys]) => [name, v.optional(section(keys))]),
  ),
  auxiliary: v.optional(
    table(Object.fromEntries(
      AUXILIARIES.map((name) => [name, v.optional(section(AUXILIARY_KEYS))]),
    )),
  ),
  providers: v.optional(named(PROVIDER_KEYS, v.check(is_provider_name, PROVIDER_NAME))),
  mcp: v.optional(named(MCP_KEYS, v.check(is_mcp_name, MCP_NAME))),
  agents: v.optional(named(AGENT_KEYS, v.check(is_agent_name, AGENT_NAME))),
});

export function check(document: unknown): SettingFault | null {
  const result = v.safeParse(FILE, document, { abortEarly: true });
  if (result.success) return null;
  const issue = result.issues[0];
  const path = (issue.path ?? []).map((item) => String(item.key));
  if (issue.type === "strict_object") {
    const missing = issue.expected !== "never";
    return { path, problem: missing ? "missing" : unknown_key(path) };
  }
  // A fault inside a list or a table of strings is one of the whole setting.
  const key = key_of(path);
  if (key === null) return { path, problem: issue.message };
  return { path: path.slice(0, depth_of(path)), problem: problem(key, issue.input) };
}

/** The value of a checked setting, with what its tables leave out. */
export function with_table_defaults(path: readonly string[], value: unknown): unknown {
  const { fields, kind } = key_of(path) ?? {};
  if (fields === undefined || kind !== "tables") return value;
  return (value as readonly object[]).map((given) => ({ ...fallbacks(fields), ...given }));
}

function section(keys: Readonly<Record<string, Key>>) {
  return table(
    Object.fromEntries(
      Object.entries(keys).map(([name, key]) => {
        return [name, key.required ? value(key) : v.optional(value(key))];
      }),
    ),
  );
}

function named(
  keys: Readonly<Record<string, Key>>,
  name: v.CheckAction<string, string>,
): v.GenericSchema {
  return v.pipe(plain(), v.record(v.pipe(v.string(), name), section(keys)));
}

function table(entries: Readonly<Record<string, v.GenericSchema>>): v.GenericSchema {
  return v.pipe(plain(), v.strictObject(entries));
}

function plain() {
  return v.custom<Record<string, unknown>>(is_table, "must be a table");
}

function value(key: Key): v.GenericSchema {
  const { expects, min = -Infinity, max = Infinity } = key;
  const text = v.pipe(v.string(expects), v.check(key.fits ?? (() => true), expects));
  const range = v.pipe(v.number(expects), v.minValue(min, expects), v.maxValue(max, expects));
  const word = v.picklist(key.values ?? [], expects);
  const integer = v.pipe(range, v.safeInteger(expects));
  const forms: Readonly<Record<Key["kind"], () => v.GenericSchema>> = {
    integer: () => integer,
    number: () => range,
    boolean: () => v.boolean(expects),
    enum: () => word,
    string: () => text,
    integers: () => v.array(integer, expects),
    list: () => v.array(text, expects),
    list_or_all: () => v.union([v.literal("all"), v.array(text)], expects),
    list_or_word: () => v.union([word, v.array(text)], expects),
    map: () => v.pipe(plain(), v.record(v.string(), v.string(expects), expects)),
    table: () => section(key.fields ?? {}),
    tables: () => v.array(section(key.fields ?? {}), expects),
  };
  return forms[key.kind]();
}

/** The setting that a path leads to or into, or the field of its tables; null for one of these tables. */
function key_of(path: readonly string[]): Key | null {
  const keys = keys_of(path[0] ?? "");
  const depth = depth_of_setting(path);
  const name = path[depth - 1] ?? "";
  const key = keys !== null && Object.hasOwn(keys, name) ? keys[name] ?? null : null;
  if (key?.fields === undefined || path.length <= depth) return key;
  // In a list of tables, the number of one comes first.
  const field = path[key.kind === "tables" ? depth + 1 : depth];
  return field === undefined ? null : key.fields[field] ?? null;
}

/** How much of a path to a fault names the setting, or the field of one of its tables. */
function depth_of(path: readonly string[]): number {
  const depth = depth_of_setting(path);
  const key = key_of(path.slice(0, depth));
  return key?.fields === undefined ? depth : depth + (key.kind === "tables" ? 2 : 1);
}

function keys_of(section_name: string): Readonly<Record<string, Key>> | null {
  if (section_name === "providers") return PROVIDER_KEYS;
  if (section_name === "mcp") return MCP_KEYS;
  if (section_name === "agents") return AGENT_KEYS;
  if (section_name === "auxiliary") return AUXILIARY_KEYS;
  const sections: Readonly<Record<string, Readonly<Record<string, Key>>>> = SECTIONS;
  return Object.hasOwn(sections, section_name) ? sections[section_name] ?? null : null;
}

/** Why a key is unknown: the nearest there is, the section that has it, or all that are allowed. */
function unknown_key(path: readonly string[]): string {
  const name = path.at(-1) ?? "";
  const sections = [...Object.keys(SECTIONS), "auxiliary", "providers", "mcp", "agents"];
  const homes = sections.filter((home) => Object.hasOwn(keys_of(home) ?? {}, name))
    .map((home) => depth_of_setting([home]) === 3 ? `${home}.NAME.${name}` : `${home}.${name}`);
  const elsewhere = homes.length > 0 ? `; did you mean ${either(homes)}?` : "";
  if (path[0] === "auxiliary" && path.length === 2) {
    const there_are = `; known: ${AUXILIARIES.join(", ")}`;
    return `unknown section${did_you_mean(name, AUXILIARIES, there_are)}`;
  }
  const fields = path.length > 3
    ? key_of(path.slice(0, depth_of_setting(path)))?.fields
    : undefined;
  const keys = fields ?? (path.length > 1 ? keys_of(path[0] ?? "") : null);
  if (keys === null) {
    const near = did_you_mean(name, sections.map((home) => home), elsewhere);
    return `unknown section${near || `; known: ${sections.join(", ")}`}`;
  }
  const allowed = Object.keys(keys);
  const near = (fields === undefined && elsewhere) || `; allowed are ${allowed.join(", ")}`;
  return `unknown key${did_you_mean(name, allowed, near)}`;
}
