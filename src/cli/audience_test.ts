import assert from "node:assert/strict";
import { Audience, type Heard } from "./audience.ts";

Deno.test("who hears a run is found out though the environment can no longer be read", async () => {
  let may_read = true;
  const io = {
    out: () => {},
    err: () => {},
    env: (name: string) => {
      assert.ok(may_read, `${name} is read after the right to was given up`);
      return undefined;
    },
  };
  const run = { flags: { output: "text" }, io, place: { workspace: "/" } };
  const audience = await Audience.open(run as unknown as Heard);
  may_read = false;
  assert.equal((await audience.subscribers(() => false)).length, 3);
});
