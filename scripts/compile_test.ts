import assert from "node:assert/strict";
import { lazily_loaded, without_unused } from "./compile.ts";

Deno.test("what is loaded lazily is found, however it is broken into lines", () => {
  const text = [
    'await lazy<typeof import("./a.ts")>("./a.ts", import.meta.url)',
    'lazy<typeof import("../model/b.ts")>(',
    '  "../model/b.ts",',
    "  import.meta.url,",
    ")",
    ' *     await lazy<typeof import("./example.ts")>("./example.ts", import.meta.url)',
  ].join("\n");
  assert.deepEqual(lazily_loaded(text, "file:///x/cli/run.ts"), [
    "file:///x/cli/a.ts",
    "file:///x/model/b.ts",
  ]);
  const wrong = 'lazy<typeof import("./a.ts")>("./b.ts", import.meta.url)';
  assert.throws(() => lazily_loaded(wrong, "file:///x.ts"), /loads \.\/b\.ts as the type of/);
});

Deno.test("no file of the source calls lazy in a form that the compiler of the binary would miss", () => {
  const walk = (folder: URL) => {
    for (const { name, isDirectory } of Deno.readDirSync(folder)) {
      const url = new URL(isDirectory ? `${name}/` : name, folder);
      if (isDirectory) walk(url);
      else if (name.endsWith(".ts") && name !== "lazy.ts") {
        const text = Deno.readTextFileSync(url);
        const calls = [...text.matchAll(/\blazy</g)].length;
        assert.equal(lazily_loaded(text, url.href).length, calls, url.href);
      }
    }
  };
  walk(new URL("../src/", import.meta.url));
});

Deno.test("the binary takes in no package that nothing needs while it runs, and all others", () => {
  const text = (name: string) => Deno.readTextFileSync(new URL(`../${name}`, import.meta.url));
  const used = without_unused(text("deno.json"), text("deno.lock"));
  const { imports, unstable } = JSON.parse(used.config);
  const { specifiers, workspace } = JSON.parse(used.lock);
  const all = Object.keys(JSON.parse(text("deno.json")).imports);
  assert.deepEqual(
    all.filter((name) => !(name in imports)).toSorted(),
    ["@anthropic-ai/sdk", "fast-check", "openai"],
  );
  assert.deepEqual(unstable, ["worker-options"]);
  assert.deepEqual(Object.keys(specifiers).toSorted(), Object.values(imports).toSorted());
  assert.deepEqual(workspace.dependencies.toSorted(), Object.values(imports).toSorted());
});
