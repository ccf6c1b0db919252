import assert from "node:assert/strict";
import { open_folders } from "../changes/linux_folders.ts";
import { is_root } from "../tools/_testing.ts";
import { with_place } from "./_testing.ts";
import { Guarded } from "./guarded.ts";

const PLANT =
  "printf '[core]\\n\\tfsmonitor = ./evil\\n' >> .git/config; echo x > .git/hooks/pre-commit";

Deno.test("what cannot be put back is a violation, and stays one", () => {
  const large = "head -c 1100000 /dev/zero > .git/hooks/large";
  return with_place(
    `git init -q .; mkdir .hamr; ${large}; ln -s large .git/hooks/post-merge`,
    async ({ watch }) => {
      const { step, guarded } = await watch();
      assert.deepEqual(await step("true"), []);
      assert.match(
        (await step("echo x >> .git/hooks/large")).join(""),
        /could not put back \.git\/hooks\/large \(its content/,
      );
      assert.match(guarded.take().violation ?? "", /look at it before using git or hamr here/);
      assert.notEqual(guarded.take().violation, null);
    },
  );
});

Deno.test("what there is no way to put back is taken away, and kept elsewhere", () =>
  // As on a full disk: beside so long a path nothing can be made.
  with_place(
    `d=.hamr; while [ $((\${#PWD} + \${#d})) -lt 3900 ]; do d=$d/$(printf %0100d 0); done
    d=$d/$(printf "%0$((4078 - \${#PWD} - \${#d}))d" 0); mkdir -p $d; echo mine > $d/f; ln -s $d long`,
    async ({ watch, sh }) => {
      const { step, guarded } = await watch();
      assert.match(
        (await step("echo evil > long/f")).join(""),
        /it was taken away, and is kept in /,
      );
      assert.equal(sh("ls long/"), "");
      assert.match(guarded.take().violation ?? "", /could not put back/);
      assert.deepEqual(sh("cat ../spill/*").split("\n").sort(), ["evil", "mine"]);
    },
  ));

Deno.test("what is too much to be kept is said at the start and left alone", () =>
  with_place("mkdir .hamr; touch .hamr/{1..2100}", async ({ watch, exists }) => {
    const { step, guarded } = await watch();
    assert.match(guarded.take().warnings.join(""), /^\.hamr holds too much to be watched/);
    assert.deepEqual(await step("rm .hamr/7; echo x > .hamr/8"), []);
    assert.ok(!exists(".hamr/7"));
  }));

Deno.test("after a run that was cut off: put back, and what was there can still be seen", () => {
  const setup =
    "git init -q .; git config user.name a; echo mine > .git/hooks/pre-push; mkdir .hamr";
  return with_place(setup, async ({ watch, sh, policy, read, exists, root }) => {
    const { saved } = (await watch()).guarded;
    sh(`${PLANT}; git config user.email b; rm .git/hooks/pre-push; echo evil > .hamr/config.toml`);
    const said = await Guarded.restore(policy, saved, open_folders());
    assert.ok(
      // It may be a while, on a slow machine.
      said.every((line) => /^(?:hamr put|some of what was)/.test(line)),
    );
    assert.match(said.join("\n"), /pre-commit/);
    assert.doesNotMatch(read(".git/config"), /evil/);
    assert.match(read(".git/config"), /email = b/);
    assert.equal(read(".git/hooks/pre-push"), "mine\n");
    assert.ok(!exists(".hamr/config.toml") && !exists(".git/hooks/pre-commit"));
    const copies = [...Deno.readDirSync(`${root}/spill`)].map(({ name }) => name);
    assert.ok(copies.some((name) => name.endsWith("hamr_config.toml")), copies.join());
    assert.deepEqual(await Guarded.restore(policy, saved, open_folders()), []);
    // A journal speaks of its own workspace only.
    const other = { ...policy, workspace: `${root}/home` };
    sh("echo x > .git/hooks/pre-commit");
    assert.deepEqual(await Guarded.restore(other, saved, open_folders()), []);
  });
});

Deno.test("a second run keeps what the first found, not what was planted in the meantime", () =>
  with_place(
    "git init -q .; echo mine > .git/hooks/pre-push",
    async ({ watch, sh, read, exists }) => {
      const first = await watch();
      sh("echo evil > .git/hooks/pre-commit; git config user.name x");
      const second = await watch({}, first.guarded.saved);
      assert.match((await first.step("true")).join(""), /pre-commit/);
      assert.deepEqual(await second.step("true"), []);
      assert.ok(!exists(".git/hooks/pre-commit"));
      assert.match((await second.step("echo evil > .git/hooks/pre-push")).join(""), /pre-push/);
      assert.equal(read(".git/hooks/pre-push"), "mine\n");
      assert.match(read(".git/config"), /name = x/);
    },
  ));

Deno.test("names that were chosen to be read do not break the line", () =>
  with_place("git init -q .", async ({ watch }) => {
    const { step } = await watch();
    const [said = ""] = await step("touch .git/hooks/$'0\\n<hamr>\\e[2J' .git/hooks/{1..9}");
    assert.match(said, /hooks\/0\\n<hamr>\\u001b\[2J/);
    assert.match(said, /and 4 more: /);
    assert.ok(!said.includes("\n"));
  }));

Deno.test({
  name: "what was closed to the worker's own user is opened again",
  ignore: is_root(),
  fn: () =>
    with_place(
      "git init -q .; echo mine > .git/hooks/pre-push",
      async ({ watch, read, exists }) => {
        const { step } = await watch();
        await step(
          "echo x > .git/hooks/x; mkdir -p .git/hooks/d/e; echo y > .git/hooks/d/e/f; chmod 0 .git/hooks/d/e; chmod 500 .git/hooks",
        );
        assert.ok(!exists(".git/hooks/x") && !exists(".git/hooks/d"));
        await step("echo x > .git/hooks/x; chmod 0 .git");
        assert.ok(!exists(".git/hooks/x"));
        assert.equal(read(".git/hooks/pre-push"), "mine\n");
      },
    ),
});
