/** Each command of the table in docs/permissions.md, in a real run: what becomes of it is what the table says. */
import assert from "node:assert/strict";
import { EVERYDAY, table } from "./support/everyday.ts";
import { absent, faults } from "./support/everyday_runs.ts";
import { formatted } from "../scripts/guards_doc/format.ts";

const PAGE = new URL("../docs/permissions.md", import.meta.url);

Deno.test("the table of what works is the one that is tested", async () => {
  const page = Deno.readTextFileSync(PAGE);
  const wanted = await formatted(`${table()}\n`);
  assert.ok(page.includes(wanted), "run: deno task docs");
  assert.ok(EVERYDAY.length >= 40);
});

const on_linux = Deno.build.os === "linux";
const here = EVERYDAY.filter((row) => absent(row).length === 0);

for (const row of EVERYDAY.filter((row) => !here.includes(row))) {
  // tests/engines/everyday.ts fetches those of Node, and tries them.
  const name = `NOT TESTED HERE: ${row.name} (${absent(row).join(", ")}: not installed)`;
  Deno.test({ name, ignore: true, fn: () => {} });
}

Deno.test({
  name: `${here.length} everyday commands do in the sandbox what the table says`,
  ignore: !on_linux || here.length === 0,
  fn: async () => assert.deepEqual(await faults(here), []),
});
