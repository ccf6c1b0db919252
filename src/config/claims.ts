/** What a workspace's settings file claims and does not get until a person trusts it. */
import { is_record } from "./json.ts";
import { type Document, flatten, type SettingEntry } from "./file.ts";
import { cut, one_line } from "./text.ts";

/** Sections that a workspace may not set: it could reach out of itself, or send keys and code elsewhere. */
const NOT_FOR_WORKSPACES: ReadonlySet<string> = new Set([
  "permissions",
  "providers",
  "hooks",
  "mcp",
  // To whom else the code is sent, and who judges it, is for the user to say.
  "fallback",
  "auxiliary",
]);

/** Single settings that need trust: who is asked before a command, which server is believed, and what is deleted of all sessions. */
const KEYS_NOT_FOR_WORKSPACES: ReadonlySet<string> = new Set([
  ...["agent.confirm", "provider.ca_file"],
  ...["sessions.keep_days", "sessions.keep_bytes", "tools.spill_days"],
]);

/** By how much they may change, the least first; those that are not here may change all. */
const MODES: readonly unknown[] = ["plan", "ask", "patch"];

/** How the model's own work is judged, the least first. */
const JUDGED: readonly unknown[] = ["off", "basic", "full"];

/** Whether a value of a workspace's would loosen the user's own. */
type Loosens = (theirs: unknown, own: unknown) => boolean;

/** 0 is no limit. */
const is_more: Loosens = (theirs, own) =>
  typeof theirs === "number" && typeof own === "number" && own > 0 &&
  (theirs === 0 || theirs > own);
const changes_more: Loosens = (theirs, own) => {
  const [theirs_at, own_at] = [theirs, own].map((mode) => MODES.indexOf(mode));
  return own_at! >= 0 && (theirs_at! < 0 || theirs_at! > own_at!);
};
const switches_on: Loosens = (theirs, own) => theirs === true && own === false;

/** What the user is ready to spend: a workspace may want less, but not more. */
const ONLY_STRICTER: Readonly<Record<string, Loosens>> = {
  "budget.max_cost_usd": is_more,
  "budget.token_budget": is_more,
};

/** What a workspace's file decides, as later files do, and the user hears of: who sees the code, what is changed, saved and recalled. */
const TOLD: Readonly<Record<string, Loosens>> = {
  "provider.default": (theirs, own) => theirs !== (own ?? "auto"),
  "agent.mode": changes_more,
  // Who judges the work, as the user wanted it.
  "verify.self_eval": (theirs, own) => JUDGED.indexOf(theirs) < JUDGED.indexOf(own),
  "sessions.save": (theirs, own) => theirs === false && own !== false,
  ...Object.fromEntries(
    ["memory.enabled", "memory.auto_recall", "memory.extract"].map((key) => [key, switches_on]),
  ),
};

/** Settings that a warning names before it only counts them: the file is a stranger's. */
const MAX_NAMED = 12;
const MAX_VALUE = 80;

/** The settings of a document that count only once it is trusted. */
export function claims_of(document: Document): SettingEntry[] {
  return flatten(document).filter(({ path, value }) =>
    is_not_for_workspaces(path) ||
    (path.join(".") === "provider.base_url" && !is_harmless_address(value))
  );
}

/** The document without what a workspace may not say, and a warning for what was left out. */
export function without_claims(document: Document, { warnings, user_path, own }: {
  warnings: string[];
  user_path: string | null;
  /** What the user has set, by dotted name; undefined where they have not. */
  own: (key: string) => unknown;
}): Document {
  const warn = (text: string) => warnings.push(one_line(text));
  const by = (rules: typeof TOLD) => (path: readonly string[], value: unknown) => {
    const key = path.join(".");
    return Object.hasOwn(rules, key) && rules[key]!(value, own(key));
  };
  const [loosens, is_told] = [by(ONLY_STRICTER), by(TOLD)];
  const is_ignored: typeof loosens = (path, value) =>
    is_not_for_workspaces(path) || loosens(path, value);
  const entries = flatten(document);
  const ignored = entries.filter(({ path, value }) => is_ignored(path, value));
  const told = entries.filter(({ path, value }) => is_told(path, value));
  const tables: Record<string, unknown> = {};
  for (const [name, table] of Object.entries(document.tables)) {
    if (NOT_FOR_WORKSPACES.has(name)) continue;
    tables[name] = without(table, (key, value) => is_ignored([name, key], value));
  }
  if (ignored.length > 0) warn(ignored_words(document.file, ignored, user_path));
  if (told.length > 0) {
    const values = told.map(({ path, value }) =>
      `${path.join(".")} = ${cut(JSON.stringify(value), MAX_VALUE)}`
    );
    warn(
      `${document.file} decides ${values.join(", ")}: you have not trusted that file; ` +
        "if it should not, give a flag, or an environment variable",
    );
  }
  const provider = tables.provider;
  if (typeof provider === "object" && provider !== null && "base_url" in provider) {
    const { base_url, ...rest } = provider;
    if (!is_harmless_address(base_url)) {
      tables.provider = rest;
      const place = `${document.file}:${document.line_of(["provider", "base_url"])}`;
      warn(
        `${place}: ignored provider.base_url: until you trust its file (hamr config trust) a workspace may only ` +
          "name an address on this machine (localhost, 127.0.0.1), or it could send your code and keys elsewhere",
      );
    }
  }
  return { ...document, tables };
}

function ignored_words(
  file: string,
  ignored: readonly SettingEntry[],
  user_path: string | null,
): string {
  const names = ignored.slice(0, MAX_NAMED).map((entry) => entry.path.join("."));
  if (ignored.length > MAX_NAMED) names.push(`and ${ignored.length - MAX_NAMED} more`);
  const home = user_path === null ? "your own file" : `your own file, ${user_path}`;
  return `${file}: ignored ${
    names.join(", ")
  }: a workspace may not set these until you trust its file: ` +
    `look at it and run hamr config trust, or put them into ${home}`;
}

/** Not even the empty string is: it would undo the user's own address. */
function is_harmless_address(base_url: unknown): boolean {
  return typeof base_url === "string" && stays_on_machine(base_url);
}

function is_not_for_workspaces(path: readonly string[]): boolean {
  return NOT_FOR_WORKSPACES.has(path[0] ?? "") || KEYS_NOT_FOR_WORKSPACES.has(path.join("."));
}

/** What is not a table is left as it is, for the schema to refuse. */
function without(table: unknown, ignored: (key: string, value: unknown) => boolean): unknown {
  if (!is_record(table)) return table;
  const kept = Object.entries(table).filter(([key, value]) => !ignored(key, value));
  return kept.length === Object.keys(table).length ? table : Object.fromEntries(kept);
}

/** Whether an address leads to this machine only. It is a stranger's, so unlike `is_loopback` it refuses `0.0.0.0` and names below `localhost`. */
export function stays_on_machine(address: string): boolean {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
