import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { open_folders } from "../changes/linux_folders.ts";
import { with_place } from "./_testing.ts";
import { Gitlinks } from "./gitlinks.ts";
import { Guarded } from "./guarded.ts";

/** Has an index name another tree for `src`. */
function forge(workspace: string, { was, is }: { was: string; is: string }): void {
  const file = `${workspace}/.git/index`;
  const bytes = Deno.readFileSync(file).subarray(0, -20).toHex();
  assert.ok(bytes.includes(was));
  const forged = Uint8Array.fromHex(bytes.replaceAll(was, is));
  const sum = createHash("sha1").update(forged).digest();
  Deno.writeFileSync(file, new Uint8Array([...forged, ...sum]));
}

const OTHER =
  "printf '100644 blob %s\\ta\\n' $(echo evil | git hash-object -w --stdin) | git mktree";
const SETUP =
  `git init -qb main .; mkdir -p src/x; echo good > src/a; echo 1 > src/x/b; echo 1 > top
git add .; git commit -qm one; git worktree add -q ../other`;

for (
  const [title, before, after] of [
    ["as it is", "", ""],
    ["split", "git update-index --split-index;", ""],
    ["of version 4", "git update-index --index-version 4;", ""],
    ["which is replaced by a new one", "", "git add top;"],
  ] as const
) {
  Deno.test(`an index by which git would commit other files than it shows is set aside: ${title}`, () =>
    with_place(SETUP, async ({ watch, sh, workspace }) => {
      const { step, guarded } = await watch();
      sh(before);
      forge(workspace, { was: sh("git rev-parse HEAD:src"), is: sh(OTHER) });
      sh("echo 2 > top");
      assert.equal(sh("git diff --name-only HEAD"), "top", "nothing shows it");
      await step(`true; ${after}`);
      assert.equal(
        guarded.take().warnings.join(),
        `${workspace}/.git/index has git commit other files than it shows; ` +
          "it is index.refused now, and `git reset` makes a new one",
      );
      sh("git reset -q; git commit -qam two");
      assert.equal(sh("git show HEAD:src/a"), "good");
    }));
}

Deno.test("an index with the trees of its files stays, whatever git does with it", () =>
  with_place(SETUP, async ({ watch, sh }) => {
    const { step, guarded } = await watch();
    for (
      const command of [
        "echo 2 > src/x/b; git add src; echo 3 > src/a",
        "git commit -qam two; git rm -q --cached top; echo n > n; git add -N n",
        "git reset -q --hard HEAD~1; git stash -q || true; git checkout -qb side; git merge -q main || true",
        "git config core.splitIndex true; echo 4 > src/a; git commit -qam four; git rebase -q main || git rebase --abort",
        "git config --unset core.splitIndex; git update-index --no-split-index; git sparse-checkout init --cone --sparse-index; git sparse-checkout set src/x; echo 5 > top; git commit -qam five",
        "echo 2 > ../other/top; git -C ../other commit -qam other; git clone -q . clone; rm .git/index; git reset -q",
        "git config index.version 4; git read-tree HEAD; git write-tree; git gc -q",
      ]
    ) {
      await step(command);
      await guarded.check({ alone: true });
      assert.deepEqual([guarded.take().warnings, sh("ls .git | grep refused || :")], [[], ""]);
    }
  }));

Deno.test("a git that is kept from answering is asked again", () =>
  with_place(SETUP, async ({ policy, workspace, sh }) => {
    const links = new Gitlinks(policy, open_folders());
    const look = () => links.dotgits(new Map([[`${workspace}/.git`, new Set([workspace])]]));
    look();
    links.unwatched();
    sh("echo 2 > top; git add top");
    const compare = (answer: boolean | null, alone: boolean) =>
      links.compare_trees(() => Promise.resolve(answer), { alone });
    for (const answer of [null, true]) {
      look();
      await compare(answer, false);
      assert.equal(links.unwatched().length, answer === null ? 0 : 1);
    }
    sh("git reset -q");
    look();
    await compare(false, false);
    const settled = () => assert.fail("one answer is enough");
    await links.compare_trees(settled, { alone: false });
    // Whoever was alive may have forged that one.
    await compare(true, true);
    assert.match(links.unwatched().join(), /has git commit other files/);
    sh("git reset -q");
    look();
    await compare(false, true);
    await links.compare_trees(settled, { alone: true });
  }));

for (
  const [title, before, after, where] of [
    // Git's comparison leaves out what is replaced.
    [
      "while a tree is replaced",
      `git update-ref refs/replace/$(${OTHER}) HEAD:src`,
      "rm -r .git/refs/replace",
      ".",
    ],
    // Git makes new trees for an index that is to be a sparse one.
    [
      "while it is to be sparse",
      "printf '/*\\n!/*/\\n/src/\\n' > .git/info/sparse-checkout; git config core.sparseCheckout true; git config core.sparseCheckoutCone true; git config index.sparse true",
      "git config --unset core.sparseCheckout; git config --unset index.sparse",
      ".",
    ],
    [
      "while git can't read its settings",
      "git config core.abbrev x",
      "git config --unset core.abbrev",
      ".",
    ],
    ["in a repository of the run", "git clone -q . made", "", "made"],
  ] as const
) {
  Deno.test(`an index by which git would commit other files is found in the end: ${title}`, () =>
    with_place(SETUP, async ({ watch, sh, workspace }) => {
      const { step, guarded } = await watch();
      const is = sh(OTHER);
      const top = sh(`git ls-tree HEAD | sed s/$(git rev-parse HEAD:src)/${is}/ | git mktree`);
      await step(where === "." ? "git status" : before);
      const root = `${workspace}/${where}`;
      for (const [name, other] of [["HEAD:src", is], ["HEAD^{tree}", top]] as const) {
        forge(root, { was: sh(`git rev-parse ${name}`), is: other });
      }
      if (where === ".") await step(before);
      await step(after);
      await guarded.check({ alone: true });
      assert.match(
        guarded.take().warnings.join(),
        /index has git commit other files than it shows/,
      );
    }));
}

Deno.test("an index that git can't be asked about in the end is named, and one that is as it was is not", () =>
  with_place(SETUP, async ({ watch, sh }) => {
    const { step, guarded } = await watch();
    await step("git config core.abbrev x");
    await guarded.check({ alone: true });
    assert.deepEqual(guarded.take().warnings, []);
    sh("git config --unset core.abbrev; : > new; git add new; git config core.abbrev x");
    await step("true");
    await guarded.check({ alone: true });
    assert.match(
      guarded.take().warnings.join(),
      /index may have git commit other files .*: git did not say/,
    );
    assert.equal(sh("ls .git | grep refused || :"), "");
  }));

const ENTRY = "echo evil | git hash-object -w --stdin";
const OF_KILLED: readonly (readonly [title: string, plant: string, said: RegExp])[] = [
  [
    "a repository that an index lists, in an ignored folder",
    "git init -q ig/r; git -C ig/r commit -q --allow-empty -m r; git add -f ig/r; git -C ig/r config core.fsmonitor x",
    /^ig\/r\/\.git\/config has come into git's sight/,
  ],
  [
    "an index with a file outside",
    `git update-index --add --cacheinfo 100644,$(${ENTRY}),Z./x; sed -i s,Z./x,../x, .git/index`,
    /index lists \.\.\/x/,
  ],
  [
    "a conflict outside",
    `printf '${"7".repeat(40)}\\t../x\\0' > .git/MERGE_RR`,
    /MERGE_RR lists .*\/x: .* MERGE_RR\.refused now/,
  ],
  [
    "data of another repository",
    "mkdir .git/reftable; echo ../x.ref > .git/reftable/tables.list",
    /tables\.list has git remove/,
  ],
];

for (const [title, plant, said] of OF_KILLED) {
  Deno.test(`what a run that was killed left among git's own files is found: ${title}`, () =>
    with_place(`${SETUP}; echo ig/ >> .git/info/exclude`, async ({ policy, watch, sh }) => {
      const { saved } = (await watch()).guarded;
      sh(plant);
      const restore = () => Guarded.restore(policy, saved, open_folders());
      assert.match((await restore()).join(), said);
      sh("rm -rf ig; git reset -q");
      assert.deepEqual(await restore(), []);
    }));
}

Deno.test("what a run that was killed left among git's own files is found: another tree", () =>
  with_place(SETUP, async ({ policy, watch, sh, workspace }) => {
    const { saved } = (await watch()).guarded;
    sh("echo 2 > src/x/b; git add .; git commit -qm two; git worktree add -q made");
    const restore = () => Guarded.restore(policy, saved, open_folders());
    assert.deepEqual(await restore(), []);
    forge(workspace, { was: sh("git rev-parse HEAD:src"), is: sh(OTHER) });
    assert.match((await restore()).join(), /index has git commit other files than it shows/);
  }));

const evil = (folder: string) =>
  `mkdir -p ${folder}; git init -q ${folder}; git -C ${folder} commit -q --allow-empty -m x; git -C ${folder} config core.fsmonitor 'touch $HOME/ran; false'`;

Deno.test("a repository that an earlier run may have made where nobody watched is not believed once git enters it", () =>
  with_place(
    `${SETUP}; echo ig/ >> .git/info/exclude; mkdir ../caches; ${evil("ig/r")}
${evil("ig/deep/s")}; sleep 3.1`,
    async ({ watch, sh, root }) => {
      const { step, guarded } = await watch();
      await step("true");
      assert.match((await step("git add -f ig/r")).join(), /put back ig\/r\/\.git\/config/);
      assert.match(guarded.take().warnings.join("\n"), /^some of .* it is kept in .*\/spill$/m);
      assert.match(sh("cat ../spill/*"), /ran; false/);
      // Git does not enter this one by itself.
      assert.deepEqual(await step("mv ig/deep seen"), []);
      await step("true");
      assert.match(
        guarded.take().warnings.join("\n"),
        /^seen\/s\/\.git\/config has come into git's sight, and may run something/m,
      );
      assert.match((await step("echo x > seen/s/.git/hooks/pre-push")).join(), /pre-push/);
      sh("git status");
      assert.equal(sh(`ls ${root}/home`), "");
    },
  ));
