/**
 * Puts the source into a few files, for `deno compile`: what the first request needs, what every run needs after it, and the rest.
 * 76 files are read before the first request otherwise, and 200 after it.
 */
import { dirname, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { PACKED, pages_of } from "../src/cli/args/documents.ts";

/** A module of the program's own that is loaded lazily; not one whose types are named. */
const LAZY = /(?<!typeof )\bimport\(\s*"(\.[^"]+)",?\s*\)/g;
const WORKER = /new URL\("(\.[^"]+)\.ts", import\.meta\.url\)/g;

/** What every run loads once its first request is on its way. A module that is missing here only comes later. */
export const IN_EVERY_RUN: readonly string[] = [
  ...["agent/exchanges", "agent/spending", "agent/tools/agent_tools"],
  ...["app/services", "app/persistence", "app/result", "app/session_start"],
  ...["model/http/body", "model/http/response_body", "model/protocols/leaks"],
  ...["model/server/inquire", "model/server/known", "store/store"],
  ...["cli/subscribers", "tools/worker/client"],
].map((name) => `src/${name}.ts`);

/** The command that starts fast: its module is part of what the first request needs. */
const AT_ONCE = "src/cli/run.ts";

/** Files of their own: those with a large package that most runs do without, and what is asked often and needs little of the rest. */
export const ALONE: readonly string[] = [
  "app/start_tools",
  "config/schema",
  "config/toml",
  "permission/dangerous",
  "gates/mod",
  "app/mcp_servers",
  "app/reopen",
  "cli/chat/chat",
  "cli/chat/live",
  "cli/acp",
  "cli/acp/session",
  "config/front_matter",
  "agent/skills",
  "tools/mcp/connection",
  "cli/args/help",
  "cli/args/completions",
  "cli/config",
  "cli/memory",
  "cli/sandbox",
  "cli/sessions/sessions",
  "cli/sessions/undo",
  "cli/sessions/diff",
  "cli/resume",
  "cli/reports",
  "ui/report/on_screen",
  "cli/base/open_file",
  "cli/base/run_flags",
  "permission/missing_program",
  "permission/programs",
  "agent/ask_again",
  "agent/closing",
  "agent/grade",
  "model/http/retry_after",
  "model/protocols/anthropic_messages",
  "model/protocols/codex_responses",
  "model/protocols/ollama_chat",
  "model/server/discover",
]
  .map((name) => `src/${name}.ts`);

/**
 * The threads, each with what it loads lazily: all of that is their own. Modules that they share with the program would be in files
 * shared by both, and a thread would have to find and read 20 of these.
 */
export const THREADS: Readonly<Record<string, readonly string[]>> = {
  "src/tools/worker/worker.ts": [
    "src/tools/hooks/hooks.ts",
    "src/tools/mcp/pipes.ts",
    "src/changes/patch.ts",
    "src/permission/shell_commands.ts",
    "src/tools/work/shell/line_trace.ts",
    "src/tools/work/search/named_path.ts",
    "src/tools/work/machine/open_texts.ts",
  ],
  "src/tools/image/image_worker.ts": [],
  "src/tools/mcp/apart_worker.ts": [],
  "src/agent/tools/page_worker.ts": [],
  "src/gates/answer_schema_worker.ts": [],
};

/** How the image decoder finds its own part: beside itself, as it is. In a bundle it is packed, and takes a quarter. */
const UNPACKED =
  /([\w$]+)\("node:path"\)\.join\(__dirname,"photon_rs_bg\.wasm"\)(,[\w$]+=)\1(\("node:fs"\)\.readFileSync\()[\w$]+\)/;
const DECODER = "decoder.wasm.br";

/** Modules that a file loads lazily, as URLs. */
export function lazily_loaded(text: string, from: string): string[] {
  const code = text.replace(/^[ \t]*(?:\/\/|\*|\/\*).*$/gm, "");
  return [...code.matchAll(LAZY)].map(([, path = ""]) => new URL(path, from).href);
}

/** The files of the program below `root`, without tests, as paths from there. */
export function sources(root: string): string[] {
  const walk = (folder: string): string[] =>
    [...Deno.readDirSync(`${root}/${folder}`)].flatMap(({ name, isDirectory }) => {
      const path = `${folder}/${name}`;
      if (isDirectory) return walk(path);
      return name.endsWith(".ts") && !name.endsWith("_test.ts") && !name.startsWith("_")
        ? [path]
        : [];
    });
  return ["main.ts", ...walk("src").sort()];
}

/** Which file of the bundle each module that is loaded lazily is in, by its path from `root`. */
export function tiers(root: string): ReadonlyMap<string, string> {
  const found = sources(root).flatMap((path) => {
    const from = pathToFileURL(`${root}/${path}`).href;
    return lazily_loaded(Deno.readTextFileSync(`${root}/${path}`), from);
  }).map((url) => relative(root, fileURLToPath(url))).filter((path) => path !== AT_ONCE);
  const alone = [...ALONE, ...Object.values(THREADS).flat()];
  const tier = (path: string) =>
    IN_EVERY_RUN.includes(path) ? "run" : alone.includes(path) ? flat(path) : "rest";
  return new Map(found.map((path) => [path, tier(path)]));
}

/**
 * Writes the bundle of the source below `root` into `folder`; gives its entries, the program first. All of it is in one folder, so
 * that any part finds any other beside itself. `entries` are modules outside of the source whose exports are to be had, too.
 * @throws {Error} where `deno bundle` fails; it has said why.
 */
export async function bundle(
  root: string,
  folder: string,
  entries: readonly string[] = [],
): Promise<readonly string[]> {
  const copy = `${folder}/source`;
  const tier_of = tiers(root);
  for (const path of sources(root)) {
    const from = `file:///${path}`;
    const text = Deno.readTextFileSync(`${root}/${path}`)
      .replace(LAZY, (literal, name: string) => {
        const target = new URL(name, from).pathname.slice(1);
        return tier_of.has(target) ? `load_lazily("${target}")` : literal;
      })
      .replace(
        WORKER,
        (_, name: string) => {
          const target = new URL(name, from).pathname.slice(1);
          return `new URL("./${flat(`${target}.ts`)}.js", import.meta.url)`;
        },
      );
    const imported = `import { load_lazily } from "${
      "../".repeat(from.split("/").length - 4)
    }./lazy.ts";`;
    write(`${copy}/${path}`, text.includes("load_lazily(") ? `${imported}\n${text}` : text);
  }
  for (const tier of ["run", "rest"]) {
    const paths = [...tier_of].filter(([, other]) => other === tier).map(([path]) => path);
    write(`${copy}/${tier}.ts`, registry(paths));
  }
  write(`${copy}/lazy.ts`, loader(tier_of));
  for (const name of ["deno.json", "deno.lock"]) {
    Deno.copyFileSync(`${root}/${name}`, `${copy}/${name}`);
  }
  const threads = Object.entries(THREADS).map((paths) => paths.flat());
  for (const path of entries) write(`${copy}/${path}`, Deno.readTextFileSync(`${root}/${path}`));
  for (const path of [...ALONE, ...entries, ...threads.flat()]) {
    write(`${copy}/${flat(path)}.ts`, `export * from "./${path}";\n`);
  }
  const of_threads = threads.map((paths) => paths.map(flat));
  const program = new Set(["main", ...entries.map(flat), ...tier_of.values()]).difference(
    new Set(of_threads.flat()),
  );
  const written: string[] = [];
  for (const names of [[...program], ...of_threads]) {
    await bundle_together(names, { copy, folder });
    written.push(...names);
  }
  const files = [...written.map((name) => `${name}.js`), PACKED, DECODER]
    .map((name) => `${folder}/bundle/${name}`);
  // What `hamr help TOPIC` prints.
  const pages = Object.fromEntries(pages_of(pathToFileURL(`${root}/docs/`)));
  Deno.writeFileSync(`${folder}/bundle/${PACKED}`, gzipSync(JSON.stringify(pages)));
  pack_decoder(`${folder}/bundle`);
  return files;
}

/** @throws {Error} where the decoder's own code is not as it was. */
function pack_decoder(folder: string): void {
  const files = [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`);
  const file = files.find((file) => UNPACKED.test(Deno.readTextFileSync(file)));
  if (file === undefined) throw new Error("the image decoder reads its part in another way");
  Deno.writeTextFileSync(
    file,
    Deno.readTextFileSync(file).replace(
      UNPACKED,
      `0$2$1("node:zlib").brotliDecompressSync($1$3new URL("./${DECODER}",import.meta.url)))`,
    ),
  );
  const part = import.meta.resolve("@silvia-odwyer/photon-node/photon_rs_bg.wasm");
  Deno.writeFileSync(`${folder}/${DECODER}`, brotliCompressSync(Deno.readFileSync(new URL(part))));
}

/** Writes files that share what they have in common. */
async function bundle_together(
  names: readonly string[],
  { copy, folder }: { readonly copy: string; readonly folder: string },
): Promise<void> {
  // Fewer bytes are read and parsed at each start. To keep the names of functions would take a call for each closure that is made.
  const args = ["bundle", "--quiet", "--frozen", "--code-splitting", "--minify"];
  const { code, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [...args, `--outdir=${folder}/bundle`, ...names.map((name) => `${copy}/${name}.ts`)],
    cwd: copy,
    stdout: "null",
    stderr: "piped",
  }).output();
  if (code !== 0) throw new Error(`deno bundle failed:\n${new TextDecoder().decode(stderr)}`);
  for (const { name } of Deno.readDirSync(`${folder}/bundle`)) {
    const file = `${folder}/bundle/${name}`;
    Deno.writeTextFileSync(file, in_ascii(Deno.readTextFileSync(file)));
  }
}

/** V8 takes two bytes a character for a file in which one is not of ASCII. */
function in_ascii(code: string): string {
  return code.replace(
    /[\u0080-\uffff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** The name of a file of the bundle that stands for one module. */
function flat(path: string): string {
  return path.slice(0, -3).replaceAll("/", "_");
}

/** A module with others in it, by their paths. */
function registry(paths: readonly string[]): string {
  return [
    ...paths.map((path, i) => `import * as m${i} from "./${path}";`),
    `export const modules = { ${paths.map((path, i) => `"${path}": m${i}`).join(", ")} };\n`,
  ].join("\n");
}

/** What the bundle loads its parts with. The address is computed: `deno compile` would have a literal one read at every start. */
function loader(tier_of: ReadonlyMap<string, string>): string {
  return `
const TIERS: Record<string, string> = ${JSON.stringify(Object.fromEntries(tier_of))};
export async function load_lazily(path: string) {
  const tier = TIERS[path]!;
  const found = await import(new URL(\`./\${tier}.js\`, import.meta.url).href);
  return found.modules === undefined ? found : found.modules[path];
}
`;
}

function write(path: string, text: string): void {
  Deno.mkdirSync(dirname(path), { recursive: true });
  Deno.writeTextFileSync(path, text);
}
