import assert from "node:assert/strict";
import { executables } from "../../src/permission/programs.ts";
import { can_compile } from "./support/raw.ts";
import { everyone, installed, on_linux, own, result_of, run_job, sh } from "./support/world.ts";
import { with_world, type World } from "./support/world.ts";

/** How bash says that a program was found and may not be run. */
const NOT_EXECUTABLE = 126;
/** Programs that the attacks below start from; each is listed where it is installed. */
const TOOLS = ["git", "cp", "chmod", "ln", "mv", "env", "xargs", "find", "timeout", "nohup"];

/** Ways to start a program that is not listed (`ls`, whose output is told by the file `seen`), in bash. */
const ATTACKS: Readonly<Record<string, string>> = {
  plain: `ls; /bin/ls; /usr/bin/ls; /bin/../bin/ls`,
  builtin: `command ls; exec ls`,
  by_env: `env ls; env -i /bin/ls; find . -maxdepth 0 -exec ls {} +; echo . | xargs ls`,
  by_others: `timeout 1 ls; nohup ls; git -c alias.x='!ls' x; git -c core.pager=ls -p --version`,
  link: `ln -s /bin/ls l; ./l`,
  hard_link: `ln /bin/ls l; ln -f $(readlink -f /bin/ls) l; ./l`,
  copy: `cp $(readlink -f /bin/ls) l; chmod 755 l; ./l; cp l $TMPDIR/l; $TMPDIR/l`,
  moved: `cp /bin/ls l; mkdir bin; mv l bin/; PATH=$PWD/bin:$PATH; hash -r; ls`,
  script: `printf '#!/bin/bash\\necho seen\\n' > s; chmod 755 s; ./s; exec ./s`,
  script_of: `printf '#!/bin/ls\\n' > s; chmod 755 s; ./s; bash s`,
  descriptor: `exec 3< /bin/ls; /proc/self/fd/3; /dev/fd/3; exec /proc/self/fd/3`,
  proc_root:
    `/proc/self/root/bin/ls; /proc/{PID}/root/bin/ls; /proc/{PID}/exe eval 'console.log("seen")'`,
  hook:
    `git init -q r; printf '#!/bin/bash\\necho seen\\n' > r/.git/hooks/post-commit; chmod 755 r/.git/hooks/post-commit;
    git -C r -c user.name=n -c user.email=e commit -q --allow-empty -m m 2>&1`,
  made: `./made; cp made again; ./again`,
};

const PYTHON_ATTACKS: Readonly<Record<string, string>> = {
  py_exec: `os.execv("/bin/ls", ["ls"])`,
  py_descriptor: `os.execve(os.open("/bin/ls", os.O_PATH), ["ls"], {})`,
  py_read_descriptor: `os.execve(os.open("/bin/ls", os.O_RDONLY), ["ls"], {})`,
  py_spawn: `print(subprocess.run(["ls"], capture_output=True).stdout)`,
  py_shell: `print(subprocess.getoutput("ls"))`,
  py_thread:
    `t = threading.Thread(target=lambda: print(subprocess.run(["/bin/ls"], capture_output=True).stdout)); t.start(); t.join()`,
};

function listed(names: readonly string[], world: World): string[] {
  const { PATH = "", HOME = "" } = world.policy.env;
  return executables(names.filter(installed), { home: HOME, path: PATH });
}

/** A folder with the file that `ls` would tell, and a program. */
function prepare(world: World, name: string): string {
  const folder = `${world.workspace}/${name}`;
  Deno.mkdirSync(folder);
  Deno.writeTextFileSync(`${folder}/seen`, "");
  if (can_compile) {
    Deno.writeTextFileSync(
      `${world.root}/made.c`,
      `int puts(const char *);int main(void){puts("seen");return 0;}`,
    );
    new Deno.Command("gcc", { args: ["-o", `${folder}/made`, `${world.root}/made.c`] })
      .outputSync();
  }
  own(folder, world.who);
  return folder;
}

const python = installed("python3") ? Object.entries(PYTHON_ATTACKS) : [];

function attack_steps(world: World) {
  const imports = "import os, subprocess, threading\n";
  return [
    ...Object.entries(ATTACKS).map(([name, script]) => sh(name, script, prepare(world, name))),
    ...python.map(([name, script]) => ({
      kind: "run" as const,
      name,
      argv: ["python3", "-c", imports + script],
      cwd: prepare(world, name),
    })),
  ];
}

for (const who of everyone) {
  Deno.test({
    name: `with a list of programs no other one starts (as ${who})`,
    ignore: !on_linux,
    fn: () =>
      with_world(who, async (world) => {
        const run = listed([...TOOLS, "python3"], world);
        const outcome = await run_job(world, { policy: { run }, steps: attack_steps(world) });
        assert.equal(outcome.refused, undefined);
        const started = outcome.results.filter(({ stdout }) => /seen/.test(stdout ?? ""));
        assert.deepEqual(started.map(({ name, stdout }) => [name, stdout]), []);
        assert.match(result_of(outcome, "plain").stderr ?? "", /ls: Permission denied/);
        assert.equal(result_of(outcome, "plain").code, NOT_EXECUTABLE);
      }),
  });

  Deno.test({
    name: `listed programs start, with their parts, interpreters and scripts (as ${who})`,
    ignore: !on_linux,
    fn: () =>
      with_world(who, async (world) => {
        const folder = `${world.outside}/bin`;
        Deno.mkdirSync(folder);
        for (const name of ["one", "two"]) {
          Deno.writeTextFileSync(`${folder}/${name}`, `#!/usr/bin/env bash\necho ${name}\n`);
          Deno.chmodSync(`${folder}/${name}`, 0o755);
        }
        const works: Readonly<Record<string, readonly [string, string]>> = {
          bash: ["echo works", "works\n"],
          script: ["echo 'echo works' > s; bash s; . ./s", "works\nworks\n"],
          folder: [`${folder}/one; ${folder}/two`, "one\ntwo\n"],
          ...(installed("git")
            ? {
              git: [
                "git init -q r && cd r && git -c user.name=n -c user.email=e commit -q --allow-empty -m works && " +
                "git log --format=%s && git gc -q && git status --short",
                "works\n",
              ] as const,
            }
            : {}),
          ...(installed("python3")
            ? {
              python3: [
                "echo 'print(\"works\")' > s.py; python3 s.py; python3 -c 'import json, subprocess; print(\"works\")'",
                "works\nworks\n",
              ] as const,
            }
            : {}),
        };
        const run = listed(["git", "python3", "env"], world);
        const outcome = await run_job(world, {
          policy: { run: [...run, ...executables([folder], { home: "", path: "" })] },
          steps: Object.entries(works).map(([name, [script]]) => sh(name, script)),
        });
        for (const [name, [, prints]] of Object.entries(works)) {
          const { stdout, stderr } = result_of(outcome, name);
          assert.equal(stdout, prints, `${name}: ${stderr}`);
        }
      }),
  });
}

Deno.test({
  name: "without the list these do start, so they prove something",
  ignore: !on_linux,
  fn: () =>
    with_world("self", async (world) => {
      const outcome = await run_job(world, { steps: attack_steps(world) });
      // A hard link to what is outside is refused anyway; hamr's own program is not to be reached.
      const stopped = ["hard_link", "proc_root", "script_of", ...(can_compile ? [] : ["made"])];
      const started = outcome.results.filter(({ stdout }) => /seen/.test(stdout ?? ""));
      const names = started.map(({ name }) => name);
      const missing = outcome.results.map(({ name }) => name).filter((name) =>
        !names.includes(name)
      );
      assert.deepEqual(missing.filter((name) => !stopped.includes(name)), []);
    }),
});

Deno.test({
  name:
    "known gap: a listed program can load another's code, by the loader (ld.so PROGRAM) and from memory",
  ignore: !on_linux || !installed("python3"),
  fn: () =>
    with_world("self", async (world) => {
      const run = listed(["python3"], world);
      const loader = run.find((path) => /\/ld-[^/]+$/.test(path)) ?? "";
      const memory = `import os
fd = os.memfd_create("x"); os.write(fd, open("/bin/ls", "rb").read()); os.execve(fd, ["ls"], {})`;
      const outcome = await run_job(world, {
        policy: { run },
        steps: [
          sh("loader", `${loader} /bin/ls`, prepare(world, "loader")),
          {
            kind: "run",
            name: "memory",
            argv: ["python3", "-c", memory],
            cwd: prepare(world, "memory"),
          },
        ],
      });
      // When a kernel closes these, `describe` and the documents must stop saying otherwise.
      for (const name of ["loader", "memory"]) {
        assert.match(result_of(outcome, name).stdout ?? "", /seen/, name);
      }
    }),
});
