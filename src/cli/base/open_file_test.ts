import assert from "node:assert/strict";
import { lost, open_file, refuse_links } from "./open_file.ts";

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
    // Nor is a folder on the way a link; one of the person's own, outside, may be.
    Deno.mkdirSync(`${root}/other`);
    Deno.symlinkSync("../other", `${workspace}/out`);
    Deno.symlinkSync(workspace, `${root}/to_ws`);
    refused(`${workspace}/out/run.log`, /out is a link in the workspace; name the folder itself/);
    refused(`${root}/to_ws/out/run.log`, /out is a link in the workspace/);
    refused(`${workspace}/out/../ws/run2.log`, /out is a link in the workspace/);
    const folder = { path: `${workspace}/out/new/deep`, workspace };
    assert.throws(() => refuse_links("--artifacts", folder), /out is a link in the workspace/);
    assert.deepEqual([...Deno.readDirSync(`${root}/other`)], []);
    open_file("--log-file", { path: `${root}/to_ws/fine.log`, workspace }).close();
    assert.equal(Deno.readTextFileSync(`${root}/bashrc`), "mine");
    for (const path of [`${workspace}/new.log`, `${root}/link.log`, "/dev/null"]) {
      open_file("--log-file", { path, workspace }).close();
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("what was written is known to be lost where its name is gone, or another file's", async () => {
  const root = Deno.realPathSync(await Deno.makeTempDir());
  try {
    const path = `${root}/a.txt`;
    using file = open_file("-o", { path, workspace: root });
    assert.equal(lost(file, path), null);
    Deno.removeSync(path);
    assert.match(lost(file, path) ?? "", /a\.txt was removed during the run/);
    Deno.writeTextFileSync(path, "forged");
    assert.match(lost(file, path) ?? "", /a\.txt was replaced during the run/);
    using device = open_file("-o", { path: "/dev/null", workspace: root });
    assert.equal(lost(device, "/dev/null"), null);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
