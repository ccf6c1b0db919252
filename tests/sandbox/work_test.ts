import assert from "node:assert/strict";
import type { Policy } from "../../src/sandbox/policy.ts";
import { everyone, installed, on_linux, result_of, run_job, sh } from "./support/world.ts";
import { with_world, type World } from "./support/world.ts";

/** What people and models do all day: a script, and what it must print. Each needs the programs named. */
const WORK: Readonly<Record<string, readonly [needs: string, script: string, prints: string]>> = {
  git: [
    "git",
    `git init -q . && git config user.email a@b.c && git config user.name n && echo x > f && git add f &&
     git commit -qm first && echo y >> f && git stash -q && git stash pop -q && git gc -q &&
     git log --format=%s && git status --short`,
    "first\n M f\n",
  ],
  git_clone: [
    "git",
    "git init -q a && git -C a -c user.name=n -c user.email=e commit -q --allow-empty -m m && " +
    "git clone -q a b && git -C b log --format=%s",
    "m\n",
  ],
  python: [
    "python3",
    "python3 -c 'import tempfile, os; f = tempfile.NamedTemporaryFile(); print(os.path.dirname(f.name) == os.environ[\"TMPDIR\"])'",
    "True\n",
  ],
  python_processes: [
    "python3",
    `python3 -c 'import multiprocessing as m
if __name__ == "__main__":
  with m.Pool(2) as pool: print(pool.map(abs, [-1, -2]), m.Lock().acquire())'`,
    "[1, 2] True\n",
  ],
  python_async: [
    "python3",
    `python3 -c 'import asyncio
async def main():
  p = await asyncio.create_subprocess_exec("echo", "hi", stdout=-1); print((await p.communicate())[0])
asyncio.run(main())'`,
    "b'hi\\n'\n",
  ],
  node: [
    "node",
    `node -e 'const c = require("child_process"); console.log(c.execSync("echo sync").toString().trim());
      c.fork(__filename || "-", [], { execArgv: ["-e", "process.send(\\"ipc\\")"] }).on("message", (m) => console.log(m))'`,
    "sync\nipc\n",
  ],
  substitution: ["bash", "sort <(printf 'b\\na\\n') > >(cat) 2> >(cat >&2); wait", "a\nb\n"],
  here_document: ["bash", "cat <<END | tr a-z A-Z\nsmall\nEND\ncat <<< string", "SMALL\nstring\n"],
  large_here_document: [
    "bash",
    `x=$(printf 'a%.0s' {1..200000}); wc -c <<< "$x"`,
    "200001\n",
  ],
  devices: [
    "bash",
    "ls ./no_such_file 2>/dev/null; echo out > /dev/stdout; echo err > /dev/stderr; head -c 2 /dev/zero | wc -c; " +
    "head -c 2 /dev/urandom | wc -c; (echo full > /dev/full) 2>/dev/null || echo full",
    "out\n2\n2\nfull\n",
  ],
  temporary: ["bash", `f=$(mktemp) && d=$(mktemp -d) && [[ $f = $TMPDIR/* ]] && echo ok`, "ok\n"],
  jobs: [
    "bash",
    `set -m; sleep 30 & sleep 30 & kill %1; wait %1; echo $?; jobs -r | wc -l; kill -STOP %2; kill -CONT %2; kill %2; wait %2; echo $?`,
    "143\n1\n143\n",
  ],
  end_all: ["bash", `trap 'kill $(jobs -p)' EXIT; sleep 30 & sleep 30 & echo done`, "done\n"],
  timeout: [
    "timeout",
    "timeout 0.1 sleep 5; echo $?; timeout -s KILL 0.1 sleep 5; echo $?",
    "124\n137\n",
  ],
  limits: ["bash", "ulimit -c 0; ulimit -n 100; ulimit -n; nice -n 5 true; echo ok", "100\nok\n"],
  gcc: [
    "gcc",
    `printf '#include <stdio.h>\\n#include <pthread.h>\\nvoid *f(void *x){return x;}int main(){pthread_t t;` +
    `pthread_create(&t,0,f,0);pthread_join(t,0);puts("hello");return 0;}' > a.c && gcc -pthread -o a a.c && ./a`,
    "hello\n",
  ],
  make: [
    "make",
    `printf 'all: a b\\na b:\\n\\techo $@ > $@\\n' > Makefile && make -s -j2 && cat a b`,
    "a\nb\n",
  ],
  archive: [
    "tar",
    "mkdir -p d/e && echo x > d/e/f && chmod 750 d && ln -s e d/l && tar czf d.tgz d && rm -r d && tar xzf d.tgz && " +
    "cp -a d d2 && stat -c %a d2 && cat d2/l/f && sed -i s/x/y/ d2/e/f && cat d2/e/f",
    "750\nx\ny\n",
  ],
  files: [
    "bash",
    "mkdir a b && echo x > a/f && mv a/f b/g && ln b/g a/h && mv b c && touch -d @0 c/g && stat -c %Y c/g && " +
    "truncate -s 5 c/g && stat -c %s c/g && rm -r a c && ls",
    "0\n5\n",
  ],
  perl: ["perl", `perl -e 'open my $f, ">", "x"; print $f "hi"; close $f; print -s "x"'`, "2"],
};

/** As a person has it who says nothing: keys can't be read, and only the run's own servers are reached. */
function usual(world: World): Partial<Policy> {
  const home = world.policy.env["HOME"];
  return {
    net: "own",
    deny_read: [`${home}/.ssh`, `${home}/.config/gcloud`, `${world.root}/data`],
  };
}

for (const who of everyone) {
  for (const policy of ["the usual", "the narrowest"] as const) {
    Deno.test({
      name: `ordinary work goes on under ${policy} policy (as ${who})`,
      ignore: !on_linux,
      fn: () =>
        with_world(who, async (world) => {
          const chosen = Object.entries(WORK).filter(([, [program]]) => installed(program));
          const outcome = await run_job(world, {
            policy: policy === "the usual" ? usual(world) : {},
            steps: chosen.map(([name, [, script]]) =>
              sh(name, `mkdir ${name}_d && cd ${name}_d && ${script}`)
            ),
          });
          for (const [name, [, , prints]] of chosen) {
            const { stdout, stderr } = result_of(outcome, name);
            assert.equal(stdout, prints, `${name}: ${stderr}`);
          }
        }),
    });
  }
}

Deno.test({
  name: "with the oldest Landlock files still move from folder to folder",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const outcome = await run_job(world, {
        abi: 1,
        steps: [sh("move", "mkdir a b && echo x > a/f && mv a/f b/ && cat b/f")],
      });
      assert.equal(result_of(outcome, "move").stdout, "x\n", result_of(outcome, "move").stderr);
    }),
});

Deno.test({
  name: "a sandbox can be put up inside a sandbox",
  ignore: !on_linux || Deno.env.get("HAMR_SANDBOX_HOST") !== undefined,
  fn: () =>
    with_world("self", async (world) => {
      const inner = { ...world.policy, workspace: `${world.workspace}/inner` };
      Deno.mkdirSync(inner.workspace);
      const job = { policy: inner, steps: [sh("w", "echo x > ../up || echo refused")] };
      Deno.writeTextFileSync(`${world.workspace}/job.json`, JSON.stringify(job));
      const host = new URL("./support/host.ts", import.meta.url).pathname;
      const deno = `${Deno.execPath()} run -A --quiet --no-lock --no-remote`;
      const outcome = await run_job(world, {
        steps: [sh("nested", `DENO_DIR=$TMPDIR/deno ${deno} ${host} ${world.workspace}/job.json`)],
      });
      const { stdout, stderr } = result_of(outcome, "nested");
      assert.match(stdout ?? "", /"stdout":"refused\\n"/, stderr);
    }),
});
