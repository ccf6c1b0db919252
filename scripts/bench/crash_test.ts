import assert from "node:assert/strict";
import { PROGRAM } from "../../tests/support/hamr.ts";
import { crash } from "./crash.ts";
import { in_folder } from "./folder.ts";

Deno.test("a task that is killed at random moments is done once, and all of it", async () => {
  const { kills, resumed, begun_again } = await crash(PROGRAM, { kills: 30, in_folder });
  assert.ok(resumed > 0, `${kills} kills`);
  assert.equal(resumed + begun_again, kills);
});
