import assert from "node:assert/strict";
import { bench, sh } from "./_testing.ts";
import { GitIndex } from "./git_index.ts";

const COMMIT = "git -c user.name=t -c user.email=t@localhost commit -qm x";
const bytes = (text: string) => new TextEncoder().encode(text);
const git_id = (text: string, cwd: string) =>
  sh(`printf '%s' '${text}' | git hash-object --stdin`, cwd).trim();

Deno.test("git's ids are found in every version of its index", async () => {
  const files = { "a.txt": "one", "src/deep/b.txt": "two", "src/deep/bc.txt": "three", "é x": "4" };
  for (const version of [2, 3, 4]) {
    await bench({ files }, (b) => {
      sh(`git init -q && git config index.version ${version}`, b.workspace);
      // Version 3 is what has a flag more: of an entry that is only meant to be added.
      sh(`git add . && ${COMMIT} && echo n > n && git add -N n`, b.workspace);
      sh(`git update-index --index-version ${version}`, b.workspace);
      const index = GitIndex.of({ workspace: b.workspace, git: null });
      for (const [path, text] of Object.entries(files)) {
        assert.equal(index?.id_of(path, bytes(text)), git_id(text, b.workspace), path);
        assert.equal(index?.id_of(path, bytes(`${text}!`)), null, "another content");
      }
      assert.equal(index?.id_of("n", bytes("n\n")), null);
      assert.equal(index?.id_of("none", bytes("one")), null);
    });
  }
});

Deno.test("of a subfolder and of a worktree the right index is read, of a conflict nothing", async () => {
  const beside = { "repo/sub/a.txt": "one", "repo/b.txt": "two" };
  await bench({ beside, workspace: "repo/sub" }, (b) => {
    const repo = `${b.root}/repo`;
    sh(`git init -q && git add . && ${COMMIT} && git worktree add -q ../tree`, repo);
    const git = `${repo}/.git`;
    const sub = GitIndex.of({ workspace: b.workspace, git });
    assert.equal(sub?.id_of("a.txt", bytes("one")), git_id("one", repo));
    assert.equal(sub?.id_of("b.txt", bytes("two")), null, "outside of the workspace");
    const tree = GitIndex.of({ workspace: `${b.root}/tree`, git });
    assert.equal(tree?.id_of("sub/a.txt", bytes("one")), git_id("one", repo));
    assert.equal(GitIndex.of({ workspace: `${b.root}/tree`, git: null }), null, "not believed");
    sh(
      `git checkout -qb other && echo o > b.txt && ${COMMIT} -a && git checkout -q - &&
        echo p > b.txt && ${COMMIT} -a && ! git merge -q other`,
      repo,
    );
    const index = GitIndex.of({ workspace: repo, git: null });
    assert.equal(index?.id_of("b.txt", bytes("o\n")), null);
    assert.equal(index?.id_of("sub/a.txt", bytes("one")), git_id("one", repo));
  });
});

Deno.test("what is no index, or a broken one, is none", async () => {
  await bench({ files: { "a.txt": "one" } }, (b) => {
    sh(`git init -q && git add . && ${COMMIT}`, b.workspace);
    const whole = Deno.readFileSync(b.at(".git/index"));
    for (let length = 0; length < whole.length - 20; length++) {
      const index = GitIndex.read(whole.slice(0, length), "");
      const id = index?.id_of("a.txt", bytes("one")) ?? null;
      assert.ok(id === null || id === git_id("one", b.workspace), `${length}`);
    }
    for (let at = 0; at < whole.length; at++) {
      for (const byte of [0, 127, 255]) {
        const other = whole.slice();
        other[at] = byte;
        const id = GitIndex.read(other, "")?.id_of("a.txt", bytes("one")) ?? null;
        assert.ok(id === null || id === git_id("one", b.workspace), `${at}`);
      }
      if (at > 100) break;
    }
    Deno.removeSync(b.at(".git/index"));
    sh("mkfifo .git/index", b.workspace);
    assert.equal(GitIndex.of({ workspace: b.workspace, git: null }), null, "nothing is waited for");
  });
});
