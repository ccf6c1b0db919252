import assert from "node:assert/strict";
import { with_place } from "./_testing.ts";

/** What the next `git submodule update --init` takes for the repository of the submodule `name`, because it is there. */
const waiting = (name: string) =>
  `d=".git/modules/${name}"; mkdir -p "$d"; cp -r ../up/.git/. "$d"
git -C "$d" config core.fsmonitor 'touch $HOME/ran; false'
printf '#!/bin/sh\\ntouch $HOME/ran' > "$d/hooks/post-checkout"; chmod +x "$d/hooks/post-checkout"`;

for (
  const [title, name, decoy] of [
    ["is there before it is asked for", "sub", ""],
    ["lies below what only looks like another's", "a/b", ": > .git/modules/a/HEAD"],
    ["lies where another has its data", "a/objects/ab", "echo no > .git/modules/a/HEAD"],
    ["lies where another has worktrees", "a/worktrees/b/c", "echo no > .git/modules/a/HEAD"],
    ["lies deep", "1/2/3/4/5/6/7/8/9/10/11/12", ""],
    ["lies where another one is closed", "a/b", `chmod 0 .git/modules/a/objects`],
  ] as const
) {
  Deno.test(`a submodule's repository that ${title} runs nothing`, () =>
    with_place(
      `git init -q .; git init -q ../up; git -C ../up commit -q --allow-empty -m x
git -c protocol.file.allow=always submodule --quiet add --name ${name} "$PWD/../up" s
git commit -qm s; rm -rf s .git/modules; git config --remove-section submodule.${name}`,
      async ({ watch, sh, exists }) => {
        const { step } = await watch();
        const cover = "mkdir -p .git/modules/a/objects .git/modules/a/refs; " +
          "cp .git/HEAD .git/modules/a/HEAD";
        await step(`${waiting(name)}${decoy === "" ? "" : `\n${cover}\n${decoy}`}`);
        sh("git -c protocol.file.allow=always submodule --quiet update --init || true; git status");
        assert.ok(!exists("../home/ran"));
      },
    ));
}

Deno.test("a submodule's repository whose name is not UTF-8 is named", () =>
  with_place("git init -q .; git init -q ../up", async ({ watch }) => {
    const { step, guarded } = await watch();
    await step(waiting("$(printf 'a\\377')"));
    assert.match(
      guarded.take().warnings.join("\n"),
      /git runs in .*\.git\/modules\/a\ufffd by itself/,
    );
    await step("true");
    assert.deepEqual(guarded.take().warnings, []);
  }));
