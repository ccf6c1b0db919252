import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { until } from "./support/hamr.ts";
import { ANSWER, bash, type Recorded, type Reply, say } from "./support/model_server.ts";
import { type Stage, stage } from "./support/stage.ts";

const DATABASE = ".local/share/hamr/hamr.db";
const NOT_SAVED = /the session is not saved from here on/;

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
      const [saved = 0] = counts(`${home}/hamr.db`, "messages");
      assert.ok(saved > 2 && saved < 35, `${saved} messages`);
      sh(`mount -o remount,size=20m ${home}`);
      const again = await s.hamr(["resume", "--json"], { env });
      assert.deepEqual([again.code, again.result.stop_reason], [0, "llm_done"]);
      assert.deepEqual(again.result.warnings.filter((line) => NOT_SAVED.test(line)), []);
      assert.ok(counts(`${home}/hamr.db`, "messages")[0]! > saved);
    }));
});

Deno.test("another writer is waited for; where it takes too long that is said, and nothing is lost in the end", async () => {
  const script = (request: Recorded): Reply => {
    const n = steps_so_far(request);
    return n < 6 ? bash(`echo ${n} >> log.txt; sleep 0.2`) : say(ANSWER);
  };
  // Shorter and longer than it is waited.
  for (const hold_ms of [1500, 6500]) {
    await stage({ script }, async (s) => {
      const running = s.start(["run", "--json", "--mode", "auto", "Append."]);
      await until("it has begun", () => s.ws.exists("log.txt"));
      const db = new DatabaseSync(s.home.at(DATABASE));
      db.exec("PRAGMA busy_timeout = 5000; BEGIN IMMEDIATE");
      await new Promise((resolve) => setTimeout(resolve, hold_ms));
      db.exec("COMMIT");
      db.close();
      const { code, result } = await running.done;
      assert.equal(code, 0);
      const said = result.warnings.filter((line) =>
        NOT_SAVED.test(line) || line.includes("can't all be undone")
      );
      assert.equal(said.length, hold_ms > 5000 ? 1 : 0, said.join("\n"));
      assert.deepEqual(counts(s.home.at(DATABASE), "messages"), [2 + 2 * 6 + 1]);
    });
  }
});

Deno.test("eight runs of a hundred steps at once: no error, and no row is lost", async () => {
  const script = (request: Recorded): Reply => {
    const n = steps_so_far(request);
    const who = request.body.messages[1]!.content;
    return n < 100 ? bash(`echo ${n} >> ${who}.txt`) : say(ANSWER);
  };
  await stage({ script, one_conversation: false }, async (s) => {
    const names = Array.from({ length: 8 }, (_, n) => `run${n}`);
    const flags = ["--mode", "auto", "--max-steps", "200", "--context-window", "1000000"];
    const runs = await Promise.all(names.map((name) => s.run(name, ...flags)));
    for (const { code, result } of runs) {
      assert.deepEqual([code, result.error], [0, null]);
      assert.deepEqual(result.warnings.filter((line) => NOT_SAVED.test(line)), []);
    }
    const each = (n: number) => names.map(() => n);
    assert.deepEqual(counts(s.home.at(DATABASE), "messages"), each(2 + 2 * 100 + 1));
    assert.deepEqual(counts(s.home.at(DATABASE), "actions"), each(100));
    for (const name of names) assert.equal(s.ws.read(`${name}.txt`).split("\n").length, 101);
  });
});
