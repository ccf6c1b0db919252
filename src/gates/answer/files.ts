/** Names of files in a text. */

/** Named as files of the workspace by their endings; not what is absolute or outside, or a product ("Next.js"). */
const FILE =
  /(?<![\w/~$.:@-])(?:[\w.@-]+\/)*[\w@-][\w.@-]*\.(?:pyi?|[cm]?[jt]sx?|jsonc?|toml|ya?ml|md|rst|txt|html?|s?css|less|c|h|cc|cpp|hpp|cs|go|rs|rb|php|java|kts?|swift|sh|bash|sql|xml|ini|cfg|conf|lock|vue|svelte|exs?|erl|hs|lua|pl|r|dart|scala|clj|zig|ml|csv|tex|gradle|tf|proto|ipynb|db|sqlite|tgz)\b(?![\w/(]|\.\w)/g;
const PRODUCTS =
  /^(?:next|node|vue|react|express|three|d3|chart|nuxt|ember|angular|discord|alpine|p5|moment|backbone|knockout|handlebars)\.js$/;

/** The files that a `plain` text names. */
export function files_in(text: string): readonly string[] {
  return (text.match(FILE) ?? []).filter((name) => !PRODUCTS.test(name) && !name.startsWith(".."));
}

/** Whether a text has the name of a file in it; with `stem`, "the README" is README.md, and `Button` is Button.tsx. */
export function names_file(text: string, path: string, { stem = false } = {}): boolean {
  const name = file_name(path);
  const [known = name] = stem ? STEM.exec(name) ?? [] : [];
  return known === name
    ? text.toLowerCase().includes(name)
    : new RegExp(`(?<![\\w-])${known}(?![\\w-])`, "i").test(text);
}

/** Called so without their endings; shorter names are words of any text. */
const STEM = /^\w{6,}(?=\.|$)/;

/** Whether either path is the end of the other: one may be absolute. */
export function is_end_of(one: string, other: string): boolean {
  return `/${one}`.endsWith(`/${other}`) || `/${other}`.endsWith(`/${one}`);
}

/** In small letters: README.md and readme.md are one file to a model, and to many a disk. */
export function file_name(path: string): string {
  return (path.trim().replace(/[/\\]+$/, "").split(/[/\\]/).at(-1) ?? "").toLowerCase();
}

/** The name of a file or folder as people say it. */
export function without_ending(name: string): string {
  return name.replace(/(?!^)\..*/, "");
}
