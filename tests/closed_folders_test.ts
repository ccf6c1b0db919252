/** What an ordinary user's commands leave in folders that can't be listed. */
import assert from "node:assert/strict";
import { PROGRAM } from "./support/hamr.ts";
import { as_nobody, NOBODY } from "./support/nobody.ts";
import { stage } from "./support/stage.ts";

Deno.test("a repository in a folder that can't be listed is watched", async () => {
  const is_root = Deno.uid() === 0;
  if (is_root && Deno.env.get("HAMR_BIN") === undefined) {
    // deno-lint-ignore no-console
    console.error("SKIP: root lists every folder, and only the binary starts as somebody else");
    return;
  }
  const evil = "config core.fsmonitor 'touch ../ran; false'";
  const command = `mkdir -p a/c d; git init -q a/c; git -C a/c ${evil}; chmod 0111 a/c; ` +
    `git init -q --bare d/bare; git -C d/bare ${evil}; chmod 0111 d/bare; ` +
    "git init -q h; echo 'touch ran' > h/.git/hooks/pre-commit; chmod 0755 h/.git/hooks/pre-commit; chmod 0111 h/.git/hooks; " +
    `git init -q k; git -C k ${evil}; chmod 0111 k/.git`;
  await stage({}, async (s) => {
    const sh = (script: string) =>
      new Deno.Command("bash", { args: ["-euc", script], cwd: s.ws.path }).outputSync();
    sh("git init -q .");
    const user = is_root ? await as_nobody(s) : {};
    // The binary may lie where only root may go.
    const program = is_root ? [s.outside.at("hamr")] : PROGRAM;
    if (is_root) Deno.copyFileSync(PROGRAM[0]!, program[0]!);
    const wrapper = is_root ? ["setpriv", `--reuid=${NOBODY}`, "--clear-groups", "--"] : [];
    const { code, stderr } = await s.hamr(["sandbox", "--", "bash", "-c", command], {
      ...user,
      program,
      wrapper,
    });
    sh("chmod -R u+rwx a d");
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(s.ws.read("a/c/.git/config") + s.ws.read("d/bare/config"), /fsmonitor/);
    assert.doesNotMatch(s.ws.read("k/.git/config"), /fsmonitor/);
    assert.ok(!s.ws.exists("h/.git/hooks/pre-commit"));
  });
});
