import assert from "node:assert/strict";
import { each } from "./support/hamr.ts";
import { gone, inside_stage, mark, stage, steps, tools } from "./support/stage.ts";

/** Most bytes of a result: 2 kB from the beginning of an output, 8 kB from its end, and where the rest is. */
const MOST = 10 * 1024;

const bash = (command: string, timeout?: number): [string, Record<string, unknown>] => [
  "bash",
  timeout === undefined ? { command } : { command, timeout },
];

/** What the model reads of each command, run one after the other in a workspace. */
async function outputs(...commands: (string | [string, number])[]): Promise<readonly string[]> {
  const calls = commands.map((c) => typeof c === "string" ? bash(c) : bash(...c));
  return await inside_stage({ files: { "a.txt": "" }, script: steps(...calls) }, async (s) => {
    const { run, texts } = await tools(s);
    assert.equal(run.code, 0, run.stderr);
    return texts;
  });
}

/** Paths that are in a text. */
function paths_in(text: string): string[] {
  return [...text.matchAll(/\/[\w./+-]+/g)].map((m) => m[0].replace(/\.$/, ""));
}

Deno.test("bash runs in the workspace and gives output and exit code", async () => {
  const [list, fail, silent, signal] = await outputs(
    "ls; echo $((6 * 7))",
    "echo before; exit 77",
    "true",
    "kill -9 $$",
  );
  assert.match(list!, /a\.txt\n42/);
  assert.match(fail!, /before/);
  assert.match(fail!, /\b77\b/);
  assert.ok(silent!.length > 0, "an empty result is no result");
  assert.match(signal!, /137|SIGKILL|signal/i);
});

Deno.test("bash keeps the order of both streams", async () => {
  const script = "for i in 1 2 3 4; do echo out$i; echo err$i >&2; done";
  const [text] = await outputs(script);
  const order = [...text!.matchAll(/(?:out|err)\d/g)].map((m) => m[0]);
  assert.deepEqual(order, ["out1", "err1", "out2", "err2", "out3", "err3", "out4", "err4"]);
});

Deno.test("bash is a bash, of several lines, with a closed stdin", async () => {
  const [lines, input, array] = await outputs(
    "cat <<'END'\n  two\nlines $HOME\nEND",
    'cat; read x; echo "read gave $?"',
    'a=(x y z); [[ ${a[2]} == z ]] && echo "array ${#a[@]}"',
  );
  assert.match(lines!, / {2}two\nlines \$HOME/);
  assert.match(input!, /read gave 1/);
  assert.match(array!, /array 3/);
});

Deno.test(
  "what a command let go of and has ended is cleared while it runs: each counts against a limit on processes",
  {
    ignore: Deno.build.os !== "linux",
  },
  async () => {
    const ended = 'cat /proc/[0-9]*/stat 2> /dev/null | grep -c ") Z $PPID "';
    const command = "for i in $(seq 30); do (sleep 0.01 &); done; " +
      `for n in $(seq 100); do z=$(${ended}); [ $z = 0 ] && break; sleep 0.1; done; echo "left $z"`;
    // From outside: of the process of a test others may have ended, too.
    await stage({ script: steps(bash(command)) }, async (s) => {
      const { texts: [text] } = await tools(s);
      assert.match(text!, /left 0/);
    });
  },
);

Deno.test("bash survives bytes that are not text", async () => {
  const [text, nul] = await outputs(
    "printf 'a\\xff\\xfeb\\n'; printf '世' | head -c 2",
    "printf 'a\\0b'",
  );
  assert.match(text!, /^a.*b$/m);
  assert.ok(nul!.includes("a") && nul!.includes("b"));
});

Deno.test("bash ends a command at its time limit, and all it started", async () => {
  const seconds = mark();
  const script = steps(
    bash(`echo begun; sleep ${seconds} & sleep ${seconds}`, 1),
    bash("echo next"),
  );
  await inside_stage({ script }, async (s) => {
    const { run, texts, events } = await tools(s);
    assert.ok(run.ms < 100_000, `${run.ms} ms`);
    assert.match(texts[0]!, /begun/);
    assert.match(texts[0]!, /time|longer/i);
    assert.equal(events[0]?.["ok"], false);
    assert.match(texts[1]!, /next/);
    await gone(seconds);
  });
});

Deno.test("bash ends a command that ignores SIGTERM", async () => {
  const seconds = mark();
  const script = steps(bash(`trap '' TERM INT HUP; sleep ${seconds}; sleep ${seconds}`, 1));
  await inside_stage({ script }, async (s) => {
    const { run } = await tools(s);
    assert.ok(run.ms < 100_000, `${run.ms} ms`);
    await gone(seconds);
  });
});

Deno.test("a background child neither hangs bash nor outlives the run", async () => {
  const ways = [
    (x: string) => `sleep ${x} & echo started`,
    (x: string) => `nohup sleep ${x} >/dev/null 2>&1 & echo started`,
    (x: string) => `(sleep ${x} &) ; echo started`,
    (x: string) => `setsid sleep ${x} >/dev/null 2>&1 & echo started`,
    (x: string) => `setsid -f sleep ${x}; echo started`,
  ];
  await each(ways, async (way) => {
    const seconds = mark();
    await inside_stage({ script: steps(bash(way(seconds))) }, async (s) => {
      const { run, texts } = await tools(s);
      assert.match(texts[0]!, /started/);
      assert.ok(run.ms < 100_000, `${run.ms} ms`);
      await gone(seconds);
    });
  });
});

Deno.test("a server in the background serves the next command", async () => {
  const [, text] = await outputs(
    "(while :; do date +%s%N > beat; sleep 0.05; done) & echo up",
    "a=$(cat beat); for i in $(seq 100); do sleep 0.1; b=$(cat beat); " +
      '[ -n "$b" ] && [ "$a" != "$b" ] && echo "still beats" && break; done',
  );
  assert.match(text!, /still beats/);
});

Deno.test("bash caps long output to head and tail, and keeps all of it in a file", async () => {
  await inside_stage({ script: steps(bash("seq 1 200000; echo the end")) }, async (s) => {
    const { run, texts } = await tools(s);
    const text = texts[0]!;
    assert.ok(text.length <= MOST, `${text.length}`);
    assert.match(text, /^1\n2\n3\n/m);
    assert.match(text, /^199999\n200000\nthe end$/m);
    const whole = Array.from({ length: 200000 }, (_, i) => `${i + 1}\n`).join("") + "the end\n";
    const spilled = paths_in(text).filter((path) => {
      try {
        return Deno.readTextFileSync(path) === whole;
      } catch {
        return false;
      }
    });
    assert.equal(
      spilled.length,
      1,
      `no file with the whole output is named in:\n${text.slice(0, 300)}`,
    );
    assert.ok(!spilled[0]!.startsWith(s.ws.path), "it is not put into the workspace");
    assert.deepEqual(run.result.files_changed, []);
  });
});

Deno.test("the model can read what was spilled", async () => {
  let path = "";
  const script = (request: { n: number; raw: string }, n: number) => {
    if (n === 0) return { calls: [{ name: "bash", args: { command: "seq 1 100000" } }] };
    if (n === 1) {
      const last = JSON.parse(request.raw).messages.at(-1).content as string;
      path = paths_in(last).at(-1) ?? "";
      return { calls: [{ name: "read", args: { path, offset: 50_000, limit: 2 } }] };
    }
    return { text: "Everything was read as it was asked." };
  };
  await inside_stage({ script }, async (s) => {
    const { texts } = await tools(s);
    assert.match(texts[1]!, /50000: ?50000\n.*50001: ?50001/, `${path}: ${texts[1]}`);
  });
});

Deno.test("bash takes one long line, and output without an end of line", async () => {
  const [long, open] = await outputs(
    "head -c 300000 /dev/zero | tr '\\0' x; echo; echo tail",
    "printf 'no newline'",
  );
  assert.ok(long!.length <= MOST, `${long!.length}`);
  assert.match(long!, /xxx/);
  assert.match(long!, /tail/);
  assert.match(open!, /no newline/);
});

Deno.test("a command that prints 128 MB does no harm", async () => {
  await stage(
    { script: steps(bash("yes 0123456789abcde | head -c 134217728; echo last", 100)) },
    async (s) => {
      const { run, texts } = await tools(s);
      assert.equal(run.code, 0, run.stderr);
      const shown = texts[0]!.replace(/\n\[… .* left out; .* …\]\n/, "");
      assert.ok(shown.length <= MOST, `${shown.length}`);
      assert.match(texts[0]!, /0123456789abcde/);
      assert.match(texts[0]!, /last/);
      assert.ok(run.peak_kb < 200_000, `${run.peak_kb} kB`);
    },
  );
});

Deno.test("a command that can't be is answered, not a crash", async () => {
  const texts = await outputs(
    "echo a\0b",
    "",
    "no_such_program_here",
    "if then",
    "x".repeat(300_000),
  );
  assert.equal(texts.length, 5);
  assert.match(texts[2]!, /127|not found/);
  assert.match(texts[3]!, /syntax/);
});

Deno.test("several commands of one reply run in order", async () => {
  const calls = [1, 2, 3].map((n) => ({
    name: "bash",
    args: { command: `sleep 0.${4 - n}; echo ${n} >> log; cat log` },
  }));
  const script = [{ calls }, { text: "They were run one after the other." }];
  await inside_stage({ script }, async (s) => {
    const { texts } = await tools(s);
    assert.equal(s.ws.read("log"), "1\n2\n3\n");
    assert.match(texts[2]!, /1\n2\n3/);
  });
});
