import assert from "node:assert/strict";
import { bench, sh } from "../tools/_testing.ts";
import { raw, told } from "./_testing.ts";
import { OtherChanges } from "./other_changes.ts";

const AS =
  "env GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -c user.name=t -c user.email=t@t -c protocol.file.allow=always";

Deno.test("a commit in a submodule, or a repository below, is one; in a worktree it is its repository's", () =>
  bench({}, (b) => {
    const { workspace } = b.policy;
    const git = (folder: string, words: string) => sh(`${AS} -C ${folder} ${words}`, workspace);
    sh(`${AS} init -q up; ${AS} -C up commit -q --allow-empty -m one; ${AS} init -q .`, workspace);
    git(".", "submodule --quiet add --name libs/a ./up sub");
    git(".", "commit -qm sub");
    git(".", "worktree add -q tree");
    const dotgits = ["up/.git", "sub/.git", "tree/.git", "gone/.git"];
    const elsewhere = new OtherChanges({ policy: b.policy, raw, listener: { dotgits } });
    const look = () => told(elsewhere.look([], null, ""));
    look();
    assert.deepEqual(look(), []);
    const branch = sh("git -C sub symbolic-ref HEAD", workspace).trim();
    for (
      const [folder, refs] of [
        ["sub", [`ref sub/${branch}`]],
        ["up", [`ref up/${branch}`]],
        ["tree", ["ref refs/heads/tree"]],
      ] as const
    ) {
      git(folder, "commit -q --allow-empty -m two");
      assert.deepEqual(look().filter((fact) => !fact.endsWith("index")), refs, folder);
    }
    git("sub", "checkout -q --detach");
    assert.deepEqual(look().filter((fact) => !fact.endsWith("index")), ["ref sub/HEAD"]);
    return Promise.resolve();
  }));
