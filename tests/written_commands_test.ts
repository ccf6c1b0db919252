/** `--command`: tasks that are written down in files, in the formats of several agents. */
import assert from "node:assert/strict";
import { ANSWER, say } from "./support/model_server.ts";
import { type Stage, stage } from "./support/stage.ts";

const FILES = {
  ".hamr/commands/fix.md":
    "---\ndescription: Fix: an issue\nmode: ask\nmodel: opus\n---\nFix issue $1 ($2): $ARGUMENTS. It costs $10.\n",
  ".claude/commands/fix.md": "not this one",
  ".claude/commands/git/commit.md": "---\nallowed-tools: Bash(git:*)\n---\nCommit it.\n",
  ".opencode/command/plain.md": "Just do it.",
  ".claude/skills/pdf/SKILL.md": "---\nname: pdf\ndescription: Reads.\n---\nRead it.",
  // A command has the name of a skill.
  ".claude/skills/plain/SKILL.md": "---\nname: plain\n---\nNot this.",
  ".claude/commands/paid.md": "---\nmodel: claude-3-5-haiku-20241022\n---\nPaid.",
  ".opencode/command/plan.md": "---\nagent: plan\nmodel: anthropic/claude-sonnet-4\n---\nPlan it.",
  ".hamr/commands/local.md": "---\nmodel: qwen3\n---\nHere.",
  ".claude/commands/look.md": "State: !`git status`. Read @a.txt.",
  ".hamr/commands/odd.md": "---\nmode: fast\n---\nx",
};

const asked = (s: Stage, n = -1) => String(s.server.requests.at(n)?.body.messages[1]?.content);

Deno.test("--command runs the task of a file with its arguments, and flags win over its head", async () => {
  await stage({ script: () => say(ANSWER), files: FILES, violations: true }, async (s) => {
    s.home.write(".config/hamr/commands/mine.md", "My own.");
    const run = (...args: string[]) => s.hamr(["run", "--output", "json", ...args]);
    const cases: readonly (readonly [string[], RegExp])[] = [
      [
        ["--command", "fix", "42", "very urgent"],
        /^Fix issue 42 \(very urgent\): 42 very urgent\. It costs \$10\./,
      ],
      [
        ["--command", "/fix", '42 "very urgent"'],
        /^Fix issue 42 \(very urgent\): 42 "very urgent"\./,
      ],
      [["--command", "fix"], /^Fix issue {2}\(\): \. /],
      [["--command", "git:commit", "now"], /^Commit it\.\n\nnow/],
      [["--command", "git/commit"], /^Commit it\.$/],
      [["--command", "plain"], /^Just do it\.$/],
      // Nothing of a file is run before the model has it.
      [
        ["--command", "look"],
        /^State: !`git status`\. Read @a\.txt\.\n\nRun each command that stands/,
      ],
      [["--command", "commit"], /^Commit it\.$/],
      [
        ["--command", "pdf", "a.pdf", "b"],
        /^Use the skill pdf \(\.claude\/skills\/pdf\/SKILL\.md\)\.\n\na\.pdf b$/,
      ],
      [["--command", "mine"], /^My own\.$/],
    ];
    for (const [args, expected] of cases) {
      const { code, stderr } = await run(...args);
      assert.equal(code, 0, stderr);
      assert.match(asked(s), expected);
      assert.equal(/Mode ask/.test(asked(s)), args[1]!.includes("fix"));
    }
    // What other agents call their models is none of a server here.
    for (const [name, model] of [["paid", "scripted"], ["plan", "scripted"], ["local", "qwen3"]]) {
      assert.equal((await run("--command", name!)).code, 0);
      assert.equal(s.server.requests.at(-1)!.body.model, model, name);
      assert.equal(/Mode plan/.test(asked(s)), name === "plan");
    }
    assert.equal((await run("--command", "fix", "--mode", "auto", "1")).code, 0);
    assert.doesNotMatch(asked(s), /Mode ask/);
    // The workspace's has the name of one of the user's that changes nothing.
    s.home.write(".config/hamr/commands/plain.md", "---\nmode: ask\n---\nMine.");
    assert.equal((await run("--command", "plain")).code, 0);
    assert.match(asked(s), /^Just do it\.[^]*Mode ask/);
  });
});

Deno.test("a command that is not there, or leads elsewhere, is named before anything starts", async () => {
  await stage({ files: FILES }, async (s) => {
    s.outside.write("secret.txt", "secret");
    Deno.symlinkSync(s.outside.at("secret.txt"), s.ws.at(".hamr/commands/leak.md"));
    const cases: readonly (readonly [string[], RegExp])[] = [
      [["--command", "fixx"], /there is no command fixx; did you mean fix\?/],
      [["--command", "../../x"], /there is no command \.\.\/\.\.\/x; known: fix, git:commit, /],
      [["--command", "leak"], /points outside the workspace/],
      [["--command", "odd"], /odd\.md: mode must be auto, patch, ask, plan, not fast/],
      [["--command", "fix", "--continue"], /--command is for a new session/],
    ];
    for (const [args, expected] of cases) {
      const { code, stderr } = await s.hamr(["run", ...args]);
      assert.equal(code, 3, args.join(" "));
      assert.match(stderr, expected);
    }
    assert.equal(s.server.requests.length, 0);
  });
});
