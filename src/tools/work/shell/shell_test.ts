import assert from "node:assert/strict";
import { installed } from "../../../../tests/support/installed.ts";
import { end_written } from "../../../sandbox/_testing.ts";
import { type Bench, bench, LIMITS, sh } from "../../_testing.ts";
import { type CommandResult, Shell } from "./shell.ts";

const SECOND = 1000;

function run(
  b: Bench,
  command: string,
  options: { timeout_s?: number; signal?: AbortSignal } = {},
): Promise<CommandResult> {
  return b.machine.shell.run(command, {
    timeout_s: options.timeout_s ?? 60,
    signal: options.signal ?? new AbortController().signal,
  });
}

/** Runs one command in a fresh workspace. */
async function one(command: string, timeout_s?: number): Promise<CommandResult> {
  return await bench({}, (b) => run(b, command, timeout_s === undefined ? {} : { timeout_s }));
}

/** A process is there and not a zombie. */
function alive(pid: string): boolean {
  try {
    return !/^\d+ \(.*\) [ZX]/.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function until(what: string, holds: () => boolean): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (holds()) return;
    await pause(25);
  }
  throw new Error(`never: ${what}`);
}

Deno.test("exit code, signal and output of a command", async () => {
  const table: [string, number | null, string | null, string][] = [
    ["echo hi", 0, null, "hi\n"],
    ["printf 'no end'; exit 77", 77, null, "no end"],
    ["true", 0, null, ""],
    ["", 0, null, ""],
    ["# only a comment", 0, null, ""],
    ["\n\necho after lines\n\n", 0, null, "after lines\n"],
    ["kill -9 $$", null, "SIGKILL", ""],
    ["set -e; false; echo never", 1, null, ""],
    ["cat <<'END'\n  $HOME\nEND", 0, null, "  $HOME\n"],
    ["cat <<END | tr a-z A-Z\nword\nEND", 0, null, "WORD\n"],
    ["a=(x y); [[ ${a[1]} == y ]] && echo array", 0, null, "array\n"],
    ["read x; echo $?; cat", 0, null, "1\n"],
    ["exec >&-; echo lost; exit 3", 3, null, ""],
    ["exec >&- 2>&-; sleep 0.1; exit 4", 4, null, ""],
    ["trap 'echo bye' EXIT; exit 5", 5, null, "bye\n"],
    ["printf 'a\\xffb\\0c'", 0, null, "a\ufffdb␀c"],
    ['if true; then\n  echo "line $LINENO"\nfi', 0, null, "line 2\n"],
  ];
  await bench({}, async (b) => {
    for (const [command, exit_code, signal, output] of table) {
      const result = await run(b, command);
      const got = [result.exit_code, result.signal, result.output, result.ended_by];
      if (command.includes("echo lost")) got[2] = "";
      assert.deepEqual(got, [exit_code, signal, output, "itself"], command);
      assert.equal(result.background, false, command);
    }
  });
});

Deno.test("errors name the lines as the model wrote them", async () => {
  await bench({}, async (b) => {
    const at = async (command: string) => (await run(b, command)).output;
    assert.match(await at("no_such_program"), /^\/bin\/bash: line 1: no_such_program: /);
    assert.match(await at("true\nno_such"), /^\/bin\/bash: line 2: no_such: /);
    assert.match(await at("\nno_such"), /line 2/);
    assert.match(await at("f() {\n  no_such\n}\nf"), /line 2/);
    assert.equal(
      await at("if then"),
      "/bin/bash: -c: line 1: syntax error near unexpected token `then'\n" +
        "/bin/bash: -c: line 1: `if then'\n",
    );
    const second = await at("echo first\nif then");
    assert.match(second, /^first\n.*line 2: syntax error near unexpected token `then'/);
    assert.match(await at('echo "open'), /line 1: unexpected EOF while looking for matching/);
    assert.match(await at("while true; do\n(\ndone"), /syntax error near unexpected token/);
    assert.match(await at("cat <<END\nno end"), /^no end/);
    assert.equal((await run(b, "if then")).exit_code, 2);
  });
});

Deno.test("limits change nothing of what a command says", async () => {
  await bench({}, async (b) => {
    const limited = new Shell({ ...b.policy, sandbox: "auto" }, LIMITS, null);
    const options = { timeout_s: 60, signal: new AbortController().signal };
    const commands = [
      "if then",
      "true\nno_such",
      "echo first\nif then",
      'echo "open',
      "cat <<END\nno end",
      `: ${"x".repeat(200_000)}\nno_such\necho $LINENO`,
      'exec 3>&1 2>&-; echo $0 $# "$BASH_EXECUTION_STRING" | tail -c 20',
    ];
    for (const command of commands) {
      const [one, other] = [await limited.run(command, options), await run(b, command)];
      const words = ({ output }: CommandResult) => output.replaceAll(/command-[-\w]+/g, "command");
      assert.equal(words(one), words(other), command.slice(0, 40));
      assert.equal(one.exit_code, other.exit_code);
    }
    assert.equal((await limited.run("ulimit -c; ulimit -Hf", options)).output, "0\n10485760\n");
  });
});

Deno.test(
  "a command that looks for processes by a word of its own does not find, or end, its own shell",
  {
    ignore: !installed("pgrep"),
  },
  async () => {
    const word = `hamr-${crypto.randomUUID()}`;
    const { output } = await one(
      `pgrep -f ${word}; ps ax -o args= | grep ${word} | grep -v grep; pkill -f ${word}; echo "still $?"`,
    );
    assert.equal(output, "still 1\n");
  },
);

Deno.test("both streams come in the order in which they were written", async () => {
  const { output } = await one(
    "for i in $(seq 300); do echo out$i; echo err$i >&2; done; ls /none; echo end",
  );
  const expected = Array.from({ length: 300 }, (_, i) => `out${i + 1}\nerr${i + 1}\n`).join("");
  assert.ok(output.startsWith(expected));
  assert.match(output.slice(expected.length), /^ls: .*\nend\n$/);
});

Deno.test("a command has the workspace, and of the environment only what is listed", async () => {
  Deno.env.set("HAMR_TEST_SECRET", "secret");
  const env = { PATH: "/usr/bin:/bin", HOME: "/home/x", LC_ALL: "xx_XX.UTF-8", ODD: "a'b\n$c" };
  await bench({ env }, async (b) => {
    const { output } = await run(b, "pwd; env -0");
    const [pwd, ...rest] = output.split("\n");
    assert.equal(pwd, b.workspace);
    const given = Object.fromEntries(
      rest.join("\n").split("␀").filter((line) => line !== "").map((line) => {
        const at = line.indexOf("=");
        return [line.slice(0, at), line.slice(at + 1)];
      }),
    );
    // What bash itself sets.
    const { PWD, SHLVL, _, ...passed } = given;
    assert.deepEqual([PWD, SHLVL, _], [b.workspace, "0", "/usr/bin/env"]);
    assert.deepEqual(passed, env, "and nothing is said of a locale that is not installed");
  });
  Deno.env.delete("HAMR_TEST_SECRET");
});

Deno.test("a command leads a session of its own, without a terminal", {
  ignore: !installed("ps"),
}, async () => {
  const { output } = await one("ps -o pid=,pgid=,sid=,tty= -p $$; cat < /dev/tty");
  const [line, tty] = output.split("\n");
  const [pid, group, session, terminal] = line?.trim().split(/\s+/) ?? [];
  assert.deepEqual([group, session, terminal], [pid, pid, "?"]);
  assert.match(tty ?? "", /\/dev\/tty: No such device/);
});

/** A command ends at its time limit, at first politely. */
async function polite(): Promise<void> {
  const polite = await one("trap 'echo asked; exit 9' TERM; echo begun; sleep 30 & wait", 0.3);
  assert.deepEqual([polite.ended_by, polite.exit_code], ["timeout", 9]);
  assert.equal(polite.output, "begun\nasked\n");
}

/** A command that ignores SIGTERM is killed two seconds later, with all it started. */
async function stubborn(): Promise<void> {
  await bench({}, async (b) => {
    const start = performance.now();
    const result = await run(
      b,
      "trap '' TERM; sleep 99 & echo $! $$; (trap '' TERM; sleep 99 & echo $!; wait); wait",
      { timeout_s: 1 },
    );
    const took = performance.now() - start;
    assert.deepEqual([result.ended_by, result.signal], ["timeout", "SIGKILL"]);
    assert.ok(took > 2.9 * SECOND, `${took} ms`);
    const pids = result.output.trim().split(/\s+/);
    assert.equal(pids.length, 3);
    await until("all are gone", () => !pids.some(alive));
  });
}

/** Where the shell ends in time but what it started does not, that is ended too. */
async function left_over(): Promise<void> {
  await bench({}, async (b) => {
    const result = await run(b, "(trap '' TERM; sleep 99) & echo $!; sleep 99", { timeout_s: 1 });
    assert.equal(result.ended_by, "timeout");
    await until("it is gone", () => !alive(result.output.trim()));
  });
}

/** What the shell started has two seconds as well, though the shell itself ends at once. */
async function tidy(): Promise<void> {
  const child =
    "(trap 'sleep 0.6; echo tidied up; exit' TERM; echo up; while :; do sleep 0.1; done)";
  const { output, ended_by } = await one(`${child}; true`, 1);
  assert.equal(ended_by, "timeout");
  assert.match(output, /^up\n(?:Terminated\n)?tidied up\n$/);
}

Deno.test("time limits: at first politely, after two seconds not, and for all that was started", async () => {
  await Promise.all([polite(), stubborn(), left_over(), tidy()]);
});

Deno.test("a command can be canceled, before and while it runs", async () => {
  await bench({}, async (b) => {
    const early = new AbortController();
    early.abort();
    const not_begun = await run(b, "touch made", { signal: early.signal });
    assert.equal(not_begun.ended_by, "cancel");
    assert.deepEqual([...Deno.readDirSync(b.workspace)], [], "it was not even started");
    const late = new AbortController();
    const running = run(b, "echo begun; touch up; sleep 99", { signal: late.signal });
    await until("it has begun", () => b.machine.files.exists(b.at("up")));
    late.abort();
    const cancelled = await running;
    assert.deepEqual([cancelled.ended_by, cancelled.output], ["cancel", "begun\n"]);
  });
});

Deno.test("a background child neither holds the command up nor dies of its closed output", async () => {
  await bench({}, async (b) => {
    const loop = "(while :; do echo noise; date +%s%N > beat; sleep 0.02; done) & echo $! > pid";
    const result = await run(b, loop);
    assert.deepEqual([result.exit_code, result.background], [0, true]);
    await until("the first beat", () => b.machine.files.exists(b.at("beat")));
    for (let n = 0; n < 3; n++) {
      const before = b.text("beat");
      await until("another beat", () => b.text("beat") !== before && b.text("beat") !== "");
    }
    end_written(b.text("pid"));
    const silent = await run(b, "sleep 99 >/dev/null 2>&1 & echo $!");
    assert.equal(silent.exit_code, 0);
    end_written(silent.output);
    await pause(100); // Its pipe is read to the end.
  });
});

Deno.test("a background child that says much does not fill the memory or the next output", async () => {
  await bench({}, async (b) => {
    // Not in the output: what is left out of the middle of that may be the id.
    await run(b, "yes loud & echo $! > pid");
    const second = await run(b, "sleep 0.3; echo quiet");
    end_written(b.text("pid"));
    await pause(100);
    assert.equal(second.output, "quiet\n");
  });
});

Deno.test("a command as long as it likes can be run", async () => {
  await bench({}, async (b) => {
    for (const length of [131_040, 131_056, 131_057, 131_058, 131_059, 131_060, 200_000]) {
      const head = "echo $LINENO; cat <<'END' | wc -c\n";
      const tail = "\nEND\nexit 6";
      const command = head + "é".repeat((length - head.length - tail.length) / 2) + tail;
      const result = await run(b, command);
      const [line, bytes] = result.output.split("\n");
      assert.deepEqual([line, result.exit_code], ["1", 6], `${length}`);
      assert.ok(Number(bytes) > 130_000, `${length}`);
    }
    assert.match((await run(b, `${"\n".repeat(200_000)}no_such`)).output, /line 200001: no_such/);
    assert.deepEqual([...Deno.readDirSync(b.policy.tmp)], [], "no script is left behind");
  });
});

Deno.test("a command that cannot be started is answered", async () => {
  await bench({}, async (b) => {
    const nul = await run(b, "echo a\0b");
    assert.deepEqual([nul.exit_code, nul.output], [
      127,
      "/bin/bash could not be started: the command has a NUL byte\n",
    ]);
    sh("rm -r work", b.root);
    const gone = await run(b, "true");
    assert.equal(gone.exit_code, 127);
    assert.equal(gone.not_started, true, "no hint at a flag");
    assert.match(gone.output, /could not be started: .*(?:cwd|No such|directory)/i);
    Deno.mkdirSync(b.workspace);
  });
});

Deno.test("100 MB of output go by in bounded memory, and as much of it is kept as promised", async () => {
  await bench({}, async (b) => {
    const before = Deno.memoryUsage().rss;
    const command = "echo first; yes 0123456789abcde | head -c 100000000; echo; echo last";
    const result = await run(b, command, { timeout_s: 60 });
    assert.equal(result.exit_code, 0);
    assert.ok(Deno.memoryUsage().rss - before < 60_000_000);
    assert.ok(result.output.length < 52_000);
    assert.match(result.output, /^first\n0123456789abcde\n/);
    assert.match(result.output, /\n0123456789abcde\n.*\n?last\n$/);
    const [, bytes, path = ""] = /its first (\d+) bytes are in (\S+),/.exec(result.output) ?? [];
    assert.equal(Deno.statSync(path).size, Number(bytes));
    assert.equal(sh(`head -c 6 ${path}`, b.root), "first\n");
  });
});

Deno.test("a command can be given variables, an input and a stderr of its own", async () => {
  const signal = new AbortController().signal;
  await bench({}, async (b) => {
    const more = { timeout_s: 60, signal, env: { EXTRA: "more" }, stdin: "in\n" };
    const command = 'cat; echo "$EXTRA" "$HOME"; echo err >&2';
    const joined = await b.machine.shell.run(command, more);
    assert.equal(joined.output, `in\nmore ${b.policy.env["HOME"]}\nerr\n`);
    assert.equal(joined.errors, "");
    const apart = await b.machine.shell.run(command, { ...more, apart: true });
    assert.equal(apart.output, `in\nmore ${b.policy.env["HOME"]}\n`);
    assert.equal(apart.errors, "err\n");
    const limits = { lines: 2, bytes: 100 };
    const cut = await b.machine.shell.run("seq 1 9", { ...more, limits });
    assert.match(cut.output, /^1\n\[… 7 of 9 lines /);
    // More than a pipe holds, and nobody reads it.
    const unread = await b.machine.shell.run("exit 3", { ...more, stdin: "x".repeat(1_000_000) });
    assert.equal(unread.exit_code, 3);
  });
});

Deno.test({
  name: "a shell that a program keeps from ending is not waited for without end",
  ignore: Deno.build.os !== "linux" || !installed("python3"),
  fn: () =>
    bench({}, async (b) => {
      // Seizes its parent, the leader, in a session of its own, and never looks at its end. PR_SET_PTRACER for Yama.
      const held = `
import ctypes, os, signal, time
libc = ctypes.CDLL(None)
libc.prctl(0x59616d61, -1, 0, 0, 0)
leader = os.getpid()
if os.fork() == 0:
  os.setsid()
  print(os.getpid(), libc.ptrace(0x4206, leader, None, None), flush=True)
  os.closerange(0, 3)
  signal.pause()
time.sleep(60)`;
      const stop = new AbortController();
      const running = run(b, `exec python3 -c '${held}' > traced`, { signal: stop.signal });
      const said = () => /^(\d+) (-?\d+)\n/.exec(b.text("traced")) ?? [];
      await until("traced", () => b.machine.files.exists(b.at("traced")) && said().length > 0);
      const [, tracer, traced] = said();
      stop.abort();
      const { ended_by, signal } = await running;
      end_written(tracer);
      assert.deepEqual([traced, ended_by, signal], ["0", "cancel", "SIGKILL"]);
    }),
});
