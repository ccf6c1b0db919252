import assert from "node:assert/strict";
import { PROGRAM } from "../../tests/support/hamr.ts";
import { thorough } from "../../tests/support/thorough.ts";
import { crash } from "./crash.ts";
import { crash_commands } from "./crash_commands.ts";
import { in_folder } from "./folder.ts";

Deno.test({
  name: "a task that is killed at random moments is done once, and all of it",
  ignore: !thorough,
  fn: async () => {
    // Two tasks, each of which is killed as often as one may be; `deno task bench crash` does more.
    const { kills, resumed, begun_again } = await crash(PROGRAM, { kills: 6, in_folder });
    assert.ok(resumed > 0, `${kills} kills`);
    assert.equal(resumed + begun_again, kills);
  },
});

Deno.test({
  name: "what a killed run had running keeps its time limit, or is ended by whoever comes next",
  ignore: !thorough || Deno.build.os !== "linux",
  fn: async () => {
    const { kills, left, by_limit, by_next } = await crash_commands(PROGRAM, {
      kills: 8, // Each kind of command, and whoever comes next twice.
      in_folder,
    });
    assert.ok(by_limit > 0 && by_next > 0, `${left} of ${kills}`);
  },
});
