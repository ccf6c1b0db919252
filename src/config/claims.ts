/** What a workspace's file of settings claims and may not have until a person trusts it. */
import { type Document, type Entry, flatten } from "./file.ts";
import { one_line } from "./text.ts";

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

/** Likewise single settings: whether anybody is asked before a command, and whose word for a server is believed. */
const KEYS_NOT_FOR_WORKSPACES: ReadonlySet<string> = new Set([
  ...["agent.confirm", "provider.ca_file"],
]);

/** Settings that a warning names before it only counts them: the file is a stranger's. */
const MAX_NAMED = 12;

/** The settings of a document that count only once it is trusted. */
export function claims_of(document: Document): Entry[] {
  return flatten(document).filter(({ path, value }) =>
    is_not_for_workspaces(path) ||
    (path.join(".") === "provider.base_url" && !is_harmless_address(value))
  );
}

/** The document without what a workspace may not say, and a warning for what was left out. */
export function without_claims(
  document: Document,
  { warnings, user_path }: {
    readonly warnings: string[];
    readonly user_path: string | null;
  },
): Document {
  const warn = (text: string) => warnings.push(one_line(text));
  const ignored = flatten(document).filter(({ path }) => is_not_for_workspaces(path));
  const tables: Record<string, unknown> = Object.fromEntries(
    Object.entries(document.tables).filter(([name]) => !NOT_FOR_WORKSPACES.has(name))
      .map(([name, table]) => [name, without_ignored(name, table)]),
  );
  if (ignored.length > 0) {
    const names = ignored.slice(0, MAX_NAMED).map((entry) => entry.path.join("."));
    if (ignored.length > MAX_NAMED) names.push(`and ${ignored.length - MAX_NAMED} more`);
    const home = user_path === null ? "your own file" : `your own file, ${user_path}`;
    warn(
      `${document.file}: ignored ${
        names.join(", ")
      }: a workspace may not set these until you trust its file: ` +
        `look at it and run hamr config trust, or put them into ${home}`,
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

/** Not even the empty string is: it would undo the user's own address. */
function is_harmless_address(base_url: unknown): boolean {
  return typeof base_url === "string" && stays_on_machine(base_url);
}

function is_not_for_workspaces(path: readonly string[]): boolean {
  return NOT_FOR_WORKSPACES.has(path[0] ?? "") || KEYS_NOT_FOR_WORKSPACES.has(path.join("."));
}

/** What is not a table is left as it is, for the schema to refuse. */
function without_ignored(section: string, table: unknown): unknown {
  if (typeof table !== "object" || table === null || Array.isArray(table)) return table;
  const kept = Object.entries(table).filter(([name]) => !is_not_for_workspaces([section, name]));
  return kept.length === Object.keys(table).length ? table : Object.fromEntries(kept);
}

/**
 * Whether an address leads to this machine and nowhere else. It is a stranger's, so `0.0.0.0` or a name below `localhost` does not
 * pass, unlike with `is_loopback` of the model's HTTP, which asks how to treat an address that the user gave.
 */
export function stays_on_machine(address: string): boolean {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return false;
  const { hostname } = new URL(address);
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}
