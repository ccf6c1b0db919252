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

Deno.test("what a branch is pulled from is named where it was something else, or is no branch", () => {
  const setup = "git init -qb main .; git commit -q --allow-empty -m x; git branch old; " +
    "git remote add origin https://a.example/x; git config branch.main.remote origin; git config branch.main.merge refs/heads/main; " +
    "git update-ref refs/remotes/origin/main HEAD; git update-ref refs/remotes/origin/dev HEAD";
  return with_place(setup, async ({ watch }) => {
    const { step, guarded } = await watch();
    const said = async (command: string) => {
      assert.deepEqual(await step(command), []);
      return guarded.take().warnings.join();
    };
    const others = await said("git branch -qu origin/main") +
      await said(
        "git checkout -q -b side origin/main; git branch -m side new; git branch -qu main old",
      ) +
      await said("git branch --unset-upstream; git branch -qu origin/dev; git branch -qD old");
    assert.equal(others, "");
    const key = "branch.main.merge";
    for (const ref of ["refs/heads/dev", "refs/pull/7/head"]) {
      assert.equal(
        await said(`git config ${key} ${ref}`),
        `git pull on branch main now takes ${ref}: a command has set ${key}`,
      );
    }
    assert.match(
      await said("git config branch.pr.merge refs/pull/7/head"),
      /branch pr now takes refs\/pull\/7\/head/,
    );
  });
});

Deno.test("a push that takes submodules or tags along is named, and no other recursion", () =>
  with_place("git init -q .", async ({ watch }) => {
    const { step, guarded } = await watch();
    const said = async (key: string, value: string) => {
      assert.deepEqual(await step(`git config ${key} "${value}"`), []);
      return guarded.take().warnings.join();
    };
    const values = [["push.recurseSubmodules", "on-demand"], ["submodule.recurse", "yes"]] as const;
    for (const [key, value] of values) {
      assert.match(
        await said(key, value),
        /^git push now pushes submodules, too, each to its own remote: /,
      );
    }
    assert.match(await said("push.followTags", "true"), /^git push now pushes tags, too: /);
    const others = await said("push.followTags", "false") +
      await said("push.recurseSubmodules", "check") +
      await said("submodule.recurse", "no") + await said("submodule.recurse", "") +
      await said("fetch.recurseSubmodules", "on-demand");
    assert.equal(others, "");
    // One may be new, with an address that says something.
    assert.match(
      await said("fetch.recurseSubmodules", "true"),
      /^git fetch now asks the remote of each submodule, too: /,
    );
  }));

Deno.test("tags, refs and objects that git deletes or writes over later are named, and no other pruning", () =>
  with_place("git init -q .", async ({ watch }) => {
    const { step, guarded } = await watch();
    const said = async (command: string) => {
      assert.deepEqual(await step(command), []);
      return guarded.take().warnings.join();
    };
    const others = await said("git config fetch.prune true; git config fetch.pruneTags false") +
      await said("git config gc.pruneExpire 2.weeks.ago; git config gc.reflogExpire never") +
      await said(
        "git remote add up https://a.example/x; git remote add -t main u2 https://b.example/x",
      );
    assert.equal(others, "");
    assert.match(await said("git config fetch.pruneTags true"), /^git fetch now deletes tags /);
    assert.match(await said("git config gc.pruneExpire now"), /^git gc now deletes at once /);
    assert.match(
      await said(
        "git remote add --mirror=fetch m https://a.example/y; git config remote.m.fetch '+refs/heads/*:refs/heads/*'",
      ),
      /^git fetch --all now writes over refs of this repository that are not that remote's: .*remote\.m\.fetch$/,
    );
    for (const refs of ["+refs/*:refs/*", "main:main", "+refs/heads/*:refs/remotes/origin/*"]) {
      const name = `n${refs.length}`;
      const add = `git remote add ${name} https://a.example/z; git config remote.${name}.fetch`;
      assert.match(await said(`${add} '${refs}'`), /^git fetch --all now writes over refs /, refs);
    }
  }));

Deno.test("an identity that takes the place of the user's own, and signing that ends, are named", () =>
  with_place(
    "git init -q .; printf '[user]\nemail = me@a.example\nsigningKey = A\n[core]\nexcludesFile = ~/.ignore\n[commit]\ngpgSign = true\n' > ../home/.gitconfig",
    async ({ watch }) => {
      const { step, guarded } = await watch();
      const said = async (command: string) => {
        assert.deepEqual(await step(command), []);
        return guarded.take().warnings.join();
      };
      const others = await said(
        "git config user.name Me; git config user.email me@a.example; git config user.signingKey A",
      ) +
        await said("git config commit.gpgSign true; git config tag.gpgSign false");
      assert.equal(others, "");
      assert.equal(
        await said("git config user.email bot@a.example"),
        "git commit here is now by bot@a.example: a command has set user.email",
      );
      assert.equal(
        await said("git config author.email bot@a.example"),
        "git commit here is now by bot@a.example: a command has set author.email",
      );
      assert.equal(
        await said("git config user.signingKey B"),
        "git commit here now signs with B: a command has set user.signingkey",
      );
      assert.match(
        await said("git config core.excludesFile no"),
        /^git add now takes in what .*, but for no: /,
      );
      assert.equal(
        await said("git config commit.gpgSign false"),
        "git commit no longer signs: a command has set commit.gpgsign",
      );
    },
  ));

Deno.test("what the user's own settings include counts, and what git ignores without any", () =>
  with_place(
    "git init -q .; mkdir -p ../home/.config/git; echo .env > ../home/.config/git/ignore; " +
      "printf '[commit]\ngpgSign = true\n' > ../home/own; printf '[user]\nemail = me@b.example\n' > ../home/other; " +
      'printf "[includeIf \\"gitdir:$PWD/\\"]\npath = own\n[includeIf \\"gitdir:/elsewhere/\\"]\npath = other\n" > ../home/.gitconfig',
    async ({ watch }) => {
      const { step, guarded } = await watch();
      const said = async (command: string) => {
        assert.deepEqual(await step(command), []);
        return guarded.take().warnings.join();
      };
      assert.equal(await said("git config user.email a@a.example"), "");
      assert.match(await said("git config commit.gpgSign false"), /^git commit no longer signs: /);
      assert.match(
        await said("git config core.excludesFile /dev/null"),
        /^git add now takes in what .*, but for \/dev\/null: /,
      );
    },
  ));

Deno.test("of a remote that was there, a fetch may bring more of its own, and nothing in the place of that", () =>
  with_place("git init -q .; git remote add origin https://a.example/x", async ({ watch, sh }) => {
    const { step, guarded } = await watch();
    const add = "git config --add remote.origin.fetch";
    const own = [
      `${add} '+refs/pull/*/head:refs/remotes/origin/pr/*'`,
      "git remote set-branches --add origin dev",
      "git config remote.origin.prune true; git config remote.origin.tagOpt --no-tags",
      "git config --replace-all remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'",
    ];
    for (const command of own) {
      assert.deepEqual(await step(command), [], command);
      assert.deepEqual(guarded.take().warnings, [], command);
    }
    const specs = "git config --get-all remote.origin.fetch";
    const before = sh(specs);
    for (
      const refs of [
        "+refs/pull/7/head:refs/remotes/origin/main",
        "+refs/heads/evil:refs/remotes/origin/main",
      ]
        .concat(["+refs/pull/*/head:refs/remotes/origin/*", "^refs/heads/main", "+refs/*:refs/*"])
    ) {
      assert.match((await step(`${add} '${refs}'`)).join(), /\(remote\.origin\.fetch\)/, refs);
      assert.equal(sh(specs), before);
    }
    const fewer = "git remote set-branches origin dev";
    assert.match((await step(fewer)).join(), /\(remote\.origin\.fetch\)/);
  }));

Deno.test("a new remote is named where the user's own settings have git ask all, and no other", () =>
  with_place("git init -q .; git init -q other", async ({ watch, sh }) => {
    const { step, guarded } = await watch();
    const said = async (command: string) => {
      assert.deepEqual(await step(command), []);
      return guarded.take().warnings.join();
    };
    sh("git config -f ../home/.gitconfig maintenance.repo $PWD");
    assert.equal(await said("git -C other remote add x https://a.example/x"), "");
    assert.equal(
      await said("git remote add x https://a.example/x"),
      "git now asks https://a.example/x, too, as your own settings have it ask all remotes",
    );
    sh("git config -f ../home/.gitconfig fetch.all true");
    assert.match(await said("git -C other remote add y https://b.example/x"), /^git now asks /);
    assert.equal(await said("git remote add near ./other"), "");
  }));

Deno.test("an identity where there was none raises no alarm", () =>
  with_place("git init -q .; rm -f ../home/.gitconfig", async ({ watch }) => {
    const { step, guarded } = await watch();
    const command = "git config user.email a@a.example; git config commit.gpgSign false";
    assert.deepEqual(await step(command), []);
    assert.deepEqual(guarded.take().warnings, []);
  }));

Deno.test("a branch that is pushed to another of the remotes is named, and no other that tracks one", () =>
  with_place(
    "git init -q .; git remote add origin https://a.example/x; git remote add public https://b.example/x; " +
      "git config branch.main.remote origin; git config branch.lone.merge refs/heads/lone",
    async ({ watch, sh }) => {
      const { step, guarded } = await watch();
      const said = async (...commands: readonly string[]) => {
        const command = commands.map((one) => `git config ${one}`).join("; ");
        assert.deepEqual(await step(command), []);
        return guarded.take().warnings.join();
      };
      const same = await said("branch.main.pushRemote origin", "branch.lone.remote public") +
        await said("branch.main.remote public", "branch.new.remote public");
      assert.equal(same, "");
      assert.equal(
        await said("branch.main.pushRemote public"),
        "git push from branch main now goes to public, as a command has set branch.main.pushremote: https://b.example/x",
      );
      sh("git config --unset branch.main.pushRemote; git config branch.main.remote origin");
      await step("true");
      assert.match(
        await said("branch.main.remote public"),
        /^git push from branch main now goes to public, as /,
      );
      assert.match(
        await said("branch.lone.pushRemote public"),
        /^git push from branch lone now goes to public, as /,
      );
    },
  ));

Deno.test("settings that run nothing stay, as tests of servers and editors beside a run make them", () =>
  with_place("git init -q .; git init -q up", async ({ watch, sh }) => {
    const keys = [
      ["receive.denyCurrentBranch", "updateInstead"],
      ["uploadpack.allowFilter", "true"],
      ["http.postBuffer", "524288000"],
      ["core.excludesFile", ".ignored"],
      ["color.diff", "always"],
      ["core.commentChar", "auto"],
      ["core.commentChar", ";"],
      ["branch.main.gk-merge-base", "origin/main"],
      ["submodule.lib.update", "rebase"],
      ["merge.ours.driver", "true"],
      ["commit.template", ".gitmessage"],
      ["lfs.https://a.example/x.git/info/lfs.access", "basic"],
      ["log.showSignature", "false"],
      ["branch.main.vscode-merge-base", "origin/main"],
    ] as const;
    const { step } = await watch();
    for (const [key, value] of keys) {
      assert.deepEqual(await step(`git -C up config ${key} "${value}"`), [], key);
      assert.equal(sh(`git -C up config ${key}`), value);
    }
    for (const key of ["merge.tool", "pull.twohead", "branch.main.mergeoptions", "core.pager"]) {
      assert.match((await step(`git config ${key} ../../x`)).join(), /put back/, key);
    }
    const others = ["submodule.lib.update !x", "merge.ours.driver x", "commit.template ../x"]
      .concat(["commit.template /x", "commit.template '~/x'", "log.showSignature true"]);
    for (const key of others) {
      assert.match((await step(`git config ${key}`)).join(), /put back/, key);
    }
    // What git drops from a rebase, and an added line that is not seen.
    for (const key of ["core.commentChar f", "core.commentChar fixup", "color.diff.new '0 0'"]) {
      assert.match((await step(`git config ${key}`)).join(), /put back/, key);
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
