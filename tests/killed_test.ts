/** What a run that was killed (SIGKILL) had started: it is found, ended and said; and nothing else is. */
import assert from "node:assert/strict";
import { carried_by, left_of } from "./support/carried.ts";
import { each, until } from "./support/hamr.ts";
import { HIDDEN } from "./support/hidden.ts";
import { ANSWER, bash, say } from "./support/model_server.ts";
import { asleep, gone, mark, type Stage, stage, steps, tools } from "./support/stage.ts";

const on_linux = Deno.build.os === "linux";
/** Of what commands start. */
const SCORE = !on_linux
  ? 0
  : Math.min(Number(Deno.readTextFileSync("/proc/self/oom_score_adj")) + 500, 1000);
const is_root = on_linux && Deno.uid() === 0;
const KILLED = "the last run of this session was killed, or its end could not be saved";
const ENDED = /\d+ process(es)? of a run that was killed (was|were) still running: ended/;
/** A deadline is in whole seconds; two more until SIGKILL, and a busy machine. */
const OVER_MS = 10_000;

/** The shell's parent is hamr, and hamr is that of the watcher. The brackets keep it from naming itself. */
const END_WATCHER = "pkill -9 -P $PPID -f 'hamr-reape[r]'";

function linux(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !on_linux || HIDDEN, fn });
}

/** Starts a run, waits until its command has made the file `ready` and sleeps, and kills it. Returns what its processes carry. */
async function killed(
  s: Stage,
  seconds: string,
  args: readonly string[] = ["run", "Do it."],
): Promise<string> {
  const run = s.start(args);
  await until("it sleeps", () => s.ws.exists("ready") && asleep(seconds));
  const carried = carried_by(run.pid) ?? "";
  Deno.kill(run.pid, "SIGKILL");
  // Its standard output and standard error close: nothing of the run holds them open.
  await run.done;
  Deno.removeSync(s.ws.at("ready"));
  assert.notEqual(carried, "");
  return carried;
}

/** Ways for a command to have something running, `S` for the seconds it sleeps. */
const RUNNING: Readonly<Record<string, string>> = {
  "the command itself": "touch ready; sleep S; true",
  "one that ignores SIGTERM": "trap '' TERM; touch ready; sleep S; sleep S; true",
  "a background child": "sleep S > /dev/null 2>&1 & touch ready; sleep 60; true",
  "in a session of its own":
    "setsid sleep S < /dev/null > /dev/null 2>&1 & touch ready; sleep 60; true",
  "without its environment": "env -i setsid sleep S > /dev/null 2>&1 & touch ready; sleep 60; true",
  "in a folder elsewhere":
    "(cd / && setsid sleep S > /dev/null 2>&1 &); touch ready; sleep 60; true",
};

linux("undo first ends what a killed run left running, and says so", async () => {
  await each(Object.entries(RUNNING), async ([name, command]) => {
    const seconds = mark();
    const writer = "while :; do echo x >> a.txt; sleep 0.01; done & ";
    const script = [bash(writer + command.replaceAll("S", seconds)), say(ANSWER)];
    await stage({ script, files: { "a.txt": "0\n" } }, async (s) => {
      await killed(s, seconds);
      const undo = await s.hamr(["undo", "--force"]);
      assert.equal(undo.code, 0, undo.stderr);
      assert.match(undo.stderr, ENDED, name);
      assert.ok(!asleep(seconds), name);
      // Nobody is there to write to it anymore.
      assert.equal(s.ws.read("a.txt"), "0\n", name);
      const again = await s.hamr(["undo"]);
      assert.doesNotMatch(again.stderr, ENDED, name);
    });
  });
});

linux(
  "resume ends it as well, and the result says so; so does the next run, with or without a session",
  async () => {
    const first = ["run", "Do it."], pending = ["run", "--no-save", "Do it."];
    await each([
      { killed: first, next: ["resume"] },
      { killed: first, next: ["run", "--continue", "Go on."] },
      { killed: first, next: ["run", "Something else."] },
      { killed: pending, next: ["run", "--no-save", "Something else."] },
    ], async (one) => {
      const seconds = mark();
      const script = [bash(`setsid sleep ${seconds} & touch ready; sleep 60`), say(ANSWER)];
      await stage({ script, one_conversation: false }, async (s) => {
        await killed(s, seconds, one.killed);
        const next = await s.hamr([...one.next, "--json"]);
        assert.equal(next.code, 0, next.stderr);
        assert.match(next.result.warnings.join("\n"), ENDED);
        assert.ok(!asleep(seconds));
      });
    });
  },
);

linux("a resume that fails still says what it has ended", async () => {
  const seconds = mark();
  const score = "cat /proc/self/oom_score_adj > score";
  await stage({ script: [bash(`${score}; touch ready; sleep ${seconds}; true`)] }, async (s) => {
    await killed(s, seconds);
    // Where memory runs out it is ended before hamr.
    assert.equal(Number(s.ws.read("score")), SCORE);
    const resumed = await s.hamr(["resume", "--base-url", "http://127.0.0.1:1/v1"], {
      env: { HAMR_MODEL: "", HAMR_RETRY_MAX_WAIT_S: "1" },
    });
    assert.notEqual(resumed.code, 0);
    assert.match(resumed.stderr, ENDED);
    assert.ok(!asleep(seconds));
  });
});

linux("time limits hold although hamr is gone, for all that a command has started", async () => {
  const seconds = mark();
  const script = [
    bash(
      `trap '' TERM; setsid env -i sleep ${seconds} & sleep ${seconds} & touch ready; while :; do sleep ${seconds}; done`,
      3,
    ),
    say(ANSWER),
  ];
  await stage({ script }, async (s) => {
    const carried = await killed(s, seconds);
    assert.ok(left_of(carried).commands >= 3, "it has its time");
    await until(
      "its time is over, and its watcher gone",
      () => left_of(carried).all === 0,
      OVER_MS,
    );
    assert.ok(!asleep(seconds));
    const resumed = await s.hamr(["resume", "--json"]);
    assert.deepEqual(resumed.result.warnings, [KILLED]);
  });
});

linux("what had no time limit goes on until the workspace is worked in again", async () => {
  const seconds = mark();
  const script = [bash(`touch ready; sleep ${seconds}; true`)];
  await stage({ script, env: { HAMR_TOOLS_BASH_TIMEOUT_S: "0" } }, async (s) => {
    const carried = await killed(s, seconds);
    await until("shell and sleeper are alone", () => left_of(carried).all === 2, OVER_MS);
    assert.ok(asleep(seconds));
    assert.match((await s.hamr(["diff"])).stderr, ENDED);
    assert.ok(!asleep(seconds));
  });
});

linux("what watches over time limits comes back when a command has ended it", async () => {
  const seconds = mark();
  const script = [
    bash(`${END_WATCHER}; sleep 0.3`),
    bash(`sleep ${seconds} & touch ready; wait`, 2),
  ];
  await stage({ script }, async (s) => {
    await killed(s, seconds);
    await until("its time is over", () => !asleep(seconds), OVER_MS);
  });
});

linux("a command that ends its watcher while it runs is found all the same", async () => {
  const seconds = mark();
  const script = [
    bash(`${END_WATCHER}; sleep ${seconds} & touch ready; wait`),
    say(ANSWER),
  ];
  await stage({ script }, async (s) => {
    await killed(s, seconds);
    assert.match((await s.hamr(["undo"])).stderr, ENDED);
    assert.ok(!asleep(seconds));
  });
});

linux(
  "what the person has started is nobody's business, wherever it runs and whatever it looks like",
  async () => {
    const seconds = mark();
    const own = mark();
    const script = [bash(`setsid sleep ${seconds} & echo $TMPDIR > ready; sleep 60`)];
    await stage({ script }, async (s) => {
      const run = s.start(["run", "Do it."]);
      await until("the command is under way", () => s.ws.exists("ready"));
      // In the same folder, with the environment of the run.
      const server = new Deno.Command("setsid", {
        args: ["sleep", own],
        cwd: s.ws.path,
        env: { TMPDIR: s.ws.read("ready").trim(), AGENT: "hamr" },
      }).spawn();
      Deno.kill(run.pid, "SIGKILL");
      await run.done;
      const { stderr } = await s.hamr(["undo", "--force"]);
      assert.match(stderr, ENDED);
      assert.ok(!asleep(seconds));
      assert.ok(asleep(own));
      server.kill();
      await server.status;
    });
  },
);

linux("of two runs in one workspace only the one that was killed loses its commands", async () => {
  const dead = mark(), alive = mark();
  const script = (seconds: string) => [bash(`touch ${seconds}; sleep ${seconds}`), say(ANSWER)];
  await stage({ script: script(dead) }, async (s) => {
    await stage({ script: script(alive) }, async (other) => {
      const env = { ...other.env, HAMR_BASE_URL: other.server.url };
      const lives = s.start(["run", "--json", "Live."], { env });
      await until("the one that lives is under way", () => s.ws.exists(alive));
      const dies = s.start(["run", "Die."]);
      await until("the one that dies is under way", () => s.ws.exists(dead));
      Deno.kill(dies.pid, "SIGKILL");
      await dies.done;
      const undo = await s.hamr(["undo", "--force"]);
      assert.match(undo.stderr, ENDED);
      assert.ok(!asleep(dead));
      assert.ok(asleep(alive));
      lives.kill("SIGTERM");
      assert.equal((await lives.done).code, 130);
      await gone(alive);
    });
  });
});

linux("whoever comes second waits until all of it was ended", async () => {
  const seconds = mark();
  // SIGTERM does not end it, so that the first has to wait for two seconds.
  const script = [
    bash(
      `trap '' TERM; touch ready; sleep ${seconds} & while :; do echo x >> a.txt; sleep 0.01; done`,
    ),
  ];
  await stage({ script, files: { "a.txt": "0\n" } }, async (s) => {
    await killed(s, seconds);
    const ends = await Promise.all([0, 1, 2].map(async () => {
      const { stderr } = await s.hamr(["sandbox", "--", "true"]);
      return { stderr, text: s.ws.read("a.txt") };
    }));
    assert.equal(ends.filter(({ stderr }) => ENDED.test(stderr)).length, 1);
    for (const { text } of ends) assert.equal(text, s.ws.read("a.txt"));
  });
});

linux("a run that ends in good order leaves nothing to be said, and no watcher", async () => {
  const seconds = mark();
  const command = `setsid sleep ${seconds} > /dev/null 2>&1 & ulimit -Hx`;
  await stage({ script: steps(["bash", { command }]) }, async (s) => {
    const { texts: [text = ""], run } = await tools(s);
    assert.equal(run.code, 0, run.stderr);
    // On a busy machine the child may still hold the pipe when the shell ends, and is mentioned.
    const [carried] = /^\d{19}/.exec(text) ?? [];
    assert.ok(carried !== undefined, text);
    assert.ok(!asleep(seconds), "it sleeps");
    assert.equal(left_of(carried).all, 0, "something is left");
    assert.equal((await s.hamr(["undo"])).stderr, "hamr: nothing to undo\n");
  });
});

Deno.test({
  name: "what can't be ended is said: undo does nothing then, unless it is forced",
  ignore: !is_root,
  fn: async () => {
    const seconds = mark();
    const user = "setpriv --reuid=65534 --regid=65534 --clear-groups";
    const script = [
      bash(`echo 1 > a.txt; setsid ${user} sleep ${seconds} & touch ready; sleep 60`),
      say(ANSWER),
    ];
    await stage({ script, files: { "a.txt": "0\n" } }, async (s) => {
      await killed(s, seconds);
      // Root without this capability may signal its own processes only.
      const wrapper = ["setpriv", "--bounding-set=-kill", "--inh-caps=-kill", "--"];
      const shown = await s.hamr(["diff"], { wrapper });
      assert.equal(shown.code, 0);
      assert.match(shown.stderr, /process \d+ \(sleep\) of a run that was killed can't be ended/);
      const undo = await s.hamr(["undo"], { wrapper });
      assert.equal(undo.code, 3, undo.stderr);
      assert.match(
        undo.stderr,
        /process \d+ \(sleep\) of a run that was killed can't be ended: it is another user's\n.*nothing is undone while it runs: end it first, or use --force/,
      );
      assert.equal(s.ws.read("a.txt"), "1\n");
      const resumed = await s.hamr(["resume", "--json"], { wrapper });
      assert.match(resumed.result.warnings.join("\n"), /\(sleep\) .* it is another user's/);
      assert.ok(asleep(seconds));
      const allowed = await s.hamr(["undo", "--force"]);
      assert.match(allowed.stderr, /1 process of a run that was killed was still running: ended/);
      assert.equal(s.ws.read("a.txt"), "0\n");
      assert.ok(!asleep(seconds));
    });
  },
});

linux("where nothing could be written down about it, that is said", async () => {
  const seconds = mark();
  const script = [bash(`touch ready; sleep ${seconds}`, 2), say(ANSWER)];
  await stage({ script }, async (s) => {
    // Its commands can reach its folder.
    const env = { ...s.env, HAMR_HOME: s.ws.at("own") };
    const run = s.start(["run", "Do it."], { env });
    await until("the command is under way", () => s.ws.exists("ready"));
    Deno.kill(run.pid, "SIGKILL");
    await run.done;
    const unknown =
      /a run was cut off here, or its end could not be saved: it is not known whether its commands are still running/;
    assert.match((await s.hamr(["diff"], { env })).stderr, unknown);
    const { result } = await s.hamr(["resume", "--json"], { env });
    assert.match(result.warnings.join("\n"), unknown);
    await until("its time is over", () => !asleep(seconds), OVER_MS);
  });
});
