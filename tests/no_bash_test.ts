/** A machine without bash, without any shell, or without /proc: made by a mount of this test's own, where that is permitted. */
import assert from "node:assert/strict";
import { ANSWER, bash, say } from "./support/model_server.ts";
import { stage } from "./support/stage.ts";

/** Hides these programs from whatever is run behind it. */
const without = (...files: readonly string[]) => [
  ...["unshare", "-m", "python3", "-c"],
  `import os, subprocess, sys
for file in sys.argv[1].split():
    if os.path.exists(file): subprocess.check_call(["mount", "--bind", "/dev/null", os.path.realpath(file)])
os.execvp(sys.argv[2], sys.argv[2:])`,
  files.join(" "),
];
const BASH = ["/bin/bash", "/usr/bin/bash", "/usr/local/bin/bash"];

function may_mount(): boolean {
  try {
    const [program = "", ...args] = without();
    return new Deno.Command(program, { args: [...args, "true"] }).outputSync().success;
  } catch {
    return false;
  }
}

Deno.test("without bash commands run in /bin/sh, which is said; without any shell nothing starts", async () => {
  if (!may_mount()) {
    const skip = "SKIP no bash: no right to mount a file\n";
    return void Deno.stderr.writeSync(new TextEncoder().encode(skip));
  }
  const script = [bash("echo a > a.txt && echo in-$0"), say(ANSWER)];
  await stage({ script }, async (s) => {
    const wrapper = without(...BASH);
    const run = await s.hamr(["run", "--json", "--verify", "test -f a.txt", "Write."], { wrapper });
    assert.deepEqual([run.code, run.result.verification?.exit_code], [0, 0], run.stderr);
    assert.ok(run.result.warnings.includes("there is no /bin/bash: commands run in /bin/sh"));
    assert.match(s.server.results()[0]!, /in-.*\bsh\b/);
    const doctor = await s.hamr(["doctor"], { wrapper });
    assert.match(doctor.stdout, /✓ shell: (\/usr)?\/bin\/(da)?sh\n/);
  });
  await stage({ script }, async (s) => {
    const wrapper = without(...BASH, "/bin/sh");
    const run = await s.hamr(["run", "--json", "--verify", "true", "Write."], { wrapper });
    assert.deepEqual([run.code, s.server.requests.length], [3, 0]);
    assert.match(run.stderr, /no command can run: there is no bash in PATH and no \/bin\/sh/);
  });
});

Deno.test("without /proc the program says so, and nothing is sent", async () => {
  const wrapper = ["unshare", "-m", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"];
  if (!may_mount()) {
    const skip = "SKIP no /proc: no right to mount a file\n";
    return void Deno.stderr.writeSync(new TextEncoder().encode(skip));
  }
  await stage({ script: [] }, async (s) => {
    const run = await s.hamr(["run", "Write."], { wrapper });
    assert.notEqual(run.code, 0);
    assert.match(run.stderr, /no \/proc/);
    assert.deepEqual([s.server.requests.length, run.stdout], [0, ""]);
  });
});
