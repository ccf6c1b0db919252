/** Folders that an ordinary user's commands open and close, and what they leave in those that can't be listed. */
import assert from "node:assert/strict";
import { PROGRAM } from "./support/hamr.ts";
import { bash, say } from "./support/model_server.ts";
import { as_nobody, NOBODY } from "./support/nobody.ts";
import { type Stage, stage, type StageOptions } from "./support/stage.ts";
import { skip } from "./support/skip.ts";

type Start = Parameters<Stage["hamr"]>[1];

/** A stage on which `hamr`, and the script of the test, run as somebody whom a mode keeps out. */
async function as_user(
  options: StageOptions,
  work: (s: Stage, user: Start, sh: (script: string) => void) => Promise<void>,
): Promise<void> {
  const is_root = Deno.uid() === 0;
  if (is_root && Deno.env.get("HAMR_BIN") === undefined) {
    return void skip("root lists every folder, and only the binary starts as somebody else");
  }
  await stage(options, async (s) => {
    if (!is_root) return await work(s, {}, (script) => void shell(s, script));
    const user = await as_nobody(s);
    // The binary may lie where only root may go.
    const program = [s.outside.at("hamr")];
    Deno.copyFileSync(PROGRAM[0]!, program[0]!);
    const wrapper = ["setpriv", `--reuid=${NOBODY}`, "--clear-groups", "--"];
    await work(s, { ...user, program, wrapper }, (script) => void shell(s, script, wrapper));
  });
}

function shell({ ws }: Stage, script: string, wrapper: readonly string[] = []): void {
  const [program = "", ...args] = [...wrapper, "bash", "-euc", script];
  const { success } = new Deno.Command(program, { args, cwd: ws.path }).outputSync();
  assert.ok(success, script);
}

Deno.test("files of a folder that a command opens were there before, and those of one that it closes still are", async () => {
  const command = "chmod 755 p q; echo 1 > new; echo 1 > r/a; chmod 000 r; chmod 444 t";
  const files = { "p/a": "p\n", "p/s/b": "p\n", "q/a": "q\n", "r/a": "r\n", "t/a": "t\n" };
  const script = [bash(command), say("Changed what was asked for.")];
  await as_user({ script, files }, async (s, user, sh) => {
    sh("chmod 000 p; chmod 444 q");
    const { code, result, stderr } = await s.hamr(["run", "--output", "json", "Do it."], user);
    assert.equal(code, 0, stderr);
    assert.deepEqual(result.files_changed, [
      { path: "new", status: "added", added: 1, removed: 0 },
    ]);
    assert.match(
      result.warnings.join(),
      /hamr can't look at r\/, t\/a: changes there are not listed/,
    );
    const undone = await s.hamr(["undo"], user);
    assert.deepEqual([undone.code, undone.stdout], [0, "new: removed\n"]);
    assert.match(undone.stderr, /not covered: ignored, closed, .*: p\/, q\/a, r\/, t\/a\n/);
    sh("chmod 755 r t");
    const left = Object.keys(files).map((path) => s.ws.read(path));
    assert.deepEqual(left, ["p\n", "p\n", "q\n", "1\n", "t\n"]);
  });
});

Deno.test("a closed folder of hooks that a command opens is closed again, and what was in it stays", async () => {
  const script = [bash("chmod -R u+rwX . && echo 1 > new"), say("Changed what was asked for.")];
  await as_user({ script }, async (s, user, sh) => {
    sh("git init -q .; echo 'echo hi' > .git/hooks/pre-commit; chmod 000 .git/hooks");
    const { code, result } = await s.hamr(["run", "--output", "json", "Do it."], user);
    assert.equal(code, 0);
    assert.match(result.warnings.join(), /hamr put back \.git\/hooks: /);
    assert.match(
      result.warnings.join(),
      /\.git\/hooks is closed, as it was: look at what is in it/,
    );
    sh("chmod 755 .git/hooks");
    assert.equal(s.ws.read(".git/hooks/pre-commit"), "echo hi\n");
  });
});

Deno.test("a repository in a folder that can't be listed is watched", async () => {
  const evil = "config core.fsmonitor 'touch ../ran; false'";
  const command = `mkdir -p a/c d; git init -q a/c; git -C a/c ${evil}; chmod 0111 a/c; ` +
    `git init -q --bare d/bare; git -C d/bare ${evil}; chmod 0111 d/bare; ` +
    "git init -q h; echo 'touch ran' > h/.git/hooks/pre-commit; chmod 0755 h/.git/hooks/pre-commit; chmod 0111 h/.git/hooks; " +
    `git init -q k; git -C k ${evil}; chmod 0111 k/.git`;
  await as_user({}, async (s, user, sh) => {
    sh("git init -q .");
    const { code, stderr } = await s.hamr(["sandbox", "--", "bash", "-c", command], user);
    sh("chmod -R u+rwx a d");
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(s.ws.read("a/c/.git/config") + s.ws.read("d/bare/config"), /fsmonitor/);
    assert.doesNotMatch(s.ws.read("k/.git/config"), /fsmonitor/);
    assert.ok(!s.ws.exists("h/.git/hooks/pre-commit"));
  });
});

Deno.test("git's own folders that a command closes are opened: the next commit writes through no link in them", async () => {
  const git = "git -c user.name=t -c user.email=t@t";
  const script = [
    bash(`b=$(printf 'b\\377'); git branch "$b"
for f in HEAD "refs/heads/$b"; do ln -sf "$(cat place)" ".git/logs/$f"; done
mkdir .husky; echo x > .husky/pre-commit; chmod 0311 .git/logs/refs/heads .git/logs .husky`),
    say("Changed what was asked for."),
  ];
  await as_user({ script }, async (s, user, sh) => {
    s.home.write("shell/rc", "mine\n");
    sh(
      `git init -q .; ${git} commit -q --allow-empty -m one; echo ${s.home.at("shell/rc")} > place`,
    );
    const { result } = await s.hamr(["run", "--output", "json", "Do it."], user);
    const said = result.warnings.join("\n");
    assert.match(said, /put back \.git\/logs: git enters it/);
    assert.match(said, /\.git\/logs\/HEAD.*git writes through such a link/);
    assert.match(said, /logs\/refs\/heads\/b\ufffd/);
    assert.match(said, /run later outside the sandbox: .*\.husky/);
    sh(`${git} commit -q --allow-empty -m two; git checkout -q "$(printf 'b\\377')"
${git} commit -q --allow-empty -m three`);
    assert.equal(Deno.readTextFileSync(s.home.at("shell/rc")), "mine\n");
  });
});
