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
    const all = stderr.split("\n").filter((line) => /^\s*::/.test(line));
    // Whatever else is said stands between a word that only hamr knows, and its repetition.
    const ends = all.map((line) => /^::stop-commands::(hamr_[0-9a-f-]{36})$/.exec(line)?.[1])
      .filter((end) => end !== undefined);
    assert.equal(new Set(ends).size, ends.length);
    for (const end of ends) {
      const between = stderr.split(`::stop-commands::${end}\n`)[1]!.split(`\n::${end}::\n`)[0]!;
      assert.doesNotMatch(between, /^\s*::/m);
    }
    assert.match(stderr.slice(0, stderr.indexOf("::group::")), /^::stop-commands::/m);
    const ours = new Set(ends.flatMap((end) => [`::stop-commands::${end}`, `::${end}::`]));
    const commands = all.filter((line) => !ours.has(line));
    assert.equal(all.length - commands.length, 2 * ends.length);
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

Deno.test("in GitHub Actions a run that never began says so, with its outputs, and names no session to go on with", async () => {
  await stage({ script: [] }, async (s) => {
    const tried: [string[], RegExp][] = [
      [["run", "--bogus", "Go."], /^::error title=hamr::config_error: unknown flag --bogus/m],
      [["run", "-C", "none", "Go."], /^::error title=hamr::config_error: -C none: no such/m],
      [["run", "--provider", "none", "Go."], /^::error title=hamr::config_error: .*none/m],
    ];
    for (const [n, [args, said]] of tried.entries()) {
      const env = {
        ...s.env,
        GITHUB_ACTIONS: "true",
        GITHUB_STEP_SUMMARY: s.outside.at(`summary${n}`),
        GITHUB_OUTPUT: s.outside.at(`output${n}`),
      };
      const { code, stdout, stderr } = await s.hamr(args, { env });
      assert.deepEqual([code, stdout], [3, ""]);
      assert.equal(stderr.match(/^::error /gm)?.length, 1, stderr);
      assert.match(stderr, said);
      assert.equal(stderr.match(/^::stop-commands::/gm)?.length, 1);
      assert.match(
        s.outside.read(`output${n}`),
        /^status<<(\S+)\nfailed\n\1\nexit-code<<(\S+)\n3\n\2\n/,
      );
      // Only a run that knows its settings has a summary.
      const summary = s.outside.read(`summary${n}`);
      assert.equal(summary === "", n < 2);
      if (n === 2) assert.match(summary, /\(no step was taken\)/);
      assert.doesNotMatch(summary, /hamr resume| at : /);
    }
    assert.equal(s.server.requests.length, 0);
  });
});
