/**
 * Holds the source to one meaning a name: what is exported has a name of its own, and no type has one that is in more than two files.
 *
 *     deno run -A scripts/check_names.ts [ROOT]
 */
import { fileURLToPath } from "node:url";
import { sources } from "./bundle.ts";

/** Files in which one name may be a type's: a pair, such as of a client and its worker, is often meant. */
const MOST_FILES = 2;

const EXPORTED =
  /^export (?:declare )?(?:abstract )?(?:async )?(?:interface|type|class|enum|const|let|function\*?) (\w+)/gm;
const TYPE = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)/gm;

/** Names that are declared in too many of the files, each with them. */
export function crowded_names(
  files: ReadonlyMap<string, string>,
): { readonly name: string; readonly paths: readonly string[] }[] {
  return [
    ...declared(files, { as: EXPORTED, most: 1 }),
    ...declared(files, { as: TYPE, most: MOST_FILES }),
  ];
}

function declared(
  files: ReadonlyMap<string, string>,
  { as, most }: { readonly as: RegExp; readonly most: number },
): { readonly name: string; readonly paths: readonly string[] }[] {
  const found = new Map<string, Set<string>>();
  for (const [path, text] of files) {
    for (const [, name = ""] of text.matchAll(as)) {
      found.set(name, (found.get(name) ?? new Set()).add(path));
    }
  }
  return [...found].filter(([, paths]) => paths.size > most)
    .map(([name, paths]) => ({ name, paths: [...paths].sort() }));
}

if (import.meta.main) {
  const root = Deno.args[0] ?? fileURLToPath(new URL("..", import.meta.url)).replace(/\/$/, "");
  const paths = sources(root);
  const files = new Map(paths.map((path) => [path, Deno.readTextFileSync(`${root}/${path}`)]));
  const crowded = crowded_names(files);
  const text = crowded.length === 0
    ? `one meaning a name in ${paths.length} files`
    : crowded.map(({ name, paths }) => `error: ${name} is declared in ${paths.join(", ")}`)
      .join("\n");
  await Deno.stderr.write(new TextEncoder().encode(text + "\n"));
  Deno.exitCode = crowded.length === 0 ? 0 : 1;
}
