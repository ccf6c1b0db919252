/** What another user of the machine can do while a run starts. */
import assert from "node:assert/strict";
import { ANSWER, bash, say } from "./support/model_server.ts";
import { as_nobody } from "./support/nobody.ts";
import { type Folder, stage } from "./support/stage.ts";
import { probe } from "../src/sandbox/kernel/probe.ts";
import { SCOPE_ABI } from "../src/sandbox/kernel/abi.ts";

const can_be_others = Deno.build.os === "linux" && Deno.uid() === 0;
/** Puts a link in the place of the first folder that `hamr` makes there. */
const SWAPS = `for i in $(seq 3000); do
  for d in "$0"/hamr-*; do
    [ -d "$d" ] && mv "$d" "$0/moved" && ln -s "$1" "$d" && exit 0
  done
  sleep 0.01
done`;

/** A folder that everybody can write, and no sticky bit: as a volume of Kubernetes is. */
function open_folder(folder: Folder): string {
  const path = folder.at("tmp");
  Deno.mkdirSync(path);
  Deno.chmodSync(path, 0o777);
  for (const around of [folder.path, folder.at("..")]) Deno.chmodSync(around, 0o755);
  return path;
}

Deno.test({
  name: "a link in the place of the temporary folder makes nothing else writable" +
    (can_be_others ? "" : " (NOT TESTED HERE: only root starts others' programs)"),
  ignore: !can_be_others,
  async fn() {
    for (const before_s of [0, 0, 0, 2]) {
      const script = () => bash(`sleep ${before_s}; echo x > $TMPDIR/f`);
      await stage({
        script: (_, n) => n === 0 ? script() : say(ANSWER),
        one_conversation: false,
        violations: true,
      }, async (s) => {
        const TMPDIR = open_folder(s.outside);
        s.outside.write("victim/", "");
        const child = new Deno.Command("setpriv", {
          args: [
            ...["--reuid=54321", "--regid=54321", "--clear-groups", "--"],
            ...["sh", "-c", SWAPS, TMPDIR, s.outside.at("victim")],
          ],
          stdout: "null",
          stderr: "null",
        }).spawn();
        try {
          const env = { ...s.env, TMPDIR };
          const run = await s.hamr(["run", "--mode", "ask", "Write a note."], { env });
          assert.ok(run.code !== null);
        } finally {
          try {
            child.kill("SIGKILL");
          } catch {
            // It has done its work.
          }
          await child.status;
        }
        assert.deepEqual([...Deno.readDirSync(s.outside.at("victim"))], []);
      });
    }
  },
});

Deno.test("a temporary folder in one that everybody can write is used as any other", async () => {
  await stage({ script: [bash("echo x > $TMPDIR/f; cat $TMPDIR/f"), say(ANSWER)] }, async (s) => {
    const env = { ...s.env, TMPDIR: open_folder(s.outside) };
    const run = await s.hamr(["run", "--mode", "ask", "Write a note."], { env });
    assert.equal(run.code, 0, run.stderr);
    assert.equal(s.server.results()[0], "x");
  });
});

/** A process that is another one every few milliseconds, in a session of its own, and holds a lock for as long as any of them lives. */
const HIDES = `
import os, time, fcntl
lock = open("lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
if os.fork() == 0:
    os.setsid()
    for n in range(3): os.dup2(os.open(os.devnull, os.O_RDWR), n)
    end = time.time() + 20
    while time.time() < end:
        if os.fork(): os._exit(0)
        os.setsid()
        if os.fork(): time.sleep(0.005); os._exit(0)
time.sleep(0.3)
`;

function sweeps(): boolean {
  const support = probe();
  return support.kind === "linux" && support.abi >= SCOPE_ABI &&
    new Deno.Command("sh", { args: ["-c", "command -v python3 flock"], stdout: "null" })
      .outputSync().success;
}

Deno.test({
  name: "what hides is ended with a run that another user's program has started",
  ignore: !can_be_others || !sweeps(),
  fn: () =>
    stage({ files: { "hides.py": HIDES } }, async (s) => {
      const run = await s.hamr(["sandbox", "--", "python3", "hides.py"], await as_nobody(s));
      assert.equal(run.code, 0, run.stderr);
      const args = ["-n", s.ws.at("lock"), "true"];
      assert.ok((await new Deno.Command("flock", { args }).output()).success);
    }),
});
