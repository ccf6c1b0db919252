/** Front matter: the settings between two `---` lines at the top of a Markdown file. Loaded if there is such a file. */
import { is_record } from "./json.ts";
import { JSON_SCHEMA, load } from "js-yaml";

interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Splits a file. What is not YAML is read line by line: people write `description: Fix: this`, which is not. */
export function front_matter(text: string): FrontMatter {
  const found = /\ufeff?---[ \t]*\r?\n([^]*?)\r?\n?^---[ \t]*(?:\r?\n|$)/my.exec(text);
  if (found === null) return { fields: {}, body: text };
  return { fields: fields_of(found[1] ?? ""), body: text.slice(found[0].length) };
}

/** What is not deeper than two: in a stranger's file a few aliases can stand for more than fits anywhere. */
function flat(value: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => {
      if (Array.isArray(inner)) return [key, inner.filter(is_plain)];
      if (is_plain(inner)) return [key, inner];
      return [key, Object.fromEntries(Object.entries(inner).filter(([, one]) => is_plain(one)))];
    }),
  );
}

function is_plain(value: unknown): boolean {
  return typeof value !== "object" || value === null;
}

function fields_of(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = load(text, { schema: JSON_SCHEMA });
    if (is_record(value)) return flat(value);
  } catch {
    // Then line by line.
  }
  return Object.fromEntries(
    text.split(/\r?\n/).flatMap((line) => {
      const [, key, value = ""] = /^([\w-]+):(.*)$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, value.trim().replace(/^(["'])(.*)\1$/, "$2")]];
    }),
  );
}
