/** What is refused, what is asked about, and who answers. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { play, refusals, results } from "./support/approvals.ts";
import { type Outcome, pause, until } from "./support/hamr.ts";
import { bash, call, say } from "./support/model_server.ts";
import { installed } from "./support/installed.ts";
import { type Stage, stage, tools } from "./support/stage.ts";

const ON_TERMINAL = fileURLToPath(new URL("./support/on_terminal.py", import.meta.url));
/** The end of every question. */
const PROMPT = "Run it? [y]es, [n]o (or n and why), [a]";

/** A workspace with a git repository, and beside it the one that it would push to. */
function with_remote(s: Stage): void {
  const git = (cwd: string, ...args: string[]) => {
    const made = new Deno.Command("git", {
      args: ["-c", "user.name=t", "-c", "user.email=t@t", ...args],
      cwd,
      env: { GIT_CONFIG_NOSYSTEM: "1", HOME: s.home.path },
    }).outputSync();
    assert.equal(made.code, 0, new TextDecoder().decode(made.stderr));
  };
  git(s.outside.path, "init", "-q", "--bare", "remote.git");
  git(s.ws.path, "init", "-q", "-b", "main");
  s.ws.write("a.txt", "one\n");
  git(s.ws.path, "add", ".");
  git(s.ws.path, "commit", "-q", "-m", "one");
  git(s.ws.path, "remote", "add", "origin", s.outside.at("remote.git"));
}

const pushed = (s: Stage) => s.outside.exists("remote.git/refs/heads/main");
const PUSH = "git push -q origin main && echo it went through";

/** It takes python3 to make a terminal. */
const test_on_terminal = installed("python3") ? Deno.test : Deno.test.ignore;

/** A run whose terminal types: each answer when the text before it has been shown. */
function on_terminal(
  s: Stage,
  typed: readonly (readonly [string, string])[],
  ...flags: string[]
): Promise<Outcome> {
  const wrapper = ["python3", ON_TERMINAL, JSON.stringify(typed)];
  return s.hamr(["run", "--output", "jsonl", ...flags, "Do as you were told."], {
    wrapper,
    stdin: { open: true },
  });
}

Deno.test("a push is refused, however it is wrapped, and the model is told who can allow it", async () => {
  const ways = [
    PUSH,
    "sudo -n env A=1 timeout 9 git push -q origin main",
    `sh -c 'g"i"t pu\\sh -q origin main'`,
    "echo main | xargs -n 1 git push -q origin",
  ];
  await play({ replies: ways.map((way) => bash(way)) }, async (s) => {
    with_remote(s);
    const { run, texts } = await tools(s, `--allow-write=${s.outside.path}`);
    assert.equal(run.code, 0, run.stderr);
    assert.equal(pushed(s), false);
    assert.deepEqual(refusals(run), ways.map(() => "command"));
    assert.equal(run.result.evidence.refused, ways.length);
    assert.equal(run.result.evidence.commands, 0);
    for (const text of texts) {
      assert.match(text, /^Error: refused: `.*git push.*` sends commits/);
      assert.match(text, /--yolo/);
    }
  });
});

Deno.test("a task that a refused command leaves undone ends with how to go on", () => {
  const replies = [bash(PUSH), say("NOT DONE: the push was refused.")];
  return stage({ script: replies }, async (s) => {
    with_remote(s);
    const { code, stderr } = await s.hamr(["run", "Push it."]);
    assert.equal(code, 2, stderr);
    assert.match(
      stderr,
      /\n {3}To be asked before what was refused: hamr resume --confirm sensitive\n$/,
    );
  });
});

Deno.test("--yolo, its long form and the user's own settings let a push through", async () => {
  const ways: readonly { flags?: string[]; env?: Record<string, string>; config?: string }[] = [
    { flags: ["--yolo"] },
    { flags: ["--confirm", "never"] },
    { env: { HAMR_AGENT_CONFIRM: "never" } },
    { config: '[agent]\nconfirm = "never"\n' },
  ];
  for (const { flags = [], env = {}, config } of ways) {
    await play({ replies: [bash(PUSH)], env }, async (s) => {
      with_remote(s);
      if (config !== undefined) s.home.write(".config/hamr/config.toml", config);
      const { run, texts } = await tools(s, `--allow-write=${s.outside.path}`, ...flags);
      assert.deepEqual(refusals(run), [null], texts[0]);
      assert.match(texts[0]!, /it went through/);
      assert.equal(pushed(s), true);
      assert.equal(run.result.evidence.refused, 0);
    });
  }
});

Deno.test("a workspace's own file cannot let a push through", async () => {
  const files = { ".hamr/config.toml": '[agent]\nconfirm = "never"\nmax_model_steps = 9\n' };
  await play({ replies: [bash(PUSH)], files }, async (s) => {
    with_remote(s);
    const { run } = await tools(s, `--allow-write=${s.outside.path}`);
    assert.deepEqual(refusals(run), ["command"]);
    assert.equal(pushed(s), false);
    const [warning] = run.result.warnings.filter((text) => text.includes("agent.confirm"));
    assert.match(warning!, /\.hamr\/config\.toml: ignored agent\.confirm: a workspace may not/);
  });
});

Deno.test("what is only named or is daily work is not refused", async () => {
  const ways = [
    'git commit -q --allow-empty -m "git push later" && git push --dry-run -q origin main',
    'echo git push > notes.txt; grep -r "npm publish" . ; true',
    "mkdir -p build/x && cd build && rm -rf *",
    "git stash push -q; git reset -q --hard",
  ];
  await play({ replies: ways.map((way) => bash(way)) }, async (s) => {
    with_remote(s);
    s.ws.write(".git/config", s.ws.read(".git/config") + "[user]\nname = t\nemail = t@t\n");
    const { run, texts } = await tools(s);
    assert.deepEqual(refusals(run), ways.map(() => null), texts.join("\n"));
    assert.deepEqual(
      results(run).map((event) => event["ok"]),
      ways.map(() => true),
      texts.join("\n"),
    );
  });
});

Deno.test("--confirm sensitive without a terminal refuses what it would ask about, and no more", async () => {
  const replies = [
    bash("echo hi > b.txt"),
    bash("rm -rf ./*"),
    call("write", { path: "c", content: "" }),
  ];
  await play({ replies, files: { "a.txt": "one\n" } }, async (s) => {
    const { run, texts } = await tools(s, "--confirm", "sensitive");
    assert.deepEqual(refusals(run), [null, "approval", null]);
    assert.match(
      texts[1]!,
      /^Error: refused: no one can be asked here \(it removes the/,
    );
    assert.match(texts[1]!, /the user can allow it with --yolo/);
    assert.ok(s.ws.exists("a.txt") && s.ws.exists("b.txt") && s.ws.exists("c"));
  });
});

Deno.test("--confirm all without a terminal changes nothing, and the run does not end as a success", async () => {
  const replies = [
    call("read", { path: "a.txt" }),
    call("edit", { path: "a.txt", old: "one", new: "two" }),
    call("write", { path: "b.txt", content: "b" }),
    bash("echo x > c.txt"),
  ];
  for (const open of [undefined, { open: true } as const]) {
    await play({ replies, files: { "a.txt": "one\n" } }, async (s) => {
      const args = ["run", "--output", "jsonl", "--confirm", "all", "Change it."];
      const run = await s.hamr(args, open === undefined ? {} : { stdin: open });
      assert.deepEqual([run.code, run.result.stop_reason], [2, "not_done"]);
      assert.deepEqual(refusals(run), [null, "approval", "approval", "approval"]);
      assert.equal(run.result.evidence.refused, 3);
      assert.deepEqual(run.result.files_changed, []);
      assert.equal(s.ws.read("a.txt"), "one\n");
    });
  }
});

test_on_terminal("a person on a terminal is asked, and says yes or no", async () => {
  const replies = [
    call("write", { path: "yes.txt", content: "1\n2\n" }),
    call("write", { path: "no.txt", content: "" }),
    bash("echo x > enter.txt"),
    bash("echo x > end.txt"),
  ];
  await play({ replies }, async (s) => {
    const typed = [
      ...[[PROMPT, "what?\n"], [PROMPT, "Y\n"], [PROMPT, "no, say y first\n"]] as const,
      ...[[PROMPT, "\n"], [PROMPT, "\x04"]] as const,
    ];
    const run = await on_terminal(s, typed, "--confirm", "all", "--mode", "auto");
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(refusals(run), [null, "approval", "approval", "approval"]);
    assert.ok(s.ws.exists("yes.txt"));
    for (const name of ["no.txt", "enter.txt", "end.txt"]) assert.ok(!s.ws.exists(name), name);
    assert.match(
      run.stderr,
      /❓ write → yes\.txt \(2 lines\)\r?\n {6}\+ 1\r?\n {6}\+ 2\r?\n {6}Run it\?/,
    );
    assert.match(s.server.results()[1]!, /^Error: refused: the user said no: say y first\. Do as/);
    assert.match(s.server.results()[2]!, /^Error: refused: the user said no\. /);
  });
});

test_on_terminal("what was typed before a question is no answer to it", async () => {
  const replies = [bash("echo x > one.txt"), bash("echo x > two.txt")];
  await play({ replies }, async (s) => {
    const typed = [[PROMPT, "y\ny\na\n"], [PROMPT, "n\n"]] as const;
    const run = await on_terminal(s, typed, "--confirm", "all");
    assert.deepEqual(refusals(run), [null, "approval"], run.stderr);
    assert.ok(s.ws.exists("one.txt") && !s.ws.exists("two.txt"));
  });
});

test_on_terminal("always holds for what was asked, until the run ends", async () => {
  const replies = [
    call("write", { path: "a", content: "" }),
    call("write", { path: "b", content: "" }),
    bash("echo x > c"),
    bash("echo x > d"),
    bash("rm -rf ./*"),
    call("write", { path: "e", content: "" }),
  ];
  await play({ replies }, async (s) => {
    const typed = [
      ["[a]lways in this run: ", "a\n"],
      ["[a]ll but dangerous commands: ", "a\n"],
      ["removes the workspace", "n\n"],
    ] as const;
    const run = await on_terminal(s, typed, "--confirm", "all");
    assert.deepEqual(refusals(run), [null, null, null, null, "approval", null]);
    assert.equal(run.stderr.split(PROMPT).length - 1, 3);
    for (const name of ["a", "b", "c", "d", "e"]) assert.ok(s.ws.exists(name), name);
  });
});

test_on_terminal("the whole of a command is in the question, and nothing covers it", async () => {
  const command = `echo ${"x".repeat(300)}\ngit push origin 'main\x1b[2K\u202e'`;
  await play({ replies: [bash(command)] }, async (s) => {
    const running = s.start(["run", "--confirm", "sensitive", "Push it."], {
      wrapper: ["python3", ON_TERMINAL, JSON.stringify([["no text has this", ""]])],
      stdin: { open: true },
    });
    await until("the question is there", () => running.stderr().includes(PROMPT));
    // Some times as long as it takes until a live line is drawn.
    await pause(500);
    const shown = running.stderr();
    running.kill("SIGTERM");
    await running.done;
    const question = shown.slice(shown.indexOf("❓"));
    assert.equal(
      question,
      `❓ bash → echo ${"x".repeat(300)}\r\n      git push origin 'main[U+001B][2K[U+202E]'\r\n` +
        `      \`git push origin main[2K\` sends commits to another repository\r\n      ${PROMPT}lways in this run: `,
    );
  });
});

test_on_terminal("Ctrl-C at a question interrupts the run", async () => {
  await play({ replies: [call("write", { path: "a", content: "" })] }, async (s) => {
    const run = await on_terminal(s, [[PROMPT, "\x03"]], "--confirm", "all");
    assert.deepEqual([run.code, run.result.stop_reason], [130, "user_interrupt"]);
    assert.ok(!s.ws.exists("a"));
    assert.deepEqual(refusals(run), [null]);
  });
});

test_on_terminal("blanks push nothing of a command out of sight", async () => {
  const replies = [`true${" ".repeat(10_000)}; touch a`, `touch a${"\n".repeat(500)}true`];
  await play({ replies: replies.map((command) => bash(command)) }, async (s) => {
    const run = await on_terminal(s, [[PROMPT, "n\n"], [PROMPT, "n\n"]], "--confirm", "all");
    assert.deepEqual(refusals(run), ["approval", "approval"]);
    assert.match(run.stderr, /❓ bash → true \[10000 blanks\] ; touch a\r?\n {6}Run it\?/);
    assert.match(run.stderr, /❓ bash → touch a\r?\n {6}\[499 blank lines\]\r?\n {6}true\r?\n/);
  });
});

test_on_terminal("a question ends with the time of the step", async () => {
  await play({ replies: [call("write", { path: "a", content: "" })] }, async (s) => {
    const run = await on_terminal(s, [], "--confirm", "all", "--step-timeout", "1");
    assert.deepEqual([run.code, run.result.stop_reason], [5, "timeout"]);
    assert.ok(!s.ws.exists("a"));
  });
});

Deno.test("a verify command of the workspace's own is judged like one of the model's, and named", async () => {
  const cases: readonly (readonly [string, readonly string[], RegExp | null])[] = [
    ["touch ran", [], null],
    ["touch ran", ["--confirm", "all"], /not run: refused: no one can be asked here/],
    ["touch ran; git push", [], /not run: refused: `git push` sends commits/],
    ["touch ran; git push --help", ["--confirm", "sensitive"], null],
  ];
  for (const [command, flags, refused] of cases) {
    const files = { ".hamr/config.toml": `[verify]\ncommand = "${command}"\n` };
    await play({ replies: [], files }, async (s) => {
      const run = await s.run("Is it fine?", "--mode", "verify", ...flags);
      assert.deepEqual(run.result.warnings.filter((text) => /verify command/.test(text)), [
        `the verify command comes from the workspace's settings: ${command}`,
      ]);
      if (refused === null) {
        assert.ok(s.ws.exists("ran"), run.stderr);
        assert.notEqual(run.result.verification, null);
        return;
      }
      assert.deepEqual([run.code, run.result.stop_reason], [2, "contract_unsatisfied"]);
      assert.match(run.result.error!.message, refused);
      assert.equal(run.result.verification, null);
      assert.equal(run.result.evidence.refused, 1);
      assert.ok(!s.ws.exists("ran"));
    });
  }
});

test_on_terminal(
  "a verify command of the user's own is not judged, and one from a workspace can be allowed",
  async () => {
    const files = { ".hamr/config.toml": '[verify]\ncommand = "touch theirs"\n' };
    await play({ replies: [], files }, async (s) => {
      const flags = ["--verify", "touch mine", "--confirm", "all"];
      const { result } = await s.run("Is it fine?", ...flags);
      assert.deepEqual([result.exit_code, result.warnings], [0, []]);
      assert.ok(s.ws.exists("mine") && !s.ws.exists("theirs"));
    });
    await play({ replies: [], files }, async (s) => {
      const run = await on_terminal(s, [[PROMPT, "y\n"]], "--mode", "verify", "--confirm", "all");
      assert.equal(run.code, 0, run.stderr);
      assert.match(run.stderr, /❓ bash → touch theirs/);
      assert.ok(s.ws.exists("theirs"));
    });
  },
);

Deno.test("flags that contradict each other, and a host, are one line and exit 3", async () => {
  const bad: readonly (readonly [readonly string[], RegExp])[] = [
    [["--deny-net", "--allow-net"], /--deny-net and --allow-net contradict each other/],
    [["--yolo", "--confirm", "all"], /--yolo and --confirm contradict each other/],
    [["--allow-net=https://example.com"], /https:\/\/example\.com/],
    [["--confirm", "maybe"], /--confirm: must be refuse, sensitive, all or never, not "maybe"/],
  ];
  await stage({ script: [] }, async (s) => {
    for (const [flags, expected] of bad) {
      const { code, stderr, stdout } = await s.hamr(["run", ...flags, "What is it?"]);
      assert.equal(code, 3, flags.join(" "));
      assert.match(stderr, expected);
      assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
      assert.equal(stdout, "");
    }
    assert.deepEqual(s.server.paths, []);
  });
});
