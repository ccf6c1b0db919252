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
      const told: string[] = [];
      return [file.put("text", (line) => told.push(line)), told.join("")];
    };
    assert.deepEqual(written(path), [true, ""]);
    assert.equal(Deno.readTextFileSync(path), "text");
    const removed = `hamr: ${path} was removed during the run: what hamr wrote is gone with it\n`;
    assert.deepEqual(written(path, () => Deno.removeSync(path)), [true, removed]);
    const forged = () => {
      Deno.removeSync(path);
      Deno.writeTextFileSync(path, "forged");
    };
    const replaced = `hamr: ${path} was replaced during the run: what it holds is not from hamr\n`;
    assert.deepEqual(written(path, forged), [true, replaced]);
    assert.equal(Deno.readTextFileSync(path), "forged");
    assert.deepEqual(written("/dev/null"), [true, ""]);
    const full = "hamr: /dev/full can't be written: no space left on device\n";
    if (Deno.build.os === "linux") assert.deepEqual(written("/dev/full"), [false, full]);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
