import assert from "node:assert/strict";
import { lazily_loaded } from "./compile.ts";

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
