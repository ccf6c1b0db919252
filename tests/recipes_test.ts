/** The recipes of docs/ci.md, as they stand there. */
import assert from "node:assert/strict";
import { block, run, with_hamr } from "./engines/tools.ts";
import { deno_dir } from "./support/hamr.ts";
import { bash, call, say, type Script } from "./support/model_server.ts";
import { installed } from "./support/installed.ts";
import { inside_stage, type Stage } from "./support/stage.ts";

const FILES = { "a.txt": "one\n", Makefile: "test:\n\tgrep -q two a.txt\n" };
const EDIT = call("edit", { path: "a.txt", old: "one", new: "two" });

/** A clone of a repository on its main branch, where a script of the page runs. */
async function recipe(
  script: Script,
  body: (s: Stage, shell: (text: string) => ReturnType<typeof run>) => Promise<void>,
): Promise<void> {
  const options = { script, one_conversation: false, violations: true } as const;
  await inside_stage({ ...options, files: FILES }, async (s) => {
    const env = {
      ...{ ...s.env, PATH: with_hamr(s.outside.at("bin")), DENO_DIR: deno_dir() },
      ...{ HOME: s.home.path, GIT_CONFIG_NOSYSTEM: "1" },
    };
    s.home.write(".gitconfig", "[user]\nname = x\nemail = x@x.example\n");
    const shell = (text: string) => run(["bash", "-c", text], { cwd: s.ws.path, env });
    const set = await shell(
      `git init -q -b main && git add . && git commit -qm one &&
       git clone -q --bare . ${s.outside.at("origin.git")} &&
       git remote add origin ${s.outside.at("origin.git")} && git fetch -q`,
    );
    assert.equal(set.code, 0, set.err);
    await body(s, shell);
  });
}

Deno.test("recipe: what fails is fixed on a branch of its own, and pushed only where it passes", {
  ignore: !installed("make"),
}, async () => {
  const text = block("ci.md", "git switch --quiet -c hamr/fix");
  await recipe([EDIT, say("It says two now.")], async (s, shell) => {
    const { code, err } = await shell(text);
    assert.equal(code, 0, err);
    const { out } = await shell(`git -C ${s.outside.at("origin.git")} show hamr/fix:a.txt`);
    assert.equal(out, "two\n");
  });
  await recipe(() => say("NOT DONE: I don't know how."), async (s, shell) => {
    assert.equal((await shell(text)).code, 2);
    const { out } = await shell(`git -C ${s.outside.at("origin.git")} branch --list`);
    assert.doesNotMatch(out, /hamr/);
  });
});

Deno.test("recipe: a branch is reviewed, before a push too, and its errors have an exit code", async () => {
  const finding = {
    ...{ file: "a.txt", line: 1, severity: "error", title: "It says two" },
    detail: "It should say one.",
  };
  const script: Script = ({ body }) =>
    body.messages.some(({ role }) => role === "tool")
      ? say(JSON.stringify({ findings: [finding] }))
      : bash("git diff origin/main");
  await recipe(script, async (s, shell) => {
    await shell("git switch -qc work && echo two > a.txt && git commit -qam two");
    const { code, err } = await shell(block("ci.md", "> review.txt"));
    assert.equal(code, 2, err);
    assert.match(s.ws.read("review.txt"), /a\.txt:1: error: It says two/);
    s.ws.write(".git/hooks/pre-push", block("ci.md", "# pre-push:"));
    Deno.chmodSync(s.ws.at(".git/hooks/pre-push"), 0o755);
    const push = await shell("git push -q origin work");
    assert.notEqual(push.code, 0);
    assert.match(push.err + push.out, /a\.txt:1: error: It says two/);
    assert.equal((await shell("git push -q --no-verify origin work")).code, 0);
  });
});

Deno.test(
  "recipe: a dependency stays updated only if all passes; a night that comes to nothing is no failure",
  { ignore: !installed("make") },
  async () => {
    await recipe([EDIT, say("Updated.")], async (_, shell) => {
      const { code, err } = await shell(block("ci.md", "Update the greeting library"));
      assert.equal(code, 0, err);
    });
    await recipe(() => say("NOT DONE: all have tests."), async (s, shell) => {
      const { code, err } = await shell(block("ci.md", "--token-budget 500000"));
      assert.equal(code, 0, err);
      const [kept] = [...Deno.readDirSync(s.ws.path)].filter(({ name }) =>
        /^nightly-\d/.test(name)
      );
      assert.match(s.ws.read(`${kept?.name}/result.json`), /"stop_reason": "not_done"/);
    });
  },
);

Deno.test(
  "recipe: what has cost its two dollars ends, with what was done; without a price nothing starts",
  { ignore: !installed("make") },
  async () => {
    await recipe(() => EDIT, async (s, shell) => {
      const text = block("ci.md", "--max-cost 2");
      const unknown = await shell(text);
      assert.deepEqual([unknown.code, s.server.requests.length], [3, 0]);
      assert.match(unknown.err, /--max-cost: the price of scripted .* is not known/);
      // A reply of the server is ten tokens, more or less.
      s.home.write(
        ".config/hamr/config.toml",
        `[providers.mine]\nbase_url = "${s.server.url}"\nprice_in = 0\nprice_out = 100000\n`,
      );
      const { code, err } = await shell(text);
      assert.equal(code, 2, err);
      assert.match(err, /budget_exceeded/);
      assert.equal(s.ws.read("a.txt"), "two\n");
    });
  },
);
