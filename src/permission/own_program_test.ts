import assert from "node:assert/strict";
import { test_policy } from "../sandbox/_testing.ts";
import { own_program, path_beyond, program_beyond } from "./own_program.ts";

Deno.test("hamr starts no program that a command can put into PATH, nor one by a link of its own", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  const before = Deno.env.get("PATH") ?? "";
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
    assert.equal(own("linked"), `${root}/system/linked`);
    assert.deepEqual([own("tool"), own("leads"), own("none")], [null, null, null]);
    const other = { ...policy, also_written: [`${root}/system`] };
    assert.deepEqual([own_program("git", other), own_program("linked", other)], [null, null]);
    assert.equal(program_beyond([`${root}/work`], "git"), `${root}/system/git`);
    assert.equal(program_beyond([`${root}/work`], "tool"), `${root}/named/tool`);
    assert.equal(path_beyond([`${root}/work`]), `${root}/gone:${root}/system:${root}/named`);
  } finally {
    Deno.env.set("PATH", before);
    Deno.removeSync(root, { recursive: true });
  }
});
