/** What the person sets up between two tasks of one session stays; what a command still running plants then does not. */
import assert from "node:assert/strict";
import { edit_with } from "./support/acp.ts";
import { pause, until } from "./support/hamr.ts";
import { bash, say } from "./support/model_server.ts";
import { type Stage, stage } from "./support/stage.ts";

const HOOK = "printf '#!/bin/sh\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit";

function sh(s: Stage, command: string): string {
  const { stdout } = new Deno.Command("/bin/bash", {
    args: ["-c", command],
    cwd: s.ws.path,
    env: { HOME: s.home.path },
  }).outputSync();
  return new TextDecoder().decode(stdout).trim();
}

/** Two tasks of an editor's session, and what is done between them. */
async function two_tasks(s: Stage, between: () => unknown): Promise<readonly string[]> {
  sh(s, "git init -q .");
  const editor = await edit_with(s, { capable: {} });
  const id = await editor.open();
  assert.equal(await editor.prompt(id, "Do it."), "end_turn");
  await between();
  assert.equal(await editor.prompt(id, "Do more."), "end_turn");
  await editor.leave();
  return s.server.results();
}

Deno.test({
  name:
    "what the person sets up between two tasks stays, and what a command plants is still put back",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const plant =
      "git config core.fsmonitor x; echo x >> .git/hooks/pre-commit; rm new/.git/hooks/*";
    const script = [bash("touch a"), say("I made a."), bash(plant), say("I set it.")];
    await stage({ script }, async (s) => {
      const results = await two_tasks(s, async () => {
        // Deno tells in whole seconds when a file changed: in the next one it is surely later.
        await pause(1001);
        sh(s, `git config core.editor mine; ${HOOK}; git init -q new; cd new; ${HOOK}`);
      });
      assert.match(results.at(-1) ?? "", /put back .*core\.fsmonitor/);
      assert.match(results.at(-1) ?? "", /put back .*pre-commit/);
      assert.equal(sh(s, "git config core.editor; git config core.fsmonitor"), "mine");
      assert.equal(sh(s, "cat .git/hooks/pre-commit"), "#!/bin/sh");
      assert.equal(sh(s, "ls new/.git/hooks | grep -v sample"), "pre-commit");
    });
  },
});

Deno.test("what a background process plants between two tasks is put back, also if it has ended by then", async () => {
  const plant =
    `(until [ -e go ]; do sleep 0.05; done; git config core.fsmonitor x; ${HOOK}; touch planted) ` +
    "> /dev/null 2>&1 &";
  const script = [bash(plant), say("It waits."), bash("true"), say("I looked.")];
  await stage({ script }, async (s) => {
    await two_tasks(s, async () => {
      s.ws.write("go", "");
      await until("planted", () => s.ws.exists("planted"));
    });
    assert.equal(sh(s, "git config core.fsmonitor; ls .git/hooks | grep -v sample"), "");
  });
});
