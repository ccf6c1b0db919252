import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { ALONE, IN_EVERY_RUN, lazily_loaded, THREADS, tiers } from "./bundle.ts";

Deno.test("what is loaded lazily is found, however it is broken into lines", () => {
  const text = [
    'await import("./a.ts")',
    "import(",
    '  "../model/b.ts",',
    ")",
    'let c: typeof import("./c.ts");',
    'import("diff");',
    ' *     await import("./example.ts")',
  ].join("\n");
  assert.deepEqual(lazily_loaded(text, "file:///x/cli/run.ts"), [
    "file:///x/cli/a.ts",
    "file:///x/model/b.ts",
  ]);
});

Deno.test("what the bundle lists is loaded lazily, or starts by itself", () => {
  const root = fileURLToPath(new URL("..", import.meta.url)).slice(0, -1);
  const tier_of = tiers(root);
  for (const path of [...IN_EVERY_RUN, ...ALONE]) assert.ok(tier_of.has(path), path);
  for (const path of ["main.ts", ...Object.keys(THREADS)]) {
    assert.ok(Deno.statSync(`${root}/${path}`).isFile, path);
  }
});

Deno.test("a thread's files are its own: it loads nothing of the program's, nor the program of its", () => {
  const root = new URL("..", import.meta.url).href;
  const of_threads = Object.values(THREADS).flat();
  for (const [path, own] of Object.entries(THREADS)) {
    const loaded = reached([path, ...own], root).lazily.map((url) => url.slice(root.length));
    assert.deepEqual([...new Set(loaded)].toSorted(), own.toSorted(), path);
  }
  const others = [...tiers(fileURLToPath(root).slice(0, -1)).keys()].filter((path) =>
    !of_threads.includes(path)
  );
  const by_program = reached(["main.ts", ...others], root).lazily;
  for (const path of of_threads) assert.ok(!by_program.includes(root + path), path);
});

Deno.test("a runtime without the Deno that it belongs to is named, and nothing else is tried", async () => {
  const script = new URL("./compile.ts", import.meta.url).href;
  const code = `const { compile } = await import("${script}"); Deno.exit(await compile("", ""));`;
  for (const [given, missing] of [["DENORT_BIN", "DENO_2_6"], ["DENO_2_6", "DENORT_BIN"]]) {
    const env = Deno.env.toObject();
    delete env[missing!];
    const ran = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", code],
      clearEnv: true,
      env: { ...env, [given!]: "/bin/true" },
    }).output();
    const told = `DENORT_BIN and DENO_2_6 go together: ${missing} is not set\n`;
    assert.deepEqual([ran.code, new TextDecoder().decode(ran.stderr)], [1, told]);
  }
});

/** All that modules import, and what they load lazily, as URLs; not what they only name types of. */
function reached(
  paths: readonly string[],
  root: string,
): { readonly files: ReadonlySet<string>; readonly lazily: readonly string[] } {
  const files = new Set<string>();
  const lazily: string[] = [];
  const walk = (url: string) => {
    if (files.has(url)) return;
    files.add(url);
    const text = Deno.readTextFileSync(new URL(url));
    lazily.push(...lazily_loaded(text, url));
    const code = text.replace(/^(?:import|export) type [^;]*;/gm, "");
    for (const [, path] of code.matchAll(/^(?:import|export|\}) .*?from "(\.[^"]+)";/gm)) {
      walk(new URL(path!, url).href);
    }
    for (const [, path] of code.matchAll(/^import "(\.[^"]+)";/gm)) walk(new URL(path!, url).href);
  };
  for (const path of paths) walk(new URL(path, root).href);
  return { files, lazily };
}
