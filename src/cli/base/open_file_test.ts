import assert from "node:assert/strict";
import { open_file, OutputFile, refuse_links } from "./open_file.ts";

/** Streams that nothing is written to. */
const SILENT = { out: assert.fail, err: assert.fail };

Deno.test("a log is written to the file that is named, never through a link of the workspace or into a pipe", async () => {
  const root = Deno.realPathSync(await Deno.makeTempDir());
  const workspace = `${root}/ws`;
  const refused = (path: string, why: RegExp) =>
    assert.throws(() => open_file("--log-file", { path, workspace, io: SILENT }), why);
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
    open_file("--log-file", { path: `${root}/to_ws/fine.log`, workspace, io: SILENT });
    assert.equal(Deno.readTextFileSync(`${root}/bashrc`), "mine");
    for (const path of [`${workspace}/new.log`, `${root}/link.log`, "/dev/null"]) {
      open_file("--log-file", { path, workspace, io: SILENT });
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("what was written is known to be lost where its name is gone, or another file's", async () => {
  const root = Deno.realPathSync(await Deno.makeTempDir());
  try {
    const path = `${root}/a.txt`;
    const written = (path: string, meanwhile: () => void = () => {}) => {
      const file = new OutputFile("-o", { path, workspace: root, io: SILENT });
      meanwhile();
      return file.put("text");
    };
    assert.equal(written(path), null);
    assert.equal(Deno.readTextFileSync(path), "text");
    const removed = `${path} was removed during the run: what hamr wrote is gone with it`;
    const gone = { words: removed, is_unwritten: false };
    assert.deepEqual(written(path, () => Deno.removeSync(path)), gone);
    const forged = () => {
      Deno.removeSync(path);
      Deno.writeTextFileSync(path, "forged");
    };
    const replaced = `${path} was replaced during the run: what it holds is not from hamr`;
    assert.deepEqual(written(path, forged), { words: replaced, is_unwritten: false });
    assert.equal(Deno.readTextFileSync(path), "forged");
    assert.equal(written("/dev/null"), null);
    const full = "/dev/full can't be written: no space left on device";
    if (Deno.build.os === "linux") {
      assert.deepEqual(written("/dev/full"), { words: full, is_unwritten: true });
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
