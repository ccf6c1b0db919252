import assert from "node:assert/strict";
import { PROGRAM } from "../../tests/support/hamr.ts";
import { crash } from "./crash.ts";
import { in_folder } from "./folder.ts";

Deno.test("a task that is killed at random moments is done once, and all of it", async () => {
  const { tasks, kills, resumed, begun_again } = await crash(PROGRAM, { tasks: 15, in_folder });
  assert.ok(kills >= tasks / 2, `${kills} kills in ${tasks} tasks`);
  assert.equal(resumed + begun_again, kills);
});
