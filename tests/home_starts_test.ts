/** What a person's home folder starts in a workspace, by a word or a link, is named by a run that changes it: as root and as an ordinary user. */
import assert from "node:assert/strict";
import { as_nobody } from "./support/nobody.ts";
import { stage, steps } from "./support/stage.ts";

const is_root = Deno.build.os === "linux" && Deno.uid() === 0;

for (const user of ["as it is", "as nobody"]) {
  const ignore = user === "as nobody" && !is_root;
  Deno.test({
    name: `a script that the next shell reads is named: ${user}` +
      (ignore ? " (NOT TESTED HERE: takes root)" : ""),
    ignore,
    async fn() {
      const command = "echo b | tee env.sh more/new.sh conf.fish notes > .direnv/profile.rc";
      const files = {
        "env.sh": "a",
        "more/one.sh": "a",
        "conf.fish": "a",
        "notes": "a",
        ".envrc": "use flake",
        ".direnv/profile.rc": "a",
        ".gitignore": ".direnv\n",
      };
      await stage({ script: steps(["bash", { command }]), files }, async (s) => {
        const inside = (path: string) => s.ws.at(path);
        s.home.write(
          ".bashrc",
          `source ${inside("env.sh")}; cd ${s.ws.path}; alias n=${inside("notes")}\n` +
            `D=${inside("more")}\nfor f in $D/*.sh; do . "$f"; done\n`,
        );
        s.home.write(".config/fish/conf.d/a", "");
        Deno.symlinkSync(inside("conf.fish"), s.home.at(".config/fish/conf.d/b.fish"));
        const options = user === "as nobody" ? await as_nobody(s) : {};
        const run = await s.hamr(
          ["run", "--output", "json", "--verify", "true", "Do it."],
          options,
        );
        assert.equal(run.code, 0, run.stderr);
        assert.deepEqual(JSON.parse(run.stdout).warnings, [
          "changed files that run later outside the sandbox: .direnv/profile.rc, conf.fish, env.sh, more/new.sh",
        ]);
      });
    },
  });
}
