import assert from "node:assert/strict";
import { circles, imports_of, problems } from "./check_imports.ts";

function faults(files: Record<string, string>): string {
  return problems(new Map(Object.entries(files))).join("\n");
}

Deno.test("imports are found in every form, and not in comments or strings", () => {
  const text = [
    'import { a } from "./a.ts";',
    'import type { B } from "./b.ts";',
    "import {",
    "  c,",
    '} from "./c.ts";',
    'export * from "./d.ts";',
    'import "./e.ts";',
    'const f = await import("./f.ts");',
    '// import { g } from "./g.ts";',
    ' * import { h } from "./h.ts";',
    'const glob = "src/**/*.ts"; const text = "taken from";',
    'export const from = "x";',
  ].join("\n");
  const found = imports_of(text);
  assert.deepEqual(found.map((one) => one.specifier), "abcdef".split("").map((x) => `./${x}.ts`));
  assert.deepEqual(found.map((one) => one.line), [1, 2, 5, 6, 7, 8]);
});

Deno.test("imports down and within a room are right, up is wrong, of types too", () => {
  const leaf = "export type X = 1;\n";
  const good = {
    "main.ts": 'import "./src/cli/run.ts";',
    "src/cli/run.ts": 'import "../agent/run.ts";\nimport "./args.ts";',
    "src/cli/args.ts": 'import type { X } from "../config/x.ts";',
    "src/agent/run.ts": 'import type { X } from "../config/x.ts";',
    "src/config/x.ts": leaf,
  };
  assert.equal(faults(good), "");
  const up = { ...good, "src/config/x.ts": 'import type { R } from "../agent/run.ts";' };
  assert.match(faults(up), /src\/config\/x\.ts:1: imports src\/agent\/run\.ts: config may not/);
});

Deno.test("source imports neither main, nor tests, nor what is outside", () => {
  const base = { "main.ts": "", "tests/support/x.ts": "" };
  assert.match(
    faults({ ...base, "src/cli/a.ts": 'import "../../main.ts";' }),
    /nothing imports main/,
  );
  const test = { ...base, "src/cli/a.ts": 'import "../../tests/support/x.ts";' };
  assert.match(faults(test), /must not import tests/);
  assert.match(
    faults({ ...base, "src/cli/a.ts": 'import "./b.ts";' }),
    /there is no src\/cli\/b\.ts/,
  );
  assert.equal(faults({ ...base, "src/cli/a_test.ts": 'import "../../tests/support/x.ts";' }), "");
});

Deno.test("a circle of imports is named file by file", () => {
  const graph = new Map([["a", ["b"]], ["b", ["c"]], ["c", ["b"]], ["d", ["a"]]]);
  assert.deepEqual(circles(graph), [["b", "c", "b"]]);
  const files = { "src/cli/a.ts": 'import "./b.ts";', "src/cli/b.ts": 'import "./a.ts";' };
  assert.match(faults(files), /circular import: src\/cli\/a\.ts -> src\/cli\/b\.ts -> src\/cli\/a/);
});

Deno.test("rooms, lines and exits are counted", () => {
  const lines = (n: number) => "x;\n".repeat(n);
  assert.equal(faults({ "src/ui/a.ts": lines(400), "src/agent/loop.ts": lines(250) }), "");
  assert.match(faults({ "src/ui/a.ts": lines(401) }), /401 lines; 400 is the most/);
  assert.match(faults({ "src/agent/loop.ts": lines(251) }), /251 lines; 250/);
  assert.match(faults({ "src/attic/a.ts": "" }), /not in a room/);
  assert.match(faults({ "src/a.ts": "" }), /not in a room/);
  assert.match(faults({ "src/ui/a.ts": "\nDeno.exit(1);" }), /a\.ts:2: only main/);
  assert.equal(faults({ "src/ui/a.ts": "Deno.exitCode = 1;", "main.ts": "Deno.exit(1);" }), "");
});

Deno.test("Node's modules are loaded where they are needed, not at the start", () => {
  const node = (line: string) => faults({ "src/tools/a.ts": `${line}\n` });
  assert.match(node('import fs from "node:fs";'), /imports node:fs at the start/);
  assert.match(node('import {\n  join,\n} from "node:path";'), /imports node:path at the start/);
  assert.equal(node('import type { Stats } from "node:fs";'), "");
  assert.equal(node('import { DatabaseSync } from "node:sqlite";'), "");
  assert.equal(faults({ "src/tools/a_test.ts": 'import fs from "node:fs";\n' }), "");
});
