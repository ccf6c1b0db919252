/** Checks configuration files by the table of settings. Loaded only if there is a file. */
import { fields, is_table } from "./json.ts";
import { AUXILIARIES, AUXILIARY_KEYS, type Key } from "./key.ts";
import { depth_of, fallbacks, NAMED, SECTIONS } from "./keys.ts";
import { did_you_mean, either } from "./text.ts";
import { misfit, problem } from "./value.ts";

/** What is wrong with a document: the key and, to follow its name, the reason. */
interface SettingFault {
  readonly path: Path;
  readonly problem: string;
}

type Path = readonly string[];
type KeyTable = Readonly<Record<string, Key>>;
/** The first fault of the value at a path; null if there is none. */
type FindFault = (value: unknown, path: Path) => SettingFault | null;

/** The keys of each section, or of the tables in it. */
const KEYS_IN: ReadonlyMap<string, KeyTable> = new Map([
  ...Object.entries<KeyTable>(SECTIONS),
  ["auxiliary", AUXILIARY_KEYS],
  ...Object.entries(NAMED).map(([name, { keys }]): [string, KeyTable] => [name, keys]),
]);

/** What is wrong with a name that a section of these can't have. */
const UNFIT: Readonly<Record<keyof typeof NAMED, string>> = {
  providers: 'unusable name; a provider\'s is letters, digits, "_", "-" and ".", and not "auto"',
  mcp:
    'unusable name; a server\'s is up to 32 letters, digits, "-" and single "_", beginning with a letter or digit',
  agents: 'unusable name; an agent\'s is letters, digits, "_" and "-"',
};

/** A whole configuration file: every section and every key may be left out, and nothing may be added. */
const FILE = table({
  ...mapped(SECTIONS, (_, keys) => section(keys)),
  auxiliary: table(
    Object.fromEntries(AUXILIARIES.map((name) => [name, section(AUXILIARY_KEYS)])),
  ),
  ...mapped(NAMED, named),
});

export function check_document(document: unknown): SettingFault | null {
  return FILE(document, []);
}

/** The value of a checked setting, with what its tables leave out. */
export function with_table_defaults(path: Path, value: unknown): unknown {
  const { fields, kind } = key_of(path) ?? {};
  if (fields === undefined || kind !== "tables") return value;
  return (value as readonly object[]).map((given) => ({ ...fallbacks(fields), ...given }));
}

function section(keys: KeyTable): FindFault {
  return table(mapped(keys, (_, key) => setting(key)), keys);
}

/** What is missing or wrong comes before what is unknown. */
function table(checks: Readonly<Record<string, FindFault>>, keys: KeyTable = {}): FindFault {
  return (given, path) => {
    if (!is_table(given)) return { path, problem: "must be a table" };
    const unknown = Object.keys(given).filter((name) => !Object.hasOwn(checks, name));
    return first_of([
      ...Object.entries(checks).map(([name, check]) => {
        const at = [...path, name];
        if (Object.hasOwn(given, name)) return check(given[name], at);
        return keys[name]?.required ? { path: at, problem: "missing" } : null;
      }),
      ...unknown.map((name) => [...path, name]).map((at) => ({
        path: at,
        problem: unknown_key(at),
      })),
    ]);
  };
}

/** Sections of the same keys, each under a name that somebody gave it. */
function named(
  kind: keyof typeof NAMED,
  { keys, fits }: { keys: KeyTable; fits: (name: string) => boolean },
): FindFault {
  const check = section(keys);
  const unfit: FindFault = (_, path) => ({ path, problem: UNFIT[kind] });
  return (given, path) =>
    table(mapped(fields(given), (name) => fits(name) ? check : unfit))(given, path);
}

function setting(key: Key): FindFault {
  const check_fields = section(key.fields ?? {});
  return (value, path) => {
    if (key.kind === "table" && is_table(value)) return check_fields(value, path);
    if (key.kind === "tables" && Array.isArray(value)) {
      return first_of(value.map((one, at) => check_fields(one, [...path, String(at)])));
    }
    const bad = misfit(key, value);
    return bad === null ? null : { path, problem: problem(key, bad.value) };
  };
}

function first_of(faults: readonly (SettingFault | null)[]): SettingFault | null {
  return faults.find((fault) => fault !== null) ?? null;
}

function mapped<K extends string, V>(
  all: Readonly<Record<K, V>>,
  check_of: (name: K, value: V) => FindFault,
): Record<string, FindFault> {
  const entries = Object.entries(all) as [K, V][];
  return Object.fromEntries(entries.map(([name, value]) => [name, check_of(name, value)]));
}

/** Why a key is unknown: the nearest there is, the section that has it, or all that are allowed. */
function unknown_key(path: Path): string {
  const name = path.at(-1) ?? "";
  const sections = [...KEYS_IN.keys()];
  const homes = sections.filter((home) => Object.hasOwn(KEYS_IN.get(home) ?? {}, name))
    .map((home) => depth_of([home]) === 3 ? `${home}.NAME.${name}` : `${home}.${name}`);
  const elsewhere = homes.length > 0 ? `; did you mean ${either(homes)}?` : "";
  if (path[0] === "auxiliary" && path.length === 2) {
    const there_are = `; known: ${AUXILIARIES.join(", ")}`;
    return `unknown section${did_you_mean(name, AUXILIARIES, there_are)}`;
  }
  const fields = path.length > 3 ? key_of(path)?.fields : undefined;
  const keys = fields ?? (path.length > 1 ? KEYS_IN.get(path[0] ?? "") : undefined);
  if (keys === undefined) {
    const near = did_you_mean(name, sections, elsewhere);
    return `unknown section${near || `; known: ${sections.join(", ")}`}`;
  }
  const allowed = Object.keys(keys);
  const near = (fields === undefined && elsewhere) || `; allowed are ${allowed.join(", ")}`;
  return `unknown key${did_you_mean(name, allowed, near)}`;
}

/** The setting that a path leads to or into. */
function key_of(path: Path): Key | undefined {
  const keys = KEYS_IN.get(path[0] ?? "") ?? {};
  const name = path[depth_of(path) - 1] ?? "";
  return Object.hasOwn(keys, name) ? keys[name] : undefined;
}
