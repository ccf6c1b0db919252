import assert from "node:assert/strict";
import { test_policy } from "../sandbox/_testing.ts";
import { environment_beyond, own_program, own_variables, program_beyond } from "./own_program.ts";

Deno.test("hamr starts no program that a command can put into PATH, nor one by a link of its own", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const before = Deno.env.toObject();
  try {
    for (const folder of ["work/bin", "system", "named"]) {
      Deno.mkdirSync(`${root}/${folder}`, { recursive: true });
    }
    for (const file of ["work/bin/git", "system/git", "named/tool", "work/bin/tool"]) {
      Deno.writeTextFileSync(`${root}/${file}`, "#!/bin/sh\n", { mode: 0o755 });
    }
    Deno.symlinkSync(`${root}/system/git`, `${root}/work/bin/linked`);
    Deno.symlinkSync(`${root}/work/bin/git`, `${root}/system/leads`);
    Deno.symlinkSync(`${root}/system/git`, `${root}/system/linked`);
    Deno.symlinkSync(`${root}/work/bin`, `${root}/into`);
    const PATH = `bin:${root}/into:${root}/work/bin::${root}/gone:${root}/system:${root}/named`;
    Deno.env.set("PATH", PATH);
    const policy = test_policy({
      workspace: `${root}/work`,
      write: [`${root}/named`],
      env: { PATH },
    });
    const own = (name: string) => own_program(name, policy);
    assert.equal(own("git"), `${root}/system/git`);
    const led = { ...policy, env: { LD_LIBRARY_PATH: `${root}/into::${root}/system` } };
    assert.equal(own_variables(led)["LD_LIBRARY_PATH"], `${root}/system`);
    assert.equal(own("linked"), `${root}/system/linked`);
    assert.deepEqual([own("tool"), own("leads"), own("none")], [null, null, null]);
    const other = { ...policy, also_written: [`${root}/system`] };
    assert.deepEqual([own_program("git", other), own_program("linked", other)], [null, null]);
    assert.equal(program_beyond([`${root}/work`], "git"), `${root}/system/git`);
    assert.equal(program_beyond([`${root}/work`], "tool"), `${root}/named/tool`);
    for (const name of ["LD_LIBRARY_PATH", "PYTHONPATH"]) Deno.env.set(name, PATH);
    Deno.env.set("LD_PRELOAD", `libx.so ${root}/work/x.so;${root}/system/x.so`);
    const { LD_PRELOAD, ...others } = environment_beyond([`${root}/work`]);
    assert.equal(LD_PRELOAD, `${root}/system/x.so`);
    const beyond = `${root}/gone:${root}/system:${root}/named`;
    for (const name of ["PATH", "LD_LIBRARY_PATH", "PYTHONPATH"]) {
      assert.equal(others[name], beyond, name);
    }
    assert.equal(others["RUBYLIB"], before["RUBYLIB"]);
  } finally {
    for (const name of ["PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH"]) {
      if (before[name] === undefined) Deno.env.delete(name);
      else Deno.env.set(name, before[name]);
    }
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("what has programs load code out of the workspace is left out of their environment, and nothing else", () => {
  const kept = {
    NODE_OPTIONS: "--max-old-space-size=4096 --require /usr/lib/hook.js",
    BASH_ENV: "/workshop/env.sh",
    GIT_SSH_COMMAND: "ssh -i ~/.ssh/id -o Port=22",
    PERL5OPT: "-MList::Util=first",
    KEY_FILE: "/work/key.txt",
    PWD: "/work",
  };
  assert.deepEqual(environment_beyond(["/work"], { HOME: "/home/me", ...kept }), {
    HOME: "/home/me",
    ...kept,
  });
  const led = {
    NODE_OPTIONS: "--no-warnings --require /work/.pnp.cjs",
    BASH_ENV: "/work/env.sh",
    ENV: "~/../../work/.shrc",
    PERL5OPT: "-I/usr/lib -Mlib=/work/lib",
    RUBYOPT: '-r"/work/x"',
    JAVA_TOOL_OPTIONS: "-javaagent:/work/a.jar",
    GIT_SSH_COMMAND: "/work/bin/ssh -v",
    GIT_EXEC_PATH: "/usr/../work/git",
  };
  assert.deepEqual(environment_beyond(["/work"], { HOME: "/home/me", ...led }), {
    HOME: "/home/me",
  });
});
