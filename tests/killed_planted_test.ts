/** A run that was killed: the next one still knows how all was, also where it works elsewhere in the same repository, and ends what was left. */
import assert from "node:assert/strict";
import { until } from "./support/hamr.ts";
import { bash, call, type Recorded, type Reply, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

const AS_T = ["-c", "user.name=t", "-c", "user.email=t@t"];

for (const inner of ["inner", "deeper/down/inner"]) {
  Deno.test(`what was planted is put back after a kill: with a repository made before, ${inner}`, async () => {
    const plant = `git config core.fsmonitor x; git -C ${inner} config core.fsmonitor x`;
    const named = "echo x > .envrc; ln -s ../outside node_modules; git replace -f HEAD HEAD~1";
    const commands = [`git init -q ${inner}`, `${plant}; ${named}; touch planted; sleep 60`];
    const script = ({ body: { messages } }: Recorded) => {
      if (!JSON.stringify(messages).includes("the first task")) return say("It is done.");
      const done = messages.filter(({ role }) => role === "tool").length;
      return bash(commands[done] ?? "true");
    };
    const files = { "package.json": '{ "scripts": { "test": "x" } }' };
    await stage({ script, files, one_conversation: false }, async (s) => {
      const git = (...args: string[]) =>
        new Deno.Command("git", { args, cwd: s.ws.path, env: { HOME: s.home.path } }).outputSync();
      git("init", "-q", ".");
      for (const text of ["one", "two"]) git(...AS_T, "commit", "-qm", text, "--allow-empty");
      const first = s.start(["run", "Do the first task."]);
      await until("planted", () => s.ws.exists("planted"));
      first.kill("SIGKILL");
      await first.done;
      const { result } = await s.run("Do another.");
      const said = result.warnings.join("\n");
      assert.match(said, /after a run that was cut off: .*put back \.git\/config/);
      // What is not put back is named, once; package.json has not changed.
      assert.match(
        said,
        /after a run that was cut off: changed files that run later .*: \.envrc$/m,
      );
      assert.match(said, /after a run that was cut off: links lead out .*: node_modules \(/);
      assert.match(said, /after a run that was cut off: git now shows other .*refs\/replace/);
      assert.deepEqual((await s.run("Do another.")).result.warnings, []);
      if (Deno.build.os === "linux") assert.match(said, /still running: ended/);
      for (const place of [".", inner]) {
        assert.equal(git("-C", place, "config", "core.fsmonitor").code, 1, place);
      }
    });
  });
}

const WORKTREE = "git worktree add -q ../outside/wt", NESTED = "git init -q sub";
/** What is set up, where the run that is killed works, where the next does; and the repository, from there. */
const ELSEWHERE: readonly (readonly [set_up: string, first: string, next: string, at: string])[] = [
  [WORKTREE, "ws", "outside/wt", "."],
  [WORKTREE, "outside/wt", "ws", "../../ws"],
  [NESTED, "ws/sub", "ws", "."],
  [NESTED, "ws", "ws/sub", "sub"],
];

for (const [set_up, from, to, at] of ELSEWHERE) {
  Deno.test(`what was planted is put back after a kill: in ${from}, and the next run is in ${to}`, async () => {
    const plant = `(cd ${at}; git config core.fsmonitor x; hook=.git/hooks/post-commit; ` +
      "printf '#!/bin/sh\\n' > $hook; chmod +x $hook); touch planted; sleep 60";
    const script = ({ body }: Recorded) =>
      JSON.stringify(body.messages).includes("the first task") ? bash(plant) : say("It is done.");
    await stage({ script, one_conversation: false }, async (s) => {
      const root = s.ws.path.replace(/\/ws$/, "");
      const sh = (line: string, cwd = s.ws.path) => {
        const env = { HOME: s.home.path };
        const { stdout } = new Deno.Command("bash", { args: ["-c", line], cwd, env }).outputSync();
        return new TextDecoder().decode(stdout).trim();
      };
      const git = "git -c user.name=t -c user.email=t@t";
      sh(`git init -q .; ${git} commit -q --allow-empty -m one; ${set_up}`);
      // Settings of the next workspace, of which the first run knows nothing.
      sh("mkdir -p .hamr; echo '# mine' > .hamr/config.toml", `${root}/${to}`);
      const first = s.start(["run", "Do the first task."], { cwd: `${root}/${from}` });
      const repository = `${root}/${from}/${at}`;
      await until("planted", () => sh("ls", `${root}/${from}`).includes("planted"));
      first.kill("SIGKILL");
      await first.done;
      const next = () => s.hamr(["run", "--json", "Do another."], { cwd: `${root}/${to}` });
      const { result } = await next();
      const said = result.warnings.join("\n");
      assert.match(said, /after a run that was cut off: .*put back .*config/);
      assert.doesNotMatch(said, /\.hamr/);
      const left = "git config core.fsmonitor; ls .git/hooks | grep -v sample";
      assert.equal(sh(left, repository), "");
      assert.equal(sh("cat .hamr/config.toml", `${root}/${to}`), "# mine");
      // Put back once: what the person sets up since stays.
      sh("git config core.editor mine", repository);
      assert.deepEqual((await next()).result.warnings, []);
      assert.equal(sh("git config core.editor", repository), "mine");
    });
  });
}

Deno.test("a run that is killed before its first command has changed no more than its tools wrote", async () => {
  const calls = [["a.txt", "plain"], [".envrc", "x"]] as const;
  for (const [path, content] of calls) {
    const script = ({ body: { messages } }: Recorded): Reply => {
      if (!JSON.stringify(messages).includes("the first task")) return say("It is done.");
      return messages.at(-1)?.role === "tool" ? { silent: true } : call("write", { path, content });
    };
    const files = { "package.json": '{ "scripts": { "test": "x" } }' };
    await stage({ script, files, one_conversation: false, violations: true }, async (s) => {
      const first = s.start(["run", "Do the first task."]);
      await until("the second request", () => s.server.requests.length === 2);
      first.kill("SIGKILL");
      await first.done;
      const { result } = await s.run("Do another.");
      const said = result.warnings.filter((line) => line.includes("run later"));
      const named = /after a run that was cut off: changed files that run later .*: \.envrc$/;
      assert.equal(said.length, path === ".envrc" ? 1 : 0, said.join("\n"));
      for (const line of said) assert.match(line, named);
    });
  }
});
