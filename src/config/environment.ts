/** Settings from environment variables. */
import { ConfigError } from "./error.ts";
import type { SettingEntry } from "./file.ts";
import type { Key } from "./key.ts";
import { KEYS, NAMED, type Settings, TABLES } from "./keys.ts";
import type { Environ } from "./paths.ts";
import { mistyped, nearest, one_line } from "./text.ts";
import { from_text } from "./value.ts";

/** The short names of what is set most often. The long name of the same setting wins over them. */
const SHORT: Readonly<Record<string, readonly [section: string, key: string]>> = {
  HAMR_MODEL: ["provider", "model"],
  HAMR_BASE_URL: ["provider", "base_url"],
  HAMR_PROVIDER: ["provider", "default"],
};

/** The names that files have given in such sections. */
export type GivenNames = Readonly<Partial<Record<keyof typeof NAMED, object>>>;

/** A setting as a variable has it; `written`: its value is still the text, a table or a list of tables. */
interface VariableEntry extends SettingEntry {
  readonly written?: true;
}

/**
 * The settings that variables name: `HAMR_<SECTION>_<KEY>`, `HAMR_PROVIDERS_<NAME>_<KEY>` (or MCP, AGENTS) and the short
 * forms. An empty variable counts as not set. Names that begin with no section are left alone.
 * Throws a `ConfigError` for an unknown key of a section and for a value that does not fit.
 *
 * @param given what files have given, so that `HAMR_PROVIDERS_MY_BOX_MODEL` finds `my-box`
 */
export function environment(environ: Environ, given: GivenNames): VariableEntry[] {
  const short: VariableEntry[] = [];
  const long: VariableEntry[] = [];
  for (const name of Object.keys(environ).filter((name) => name.startsWith("HAMR_")).sort()) {
    const text = environ[name] ?? "";
    const brief = Object.hasOwn(SHORT, name) ? SHORT[name] : undefined;
    if (brief !== undefined) {
      const key = KEYS.get(brief.join("."));
      if (key !== undefined && text !== "") short.push(entry(name, { path: brief, key, text }));
      continue;
    }
    const found = find(name, given);
    if (found !== null && text !== "") long.push(entry(name, { ...found, text }));
  }
  return [...short, ...long];
}

/** Addresses that users have set for other programs, and the protocols spoken there; "": not said. */
const USUAL: readonly (readonly [variable: string, provider: string, api_modes: string[]])[] = [
  ["OPENAI_BASE_URL", "openai", ["", "chat_completions", "codex_responses"]],
  ["ANTHROPIC_BASE_URL", "anthropic", ["anthropic_messages"]],
];

/** What such an address makes of the settings, where no provider is named and a file's own address speaks the same protocol. */
export function usual_address(
  environ: Environ,
  { default: named, api_mode }: Settings["provider"],
): SettingEntry[] {
  const found = USUAL.find(([variable, provider, api_modes]) =>
    environ[variable]?.trim() && ["", "auto", provider].includes(named) &&
    api_modes.includes(api_mode)
  );
  if (found === undefined) return [];
  const [where, provider] = found;
  return [
    { path: ["provider", "default"], value: provider, where },
    { path: ["provider", "base_url"], value: environ[where]?.trim(), where },
  ];
}

/** Sections that are easily left out, as in `HAMR_MODEL` and the flags. */
const LEFT_OUT = ["agent", "provider"];
/** Variables that are read elsewhere. */
const OTHERS = ["HAMR_API_KEY", "HAMR_HOME"];

/** A warning for each unknown variable one or two letters from a known one, without its section, or of one that is in files only; other `HAMR_` names are somebody's own. No value is shown. */
export function mistyped_variables(environ: Environ): string[] {
  const read = [...Object.keys(SHORT), ...OTHERS];
  const sections = [["providers"], ...TABLES.map(([path]) => path)].map(start_of);
  const unread = Object.keys(environ).filter((name) =>
    name.startsWith("HAMR_") && environ[name] !== "" && !read.includes(name) &&
    !sections.some((start) => name.startsWith(start))
  );
  if (unread.length === 0) return [];
  const settings = [...KEYS.keys()].map((key) => start_of(key.split(".")).slice(0, -1));
  const known = [...read, ...settings].map((name) => name.slice("HAMR_".length));
  return unread.sort().flatMap((name) => {
    const rest = name.slice("HAMR_".length);
    const section = named_section(name);
    if (section !== undefined) {
      return find(name, {}) === null ? [`${one_line(name)} is not read; ${form_of(section)}`] : [];
    }
    const home = LEFT_OUT.find((one) => KEYS.has(`${one}.${rest.toLowerCase()}`));
    const near = home === undefined ? mistyped(rest, known) : `${home.toUpperCase()}_${rest}`;
    return near === null
      ? []
      : [`${one_line(name)} is not a variable that hamr reads; did you mean HAMR_${near}?`];
  });
}

function start_of(path: readonly string[]): string {
  return `HAMR_${path.join("_").toUpperCase()}_`;
}

/** The section of a variable's name whose tables have names. */
function named_section(name: string): keyof typeof NAMED | undefined {
  const sections = Object.keys(NAMED) as (keyof typeof NAMED)[];
  return sections.find((section) => name.startsWith(start_of([section])));
}

interface FoundSetting {
  readonly path: readonly string[];
  readonly key: Key;
}

function entry(name: string, { path, key, text }: FoundSetting & { text: string }): VariableEntry {
  if (["map", "table", "tables"].includes(key.kind)) {
    return { path, value: text, where: name, written: true };
  }
  const read = from_text(key, text);
  if (!read.ok) throw new ConfigError(`${name}: ${read.problem}`);
  return { path, value: read.value, where: name };
}

/** The setting a variable names; null if the name begins with no section. */
function find(name: string, given: GivenNames): FoundSetting | null {
  const section = named_section(name);
  if (section !== undefined) return find_named(name, section, Object.keys(given[section] ?? {}));
  for (const [path, keys] of TABLES) {
    const start = start_of(path);
    if (!name.startsWith(start)) continue;
    const key_name = name.slice(start.length).toLowerCase();
    const key = Object.hasOwn(keys, key_name) ? keys[key_name] : undefined;
    if (key !== undefined) return { path: [...path, key_name], key };
    const names = Object.keys(keys).map((known) => start + known.toUpperCase());
    const near = nearest(key_name, Object.keys(keys));
    const hint = near === null
      ? `; known: ${names.join(", ")}`
      : `; did you mean ${start}${near.toUpperCase()}?`;
    throw new ConfigError(`${name}: unknown setting${hint}`);
  }
  return null;
}

/** A name may hold `_` itself, so the key is looked for from the end, the longest first. */
function find_named(
  name: string,
  section: keyof typeof NAMED,
  given: readonly string[],
): FoundSetting | null {
  const { keys, fits } = NAMED[section];
  const rest = name.slice(start_of([section]).length);
  const longest = Object.entries<Key>(keys).sort(([a], [b]) => b.length - a.length);
  for (const [key_name, key] of longest) {
    const end = `_${key_name.toUpperCase()}`;
    const shouted = rest.slice(0, -end.length);
    if (!rest.endsWith(end) || shouted === "") continue;
    const table = given.find((known) => shout(known) === shouted) ?? shouted.toLowerCase();
    if (fits(table)) return { path: [section, table, key_name], key };
  }
  // Names that begin with HAMR_MCP or HAMR_AGENTS may be somebody's own.
  if (section !== "providers") return null;
  throw new ConfigError(`${name}: unknown setting; ${form_of(section)}`);
}

function form_of(section: keyof typeof NAMED): string {
  const allowed = Object.keys(NAMED[section].keys).map((key_name) => key_name.toUpperCase());
  return `the form is ${start_of([section])}<NAME>_<KEY>, and a KEY is ${allowed.join(", ")}`;
}

function shout(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, "_");
}
