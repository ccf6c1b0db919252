/** Files by which git goes elsewhere, read as git and the kernel read them: to the byte, and links before `..`. */
import assert from "node:assert/strict";
import { with_place } from "./_testing.ts";

const EVIL = "git config -f config core.fsmonitor ./evil";

/** A worktree of the run's own whose common folder is, to git, a folder of its own with other settings. */
const COMMON: Readonly<Record<string, readonly [text: string, folder: string]>> = {
  "a byte order mark": ["\\xef\\xbb\\xbf../..\\n", "\\xef\\xbb\\xbf.."],
  "a blank": [" ../..\\n", " .."],
  "a blank of another kind": ["\\xc2\\xa0../..\\n", "\\xc2\\xa0.."],
  "another end of a line": ["\\xe2\\x80\\xa8../..\\n", "\\xe2\\x80\\xa8.."],
};

for (const [name, [text, folder]] of Object.entries(COMMON)) {
  Deno.test(`a worktree has its repository's settings, whatever stands before their place: ${name}`, () =>
    with_place("git init -q .; git commit -q --allow-empty -m x", async ({ watch, sh, exists }) => {
      const { step } = await watch();
      const said = await step(
        `git worktree add -q tree; cd .git/worktrees/tree; mkdir "$(printf '${folder}')"; ` +
          `printf '${text}' > commondir; cp -r ../../config ../../objects ../../refs .; ${EVIL}`,
      );
      assert.match(said.join("\n"), /worktrees\/tree\/commondir/);
      assert.ok(!exists(".git/worktrees/tree/commondir"));
      assert.doesNotMatch(sh("git -C tree config core.fsmonitor || true"), /evil/);
    }));
}

Deno.test("a worktree without a common folder is a repository that is watched", () =>
  with_place("git init -q .; git commit -q --allow-empty -m x", async ({ watch, sh, exists }) => {
    const { step } = await watch();
    const said = await step(
      "git worktree add -q tree; cd .git/worktrees/tree; rm commondir; mkdir hooks; " +
        `echo ./evil > hooks/pre-commit; cp -r ../../config ../../objects ../../refs .; ${EVIL}`,
    );
    assert.match(said.join("\n"), /worktrees\/tree\/config \(core\.fsmonitor\)/);
    assert.ok(!exists(".git/worktrees/tree/hooks/pre-commit"));
    assert.equal(sh("git -C tree config core.fsmonitor || true"), "");
  }));

const SUBMODULE = `git init -q lib; git -C lib commit -q --allow-empty -m x; git init -q .
  git commit -q --allow-empty -m x
  git -c protocol.file.allow=always submodule --quiet add --name m $PWD/lib sub`;
/** Another git folder in a place that is not watched, as far below `ig/x` as the submodule's own is below the workspace. */
const OTHER = "mkdir -p ig/x/y/z ig/x/.git/modules; echo ig > .git/info/exclude; " +
  'cp -r .git/modules/m ig/x/.git/modules; git config -f ig/x/.git/modules/m/config core.worktree "$PWD/sub"; ' +
  "git config -f ig/x/.git/modules/m/config core.fsmonitor ./evil; ln -s ../ig/x/y/z sub/L; ";
const TO = "L/../../.git/modules/m";

for (
  const [name, command] of [
    ["a file", `printf 'gitdir: ${TO}\\n' > sub/.git`],
    ["a file with a NUL", `printf 'gitdir: ${TO}\\0/../m\\n' > sub/.git`],
    ["a link", `rm sub/.git; ln -s ${TO} sub/.git`],
  ]
) {
  Deno.test(`a submodule's .git leads where its links lead: ${name}`, () =>
    with_place(SUBMODULE, async ({ watch, sh }) => {
      const { step } = await watch();
      assert.match((await step(OTHER + command)).join("\n"), /sub\/\.git/);
      assert.equal(sh("git -C sub config core.fsmonitor || true"), "");
      assert.match(sh("git -C sub rev-parse --absolute-git-dir"), /\/\.git\/modules\/m$/);
    }));
}

Deno.test("worktrees, submodules and separate folders stay as git, and older programs, write them", () =>
  with_place(SUBMODULE, async ({ watch, sh }) => {
    const { step } = await watch();
    assert.deepEqual(
      await step(
        "git worktree add -q tree; git worktree add -q ab; printf '../..' > .git/worktrees/tree/commondir; " +
          "printf '../..\\r\\n' > .git/worktrees/ab/commondir; printf 'gitdir: ../.git/modules/m\\r\\n' > sub/.git; " +
          "git -C sub commit -q --allow-empty -m y; git worktree add -q -b w \"$(printf '\\xef\\xbb\\xbfw')\"",
      ),
      [],
    );
    assert.equal(
      sh("git -C ab status --short; git -C sub status --short; git -C tree log -1 --format=%s"),
      "x",
    );
  }));

const PUSHED = "git init -q .; git commit -q --allow-empty -m x; git branch -M main";
/** To text, the second is called as the first. */
const NAMES = `good="$PWD/"$(printf 'up\\357\\277\\275'); evil="$PWD/"$(printf 'up\\377'); `;

Deno.test("a remote whose name is not UTF-8 is not taken for another that is watched", () =>
  with_place(PUSHED, async ({ watch, sh }) => {
    const { step } = await watch();
    const said = await step(
      NAMES + 'git init -q --bare "$good"; git init -q --bare "$evil"; ' +
        'printf "#!/bin/sh\\ntouch $PWD/ran\\n" > "$evil/hooks/post-receive"; chmod +x "$evil/hooks/post-receive"; ' +
        'git config remote.up.url "$evil"; git config branch.main.remote up; git config branch.main.merge refs/heads/main',
    );
    assert.match(said.join("\n"), /remote\.up\.url/);
    sh("git push -q 2>/dev/null || true; test ! -e ran");
  }));

Deno.test("settings of git that are not UTF-8 stay, beside others that are put back", () =>
  with_place(PUSHED, async ({ watch, sh }) => {
    const { step } = await watch();
    const old = "git config user.name $(printf 'J\\366rg'); ";
    assert.deepEqual(await step(old + "git config branch.main.description x"), []);
    assert.deepEqual(await step("git config user.name $(printf 'J\\344rg')"), []);
    assert.equal(sh("git config user.name | od -An -tx1"), " 4a e4 72 67 0a");
    const said = await step("git config core.fsmonitor ./x; git config user.email a@b");
    assert.match(said.join("\n"), /\.git\/config \(core\.fsmonitor, user\.name\)/);
    assert.equal(sh("git config user.email"), "a@b");
  }));

for (const place of ["ig/r ", 'ig/r"', "ig/r\u00a0", "ig/r # x", "ig/r\\"]) {
  Deno.test(`a repository that an editor finds by .gitmodules is watched, as ${place} too`, () =>
    with_place(PUSHED + "; echo ig > .git/info/exclude", async ({ watch, sh, exists }) => {
      const { step } = await watch();
      Deno.writeTextFileSync(
        sh("pwd") + "/modules",
        `[submodule "x"]\n\tpath = ${place}\n\turl = ./x\n`,
      );
      await step(`git init -q '${place}'; mv modules .gitmodules`);
      const said = await step(`git -C '${place}' config core.fsmonitor ./evil`);
      assert.match(said.join("\n"), /core\.fsmonitor/);
      assert.equal(sh(`git -C '${place}' config core.fsmonitor || true`), "");
      assert.ok(exists(".gitmodules"));
    }));
}
