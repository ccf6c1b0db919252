/** The pages of `docs/` for `hamr help TOPIC`: files beside the source, or one file in a bundle. */
import { FIRST_WORDS } from "./commands.ts";

/** The file of a bundle that has them all: `scripts/bundle.ts` writes it. */
export const PACKED = "documents.json.gz";

/** Each page by its name, `ci` for `docs/ci.md`, in the order of the alphabet. */
export async function documents(): Promise<ReadonlyMap<string, string>> {
  let packed: Uint8Array<ArrayBuffer>;
  try {
    packed = Deno.readFileSync(new URL(`./${PACKED}`, import.meta.url));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
    return pages_of(new URL("../../../docs/", import.meta.url));
  }
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Map(Object.entries(await new Response(unpacked).json()));
}

export function pages_of(folder: URL): ReadonlyMap<string, string> {
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
  return new Map(
    names.filter((name) => name.endsWith(".md")).toSorted()
      .map((name) => [page_named(name), Deno.readTextFileSync(new URL(name, folder))]),
  );
}

export function question_of(page: string): string {
  return /^# (.+)$/m.exec(page)?.[1] ?? "";
}

/** The name of the page that a word means: `ci`, `ci.md` and `docs/ci.md` are the same. */
export function page_named(word: string): string {
  return word.replace(/^docs\//, "").replace(/\.md$/, "");
}

/** What to write for a page: a command of the same name goes first. */
export function word_for(name: string): string {
  return FIRST_WORDS.includes(name) ? `${name}.md` : name;
}

/** A page as it reads without the others beside it: no comments, and a link says where it leads. */
export function readable_page(page: string, names: Iterable<string>): string {
  const known = new Set(names);
  const LINK = /^```[^]*?^```$|\[([^\[\]]+)\]\(([^()\s]+)\)/gm;
  return page.replaceAll(/<!--[^]*?-->\n*/g, "").replaceAll(
    LINK,
    (all, words: string | undefined, target = "") => {
      if (words === undefined) return all;
      const name = page_named(target.replace(/#.*/, ""));
      if (!known.has(name)) return /^\w+:/.test(target) ? `${words} (${target})` : words;
      const command = `\`hamr help ${word_for(name)}\``;
      return page_named(words) === name ? command : `${words} (${command})`;
    },
  );
}
