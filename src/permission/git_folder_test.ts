import assert from "node:assert/strict";
import { git_folder } from "./git_folder.ts";

async function with_root(work: (root: string) => void): Promise<void> {
  const root = Deno.realPathSync(await Deno.makeTempDir());
  try {
    work(root);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
}

function git(folder: string, ...args: string[]): void {
  const author = ["-c", "user.name=t", "-c", "user.email=t@t"];
  const { success, stderr } = new Deno.Command("git", {
    args: ["-C", folder, ...author, "-c", "protocol.file.allow=always", ...args],
  }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

Deno.test("a repository's own folder is inside; a subfolder's and a worktree's is not", () =>
  with_root((root) => {
    const repo = `${root}/repo`;
    Deno.mkdirSync(`${repo}/a/b`, { recursive: true });
    assert.equal(git_folder(`${repo}/a/b`), null);
    git(repo, "init", "-q");
    git(repo, "commit", "-q", "--allow-empty", "-m", "x");
    assert.equal(git_folder(repo), null);
    assert.equal(git_folder(`${repo}/a/b`), `${repo}/.git`);
    git(repo, "worktree", "add", "-q", `${root}/tree`);
    assert.equal(git_folder(`${root}/tree`), `${repo}/.git`);
  }));

Deno.test("a submodule's folder is in the repository around it", () =>
  with_root((root) => {
    for (const name of ["inner", "outer"]) {
      Deno.mkdirSync(`${root}/${name}`);
      git(`${root}/${name}`, "init", "-q");
      git(`${root}/${name}`, "commit", "-q", "--allow-empty", "-m", "x");
    }
    git(`${root}/outer`, "submodule", "add", "-q", `${root}/inner`, "sub");
    assert.equal(git_folder(`${root}/outer/sub`), `${root}/outer/.git/modules/sub`);
  }));

Deno.test("a .git file that was planted leads nowhere", () =>
  with_root((root) => {
    Deno.mkdirSync(`${root}/victim`);
    git(`${root}/victim`, "init", "-q");
    Deno.mkdirSync(`${root}/victim/.git/worktrees/x`, { recursive: true });
    Deno.writeTextFileSync(`${root}/victim/.git/worktrees/x/gitdir`, `${root}/other/.git\n`);
    Deno.mkdirSync(`${root}/evil`);
    const plant = (text: string) => {
      Deno.writeTextFileSync(`${root}/evil/.git`, text);
      return git_folder(`${root}/evil`);
    };
    for (
      const to of ["", "/worktrees/x", "/worktrees/none", "/modules/x", "/../..", "/\0", "/hooks"]
    ) {
      assert.equal(plant(`gitdir: ${root}/victim/.git${to}\n`), null, to);
    }
    assert.equal(plant("gitdir: ../victim/.git/worktrees/x\n"), null);
    assert.equal(plant("rubbish"), null);
  }));
