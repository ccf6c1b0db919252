import { strictEqual } from "node:assert/strict";
import { branch_of } from "./branch.ts";

Deno.test("the branch is read in a folder of a repository, in a worktree and without a branch; elsewhere there is none", () => {
  const root = Deno.makeTempDirSync({ prefix: "hamr_branch_" });
  const write = (name: string, text: string) => {
    const path = `${root}/${name}`;
    Deno.mkdirSync(path.slice(0, path.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(path, text);
  };
  try {
    write("repo/.git/HEAD", "ref: refs/heads/fix/one\n");
    write("repo/src/deep/a.ts", "");
    strictEqual(branch_of(`${root}/repo`), "fix/one");
    strictEqual(branch_of(`${root}/repo/src/deep`), "fix/one");
    write("repo/.git/worktrees/tree/HEAD", "ref: refs/heads/two\n");
    write("tree/.git", `gitdir: ${root}/repo/.git/worktrees/tree\n`);
    strictEqual(branch_of(`${root}/tree`), "two");
    write("sub/.git", "gitdir: ../repo/.git/worktrees/tree\n");
    strictEqual(branch_of(`${root}/sub`), "two");
    write("repo/.git/HEAD", "09a6c2d4f1e8b7a6c5d4e3f2a1b0c9d8e7f6a5b4\n");
    strictEqual(branch_of(`${root}/repo`), "09a6c2d4");
    write("odd/.git", "");
    strictEqual(branch_of(`${root}/odd`), null);
    strictEqual(branch_of("/proc/self"), null);
    // Nobody writes to it: whoever waits for that waits for ever.
    write("pipe/.git/config", "");
    new Deno.Command("mkfifo", { args: [`${root}/pipe/.git/HEAD`] }).outputSync();
    strictEqual(branch_of(`${root}/pipe`), null);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
