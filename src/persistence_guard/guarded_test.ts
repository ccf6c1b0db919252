import assert from "node:assert/strict";
import { with_place } from "./_testing.ts";

const REPO = `git init -q .; git config user.name me; git remote add origin /srv/origin
git config core.editor mine; printf '#!/bin/sh\\n' > .git/hooks/pre-push; chmod +x .git/hooks/pre-push
mkdir .hamr; echo 'agent.mode = "ask"' > .hamr/config.toml; echo x > f; git add f; git commit -qm one; touch .git/hooks/{pre-commit,update}.sample`;

/** Everything about `.git` and `.hamr` that someone else will run. */
/** Without sizes: that of a folder is of its file system's own kind. */
const STATE = "find .git/hooks .hamr ! -name '*.sample' | sort | xargs ls -ld --time-style=+ | " +
  "awk '{ print $1, $3, $4, $6 }'; " +
  "cat .git/config .git/hooks/pre-push .hamr/config.toml; test ! -L .git; " +
  "ls .git/config.worktree .git/commondir 2>&1 || true; " +
  "find .git/remotes .git/branches -type f 2> /dev/null || true";

/** A repository whose hooks nobody puts back. */
const bare = (folder: string) =>
  `git init -q --bare ${folder}; echo ./evil > ${folder}/hooks/pre-receive`;

const PLANTED: readonly (readonly [name: string, command: string, said: RegExp])[] = [
  ["a hook", "echo evil > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit", /pre-commit/],
  ["a hook that was there", "echo evil >> .git/hooks/pre-push", /pre-push/],
  ["a hook taken away", "rm .git/hooks/pre-push", /pre-push/],
  ["the mode of a hook", "chmod 4777 .git/hooks/pre-push", /pre-push/],
  ["a hook as a link", "ln -sf /bin/true .git/hooks/pre-push", /pre-push/],
  ["a hook as a folder", "rm .git/hooks/pre-push; mkdir -p .git/hooks/pre-push/x", /pre-push/],
  ["a pipe for a hook", "rm .git/hooks/pre-push; mkfifo .git/hooks/pre-push", /pre-push/],
  ["no folder of hooks", "rm -r .git/hooks", /pre-push/],
  ["another folder of hooks", "mv .git/hooks h; ln -s ../h .git/hooks; echo x > h/x", /hooks/],
  ["a folder in the hooks", "mkdir -p .git/hooks/lib/a; echo x > .git/hooks/lib/a/b", /hooks\/lib/],
  ["a closed folder", "echo x > .git/hooks/x; chmod 0 .git/hooks", /hooks/],
  ["a closed file", "echo x > .git/hooks/x; chmod 0 .git/hooks/x", /hooks\/x/],
  ["core.fsmonitor", "git config core.fsmonitor ./evil", /\.git\/config \(core\.fsmonitor\)/],
  ["core.hooksPath", "git config core.hooksPath h", /\(core\.hookspath\)/],
  ["core.sshCommand", "git config core.sshCommand ./evil", /\(core\.sshcommand\)/],
  ["a key that was there", "git config core.editor ./evil", /\(core\.editor\)/],
  ["a key taken away", "git config --unset core.editor", /\(core\.editor\)/],
  ["an include", "git config include.path ../evil", /\(include\.path\)/],
  [
    "a conditional include",
    "git config includeIf.gitdir:/.path ../evil",
    /includeif\.gitdir:\/\.path/,
  ],
  ["an alias", "git config alias.st '!./evil'", /\(alias\.st\)/],
  ["another remote", "git remote set-url origin /evil", /\(remote\.origin\.url\)/],
  ["a second address", "git config --add remote.origin.url /evil", /\(remote\.origin\.url\)/],
  ["an address to push to", "git config remote.origin.pushurl /evil", /remote\.origin\.pushurl/],
  ["a program at the other end", "git config remote.origin.uploadpack ./evil", /uploadpack/],
  [
    "a remote that runs a program",
    "git remote add x 'ext::sh -c evil'",
    /\(remote\.x\.url, remote\.x\.fetch\)/,
  ],
  [
    "a protocol that runs a program",
    "git remote add x ext://evil",
    /\(remote\.x\.url, remote\.x\.fetch\)/,
  ],
  [
    "a branch that is pushed to a folder",
    `${bare(".git/x")}; git config branch.main.pushremote .git/x`,
    /\(branch\.main\.pushremote\)/,
  ],
  [
    "a branch that is pulled from a folder",
    `${bare("node_modules/x")}; git config branch.main.remote ./node_modules/x`,
    /\(branch\.main\.remote\)/,
  ],
  [
    "a branch with a remote that has no address",
    `${bare("node_modules/x")}; git config remote.node_modules/x.prune true; ` +
    "git config branch.main.pushremote node_modules/x",
    /\(remote\.node_modules\/x\.prune, branch\.main\.pushremote\)/,
  ],
  ...["$PWD/node_modules/x", "file://$PWD/node_modules/x", ".git/x", "../tmp/x", "~/x", "l", "l/x"]
    .map((address) =>
      [
        `a remote at ${address}`,
        `for r in node_modules .git ../tmp ../home; do ${bare("$r/x")}; done; ` +
        `ln -s node_modules/x l; git remote add x "${address}"; git config branch.main.remote x`,
        /\(remote\.x\.url, remote\.x\.fetch, branch\.main\.remote\)/,
      ] as const
    ),
  [
    "a remote that is not there yet",
    "git remote add x ./later",
    /\(remote\.x\.url, remote\.x\.fetch\)/,
  ],
  [
    "a remote in a file of its own",
    "mkdir -p .git/remotes; echo 'URL: ./evil' > .git/remotes/x.sample",
    /\.git\/remotes\/x\.sample/,
  ],
  [
    "a remote as a branch",
    "mkdir -p .git/branches; echo ./evil > .git/branches/x",
    /\.git\/branches\/x/,
  ],
  ["another address for all", "git config url./evil.insteadOf https://", /url\.\/evil\.insteadof/],
  [
    "a filter",
    "git config filter.x.clean ./evil; git config filter.x.smudge ./evil",
    /filter\.x\./,
  ],
  ["a way to diff", "git config diff.x.textconv ./evil", /diff\.x\.textconv/],
  ["a way to merge", "git config merge.x.driver ./evil", /merge\.x\.driver/],
  ["a helper for passwords", "git config credential.helper '!./evil'", /credential\.helper/],
  ["a program to sign", "git config gpg.program ./evil", /gpg\.program/],
  ["a submodule's command", "git config submodule.x.update '!./evil'", /submodule\.x\.update/],
  ["a proxy", "git config http.proxy http://evil", /http\.proxy/],
  ["another working tree", "git config core.worktree /", /core\.worktree/],
  ["no valid settings", "echo '[core' > .git/config", /\.git\/config \(all of it\)/],
  ["no settings", "rm .git/config", /\.git\/config/],
  ["settings as a link", "mv .git/config c; ln -s ../c .git/config", /\.git\/config/],
  ["settings as a folder", "rm .git/config; mkdir .git/config", /\.git\/config/],
  ["settings with a NUL", "printf '[alias]\\n\\0st=x\\n' >> .git/config", /all of it/],
  ["settings of a worktree", "echo '[core]fsmonitor=./evil' > .git/config.worktree", /\.worktree/],
  ["another common folder", "echo /evil > .git/commondir", /\.git\/commondir/],
  [
    "hamr's own settings",
    "echo 'agent.mode = \"auto\"' > .hamr/config.toml",
    /\.hamr\/config\.toml/,
  ],
  ["something new beside them", "mkdir .hamr/x; echo x > .hamr/x/y", /\.hamr\/x/],
  ["none of them", "rm -r .hamr", /\.hamr/],
  ["others instead of them", "mv .hamr h; mkdir e; ln -s e .hamr", /\.hamr/],
];

for (const [name, command, said] of PLANTED) {
  Deno.test(`put back: ${name}`, () =>
    with_place(REPO, async ({ sh, watch }) => {
      const before = sh(STATE);
      const { step, guarded } = await watch();
      const lines = await step(command);
      assert.match(lines.join("\n"), said);
      assert.equal(sh(STATE), before);
      assert.deepEqual(await step("true"), [], "once is enough");
      const { warnings, violation } = guarded.take();
      assert.deepEqual(warnings, lines);
      assert.equal(violation, null);
      assert.equal(guarded.take().warnings.length, 0);
    }));
}

Deno.test("put back: settings of a repository that jj or Sapling keeps in an ignored folder of its own", async () => {
  const stores = ".jj/repo/store/git sub/.sl/store/git";
  const setup = `${REPO}; git init -q --bare .jj/repo/store/git; echo '/*' > .jj/.gitignore
    git init -q --bare sub/.sl/store/git; echo .sl > .gitignore`;
  await with_place(setup, async ({ sh, watch }) => {
    const { step } = await watch();
    const plant = "git -C $d config core.sshCommand ./evil; echo evil > $d/hooks/pre-push";
    const line = (await step(`for d in ${stores}; do ${plant}; done`)).join();
    assert.match(line, /\.jj\/repo\/store\/git\/config \(core\.sshcommand\)/);
    assert.match(line, /sub\/\.sl\/store\/git\/hooks\/pre-push/);
    assert.equal(
      sh(`cat {${stores.replace(" ", ",")}}/{config,hooks/pre-push} | grep -c evil || :`),
      "0",
    );
    const fetched =
      "GIT_DIR=$PWD/.jj/repo/store/git git update-ref refs/jj/keep/1 $(git rev-parse HEAD) || :";
    assert.deepEqual(await step(`${fetched}; git init -q --bare new/.jj/repo/store/git`), []);
  });
});

const WORK: readonly (readonly [name: string, command: string])[] = [
  ["commits", "echo y > f; git add f; git commit -qm two; git tag v1; git stash list"],
  [
    "branches",
    "git switch -qc b; git branch --set-upstream-to=master b 2>&1 || git branch -u main b",
  ],
  ["a name", "git config user.email a@b; git config author.name x"],
  [
    "a remote",
    "git remote add up https://example.com/x; git remote set-url up https://example.com/y",
  ],
  [
    "a branch of a remote",
    "git remote add up git@example.com:x; git config branch.x.remote up; git config branch.x.pushremote origin",
  ],
  ["another repository", "git init -q new; cd new; git commit -q --allow-empty -m x"],
  [
    "a clone",
    "git clone -q . copy; cd copy; git commit -q --allow-empty -m x; git push -q 2>&1 || :",
  ],
  [
    "a push",
    "git init -q --bare up.git; git remote add up ./up.git; git push -qu up HEAD:refs/heads/x",
  ],
  [
    "a push by URL",
    "git init -q --bare up.git; git remote add up file://$PWD/up.git; git push -qu up HEAD:refs/heads/x",
  ],
  [
    "a partial clone",
    "git config uploadpack.allowFilter true 2>&1; git clone -q --no-local --filter=blob:none file://$PWD part; " +
    "git config --unset uploadpack.allowFilter; git -C part status",
  ],
  ["a worktree", "git worktree add -q wt; cd wt; git commit -q --allow-empty -m x"],
  [
    "a sparse checkout",
    "mkdir d; echo x > d/x; git add d; git commit -qm d; git sparse-checkout set d; git sparse-checkout disable",
  ],
  [
    "a submodule",
    "git init -q sub0; git -C sub0 commit -q --allow-empty -m x; " +
    "git -c protocol.file.allow=always submodule --quiet add $PWD/sub0 sub1; git submodule status",
  ],
  ["a deleted repository", "rm -rf .git"],
  ["a repository made anew", "git init -q x; rm -rf x/.git; git init -q x"],
  ["samples", "echo x >> .git/hooks/pre-commit.sample; rm .git/hooks/update.sample"],
  ["nothing", "true"],
];

for (const [name, command] of WORK) {
  Deno.test(`ordinary work stays: ${name}`, () =>
    with_place(REPO, async ({ sh, watch }) => {
      const { step } = await watch();
      sh(command);
      const state =
        "find . -path '*/hooks/*' -o -name config -o -name .git | sort | xargs ls -ld; " +
        "find . -name config -type f | sort | xargs cat";
      const after = sh(state);
      assert.deepEqual(await step("true"), []);
      assert.deepEqual(await step("true"), [], "nor when it has come into sight");
      assert.deepEqual(await step("true"), []);
      assert.equal(sh(state), after);
    }));
}

Deno.test("an address that is the workspace by another name is not one that no command can write", () =>
  with_place(`${REPO}; git init -q ../second`, async ({ root, watch }) => {
    const add = (name: string) => `git config remote.${name}.url ../second`;
    assert.deepEqual(await (await watch()).step(add("up")), []);
    const said = await (await watch({ also_written: [`${root}/second`] })).step(add("on"));
    assert.match(said.join(), /remote\.on\.url/);
  }));

Deno.test("git is asked with no library that a command can write", () =>
  with_place(REPO, async ({ workspace, policy, sh, watch }) => {
    // One that nothing can load: with a real one, its maker would answer for git.
    const env = { ...policy.env, LD_LIBRARY_PATH: `${workspace}/lib` };
    const { step } = await watch({ env });
    const kept = await step("git config user.name you; mkdir lib; touch lib/libc.so.6");
    assert.deepEqual([kept, sh("git config user.name")], [[], "you"]);
  }));

Deno.test("what hamr was told to go by is put back, by both of its names", () =>
  with_place(
    "mkdir ci; echo a > ci/a.toml; ln -s ci/a.toml b",
    async ({ workspace, sh, watch }) => {
      const given = ["b", "ci/a.toml"].map((name) => `${workspace}/${name}`);
      const { step } = await watch({ given });
      for (const command of ["echo b >> b", "rm b; echo b > b", "rm -r ci; mkdir x; ln -s x ci"]) {
        assert.match((await step(command)).join(), /put back/);
        assert.equal(sh("readlink b; cat b"), "ci/a.toml\na");
      }
      const { step: allowed } = await watch({ given, write: given });
      assert.deepEqual([await allowed("echo b > b"), sh("cat b")], [[], "b"]);
    },
  ));
