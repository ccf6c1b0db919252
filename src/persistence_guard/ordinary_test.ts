import assert from "node:assert/strict";
import { with_place } from "./_testing.ts";

Deno.test("a partial clone of another machine stays one where commands may reach it themselves", () =>
  with_place("git init -q .", async ({ watch, sh }) => {
    const make = "git init -q new; cd new; git remote add origin https://example.com/new; " +
      "git config remote.origin.promisor true; git config extensions.partialclone origin";
    const of_it = () => sh("git -C new config --get-regexp 'promisor|partial' || :");
    assert.match(
      (await (await watch()).step(make)).join("\n"),
      /\(remote\.origin\.promisor, extensions\.partialclone\)/,
    );
    assert.equal(of_it(), "");
    sh("rm -rf new");
    assert.deepEqual(await (await watch({ net: "all" })).step(make), []);
    assert.equal(of_it(), "remote.origin.promisor true\nextensions.partialclone origin");
  }));

Deno.test("a push that goes to branches of other names is named, and no other", () =>
  with_place("git init -q .; git config push.default matching", async ({ watch }) => {
    const { step, guarded } = await watch();
    const said = async (value: string) => {
      assert.deepEqual(await step(`git config push.default ${value}`), []);
      return guarded.take().warnings.join();
    };
    const branch = "git config branch.x.merge refs/heads/main";
    assert.equal(
      await said(`simple; ${branch}`) + await said("current") + await said("nothing"),
      "",
    );
    assert.equal(await said("matching"), "");
    assert.match(
      await said("upstream"),
      /^git push now pushes a branch to the one that it tracks, /,
    );
  }));

Deno.test("settings that run nothing stay, as tests of servers and editors beside a run make them", () =>
  with_place("git init -q .; git init -q up", async ({ watch, sh }) => {
    const keys = [
      ["receive.denyCurrentBranch", "updateInstead"],
      ["uploadpack.allowFilter", "true"],
      ["http.postBuffer", "524288000"],
      ["core.excludesFile", ".ignored"],
      ["branch.main.gk-merge-base", "origin/main"],
      ["branch.main.vscode-merge-base", "origin/main"],
    ] as const;
    const { step } = await watch();
    for (const [key, value] of keys) {
      assert.deepEqual(await step(`git -C up config ${key} ${value}`), [], key);
      assert.equal(sh(`git -C up config ${key}`), value);
    }
    for (const key of ["merge.tool", "pull.twohead", "branch.main.mergeoptions", "core.pager"]) {
      assert.match((await step(`git config ${key} ../../x`)).join(), /put back/, key);
    }
  }));

Deno.test("refs may be kept in another form, and nowhere else", () =>
  with_place("git init -q .", async ({ watch, sh }) => {
    const { step } = await watch();
    const keep = (how: string) => `git config -f .git/config extensions.refstorage ${how}`;
    for (const how of ["reftable", "files"]) assert.deepEqual(await step(keep(how)), []);
    for (const how of ["files://$HOME/out", "reftable://../up", "../up"]) {
      assert.match((await step(keep(how))).join("\n"), /\(extensions\.refstorage\)/, how);
      assert.equal(sh("git config -f .git/config extensions.refstorage || echo none"), "none");
    }
  }));
