import assert from "node:assert/strict";
import { open_folders } from "../changes/linux_folders.ts";
import { with_place } from "./_testing.ts";
import { Named } from "./named.ts";

const COMMIT = `git init -qb m .; echo a > a; git add a; git commit -qm one
git clone -q . ../up; git remote add up ../up; git fetch -q up`;

for (
  const [command, said] of [
    [
      "git replace $(git rev-parse HEAD:a) $(echo b | git hash-object -w --stdin)",
      /\.git\/refs\/replace\/\w+$/,
    ],
    [
      "git replace HEAD:a $(echo b | git hash-object -w --stdin); git pack-refs --all",
      /\.git\/refs\/replace\/\w+$/,
    ],
    ["git rev-parse HEAD > .git/info/grafts", / because of \.git\/info\/grafts$/],
    ["git rev-parse HEAD > .git/shallow", / because of \.git\/shallow$/],
    ["git branch x; git pack-refs --all; git tag x", / because of \.git\/refs\/tags\/x$/],
    ["git branch up/x", / because of \.git\/refs\/heads\/up$/],
    ["git branch up/x; git pack-refs --all", / because of \.git\/refs\/heads\/up$/],
    ["git branch x; git rev-parse HEAD > .git/x", / because of \.git\/x$/],
    ["git branch b/up; git tag v1; git tag b/v2; git fetch -q up; git branch u up/m", null],
    ["git commit -q --amend -m two; git gc -q; git replace -l", null],
    ["git clone -q --depth 1 file://$PWD c; git -C c fetch -q --unshallow", null],
    [
      "git -c protocol.file.allow=always submodule --quiet add --depth 1 file://$PWD s; " +
      "test -f .git/modules/s/shallow",
      null,
    ],
  ] as const
) {
  Deno.test(`what git shows in place of what was committed is named: ${command.slice(0, 40)}`, () =>
    with_place(COMMIT, async ({ watch, policy, sh }) => {
      const begin = async () => {
        const { step, guarded, sights } = await watch();
        const named = new Named(policy, { raw: open_folders(), sights, saved: guarded.saved });
        named.see();
        return { step, named };
      };
      const { step, named } = await begin();
      await step(command);
      if (said === null) assert.equal(named.replaced(), null);
      else assert.match(named.replaced() ?? "", said);
      // What was there before is no news, wherever git keeps it.
      const later = await begin();
      sh("git pack-refs --all");
      assert.equal(later.named.replaced(), null);
    }));
}
