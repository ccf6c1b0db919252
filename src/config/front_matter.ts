/** What stands before the text of a Markdown file: settings between two lines `---`. Loaded where there is such a file. */
import { JSON_SCHEMA, load } from "js-yaml";

/** A file in its two parts. */
export interface FrontMatter {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Splits a file. What is no YAML is read line by line: people write `description: Fix: this`, which is none. */
export function front_matter(text: string): FrontMatter {
  const found = /^\ufeff?---[ \t]*\r?\n([^]*?)\r?\n?^---[ \t]*(?:\r?\n|$)/m.exec(text);
  if (found === null || found.index !== 0) return { fields: {}, body: text };
  return { fields: fields_of(found[1] ?? ""), body: text.slice(found[0].length) };
}

function fields_of(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = load(text, { schema: JSON_SCHEMA });
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      return value as Readonly<Record<string, unknown>>;
    }
  } catch {
    // Then line by line.
  }
  return Object.fromEntries(
    text.split(/\r?\n/).flatMap((line) => {
      const [, key, value = ""] = /^([\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
      return key === undefined ? [] : [[key, value.replace(/^(["'])(.*)\1$/, "$2")]];
    }),
  );
}
