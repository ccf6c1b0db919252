/** Links among git's own files, through which git would write for the user what a command has chosen. */
import assert from "node:assert/strict";
import { with_place } from "./_testing.ts";

const SETUP = "git init -q .; git commit -q --allow-empty -m one; git branch side; " +
  "git -c protocol.file.allow=always clone -q . ../up; echo mine > ../home/.bashrc; mkdir ../home/folder";
const HOME = "$PWD/../home";

/** As an old one has it. */
const LATIN = "b=$(printf 'b\\377')";

const PLANTED: readonly (readonly [name: string, command: string, said: RegExp])[] = [
  ["the reflog", `ln -sf ${HOME}/.bashrc .git/logs/HEAD`, /\.git\/logs\/HEAD/],
  ["a branch's reflog", `ln -sf ${HOME}/.bashrc .git/logs/refs/heads/side`, /heads\/side/],
  [
    "one deep down",
    `mkdir -p .git/logs/refs/heads/a/b; ln -s ${HOME}/.bashrc .git/logs/refs/heads/a/b/c`,
    /a\/b\/c/,
  ],
  [
    "a branch's reflog, by a name that is not UTF-8",
    `${LATIN}; git checkout -q -b "$b"; ln -sf ${HOME}/.bashrc ".git/logs/refs/heads/$b"`,
    /heads\/b\ufffd/,
  ],
  [
    "one in a folder of such a name",
    `${LATIN}; git checkout -q -b "$b/x"; ln -sf ${HOME}/.bashrc ".git/logs/refs/heads/$b/x"`,
    /heads\/b\ufffd\/x/,
  ],
  [
    "one in a folder that its owner can't list",
    `ln -sf ${HOME}/.bashrc .git/logs/HEAD; chmod 0311 .git/logs`,
    /\.git\/logs\/HEAD/,
  ],
  ["a folder of reflogs", `rm -r .git/logs; ln -s ${HOME}/folder .git/logs`, /\.git\/logs/],
  ["the message", `ln -sf ${HOME}/.bashrc .git/COMMIT_EDITMSG`, /COMMIT_EDITMSG/],
  ["a file that is not there yet", `ln -sf ${HOME}/.zshenv .git/FETCH_HEAD`, /FETCH_HEAD/],
  [
    "by another link",
    `ln -sf ${HOME}/.bashrc x; ln -sf ../x .git/COMMIT_EDITMSG`,
    /COMMIT_EDITMSG/,
  ],
  ["in circles", "ln -sf y x; ln -sf x y; ln -sf ../x .git/COMMIT_EDITMSG", /COMMIT_EDITMSG/],
  ["git's settings", "ln -sf config .git/COMMIT_EDITMSG", /COMMIT_EDITMSG/],
  ["a hook", "ln -sf hooks/post-commit .git/COMMIT_EDITMSG", /COMMIT_EDITMSG/],
  ["a file of the workspace", "ln -sf ../.envrc .git/COMMIT_EDITMSG", /COMMIT_EDITMSG/],
  [
    "a list of git's data, at the next gc",
    `ln -sf ${HOME}/.bashrc .git/objects/info/commit-graph`,
    /commit-graph/,
  ],
  [
    "another list of data",
    `ln -sf ${HOME}/.bashrc .git/objects/pack/multi-pack-index`,
    /multi-pack-index/,
  ],
  ["a folder of branches", `ln -s ${HOME}/folder .git/refs/heads/au`, /refs\/heads\/au/],
  [
    "a workspace's file, as a list of data",
    "ln -sf ../../../f .git/objects/info/commit-graph",
    /graph/,
  ],
  [
    "a worktree's",
    `git worktree add -q wt; ln -sf ${HOME}/.bashrc .git/worktrees/wt/COMMIT_EDITMSG`,
    /wt\/COMMIT_EDITMSG/,
  ],
  [
    "one of a repository made here",
    `git init -q new; ln -sf ${HOME}/.bashrc new/.git/COMMIT_EDITMSG`,
    /new\/\.git\/COMMIT_EDITMSG/,
  ],
];

for (const [name, command, said] of PLANTED) {
  Deno.test(`git does not write through a link: ${name}`, () =>
    with_place(SETUP, async ({ watch, sh, read }) => {
      const { step } = await watch();
      const lines = [...await step(command), ...await step("true")].join("\n");
      assert.match(lines, /git writes through such a link/);
      assert.match(lines, said);
      const before = sh("cat .git/config; ls .git/hooks");
      sh(
        "git gc -q; git multi-pack-index write; git branch au/x; for d in wt new .; do [ ! -d $d ] || git -C $d commit -q --allow-empty -m 'echo no'; done; git fetch -q ../up",
      );
      assert.equal(read("../home/.bashrc"), "mine\n");
      assert.equal(
        sh("ls -A ../home/folder; ls ../home/.zshenv .envrc 2>&1 | grep -vc 'No such' || true"),
        "0",
      );
      assert.equal(sh("cat .git/config; ls .git/hooks"), before);
    }, { often: true }));
}

Deno.test("links that were there, and those that git's own programs make, are left alone", () =>
  with_place(
    `${SETUP}; ln -sf ${HOME}/.bashrc .git/COMMIT_EDITMSG; git init -q old; mv old/.git/logs old/l 2>/dev/null || true`,
    async ({ watch, sh }) => {
      const { step } = await watch();
      const honest = [
        "git commit -q --allow-empty -m two; git gc -q; git worktree add -q wt; git stash list",
        // As contrib/workdir/git-new-workdir does, and an old git with HEAD.
        "mkdir -p two/.git/logs; cd two/.git; for f in refs logs/refs objects info packed-refs rr-cache; do ln -s $OLDPWD/.git/$f $f; done; cp ../../.git/HEAD .",
        "cd .git; rm HEAD; ln -s refs/heads/side HEAD",
        "git -c protocol.file.allow=always submodule add -q ../up sub; git commit -qm sub; ln -s ../f g; git add g; git commit -qm g",
        "echo a > f; git add f; git commit -qm f; git bisect start; git rebase -q HEAD~1; git bisect reset 2> /dev/null",
      ];
      for (const command of honest) assert.deepEqual(await step(command), [], command);
      assert.match(sh("readlink .git/COMMIT_EDITMSG"), /bashrc$/);
      assert.match((await step("ln -sf $PWD/../home/x .git/COMMIT_EDITMSG")).join(), /put back/);
      assert.match(sh("readlink .git/COMMIT_EDITMSG"), /bashrc$/);
    },
  ));

Deno.test("a folder of git's that its owner can't list is opened, with what is in it, and looked at", () =>
  with_place(SETUP, async ({ watch, sh }) => {
    const { step } = await watch();
    const deep = ".git/logs/refs/heads/1/2/3/4/5/6";
    const lines = await step(
      `mkdir -p ${deep}; ln -s ${HOME}/.bashrc ${deep}/x
for d in ${deep} .git/logs/refs/heads/1/2/3/4 .git/logs/refs/heads/1/2 .git/logs .git/objects/info; do chmod 0311 $d; done`,
    );
    assert.match(lines.join("\n"), /\.git\/logs.*git enters it, and what can't be listed/);
    assert.equal(sh("find .git -type d ! -perm -0500; find .git -type l"), "");
  }));

Deno.test("branches whose names are not UTF-8, and links of theirs from before the run, are left alone", () =>
  with_place(
    `${SETUP}; ${LATIN}; git branch "$b"; ln -sf ${HOME}/.bashrc ".git/logs/refs/heads/$b"`,
    async ({ watch, sh }) => {
      const { step, guarded } = await watch();
      assert.deepEqual(
        await step(
          `${LATIN}; git checkout -q -b "$b/x" || git checkout -q -b "new$b"; git commit -q --allow-empty -m x`,
        ),
        [],
      );
      assert.deepEqual(guarded.take(), { warnings: [], violation: null });
      assert.equal(sh("find .git/logs -type l | wc -l"), "1");
    },
  ));

Deno.test("that there are more repositories than are watched is said, once", () =>
  with_place("git init -q .", async ({ watch }) => {
    const { step, guarded, sights } = await watch();
    // As a walk would find them; on a disk they take seconds.
    for (let n = 1; n < 10_000; n++) sights.enter(`d${n}/`, [".git"]);
    await step("true");
    assert.deepEqual(guarded.take().warnings, []);
    sights.enter("new/", [".git"]);
    for (let n = 0; n < 2; n++) await step("true");
    const [said, ...others] = guarded.take().warnings;
    assert.match(
      said!,
      /^this workspace has more than 10000 repositories, and hamr watches no more/,
    );
    assert.deepEqual(others, []);
  }));

Deno.test("a history that is gone is said, once, and not where its files went, too", () =>
  with_place("git init -q .; git init -q other; git init -q gone", async ({ watch }) => {
    const { step, guarded } = await watch();
    const said = () => guarded.take().warnings;
    await step("rm -rf gone; git init -q new; rm -rf new/.git");
    assert.deepEqual(said(), []);
    for (const name of ["other/.git", ".git"]) {
      await step(`rm -rf ${name}`);
      assert.equal(
        said().join(),
        `${name} is gone, with the history in it: hamr has no copy of that`,
      );
    }
    await step("touch x");
    assert.deepEqual(said(), []);
  }));

Deno.test("what git keeps its data in may be on another disk", () =>
  with_place("git init -q .; mkdir ../home/big", async ({ watch, root }) => {
    const command = "mv .git/objects ../home/big/; ln -s $PWD/../home/big/objects .git/objects; " +
      "mkdir ../home/big/lfs; ln -s $PWD/../home/big/lfs .git/lfs; git commit -q --allow-empty -m x";
    assert.deepEqual(await (await watch({ write: [`${root}/home/big`] })).step(command), []);
  }));

Deno.test("git's data is not that of a repository elsewhere, from which it would remove what it does not need", () =>
  with_place(
    "git init -q .; git init -q ../home/other; git -C ../home/other commit -q --allow-empty -m x",
    async ({ watch, sh }) => {
      for (const name of ["objects", "refs", "lfs", "objects/pack"]) {
        const command =
          `mkdir -p .git/lfs ../home/other/.git/lfs; mv .git/${name} old; ln -s $PWD/../home/other/.git/${name} .git/${name}`;
        assert.match(
          (await (await watch()).step(command)).join(),
          new RegExp(`put back .git/${name}:`),
        );
        sh(`mv old .git/${name}`);
      }
    },
  ));

const SHARED: readonly (readonly [name: string, command: string])[] = [
  ["a hook as the message", "ln -f .git/hooks/pre-push .git/COMMIT_EDITMSG"],
  [
    "a message as the hook",
    "cat .git/hooks/pre-push > .git/COMMIT_EDITMSG; cp -p .git/COMMIT_EDITMSG x; chmod 755 .git/COMMIT_EDITMSG; ln -f .git/COMMIT_EDITMSG .git/hooks/pre-push",
  ],
  ["the settings as a reflog", "ln -f .git/config .git/logs/HEAD"],
  ["another file of the workspace", "ln -f .envrc .git/COMMIT_EDITMSG"],
  ["what a build writes", "ln -f .git/hooks/pre-push build.log"],
];
for (const [name, command] of SHARED) {
  Deno.test(`git and others write to no two files at once: ${name}`, () =>
    with_place(
      "git init -q .; git commit -q --allow-empty -m one; echo true > .git/hooks/pre-push; chmod 755 .git/hooks/pre-push; echo mine > .envrc",
      async ({ watch, sh }) => {
        const { step, guarded } = await watch();
        assert.deepEqual([...await step(command), ...await step("true")], []);
        assert.deepEqual(guarded.take(), { warnings: [], violation: null });
        const state =
          "cat .git/config .git/hooks/pre-push .envrc; stat -c %h%A .git/hooks/pre-push";
        const before = sh(state);
        sh("git commit -q --allow-empty -m 'touch ran'; echo evil > build.log");
        assert.equal(sh(state), before);
      },
    ));
}

Deno.test("a copy by hard links stays what it is, and what was one before the run stays one", () =>
  with_place(
    "git init -q .; git commit -q --allow-empty -m one; cp -al .git ../backup",
    async ({ watch, sh }) => {
      const { step, guarded } = await watch();
      const files = "stat -c '%h %n' .git/config .git/logs/HEAD ../backup/HEAD";
      const before = sh(files);
      assert.deepEqual(await step("cp -al .git copy; git -C copy log > /dev/null"), []);
      assert.equal(sh("rm -rf copy; git fsck 2>&1; diff -r .git ../backup"), "");
      assert.equal(sh(files), before);
      assert.deepEqual(guarded.take(), { warnings: [], violation: null });
    },
  ));
