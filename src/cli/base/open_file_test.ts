import assert from "node:assert/strict";
import { beside } from "../../../tests/support/beside.ts";
import { lchownSync } from "node:fs";
import { make_folder_at, open_file, OutputFile, real_file_place } from "./open_file.ts";
import { UsageError } from "../../config/error.ts";

/** Without the check some of these opened the file outside, every time that it was tried. */
const TRIES = 300;
/** Streams that nothing is written to. */
const SILENT = { out: assert.fail, err: assert.fail };

Deno.test("a log is written to the file that is named, never through a link of the workspace or into a pipe", async () => {
  const root = Deno.realPathSync(await Deno.makeTempDir());
  const workspace = `${root}/ws`;
  const refused = (path: string, why: RegExp) =>
    assert.throws(() => open_file("--log-file", { path, written: [workspace], io: SILENT }), why);
  try {
    Deno.mkdirSync(workspace);
    Deno.writeTextFileSync(`${root}/bashrc`, "mine");
    Deno.symlinkSync(`${root}/bashrc`, `${workspace}/run.log`);
    Deno.symlinkSync(`${root}/bashrc`, `${root}/link.log`);
    new Deno.Command("mkfifo", { args: [`${root}/pipe`] }).outputSync();
    refused(`${workspace}/run.log`, /a link in the workspace; name the file itself/);
    refused(`${root}/pipe`, /not a regular file/);
    refused(workspace, /not a regular file/);
    refused(`${root}/bashrc/x.log`, /--log-file .*x\.log: a part of the path is not a folder/);
    // Nor is a folder on the way a link; one of the person's own, outside, may be.
    Deno.mkdirSync(`${root}/other`);
    Deno.symlinkSync("../other", `${workspace}/out`);
    Deno.symlinkSync(workspace, `${root}/to_ws`);
    refused(`${workspace}/out/run.log`, /out is a link in the workspace; name the folder itself/);
    refused(`${root}/to_ws/out/run.log`, /out is a link in the workspace/);
    refused(`${workspace}/out/../ws/run2.log`, /out is a link in the workspace/);
    const folder = { path: `${workspace}/out/new/deep`, written: [workspace] };
    assert.throws(() => real_file_place("--artifacts", folder), /out is a link in the workspace/);
    assert.deepEqual([...Deno.readDirSync(`${root}/other`)], []);
    const beside = { path: `${root}/link.log`, written: [workspace, root], io: SILENT };
    assert.throws(
      () => open_file("-o", beside),
      new UsageError(
        `-o ${root}/link.log: a link in ${root}, where commands may write; name the file itself`,
      ),
    );
    open_file("--log-file", { path: `${root}/to_ws/fine.log`, written: [workspace], io: SILENT });
    assert.equal(Deno.readTextFileSync(`${root}/bashrc`), "mine");
    // Folders that are not there are made, for every flag.
    for (const flag of ["--log-file", "-o", "--junit", "--artifacts"] as const) {
      const path = `${root}/new/${flag}/deep/x`;
      open_file(flag, { path, written: [workspace], io: SILENT });
      assert.ok(Deno.statSync(path).isFile, flag);
    }
    for (const path of [`${workspace}/new.log`, `${root}/link.log`, "/dev/null"]) {
      open_file("--log-file", { path, written: [workspace], io: SILENT });
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test({
  name: "what another user has put into a shared folder is not written, nor led by",
  ignore: Deno.build.os !== "linux" || Deno.uid() !== 0,
  async fn() {
    const root = Deno.realPathSync(await Deno.makeTempDir());
    const shared = `${root}/tmp`;
    const write = (path: string) =>
      open_file("-o", { path, written: [`${root}/ws`], io: SILENT }, { emptied: true });
    try {
      for (const folder of ["home", "tmp", "ordinary"]) Deno.mkdirSync(`${root}/${folder}`);
      Deno.chmodSync(shared, 0o1777);
      Deno.writeTextFileSync(`${root}/bashrc`, "mine");
      for (const folder of ["tmp", "ordinary"]) {
        for (const [to, name] of [["bashrc", "theirs"], ["home", "folder"], ["bashrc", "own"]]) {
          Deno.symlinkSync(`../${to}`, `${root}/${folder}/${name}`);
          if (name !== "own") lchownSync(`${root}/${folder}/${name}`, 65534, 65534);
        }
        Deno.writeTextFileSync(`${root}/${folder}/file`, "theirs");
        Deno.chownSync(`${root}/${folder}/file`, 65534, 65534);
      }
      const refused = (name: string, words: string) =>
        assert.throws(
          () => write(`${shared}/${name}`),
          new UsageError(`-o ${shared}/${name}: ${words}`),
        );
      const link = `a link in ${shared}, and another user's`;
      refused("theirs", `${link}; name the file itself`);
      refused("folder/x", `folder is ${link}; name the folder itself`);
      refused(
        "file",
        `another user's file in ${shared}, where everybody can create files; name another`,
      );
      assert.equal(Deno.readTextFileSync(`${root}/bashrc`), "mine");
      assert.equal(Deno.readTextFileSync(`${shared}/file`), "theirs");
      // One's own there, and what is in folders that are not shared, as before.
      const fine = ["tmp/own", "tmp/new", "ordinary/theirs", "ordinary/folder/x", "ordinary/file"];
      for (const path of fine) write(`${root}/${path}`);
      make_folder_at(real_file_place("--artifacts", { path: `${shared}/a/b`, written: [] }));
      write(`${shared}/a/b/x`);
      assert.throws(() => make_folder_at(`${shared}/folder/c`), /folder is not a folder/);
      // They are the folder's owner's.
      Deno.chownSync(shared, 65534, 65534);
      for (const name of ["theirs", "folder/x", "file"]) write(`${shared}/${name}`);
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  },
});

Deno.test({
  name: "shared memory holds files like any other folder, and links of commands",
  ignore: Deno.build.os !== "linux",
  fn() {
    const folder = Deno.makeTempDirSync({ dir: "/dev/shm" });
    try {
      const own = { written: ["/nowhere", Deno.realPathSync("/dev/shm")], io: SILENT };
      const file = new OutputFile("-o", { ...own, path: `${folder}/new/answer` });
      assert.equal(file.put("text"), null);
      assert.equal(Deno.readTextFileSync(`${folder}/new/answer`), "text");
      Deno.symlinkSync("new/answer", `${folder}/link`);
      assert.throws(
        () => open_file("-o", { ...own, path: `${folder}/link` }),
        /a link in .*shm, where commands may write; name the file itself/,
      );
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

Deno.test("what was written is known to be lost where its name is gone, or another file's", async () => {
  const root = Deno.realPathSync(await Deno.makeTempDir());
  try {
    const path = `${root}/a.txt`;
    const written = (path: string, meanwhile: () => void = () => {}) => {
      const file = new OutputFile("-o", { path, written: [root], io: SILENT });
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

Deno.test({
  name:
    "no file outside is opened, emptied or made, though a command swaps links in the workspace meanwhile",
  ignore: Deno.build.os !== "linux",
  async fn() {
    const root = Deno.realPathSync(await Deno.makeTempDir());
    const workspace = `${root}/ws`;
    const swapping = [["run.log", "bashrc"], ["new.log", "hushlogin"], ["out", "home"]] as const;
    for (const folder of [workspace, `${root}/home`, `${workspace}/kept`]) Deno.mkdirSync(folder);
    for (const name of ["bashrc", "home/x.log"]) Deno.writeTextFileSync(`${root}/${name}`, "mine");
    const swapper = await beside(`
      begun();
      const swaps = ${JSON.stringify(swapping)};
      Deno.mkdirSync("${workspace}/out", { recursive: true });
      while (!is_over()) for (const [name, target] of swaps) {
        const path = "${workspace}/" + name;
        try {
          swap(path, name, target);
        } catch (error) {
          // Whoever opens a file in the folder has made it meanwhile.
          if (name !== "out") throw error;
          while ([path, path + "~link", path + "~kept"].filter(is_left).length > 0);
          Deno.mkdirSync(path, { recursive: true });
        }
      }
      function is_left(path) {
        try {
          Deno.removeSync(path, { recursive: true });
          return true;
        } catch (error) {
          return !(error instanceof Deno.errors.NotFound);
        }
      }
      function swap(path, name, target) {
        Deno.symlinkSync("../" + target, path + "~link");
        if (name === "out") Deno.renameSync(path, path + "~kept");
        Deno.renameSync(path + "~link", path);
        if (name === "out") Deno.removeSync(path), Deno.renameSync(path + "~kept", path);
        else if (name === "run.log") {
          Deno.writeTextFileSync(path + "~file", "");
          Deno.renameSync(path + "~file", path);
        } else Deno.removeSync(path);
        try { Deno.symlinkSync("../home", "${workspace}/way"); } catch {}
        try { Deno.removeSync("${workspace}/way", { recursive: true }); } catch {}
      }`);
    const made = `${workspace}/way/made`;
    let opened = 0;
    try {
      for (let nth = 0; nth < TRIES; nth++) {
        try {
          // As `--artifacts` and `--junit` have their folders made.
          make_folder_at(real_file_place("--artifacts", { path: made, written: [workspace] }));
        } catch {
          // The link was met, or nothing was there.
        }
        for (const name of ["run.log", "new.log", "out/x.log"]) {
          for (const flag of ["--log-file", "--artifacts"] as const) {
            const named = { path: `${workspace}/${name}`, written: [workspace], io: SILENT };
            try {
              const file = open_file(flag, named, { emptied: flag === "--artifacts" });
              opened++;
              file.writeSync(new TextEncoder().encode("theirs"));
              if (file instanceof Deno.FsFile) file.close();
            } catch (error) {
              assert.ok(error instanceof UsageError, String(error));
            }
          }
        }
      }
      assert.ok(opened > 0);
      assert.equal(Deno.readTextFileSync(`${root}/bashrc`), "mine");
      assert.equal(Deno.readTextFileSync(`${root}/home/x.log`), "mine");
      for (const name of ["hushlogin", "home/made"]) {
        assert.throws(() => Deno.lstatSync(`${root}/${name}`), Deno.errors.NotFound);
      }
    } finally {
      await swapper.end();
      Deno.removeSync(root, { recursive: true });
    }
  },
});
