import assert from "node:assert/strict";
import { Audience } from "./audience.ts";
import type { HeardRun } from "./reports.ts";

Deno.test("who hears a run is found out though the environment can no longer be read", async () => {
  let may_read = true;
  const read = (what: string) =>
    assert.ok(may_read, `${what} is read after the right to was given up`);
  const io = {
    out: () => {},
    err: () => {},
    env: (name: string) => {
      read(name);
      return undefined;
    },
    environ: () => {
      read("the environment");
      return {};
    },
  };
  const run = { flags: { output: "text" }, io, place: { workspace: "/" } };
  const audience = await Audience.open(run as unknown as HeardRun);
  may_read = false;
  assert.equal((await audience.subscribers()).length, 3);
});
