/** A run that was killed after its commands had made further repositories: the next one still knows how all was, and ends what was left. */
import assert from "node:assert/strict";
import { until } from "./support/hamr.ts";
import { bash, type Recorded, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

for (const inner of ["inner", "deeper/down/inner"]) {
  Deno.test(`what was planted is put back after a kill: with a repository made before, ${inner}`, async () => {
    const plant = `git config core.fsmonitor x; git -C ${inner} config core.fsmonitor x`;
    const commands = [`git init -q ${inner}`, `${plant}; touch planted; sleep 60`];
    const script = ({ body: { messages } }: Recorded) => {
      if (!JSON.stringify(messages).includes("the first task")) return say("It is done.");
      const done = messages.filter(({ role }) => role === "tool").length;
      return bash(commands[done] ?? "true");
    };
    await stage({ script, one_conversation: false }, async (s) => {
      const git = (...args: string[]) =>
        new Deno.Command("git", { args, cwd: s.ws.path, env: { HOME: s.home.path } }).outputSync();
      git("init", "-q", ".");
      const first = s.start(["run", "Do the first task."]);
      await until("planted", () => s.ws.exists("planted"));
      first.kill("SIGKILL");
      await first.done;
      const { result } = await s.run("Do another.");
      const said = result.warnings.join("\n");
      assert.match(said, /after a run that was cut off: .*put back \.git\/config/);
      if (Deno.build.os === "linux") assert.match(said, /still running: ended/);
      for (const place of [".", inner]) {
        assert.equal(git("-C", place, "config", "core.fsmonitor").code, 1, place);
      }
    });
  });
}
