import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { each, environment, PROGRAM } from "./support/hamr.ts";
import { installed } from "./support/installed.ts";
import { ANSWER, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

const ON_TERMINAL = fileURLToPath(new URL("./support/on_terminal.py", import.meta.url));

/** Flags of `run` in section 3 of the contract, each with a value where it takes one. */
const FLAGS: readonly (readonly [string, string?])[] = [
  ["--model", "m"],
  ["--provider", "p"],
  ["--base-url", "http://127.0.0.1:9/v1"],
  ["--api-mode", "chat_completions"],
  ["--tool-call-format", "native"],
  ["--context-window", "8192"],
  ["--max-output-tokens", "100"],
  ["--temperature", "0.5"],
  ["--reasoning-effort", "low"],
  ["--fallback", "p/m"],
  ["--mode", "ask"],
  ["--verify", "true"],
  ["--repair-attempts", "1"],
  ["--self-eval", "off"],
  ["--rubric", "text"],
  ["--max-steps", "3"],
  ["--max-tool-calls", "3"],
  ["--timeout", "60"],
  ["--step-timeout", "60"],
  ["--max-cost", "1"],
  ["--token-budget", "1000"],
  ["--allow-read", "/tmp"],
  ["--deny-read", "/tmp"],
  ["--allow-write", "/tmp"],
  ["--allow-run", "ls"],
  ["--allow-net", "loopback"],
  ["--deny-net"],
  ["--allow-env", "LANG"],
  ["--sandbox", "auto"],
  ["--confirm", "never"],
  ["--yolo"],
  ["--dry-run"],
  ["--output", "json"],
  ["--json"],
  ["--quiet"],
  ["--no-stream"],
  ["--log-file", "/dev/null"],
  ["--no-color"],
  ["--junit", "/dev/null"],
  ["--code-quality", "/dev/null"],
  ["--exit-code-on-partial", "false"],
  ["--continue"],
  ["--resume", "x"],
  ["--no-save"],
  ["--image", "x.png"],
  ["--config", "x.toml"],
];

Deno.test("a flag of the contract is in the help, or it is unknown: never ignored", async () => {
  await stage({}, async (s) => {
    const { stdout: help } = await s.hamr(["run", "--help"]);
    const hidden = FLAGS.filter(([flag]) => !new RegExp(`${flag}\\b(?!-)`).test(help));
    assert.ok(hidden.length < FLAGS.length - 15, `the help shows hardly any flag:\n${help}`);
    await each(hidden, async ([flag, value]) => {
      const args = [value === undefined ? flag : `${flag}=${value}`, "What is it?"];
      const { code, stderr } = await s.hamr(["run", ...args]);
      assert.equal(code, 3, `${flag} is not in the help, but is taken`);
      assert.ok(stderr.includes(flag), stderr);
    });
    assert.deepEqual(s.server.requests.length, 0);
  });
});

Deno.test("a bad flag is one line on stderr that names it and the nearest spelling", async () => {
  const bad: readonly (readonly [readonly string[], RegExp])[] = [
    [["--max-step", "3"], /--max-step\b.*--max-steps/],
    [["--modle", "x"], /--modle.*--model/],
    [["--quite"], /--quite.*--quiet/],
    [["--mode", "pach"], /--mode.*pach.*patch/],
    [["--max-steps", "0.5"], /--max-steps.*0\.5/],
    [["--max-steps", "-1"], /--max-steps.*-1/],
    [["--max-steps", "many"], /--max-steps.*many/],
    [["--timeout", "soon"], /--timeout.*soon/],
    [["--output", "xml"], /--output.*xml/],
    [["--sandbox", "of"], /--sandbox.*of/],
  ];
  await stage({ script: [] }, async (s) => {
    await each(bad, async ([flags, line]) => {
      const { code, stdout, stderr } = await s.hamr(["run", ...flags, "What is it?"]);
      assert.equal(code, 3, flags.join(" "));
      assert.match(stderr, line);
      assert.equal(stderr.trimEnd().split("\n").length, 1, stderr);
      assert.equal(stdout.trim(), "");
    });
    const { code, stderr } = await s.hamr(["run", "What is it?", "--model"]);
    assert.equal(code, 3);
    assert.match(stderr, /--model/);
    assert.deepEqual(s.server.paths, [], "nothing was started");
  });
});

Deno.test("an unknown command names the nearest one", async () => {
  await stage({ script: [] }, async (s) => {
    const { code, stderr, stdout } = await s.hamr(["rnu", "task"]);
    assert.equal(code, 3);
    assert.match(stderr, /rnu.*run/);
    assert.equal(stdout, "");
  });
});

Deno.test("--version is a line, --help is for a person, both on stdout", async () => {
  await stage({ script: [] }, async (s) => {
    const version = await s.hamr(["--version"]);
    assert.equal(version.code, 0);
    assert.match(version.stdout, /^hamr \d+\.\d+\.\d+/);
    const help = await s.hamr(["--help"]);
    assert.equal(help.code, 0);
    for (const command of ["run", "demo", "doctor", "config"]) {
      assert.match(help.stdout, new RegExp(`^\\s+(hamr )?${command}\\b`, "m"));
    }
    assert.equal(help.stderr, "");
    for (const command of ["run", "demo", "doctor", "config"]) {
      const { code, stdout } = await s.hamr([command, "--help"]);
      assert.equal(code, 0, command);
      assert.match(stdout, new RegExp(`hamr ${command}`));
    }
    assert.deepEqual(s.server.paths, []);
  });
});

Deno.test("completions for bash know commands, flags, files, folders and the sessions that are saved", async () => {
  await stage({
    script: () => say(ANSWER),
    one_conversation: false,
    models: ["scripted", "other:27b", "other:7b"],
  }, async (s) => {
    const { result: { session_id } } = await s.run("What is\tthis?");
    const { stdout: script } = await s.hamr(["completions", "bash"]);
    const lines = [
      [["run", "--mode", "=", "pa"], "patch"],
      [["run", "--config", "note"], "notes 1.txt"],
      [["run", "-C", "su"], "sub"],
      [["sandbox", "--", "--m"], ""],
      [["resume", ""], session_id],
      [["run", "--base-url", "=", "http", ":", s.server.url.slice(5), "-m", "scr"], "scripted"],
      [["run", "--base-url", s.server.url, "--model", "=", "other", ":", "2"], "27b"],
    ] as const;
    s.ws.write("notes 1.txt", "");
    s.ws.write("sub/", "");
    s.outside.write(
      "hamr",
      `#!/bin/sh\nexec ${PROGRAM.map((word) => `'${word}'`).join(" ")} "$@"\n`,
    );
    Deno.chmodSync(s.outside.at("hamr"), 0o755);
    const calls = lines.map(([words]) =>
      `COMP_WORDS=(hamr ${
        words.map((word) => `'${word}'`).join(" ")
      }) COMP_CWORD=${words.length}\n` +
      `_hamr; printf '%s\\n' "\${COMPREPLY[*]}"`
    );
    const complete = async () => {
      const { code, stdout, stderr } = await new Deno.Command("bash", {
        args: [
          "--norc",
          "-u",
          "-c",
          [script, "complete -p hamr >/dev/null || exit 9", ...calls].join("\n"),
        ],
        cwd: s.ws.path,
        env: { ...s.env, ...environment(s.home.path), PATH: `${s.outside.path}:/usr/bin:/bin` },
        clearEnv: true,
      }).output();
      assert.deepEqual([code, new TextDecoder().decode(stderr)], [0, ""]);
      return new TextDecoder().decode(stdout).split("\n").slice(0, -1);
    };
    const expected = lines.map(([, word]) => word);
    let found = await complete();
    // Nobody waits for a server's models at a prompt: on a busy machine they come too late for one Tab, and for the next they don't.
    for (let n = 0; n < 20 && found.slice(-2).includes(""); n++) found = await complete();
    assert.deepEqual(found, expected);
    const { stdout: told } = await s.hamr(["__complete", ":", "resume"]);
    assert.equal(told, `${session_id}\tWhat is this?\n`);
    // Shells show it as it comes.
    await s.hamr(["run", "--quiet", "What \x1b]0;x\x07is that?"]);
    const { stdout: hostile } = await s.hamr(["__complete", ":", "resume"]);
    assert.match(hostile, /\tWhat \]0;xis that\?\n/);
    assert.equal((await s.hamr(["completions", "tcsh"])).code, 3);
  });
});

Deno.test("a task may follow --, and stands as it was typed", async () => {
  await stage({}, async (s) => {
    await s.hamr(["run", "--quiet", "--", "--model is what?"]);
    assert.match(s.server.requests[0]!.raw, /--model is what\?/);
  });
});

Deno.test("stdin is read where - stands", async () => {
  await stage({}, async (s) => {
    const { code, stdout } = await s.hamr(["run", "Explain this:", "-"], { stdin: "log line 17" });
    assert.equal(code, 0);
    assert.equal(stdout, ANSWER + "\n");
    const user = s.server.requests[0]!.body.messages.at(-1)?.content ?? "";
    assert.match(user, /Explain this:[^]*log line 17/);
  });
});

Deno.test({
  name: "a person who pipes something in is told that it is not read",
  ignore: !installed("python3"),
  fn: () =>
    stage({}, async (s) => {
      const wrapper = ["python3", ON_TERMINAL, "[]", "sh", "-c", 'echo not for you | "$@"', "sh"];
      const { code, stderr } = await s.hamr(["run", "What is it?"], { wrapper });
      assert.equal(code, 0, stderr);
      assert.match(stderr, /standard input is not read; a - behind the task/);
      assert.doesNotMatch(s.server.requests[0]!.raw, /not for you/);
    }),
});

Deno.test("stdin is the task where there is none", async () => {
  await stage({}, async (s) => {
    // As PowerShell 5 redirects text: UTF-16 with a byte order mark.
    const units = Uint16Array.from("\ufeffWhat is in the pipe?", (c) => c.charCodeAt(0));
    const { code } = await s.hamr(["run"], { stdin: new Uint8Array(units.buffer) });
    assert.equal(code, 0);
    assert.match(s.server.requests[0]!.raw, /What is in the pipe\?/);
  });
});

Deno.test("an inherited open pipe neither hangs a run nor is read", async () => {
  await stage({}, async (s) => {
    const { code } = await s.hamr(["run", "What is it?"], { stdin: { open: true } });
    assert.equal(code, 0);
  });
  await stage({}, async (s) => {
    await s.hamr(["run", "What is it?"], { stdin: "not for you" });
    assert.doesNotMatch(s.server.requests[0]!.raw, /not for you/);
  });
});

Deno.test("-C names the workspace, else it is the current folder", async () => {
  const files = { "deep/down/there.txt": "" };
  await stage({ files }, async (s) => {
    const here = await s.events("What is it?");
    assert.equal(here.events[0]?.["workspace"], s.ws.path);
  });
  await stage({ files }, async (s) => {
    const there = await s.events("What is it?", "-C", "deep/down");
    assert.equal(there.events[0]?.["workspace"], s.ws.at("deep/down"));
  });
});
