import assert from "node:assert/strict";
import { open_file } from "./open_file.ts";

Deno.test("a log is written to the file that is named, never through a link of the workspace or into a pipe", async () => {
  const root = Deno.realPathSync(await Deno.makeTempDir());
  const workspace = `${root}/ws`;
  const refused = (path: string, why: RegExp) =>
    assert.throws(() => open_file("--log-file", { path, workspace }), why);
  try {
    Deno.mkdirSync(workspace);
    Deno.writeTextFileSync(`${root}/bashrc`, "mine");
    Deno.symlinkSync(`${root}/bashrc`, `${workspace}/run.log`);
    Deno.symlinkSync(`${root}/bashrc`, `${root}/link.log`);
    new Deno.Command("mkfifo", { args: [`${root}/pipe`] }).outputSync();
    refused(`${workspace}/run.log`, /a link in the workspace; name the file itself/);
    refused(`${root}/pipe`, /not a regular file/);
    refused(workspace, /not a regular file/);
    refused(`${root}/none/x.log`, /--log-file .*x\.log: /);
    assert.equal(Deno.readTextFileSync(`${root}/bashrc`), "mine");
    for (const path of [`${workspace}/new.log`, `${root}/link.log`, "/dev/null"]) {
      open_file("--log-file", { path, workspace }).close();
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
