import assert from "node:assert/strict";
import { git_folder } from "../permission/git_folder.ts";
import { end_written } from "../sandbox/_testing.ts";
import { with_place } from "./_testing.ts";
import { guarded_place } from "./places.ts";

const EVIL = "[core]\n\tfsmonitor = ./evil\n";
const plant = (folder: string) =>
  `echo '${EVIL}' >> ${folder}/config; echo x > ${folder}/hooks/pre-commit`;

Deno.test("repositories anywhere in the workspace are watched, also without a working tree", () => {
  const setup = "for r in . sub a/b; do git init -q $r; done; git init -q --bare up.git; " +
    "git -C sub config user.name me; echo x > sub/.git/hooks/pre-push";
  return with_place(setup, async ({ watch, sh, exists }) => {
    const { step } = await watch();
    const before = sh("cat sub/.git/config up.git/config");
    for (const folder of ["sub/.git", "a/b/.git", "up.git"]) {
      const said = (await step(plant(folder))).join("\n");
      assert.match(said, new RegExp(`${folder}/config \\(core\\.fsmonitor\\)`));
      assert.match(said, new RegExp(`${folder}/hooks/pre-commit`));
      assert.ok(!exists(`${folder}/hooks/pre-commit`));
    }
    assert.equal(sh("cat sub/.git/config up.git/config"), before);
    assert.deepEqual(await step("rm -r sub up.git a; true"), []);
    assert.ok(!exists("sub") && !exists("up.git"));
  });
});

Deno.test("where a push goes there is no hook, from the step on that made the remote", () =>
  with_place("git init -q .", async ({ watch, exists, sh }) => {
    const { step } = await watch();
    const said = await step(
      "git init -q --bare up.git; echo ./evil > up.git/hooks/pre-receive; git remote add up ./up.git",
    );
    assert.match(said.join("\n"), /^hamr put back up\.git\/hooks\/pre-receive: /);
    assert.ok(!exists("up.git/hooks/pre-receive"));
    assert.equal(sh("git config remote.up.url"), "./up.git");
    await step("mkdir node_modules; mv up.git node_modules; ln -s node_modules/up.git up.git");
    assert.ok(!exists("up.git"), "nor does it lead elsewhere later");
  }));

Deno.test("a first origin is said, unless it is in the workspace or the repository is new", () =>
  with_place("git init -qb main .; git commit -q --allow-empty -m x", async ({ watch }) => {
    const { step, guarded } = await watch();
    await step("git init -q --bare up.git; git remote add up ./up.git; git remote rm up");
    await step("git remote add origin ./up.git; git remote rm origin");
    await step("git init -q new; git -C new remote add origin https://example.com/new");
    await step("git remote add up https://example.com/up; git remote rm up");
    assert.deepEqual(guarded.take().warnings, []);
    await step("git remote add origin https://example.com/up");
    const said =
      "git push now goes to origin, a remote that a command added: https://example.com/up";
    assert.deepEqual(guarded.take().warnings, [said]);
  }));

Deno.test("where a branch is pushed to is said where that is a remote of the run", () =>
  with_place(
    "git init -qb main .; git remote add origin https://example.com/mine; git commit -q --allow-empty -m x",
    async ({ watch, sh }) => {
      const { step, guarded } = await watch();
      await step(
        "git config branch.main.remote origin; git config branch.main.merge refs/heads/main",
      );
      await step("git remote add up https://example.com/up; git clone -q . copy");
      assert.deepEqual(guarded.take().warnings, [], "to what was there, or a remote alone");
      assert.deepEqual(await step("git config branch.main.pushRemote up"), []);
      const said = "git push from branch main now goes to up, a remote that a command added: " +
        "https://example.com/up";
      assert.deepEqual(guarded.take().warnings, [said]);
      await step("git config user.name me");
      assert.deepEqual(guarded.take().warnings, [], "once");
      await step("git remote rename up origin2");
      assert.match(guarded.take().warnings.join(), /main now goes to origin2, .*example.com\/up/);
      assert.equal(sh("git config branch.main.pushRemote"), "origin2");
      await step("git remote set-url origin https://evil; git config remote.pushDefault origin2");
      const back = guarded.take().warnings.join();
      assert.match(back, /put back .*remote\.origin\.url, remote\.pushdefault/);
    },
  ));

Deno.test("git's folders are known by what git knows them by", () =>
  with_place("git init -q --bare b; git init -q .", async ({ watch, sh, exists }) => {
    const { step } = await watch();
    await step(
      `mv b c; rm c/config; echo x > c/hooks/pre-push; echo '${EVIL}' > c/config.worktree`,
    );
    await step("true");
    assert.ok(!exists("c/hooks/pre-push") && !exists("c/config.worktree"));
    await step(
      "mkdir -p sub/d e/objects e/refs; echo 'ref: refs/heads/main' > sub/d/HEAD; " +
        "echo ../../e > sub/d/commondir; " +
        "printf '[core]\\nrepositoryformatversion = 1\\n[extensions]\\nworktreeConfig = true\\n' > e/config; " +
        `printf '[core]\\nbare = false\\nworktree = ..\\nfsmonitor = ./evil\\n' > sub/d/config.worktree`,
    );
    assert.equal(sh("git -C sub/d config core.fsmonitor || true"), "./evil");
    const said = (await step("true")).join("\n");
    assert.match(said, /sub\/d\/commondir/);
    assert.match(said, /sub\/d\/config\.worktree \(.*core\.fsmonitor/);
    assert.equal(sh("git -C sub/d config core.fsmonitor || true"), "");
  }));

Deno.test("a repository made during the run keeps its ordinary settings and nothing else", () =>
  with_place("true", async ({ watch, read, exists }) => {
    const { step } = await watch();
    assert.match(
      (await step(`git init -q .; git config user.name me; ${plant(".git")}`)).join("\n"),
      /\.git\/config \(core\.fsmonitor\)/,
    );
    assert.match(read(".git/config"), /name = me/);
    assert.doesNotMatch(read(".git/config"), /evil/);
    assert.ok(!exists(".git/hooks/pre-commit"));
    // It comes into sight by the look after the step, and is judged with the next.
    assert.deepEqual(await step(`git init -q deep/new; ${plant("deep/new/.git")}`), []);
    assert.match((await step("true")).join("\n"), /deep\/new\/\.git\/hooks\/pre-commit/);
    assert.deepEqual(await step(`git init -q --bare b; ${plant("b")}`), []);
    assert.match((await step("true")).join("\n"), /b\/hooks\/pre-commit/);
    for (const folder of ["deep/new/.git", "b"]) {
      assert.doesNotMatch(read(`${folder}/config`), /evil/);
      assert.ok(!exists(`${folder}/hooks/pre-commit`));
    }
  }));

Deno.test("a repository that was hidden by an ignore rule is kept as it was before the run", () => {
  const setup =
    "echo hidden > .gitignore; git init -q hidden/r; echo mine > hidden/r/.git/hooks/x; " +
    "git -C hidden/r config core.editor mine; find hidden -exec touch -h {} +; sleep 2.1";
  return with_place(setup, async ({ watch, read }) => {
    const { step } = await watch();
    await step("mv hidden/r r");
    assert.deepEqual(await step("true"), []);
    assert.match((await step("echo evil > r/.git/hooks/y")).join(""), /r\/\.git\/hooks\/y/);
    assert.equal(read("r/.git/hooks/x"), "mine\n");
    assert.match(read("r/.git/config"), /editor = mine/);
  });
});

Deno.test("nothing leads git to another repository", () => {
  const setup = `git init -q .; git commit -q --allow-empty -m x; git init -q evil; ${
    plant("evil/.git")
  }
    mv evil/.git evil/planted; mkdir sub`;
  return with_place(setup, async ({ watch, exists, sh, workspace }) => {
    const { step } = await watch();
    for (
      const command of [
        "mv .git away; echo 'gitdir: evil/planted' > .git; ",
        "mv .git away; ln -s evil/planted .git",
      ]
    ) {
      assert.match(
        (await step(command)).join(""),
        /hamr put back \.git: it would point git to another/,
      );
      assert.ok(!exists(".git"));
      assert.deepEqual(await step("mv away .git"), []);
    }
    for (
      const command of [
        "echo 'gitdir: ../evil/planted' > sub/.git",
        "ln -s ../evil/planted sub/.git",
        "mkdir .git/modules; mv evil/planted .git/x; ln -s ../x .git/modules/m; echo 'gitdir: ../.git/modules/m' > sub/.git",
      ]
    ) {
      assert.match([...await step(command), ...await step("true")].join(""), /sub\/\.git/);
      assert.ok(!exists("sub/.git"));
    }
    assert.ok(!exists(".git/modules/m"));
    assert.equal(sh("git rev-parse --git-dir"), ".git");
    assert.equal(sh("git config --get core.fsmonitor || true"), "", workspace);
  });
});

Deno.test("submodules and worktrees are watched where they keep their settings", () => {
  const setup = `git init -q lib; git -C lib commit -q --allow-empty -m x; git init -q .
    git commit -q --allow-empty -m x; git worktree add -q tree
    git -c protocol.file.allow=always submodule --quiet add --name deep/lib $PWD/lib sub`;
  return with_place(setup, async ({ watch, exists, read, sh }) => {
    const { step } = await watch();
    const module = ".git/modules/deep/lib";
    assert.match((await step(plant(module))).join("\n"), /modules\/deep\/lib\/hooks\/pre-commit/);
    assert.ok(!exists(`${module}/hooks/pre-commit`));
    assert.doesNotMatch(read(`${module}/config`), /evil/);
    assert.equal(sh("git -C sub rev-parse --is-inside-work-tree"), "true");
    const worktree = ".git/worktrees/tree";
    assert.match(
      (await step(`echo '${EVIL}' > ${worktree}/config.worktree`)).join(""),
      /config\.worktree/,
    );
    assert.match(
      (await step(`mkdir c; echo ../../../c > ${worktree}/commondir`)).join(""),
      /commondir/,
    );
    assert.equal(read(`${worktree}/commondir`), "../..\n");
    assert.match(
      (await step("echo 'gitdir: ../lib/.git' > tree/.git; mv lib/.git lib/g")).join(""),
      /tree\/\.git/,
    );
    assert.equal(sh("git -C tree rev-parse --abbrev-ref HEAD"), "tree");
    assert.deepEqual(await step("git worktree remove tree; rm -r sub"), []);
  });
});

Deno.test("what a prompt shows as the branch, or as a rebase's progress, is no command", () => {
  const setup =
    `git init -qb main .; for n in 1 2 3; do echo $n > f; git add f; git commit -qm $n; done
    git worktree add -q tree`;
  return with_place(setup, async ({ watch, exists, sh }) => {
    const { step } = await watch();
    const rebase = (from: string) => `git rebase -q --${from} HEAD~2 -x false || true`;
    const conflict = "git checkout -q HEAD~1; echo x > f; git commit -qam x";
    for (
      const command of [
        `${rebase("merge")}; cat .git/rebase-merge/msgnum`,
        "git rebase --abort",
        `${conflict}; git format-patch -q -1 main --stdout > p; git am -q p || cat .git/rebase-apply/next`,
        "git am --abort; rm p; git checkout -q main",
      ]
    ) assert.deepEqual(await step(command), [], command);
    for (
      const [folder, name, says] of [
        ["rebase-merge", "msgnum", "$(./evil)"],
        ["rebase-apply", "last", "1\\0$(./evil)"],
        ["worktrees/tree/rebase-merge", "end", "\\n3`./evil`"],
      ] as const
    ) {
      const place = `.git/${folder}/${name}`;
      const said = await step(`mkdir -p .git/${folder}; printf '${says}' > ${place}`);
      assert.match(said.join(), new RegExp(`^hamr put back ${place}: a prompt`));
      assert.ok(!exists(place));
    }
    sh("rm -r .git/rebase-merge");
    assert.deepEqual(await step("git checkout -qb 'a-${x}_漢#%'; git worktree add -q more"), []);
    for (
      const [name, command] of [
        ["HEAD", "git checkout -qb '$(./evil)'"],
        ["worktrees/tree/HEAD", "git -C tree checkout -qb '`./evil`'"],
        [
          "worktrees/more/HEAD",
          "printf 'ref: refs/heads/a\\033]52;c;eA==\\a' > .git/worktrees/more/HEAD",
        ],
      ] as const
    ) {
      const said = await step(command);
      assert.match(said.join(), new RegExp(`^hamr put back .git/${name}: a prompt`));
    }
    assert.equal(sh("cat .git/HEAD"), "ref: refs/heads/main");
    const said = await step("mkdir .git/x; echo '$(id)' > .git/x/end; ln -s x .git/rebase-merge");
    assert.match(said.join(), /^hamr put back \.git\/rebase-merge: /);
  });
});

Deno.test("git's common folder is watched where the workspace is a subfolder or a worktree", () => {
  const setup =
    "git init -q repo; cd repo; mkdir a; git commit -q --allow-empty -m x; git worktree add -q ../tree";
  return with_place(setup, async ({ watch, workspace, exists, read }) => {
    for (const place of ["repo/a", "tree"]) {
      const own = `${workspace}/${place}`;
      const git = git_folder(own);
      assert.equal(git, `${workspace}/repo/.git`);
      const { step } = await watch({ workspace: own, git });
      const said = (await step(plant("repo/.git"))).join("\n");
      assert.match(said, /\/repo\/\.git\/config \(core\.fsmonitor\)/);
      assert.ok(!exists("repo/.git/hooks/pre-commit"));
      assert.doesNotMatch(read("repo/.git/config"), /evil/);
      assert.deepEqual(
        await step(`cd ${own}; git commit -q --allow-empty -m y; git remote add ${own.length} h:u`),
        [],
      );
    }
  });
});

Deno.test("what the user has allowed by name is left alone", () => {
  const setup = "git init -q .; mkdir .hamr";
  return with_place(setup, async ({ watch, workspace, exists, policy }) => {
    const write = [`${workspace}/.git/hooks`, `${workspace}/.hamr`, workspace];
    const { step } = await watch({ write });
    assert.deepEqual(await step("echo x > .git/hooks/pre-commit; echo '' > .hamr/config.toml"), []);
    assert.match((await step("git config alias.x '!y'")).join(""), /alias\.x/);
    assert.ok(exists(".git/hooks/pre-commit") && exists(".hamr/config.toml"));
    const everything = await watch({ write: "all" });
    assert.match((await everything.step("echo x > .git/hooks/pre-push")).join(""), /pre-push/);
    assert.equal(guarded_place(`${workspace}/.git/hooks/x`, policy), `${workspace}/.git/hooks`);
    assert.equal(guarded_place(`${workspace}/a/.GIT/config`, policy), `${workspace}/a/.GIT/config`);
    assert.equal(guarded_place(`${workspace}/.git`, policy), `${workspace}/.git`);
    assert.equal(
      guarded_place(`${workspace}/.git/.git/hooks`, policy),
      `${workspace}/.git/.git/hooks`,
    );
    assert.equal(guarded_place(`${workspace}/.hamr/x/y`, policy), `${workspace}/.hamr`);
    for (const name of [".git/rebase-merge/End", ".git/HEAD", "up.git/HEAD"]) {
      const shown = `${workspace}/${name}`;
      assert.equal(guarded_place(shown, policy), shown);
    }
    for (
      const free of [
        ".git/info/exclude",
        ".git/rebase-merge/git-rebase-todo",
        ".github/x",
        "hooks/x",
        ".gitignore",
        "a.hamr",
      ]
    ) {
      assert.equal(guarded_place(`${workspace}/${free}`, policy), null, free);
    }
    assert.equal(guarded_place("/elsewhere/.git/hooks/x", policy), null);
    const hooks_allowed = { ...policy, write: [`${workspace}/.git/hooks`] };
    assert.equal(guarded_place(`${workspace}/.git/hooks/x`, hooks_allowed), null);
    assert.notEqual(guarded_place(`${workspace}/.git/config`, hooks_allowed), null);
  });
});

Deno.test("hamr's data in .hamr is hamr's to change; its settings there are not", () =>
  with_place(
    "mkdir -p .hamr/tool-output/1; echo x=1 > .hamr/config.toml",
    async ({ watch, workspace, read, exists, policy }) => {
      const spill = `${workspace}/.hamr/tool-output/1`;
      const { step } = await watch({ spill });
      assert.deepEqual(
        await step("echo y > .hamr/sessions.db; echo z > .hamr/tool-output/1/o"),
        [],
      );
      assert.match((await step("echo evil > .hamr/config.toml")).join(""), /\.hamr\/config\.toml/);
      assert.equal(read(".hamr/config.toml"), "x=1\n");
      assert.ok(exists(".hamr/sessions.db"));
      assert.equal(guarded_place(`${spill}/o`, { ...policy, spill }), null);
    },
  ));

Deno.test("without git, every change of settings is put back; a git in reach of a command is none", () =>
  with_place(
    "git init -q .; mkdir bin; printf '#!/bin/sh\\n' > bin/git; chmod +x bin/git",
    async ({ watch, workspace, read, policy }) => {
      const before = read(".git/config");
      for (const PATH of ["/nowhere", `${workspace}/bin`]) {
        const { step } = await watch({ env: { ...policy.env, PATH } });
        assert.match(
          (await step("git config user.name x; git config alias.x y")).join(""),
          /all of it/,
        );
        assert.equal(read(".git/config"), before);
      }
      const env = { ...policy.env, PATH: `${workspace}/bin:/usr/bin:/bin` };
      const { step } = await watch({ env });
      assert.deepEqual(await step("git config user.name x"), []);
    },
  ));

Deno.test("a git that does not answer is not waited for", () =>
  with_place("git init -q .", async ({ watch, root, read, policy }) => {
    Deno.mkdirSync(`${root}/bin`);
    const script = `#!/bin/sh\necho $$ > ${root}/pid\nexec sleep 60\n`;
    Deno.writeTextFileSync(`${root}/bin/git`, script, { mode: 0o755 });
    const before = read(".git/config");
    const { step } = await watch({ env: { ...policy.env, PATH: `${root}/bin:/usr/bin:/bin` } });
    try {
      assert.match((await step("git config alias.x y")).join(""), /all of it/);
    } finally {
      end_written(read(`${root}/pid`));
    }
    assert.equal(read(".git/config"), before);
  }));

for (
  const [command, mode, said] of [
    ["chmod -R 777 .", "755 644", true],
    ["chmod o+w .git/config", "755 644", false],
    ["git config user.name you; chmod 666 .git/config", "755 644", false],
    ["chmod -R 755 . && chmod 600 .git/config; git config user.name you", "755 600", false],
    ["chmod -R g+w .; git config user.name you; git gc -q", "755 664", false],
    [
      "umask 0; git init -q new; git config user.name you; git commit -q --allow-empty -m x",
      "755 644",
      false,
    ],
  ] as const
) {
  Deno.test(`that everybody may write git's files is said: ${command}`, () =>
    with_place(
      "git init -q .; chmod 755 .git; chmod 644 .git/config",
      async ({ watch, sh }) => {
        const { step, guarded } = await watch();
        await step(command);
        const warnings = guarded.take().warnings.join("\n");
        const line =
          /let everybody on this machine write git's files in \.git: `chmod -R o-w \.git`/;
        assert.equal(line.test(warnings), said, warnings);
        assert.doesNotMatch(warnings, /point git to another folder/);
        assert.equal(sh("stat -c %a .git .git/config | xargs"), mode);
        if (command.includes("you")) assert.equal(sh("git config user.name"), "you");
      },
    ));
}
