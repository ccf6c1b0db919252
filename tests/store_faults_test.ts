import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { until } from "./support/hamr.ts";
import { ANSWER, bash, type Recorded, type Reply, say } from "./support/model_server.ts";
import { type Stage, stage } from "./support/stage.ts";
import { skip } from "./support/skip.ts";

const DATABASE = ".local/share/hamr/hamr.db";
const NOT_SAVED = /the session is not saved for now/;

function sh(command: string): void {
  const { success, stderr } = new Deno.Command("sh", { args: ["-c", command] }).outputSync();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/** Each row of a table, by session. */
function counts(file: string, table: string): number[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    assert.equal(db.prepare("PRAGMA integrity_check").get()!["integrity_check"], "ok");
    const rows = db.prepare(`SELECT count(*) AS n FROM ${table} GROUP BY id / 4294967296`).all();
    return rows.map(({ n }) => Number(n));
  } finally {
    db.close();
  }
}

const steps_so_far = ({ body }: Recorded) =>
  body.messages.filter(({ role }) => role === "assistant").length;

/** Makes so many steps, each with a command that says a lot nobody can compress. */
function noisy(steps: number): (request: Recorded) => Reply {
  return (request) => {
    const n = steps_so_far(request);
    const noise = "head -c 24000 /dev/urandom | base64 -w 0";
    return n < steps ? bash(`echo ${n} >> log.txt; ${noise}`) : say(ANSWER);
  };
}

async function with_small_disk(s: Stage, work: (home: string) => Promise<void>): Promise<void> {
  const home = s.outside.at("small");
  Deno.mkdirSync(home);
  try {
    sh(`mount -t tmpfs -o size=600k tmpfs ${home}`);
  } catch {
    const skip = "SKIP a full disk: no right to mount a file system\n";
    return void Deno.stderr.writeSync(new TextEncoder().encode(skip));
  }
  try {
    await work(home);
  } finally {
    sh(`umount ${home}`);
  }
}

Deno.test("a full disk is said once, the run goes on, and what was saved can be resumed", async () => {
  await stage({ script: noisy(16), violations: true }, (s) =>
    with_small_disk(s, async (home) => {
      const env = { ...s.env, HAMR_HOME: home };
      const args = ["--mode", "auto", "--context-window", "1000000"];
      const run = await s.hamr(["run", "--json", ...args, "Append."], { env });
      assert.equal(run.code, 0);
      assert.equal(run.result.warnings.filter((line) => NOT_SAVED.test(line)).length, 1);
      assert.equal(s.ws.read("log.txt").split("\n").length, 17);
      // Its lines are known, though nothing is kept of them.
      assert.deepEqual(run.result.files_changed.map(({ added }) => added), [16]);
      const [saved = 0] = counts(`${home}/hamr.db`, "messages");
      assert.ok(saved > 2 && saved < 35, `${saved} messages`);
      sh(`mount -o remount,size=20m ${home}`);
      const again = await s.hamr(["resume", "--json"], { env });
      assert.deepEqual([again.code, again.result.stop_reason], [0, "llm_done"]);
      assert.deepEqual(again.result.warnings.filter((line) => NOT_SAVED.test(line)), []);
      assert.ok(counts(`${home}/hamr.db`, "messages")[0]! > saved);
    }));
});

Deno.test("another writer does not hold up a run: where it takes long that is said, and nothing is lost in the end", async () => {
  // Shorter than what is said, and longer.
  for (const [hold_ms, said] of [[1500, 0], [5000, 1]] as const) {
    const held = Promise.withResolvers<void>();
    const script = async (request: Recorded): Promise<Reply> => {
      const n = steps_so_far(request);
      if (n > 0) await held.promise;
      return n < 6 ? bash(`echo ${n} >> log.txt; sleep 0.2`) : say(ANSWER);
    };
    await stage({ script }, async (s) => {
      const running = s.start(["run", "--json", "--mode", "auto", "Append."]);
      await until("it has begun", () => s.ws.exists("log.txt"));
      const db = new DatabaseSync(s.home.at(DATABASE));
      db.exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE");
      held.resolve();
      await new Promise((resolve) => setTimeout(resolve, hold_ms));
      const all_steps = () => s.server.requests.length === 7;
      if (said > 0) await until("all its steps are taken while the other one has it", all_steps);
      db.exec("COMMIT");
      db.close();
      const { code, result } = await running.done;
      assert.equal(code, 0);
      const lines = result.warnings.filter((line) =>
        NOT_SAVED.test(line) || line.includes("not all changes of this run can be undone")
      );
      assert.equal(lines.length, said, lines.join("\n"));
      assert.deepEqual(counts(s.home.at(DATABASE), "messages"), [2 + 2 * 6 + 1]);
      assert.match((await s.hamr(["undo"])).stdout, /log\.txt: removed/);
    });
  }
});

Deno.test("where another writer is not done by the end of a run, the result says that its end is not saved", async () => {
  const held = Promise.withResolvers<void>();
  const script = async (request: Recorded): Promise<Reply> => {
    const n = steps_so_far(request);
    if (n > 0) await held.promise;
    return n < 2 ? bash("echo x >> log.txt") : say(ANSWER);
  };
  await stage({ script }, async (s) => {
    const running = s.start(["run", "--json", "--mode", "auto", "Append."]);
    await until("it has begun", () => s.ws.exists("log.txt"));
    const db = new DatabaseSync(s.home.at(DATABASE));
    db.exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE");
    held.resolve();
    const { code, result } = await running.done;
    db.close();
    assert.equal(code, 0);
    const said = result.warnings.filter((line) => line.includes("not saved"));
    assert.equal(said.length, 2, said.join("\n"));
    assert.match(said[0]!, NOT_SAVED);
    assert.equal(
      said[1],
      "what the run did since it was last saved is not saved: another process holds the database",
    );
  });
});

Deno.test("a database that is removed or replaced in mid-run is said: what was saved is not there", async () => {
  const file = (s: Stage) => s.home.at(DATABASE);
  for (
    const [happens, said] of [
      [(s: Stage) => Deno.removeSync(s.home.at(".local/share/hamr"), { recursive: true }), 1],
      [(s: Stage) => Deno.renameSync(file(s), `${file(s)}.old`), 1],
      [(s: Stage) => Deno.chmodSync(file(s), 0o640), 0],
    ] as const
  ) {
    const world: { stage?: Stage } = {};
    const script = (request: Recorded): Reply => {
      const n = steps_so_far(request);
      if (n === 1) happens(world.stage!);
      return n < 2 ? bash("echo x >> log.txt") : say(ANSWER);
    };
    await stage({ script, inside: true, walls: false }, async (s) => {
      world.stage = s;
      const { code, result } = await s.run("Append.");
      assert.equal(code, 0);
      const lines = result.warnings.filter((line) => line.includes("what it saved is not there"));
      assert.equal(lines.length, said, result.warnings.join("\n"));
    });
  }
});

Deno.test("eight runs of six steps at once: no error, and no row is lost", async () => {
  const script = (request: Recorded): Reply => {
    const n = steps_so_far(request);
    const who = request.body.messages[1]!.content;
    return n < 6 ? bash(`echo ${n} >> ${who}.txt`) : say(ANSWER);
  };
  await stage({ script, one_conversation: false }, async (s) => {
    const names = Array.from({ length: 8 }, (_, n) => `run${n}`);
    const flags = ["--mode", "auto", "--context-window", "1000000"];
    const runs = await Promise.all(names.map((name) => s.run(name, ...flags)));
    for (const { code, result } of runs) {
      assert.deepEqual([code, result.error], [0, null]);
      assert.deepEqual(result.warnings.filter((line) => NOT_SAVED.test(line)), []);
    }
    const each = (n: number) => names.map(() => n);
    assert.deepEqual(counts(s.home.at(DATABASE), "messages"), each(2 + 2 * 6 + 1));
    assert.deepEqual(counts(s.home.at(DATABASE), "actions"), each(6));
    for (const name of names) assert.equal(s.ws.read(`${name}.txt`).split("\n").length, 7);
  });
});

Deno.test("a database that is locked while a run begins is waited for, which is said after 3 s, and all of the run is saved", async () => {
  const script = (request: Recorded) =>
    steps_so_far(request) === 0 ? bash("echo a > a.txt") : say(ANSWER);
  await stage({ script, one_conversation: false }, async (s) => {
    assert.equal((await s.run("First.")).code, 0);
    const db = new DatabaseSync(s.home.at(DATABASE));
    db.exec("BEGIN IMMEDIATE");
    const running = s.start(["run", "--json", "--mode", "auto", "Append."]);
    await until(
      "it says so",
      () => running.stderr().includes("another process holds the database"),
    );
    db.exec("COMMIT");
    db.close();
    const { result } = await running.done;
    assert.deepEqual(result.warnings.filter((line) => /not saved|locked/.test(line)), []);
    assert.equal(result.warnings.filter((line) => line.includes("waiting for it")).length, 1);
    assert.equal(counts(s.home.at(DATABASE), "messages").length, 2);
  });
});

Deno.test("an empty database if there were runs is said; a first run has nothing to say", async () => {
  await stage({ script: () => say(ANSWER) }, async (s) => {
    const said = ({ result }: { result: { warnings: readonly string[] } }) =>
      result.warnings.filter((line) => /hamr\.db was empty, though there were runs/.test(line));
    assert.deepEqual(said(await s.run("What?")), []);
    for (const name of ["hamr.db", "hamr.db-wal", "hamr.db-shm"]) {
      const file = s.home.at(`.local/share/hamr/${name}`);
      if (name === "hamr.db") Deno.truncateSync(file);
      else if (s.home.exists(`.local/share/hamr/${name}`)) Deno.removeSync(file);
    }
    assert.equal(said(await s.run("What?")).length, 1);
    assert.deepEqual(said(await s.run("What?")), []);
  });
});

Deno.test("what would end the run after its first request ends it before: no temporary folder", async () => {
  await stage({ script: () => say(ANSWER) }, async (s) => {
    const { code, result } = await s.run("What?");
    assert.equal(code, 0, JSON.stringify(result));
    const asked = s.server.requests.length;
    const run = await s.hamr(["run", "--json", "What?"], { env: { TMPDIR: "/no/such/folder" } });
    assert.equal(run.code, 3);
    assert.match(run.stderr, /can't create a temporary folder.*set TMPDIR to a writable folder/);
    assert.equal(s.server.requests.length, asked);
    // Nor is it an internal error for what asks no model.
    for (const args of [["sandbox", "--", "true"], ["doctor"], ["demo"]]) {
      const other = await s.hamr(args, { env: { ...s.env, TMPDIR: "/no/such/folder" } });
      assert.equal(other.code, 3, args[0]);
      assert.match(other.stdout + other.stderr, /can't create a temporary folder.*set TMPDIR/);
    }
  });
});

/** Every mount but the kernel's own is read-only, in a mount namespace that only the program after it sees. */
const READ_ONLY =
  `while read -r _ at _; do case $at in /proc*|/sys*|/dev*) ;; *) mount -o remount,bind,ro "$at" || exit 99 ;; esac
done < /proc/self/mounts; `;
/** Where one folder can still be written, it is a disk in memory. */
const WRITABLE = 'mount -t tmpfs none "$HOME/disk" && ';

function read_only_root(more = ""): string[] {
  const own = Deno.uid() === 0 ? "-m" : "-rm";
  return ["unshare", own, "sh", "-c", `${READ_ONLY}${more}exec "$@"`, "sh"];
}

function can_be_made(wrapper: string[]): boolean {
  const [program = "", ...args] = [...wrapper, "sh", "-c", "! touch /probe"];
  const options = { args, env: { HOME: "/" }, stdout: "null", stderr: "null" } as const;
  try {
    return Deno.build.os === "linux" && new Deno.Command(program, options).outputSync().success;
  } catch {
    return false;
  }
}

const has_read_only_root = can_be_made(read_only_root());

Deno.test({
  name: "a read-only root ends a run before its first request, or not at all" +
    (has_read_only_root ? "" : " (NOT TESTED HERE: no mount namespace)"),
  ignore: !has_read_only_root,
  async fn() {
    const script = () => [bash("cat a.txt > $TMPDIR/b && cat $TMPDIR/b; echo x > b"), say(ANSWER)];
    const cases: [flags: string[], more: string, env: string, code: number, said: RegExp][] = [
      [[], "", "TMPDIR", 3, /can't create a temporary folder: read-only file system; set TMPDIR/],
      [[], WRITABLE, "TMPDIR", 0, /the session is not saved: .*read-only file system/],
      [["--no-save"], WRITABLE, "TMPDIR", 0, /memory is off: .*read-only file system/],
      [[], WRITABLE, "XDG_DATA_HOME", 3, /can't create a temporary folder: read-only file system/],
      [["--mode", "ask"], WRITABLE, "TMPDIR", 0, /the session is not saved/],
      [["--verify", "test ! -e b"], WRITABLE, "TMPDIR", 0, /the session is not saved/],
    ];
    for (const [flags, more, variable, code, said] of cases) {
      await stage({ files: { "a.txt": "one\n" }, script: script() }, async (s) => {
        s.home.write("disk/", "");
        const run = await s.hamr(["run", "--json", ...flags, "What is in a.txt?"], {
          wrapper: read_only_root(more),
          env: { ...s.env, [variable]: s.home.at("disk") },
        });
        assert.equal(run.code, code, run.stderr);
        assert.match(run.stderr, said);
        assert.equal(s.server.requests.length, code === 3 ? 0 : 2, "it costs no tokens");
        if (code !== 0) return;
        const [result = ""] = s.server.results();
        assert.match(result, /^one$/m);
        assert.match(result, /read-only/i);
      });
    }
  },
});

Deno.test("standard output on a full disk is an error of its own: the run is saved", async () => {
  for (const output of ["text", "json", "jsonl"]) {
    await stage({ script: [bash("echo a > a.txt"), say(ANSWER)] }, async (s) => {
      const [code, log] = [s.home.at("code"), s.home.at("log")];
      const wrapper = ["sh", "-c", `"$@" > /dev/full 2> ${log}; echo $? > ${code}`, "sh"];
      // It can't have a result.
      await s.hamr(["run", "--output", output, "Write."], { wrapper }).catch(() => {});
      assert.equal(Deno.readTextFileSync(code), "1\n");
      const said = Deno.readTextFileSync(log);
      assert.match(said, /^hamr: standard output can't be written: no space left/m);
      assert.doesNotMatch(said, /not saved|internal.error/);
      const { stdout } = await s.hamr(["sessions", "--all"]);
      assert.match(stdout, /2 steps {2}Finished/);
    });
  }
});

Deno.test("help, or a session, on a full disk is no fault of the program, nor of the session", async () => {
  await stage({ script: [say(ANSWER)] }, async (s) => {
    assert.equal((await s.run("What?")).code, 0);
    const log = s.home.at("log");
    const wrapper = ["sh", "-c", `"$@" > /dev/full 2> ${log}`, "sh"];
    for (const args of [["--help"], ["sessions", "export"]]) {
      const { code } = await s.hamr(args, { wrapper });
      assert.equal(code, 1);
      assert.match(
        Deno.readTextFileSync(log),
        /^hamr: standard output can't be written: no space left on device\n$/,
      );
    }
  });
});

/** What is wrong with the database, in SQL that is left open, and what each command says, in a line. */
const UNUSABLE: readonly [sql: string, why: RegExp, commands: readonly string[]][] = [
  ["DROP TABLE facts", /the database \(.*\) can't be used: no such table: facts; move it away/, [
    "memory list",
    "memory add x",
  ]],
  [
    "PRAGMA user_version = 0",
    /hamr\.db can't be used: table scopes already exists; move it away to start a new one$/m,
    ["memory list", "sessions", "undo", "resume --json"],
  ],
  ["BEGIN IMMEDIATE", /the database \(.*\) is locked by another process/, ["memory add x"]],
];

Deno.test("a database that can't be used once it is open is no fault of the program: 3, and a line", async () => {
  for (const [sql, why, commands] of UNUSABLE) {
    await stage({ script: [say(ANSWER)] }, async (s) => {
      assert.equal((await s.run("What?")).code, 0);
      const db = new DatabaseSync(s.home.at(DATABASE));
      db.exec(sql);
      for (const command of commands) {
        const { code, stderr } = await s.hamr(command.split(" "));
        assert.equal(code, 3, `${sql}, ${command}: ${stderr}`);
        assert.match(stderr, /^hamr: [^\n]+\n$/);
        assert.match(stderr, why);
      }
      const { code, stdout, stderr } = await s.hamr(["doctor"]);
      assert.deepEqual([code, stderr], [sql.startsWith("BEGIN") ? 0 : 3, ""]);
      if (code !== 0) assert.match(stdout, /^✗ memory: [^\n]*can't be used: /m);
      db.close();
    });
  }
});

Deno.test("a limit on addresses (ulimit -v) that V8 can't live with ends hamr before any request", async () => {
  if (Deno.build.os !== "linux") return;
  await stage({ script: () => say(ANSWER) }, async (s) => {
    const wrapper = ["sh", "-c", 'ulimit -c 0; ulimit -v 8000000; exec "$@"', "sh"];
    const run = await s.hamr(["run", "What?"], { wrapper });
    assert.notEqual(run.code, 0);
    assert.match(run.stderr, /CagedHeap reservation/);
    assert.deepEqual([run.stdout, s.server.requests.length], ["", 0]);
    assert.equal((await s.run("What?")).code, 0);
  });
});

Deno.test("where too few files may be open at once, that is said before any request; with a few more all is seen", async () => {
  if (Deno.build.os !== "linux") return;
  await stage({ script: [bash("echo a > a.txt"), say(ANSWER)] }, async (s) => {
    const limited = (files: number) => ({
      wrapper: ["sh", "-c", `ulimit -n ${files}; exec "$@"`, "sh"],
    });
    for (const files of [32, 40, 63]) {
      const run = await s.hamr(["run", "--json", "Write."], limited(files));
      assert.deepEqual([run.code, s.server.requests.length], [3, 0], run.stderr);
      assert.equal(
        run.result.error?.message,
        `only ${files} files may be open at once (ulimit -n); hamr needs 64`,
      );
    }
    const run = await s.hamr(["run", "--json", "Write."], limited(64));
    assert.deepEqual([run.code, run.result.files_changed.length], [0, 1], run.stderr);
  });
});

/** As a shell tells it. */
const SIGXFSZ = 128 + 25;

Deno.test("a limit on the size of files (ulimit -f) is not an end: there is a result, and it is said", async () => {
  await stage({ script: () => say(ANSWER), one_conversation: false }, async (s) => {
    assert.equal((await s.run("What?")).code, 0);
    const wrapper = ["sh", "-c", 'ulimit -f 100; exec "$@"', "sh"];
    const run = await s.hamr(["run", "--json", "What?"], { wrapper });
    // On the source Deno keeps files of its own, which others write to at the same time.
    if (run.code === SIGXFSZ && !Deno.env.has("HAMR_BIN")) {
      return void skip("ulimit -f ended Deno in a cache of its own; the binary has none");
    }
    assert.equal(run.result.exit_code, run.code);
    assert.ok(run.result.warnings.some((line) => /not saved/.test(line)), run.stderr);
    assert.doesNotMatch(run.stderr, /move it away/, "the file is not what is wrong");
    const added = await s.hamr(["memory", "add", "The tests need a server."], { wrapper });
    assert.equal(added.code, 3, added.stderr);
    assert.match(added.stderr, /^hamr: the database .* can't be used: disk I\/O error/);
  });
});

Deno.test("a file of a flag that can't be written is said, and the run does not end in 0; streams can be named", async () => {
  const at_full = { "-o": 1, "--junit": 1, "--code-quality": 1, "--log-file": 0 };
  await stage({ script: () => say(ANSWER), one_conversation: false }, async (s) => {
    for (const [flag, code] of Object.entries(at_full)) {
      const run = await s.hamr(["run", "--quiet", flag, "/dev/full", "What?"]);
      assert.equal(run.code, code, flag);
      const why = "/dev/full can't be written: no space left on device\n";
      // Said once: by the verdict where it fails the run.
      assert.equal(run.stderr, `hamr: ${code === 0 ? "" : "internal_error: "}${why}`, flag);
      assert.equal(run.stdout, `${ANSWER}\n`, flag);
      const { result } = await s.events("What?", flag, "/dev/full");
      assert.equal(result.exit_code, code, flag);
      assert.equal(result.stop_reason, code === 0 ? "llm_done" : "internal_error", flag);
      assert.equal(result.final_output, ANSWER, flag);
      assert.deepEqual(result.warnings, [why.trim()]);
    }
    for (const name of ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]) {
      const { code, stdout, stderr } = await s.hamr(["run", "--quiet", "-o", name, "What?"]);
      assert.deepEqual([code, stdout, stderr], [0, `${ANSWER}\n${ANSWER}\n`, ""], name);
    }
    const file = s.home.at("all.txt");
    const wrapper = ["sh", "-c", `"$@" > ${file} 2>&1`, "sh"];
    await s.hamr(["run", "--quiet", "--junit", "/dev/stdout", "What?"], { wrapper });
    const all = Deno.readTextFileSync(file);
    assert.match(all, /<\/testsuites>\n/);
    assert.ok(all.endsWith(`${ANSWER}\n`), all);
  });
});
