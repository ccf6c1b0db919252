import assert from "node:assert/strict";
import { passwd_home, text_of } from "./paths.ts";

Deno.test("only a regular file is read: a pipe or a device of the workspace would never end", async () => {
  const root = await Deno.makeTempDir();
  try {
    Deno.writeTextFileSync(`${root}/file`, "text");
    new Deno.Command("mkfifo", { args: [`${root}/pipe`] }).outputSync();
    Deno.symlinkSync("/dev/zero", `${root}/endless`);
    assert.equal(text_of(`${root}/file`), "text");
    for (const name of ["pipe", "endless", "none", "."]) {
      assert.equal(text_of(`${root}/${name}`), "");
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("passwd_home() is what the system says", () => {
  const said = new Deno.Command("sh", { args: ["-c", "getent passwd $(id -u) | cut -d: -f6"] });
  assert.equal(passwd_home(), new TextDecoder().decode(said.outputSync().stdout).trim());
});
