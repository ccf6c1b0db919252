import assert from "node:assert/strict";
import { errno_of } from "./errno.ts";
import { linux_libc } from "./libc.ts";
import { raw_files } from "./raw_files.ts";

/** In a fresh folder, as an open descriptor. */
function in_folder(work: (folder: string, fd: number) => void): void {
  const files = raw_files()!;
  const folder = Deno.makeTempDirSync();
  const fd = files.open_folder(folder);
  try {
    work(folder, fd);
  } finally {
    files.close(fd);
    Deno.removeSync(folder, { recursive: true });
  }
}

const ignore = linux_libc() === null;

Deno.test({
  name: "what is in a folder, by kind, and nothing of it is followed",
  ignore,
  fn: () =>
    in_folder((folder, fd) => {
      const files = raw_files()!;
      Deno.writeTextFileSync(`${folder}/file`, "content");
      Deno.mkdirSync(`${folder}/folder`);
      Deno.symlinkSync("file", `${folder}/link`);
      Deno.symlinkSync("folder", `${folder}/way`);
      new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).outputSync();
      const kinds = Object.fromEntries(files.entries(fd).map(({ name, kind }) => [name, kind]));
      const expected = { file: "file", folder: "folder", link: "link", way: "link", pipe: "other" };
      assert.deepEqual(kinds, expected);
      assert.equal(files.open_file(fd, "link"), -errno_of("ELOOP"));
      assert.equal(files.open_folder("way", fd), -errno_of("ENOTDIR"));
      assert.equal(files.open_folder("file", fd), -errno_of("ENOTDIR"));
      assert.equal(files.open_file(fd, "gone"), -errno_of("ENOENT"));
      assert.equal(files.open_file(fd, "x".repeat(5000)), -errno_of("ENAMETOOLONG"));
      const below = files.open_folder("folder", fd);
      assert.ok(below >= 0);
      assert.deepEqual(files.entries(below), []);
      files.close(below);
    }),
});

Deno.test({
  name: "a file is read into a buffer, piece by piece; a pipe with no writer does not wait",
  ignore,
  fn: () =>
    in_folder((folder, fd) => {
      const files = raw_files()!;
      Deno.writeTextFileSync(`${folder}/a`, "0123456789");
      const buffer = files.buffer(8);
      const file = files.open_file(fd, "a");
      assert.equal(files.read(file, buffer, 2), 6);
      assert.equal(new TextDecoder().decode(buffer.bytes), "\0\x00012345");
      assert.equal(files.read(file, buffer), 4);
      assert.equal(new TextDecoder().decode(buffer.bytes.subarray(0, 4)), "6789");
      assert.equal(files.read(file, buffer), 0);
      files.close(file);
      new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).outputSync();
      const pipe = files.open_file(fd, "pipe");
      assert.ok(files.read(pipe, buffer) <= 0);
      files.close(pipe);
    }),
});

Deno.test({
  name: "a file is told as other programs tell it",
  ignore,
  fn: () =>
    in_folder((folder, fd) => {
      const files = raw_files()!;
      Deno.writeTextFileSync(`${folder}/a`, "content", { mode: 0o640 });
      Deno.utimeSync(`${folder}/a`, 1, 1_000_000_000.5);
      Deno.symlinkSync("a", `${folder}/link`);
      const format = ["--printf", "%f %s %i %.9Y %.9Z\n", "a", "link"];
      const run = new Deno.Command("stat", { args: format, cwd: folder }).outputSync();
      const nanoseconds = (s: number, ns: number) => `${s}.${String(ns).padStart(9, "0")}`;
      const told = ["a", "link"].map((name) => {
        const stat = files.stat(fd, name);
        if (typeof stat === "string") return stat;
        const { mode, size, ino, mtime_s, mtime_ns, ctime_s, ctime_ns } = stat;
        const times = [nanoseconds(mtime_s, mtime_ns), nanoseconds(ctime_s, ctime_ns)];
        return [mode.toString(16), size, ino, ...times].join(" ") + "\n";
      });
      assert.equal(told.join(""), new TextDecoder().decode(run.stdout));
      const file = files.open_file(fd, "a");
      const open = files.stat_open(file);
      assert.ok(typeof open !== "string" && open.size === 7);
      assert.equal(
        open.dev,
        (() => {
          const stat = files.stat(fd, "a");
          return typeof stat === "string" ? null : stat.dev;
        })(),
      );
      files.close(file);
      assert.equal(files.stat(fd, "gone"), "gone");
      assert.equal(files.stat(fd, "a/gone"), "gone");
    }),
});

Deno.test({
  name: "any name can be opened as it was listed, UTF-8 or not",
  ignore,
  fn: () =>
    in_folder((folder, fd) => {
      const files = raw_files()!;
      const made = new Deno.Command("bash", {
        args: [
          "-c",
          "for n in plain é 😀 $'caf\\xe9' $'é\\xff\\xfe😀' $'two\\nlines'; do echo \"$n\" > \"$n\"; done",
        ],
        cwd: folder,
      }).outputSync();
      assert.ok(made.success);
      const entries = files.entries(fd);
      assert.equal(entries.length, 6);
      for (const { name } of entries) {
        const file = files.open_file(fd, name);
        assert.ok(file >= 0, name);
        files.close(file);
        assert.equal(typeof files.stat(fd, name), "object");
      }
      const names = entries.map(({ name }) => name);
      for (const name of ["plain", "é", "😀", "caf\udce9", "two\nlines"]) {
        assert.ok(names.includes(name), name);
      }
    }),
});

Deno.test({
  name: "a folder of thousands is listed whole",
  ignore,
  fn: () =>
    in_folder((folder, fd) => {
      const names = Array.from({ length: 5000 }, (_, n) => `some_longer_name_of_a_file_${n}`);
      for (const name of names) Deno.writeTextFileSync(`${folder}/${name}`, "");
      const found = raw_files()!.entries(fd).map(({ name }) => name);
      assert.deepEqual(found.sort(), names.sort());
    }),
});
