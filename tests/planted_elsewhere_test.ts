/** Files by which git goes elsewhere than a look at their text says: the next `git status` would run what is set there. */
import assert from "node:assert/strict";
import { inside_stage, steps, tools } from "./support/stage.ts";

const GIT = "git -c user.name=t -c user.email=t@t -c protocol.file.allow=always";
/** Git starts it at the top of the working tree, which is `sub`. */
const EVIL = "config core.fsmonitor 'touch ../ran; false'";

const PLANTED: Readonly<Record<string, readonly [command: string, said: RegExp]>> = {
  "a worktree behind a blank": [
    "git worktree add -q --detach sub; cd .git/worktrees/sub; mkdir ' ..'; echo ' ../..' > commondir; " +
    `cp -r ../../config ../../objects ../../refs .; git ${
      EVIL.replace("config", "config -f config")
    }`,
    /worktrees\/sub\/config \(core\.fsmonitor\)/,
  ],
  "a submodule behind a link": [
    `${GIT} submodule --quiet add --name m $PWD sub; mkdir -p ig/x/y/z ig/x/.git/modules; ` +
    'cp -r .git/modules/m ig/x/.git/modules; git config -f ig/x/.git/modules/m/config core.worktree "$PWD/sub"; ' +
    `git ${EVIL.replace("config", "config -f ig/x/.git/modules/m/config")}; ` +
    "ln -s ../ig/x/y/z sub/L; echo 'gitdir: L/../../.git/modules/m' > sub/.git",
    /put back sub\/\.git/,
  ],
  "a remote that is not UTF-8 beside one that is": [
    'good="$PWD/"$(printf \'up\\357\\277\\275\'); evil="$PWD/"$(printf \'up\\377\'); git init -q --bare "$good"; git init -q --bare "$evil"; ' +
    'printf "#!/bin/sh\\ntouch $PWD/ran\\n" > "$evil/hooks/post-receive"; chmod +x "$evil/hooks/post-receive"; ' +
    'git config remote.up.url "$evil"; git config branch.main.remote up; git config branch.main.merge refs/heads/main',
    /remote\.up\.url/,
  ],
};

for (const [name, [command, said]] of Object.entries(PLANTED)) {
  Deno.test(`what git would go by elsewhere is put back: ${name}`, async () => {
    const files = { ".gitignore": "ig\n" };
    await inside_stage({ script: steps(["bash", { command }]), files }, async (s) => {
      const sh = (line: string) =>
        new TextDecoder().decode(
          new Deno.Command("/bin/bash", { args: ["-c", line], cwd: s.ws.path }).outputSync().stdout,
        );
      sh(`git init -q .; git add -A; ${GIT} commit -qm one; git branch -M main`);
      const { run } = await tools(s);
      assert.match(run.result.warnings.join("\n"), said);
      sh("git status; git -C sub status; git push");
      assert.ok(!s.ws.exists("ran"));
    });
  });
}
