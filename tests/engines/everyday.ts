/** The commands of the table in docs/permissions.md that programs of Node do, which few machines have for all: these are fetched. */
import assert from "node:assert/strict";
import { EVERYDAY } from "../support/everyday.ts";
import { absent, faults } from "../support/everyday_runs.ts";
import { node_tools } from "./tools.ts";

Deno.test({
  name: "jest, tsc and vite do what the table of everyday commands says",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const modules = await node_tools();
    if (modules === null) return;
    const path = `${modules}/.bin:${Deno.env.get("PATH") ?? ""}`;
    const rows = EVERYDAY.filter((row) => absent(row).length > 0 && absent(row, path).length === 0);
    assert.ok(rows.length <= 3, "all others are tried by tests/what_works_test.ts");
    assert.deepEqual(await faults(rows, path), []);
  },
});
