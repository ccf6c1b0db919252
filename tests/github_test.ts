import assert from "node:assert/strict";
import { bash, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

const VERIFY =
  "echo 'a.c:3:5: error: it is wrong'; echo 'none.c:1:1: error: elsewhere'; test -f made";

Deno.test("in GitHub Actions: groups, faults beside the code, a summary and outputs; and nobody else gives commands", async () => {
  const script = [
    bash("echo '::error::fake'; echo '::endgroup::'; exit 1"),
    say("Done.\n::add-mask::x\n::set-output name=status::success"),
    { ...bash("false"), text: "I try." },
    say("NOT DONE: I can't | `make` it."),
  ];
  await stage({ script, files: { "a.c": "x\n" } }, async (s) => {
    const env = {
      ...s.env,
      GITHUB_ACTIONS: "true",
      GITHUB_WORKSPACE: s.ws.path,
      GITHUB_STEP_SUMMARY: s.outside.at("summary.md"),
      GITHUB_OUTPUT: s.outside.at("output"),
    };
    const { code, stdout, stderr } = await s.hamr(["run", "-v", "--verify", VERIFY, "Make it."], {
      env,
    });
    assert.equal(code, 2, stdout + stderr);
    const commands = stderr.split("\n").filter((line) => /^\s*::/.test(line));
    assert.deepEqual(commands, [
      ...["::group::Step 1", "::endgroup::", "::group::Step 2", "::endgroup::"],
      ...["::group::Step 3", "::endgroup::", "::group::Step 4", "::endgroup::"],
      "::error file=a.c,line=3,col=5::it is wrong",
      commands.at(-1),
    ]);
    assert.match(commands.at(-1)!, /^::error title=hamr::not_done: /);
    assert.doesNotMatch(stdout, /^\s*::/m);
    assert.match(stderr, /\| a\.c:3:5: error: it is wrong/);
    const summary = s.outside.read("summary.md");
    assert.match(summary, /^# ⚠️ Make it\.\n[^]*## Checks\n\n- ❌/);
    assert.match(summary, /hamr resume [0-9a-f-]{36}/);
    const output = s.outside.read("output");
    assert.match(output, /^status<<(hamr_[0-9a-f-]+)\npartial\n\1\nexit-code<<(\S+)\n2\n\2\n/);
    const result = /\nresult<<(\S+)\n(.*)\n\1\n/.exec(output)![2]!;
    assert.equal(JSON.parse(result).stop_reason, "not_done");
  });
});
