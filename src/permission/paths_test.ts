import assert from "node:assert/strict";
import { open_libc } from "../sandbox/kernel/libc.ts";
import { remove } from "../../tests/support/remove.ts";
import { is_missing } from "../sandbox/kernel/statx.ts";
import {
  entries_in,
  exists,
  expanded,
  file_text,
  lstat_or_null,
  names_in,
  passwd_homes,
  real_of,
  resolved,
  stat_or_null,
} from "./paths.ts";

Deno.test("only a regular file is read: a pipe or a device of the workspace would never end", async () => {
  const root = await Deno.makeTempDir();
  try {
    Deno.writeTextFileSync(`${root}/file`, "text");
    new Deno.Command("mkfifo", { args: [`${root}/pipe`] }).outputSync();
    Deno.symlinkSync("/dev/zero", `${root}/endless`);
    assert.equal(file_text(`${root}/file`), "text");
    for (const name of ["pipe", "endless", "none", "."]) {
      assert.equal(file_text(`${root}/${name}`), "");
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("passwd_homes() is what the system says", () => {
  const said = new Deno.Command("sh", { args: ["-c", "getent passwd $(id -u) | cut -d: -f6"] });
  const own = passwd_homes().find(({ uid }) => uid === Deno.uid())?.home ?? "";
  assert.equal(own, new TextDecoder().decode(said.outputSync().stdout).trim());
});

Deno.test("a path is resolved by its name alone, in its folder or in the home folder", () => {
  const cases: [folder: string, path: string, expected: string][] = [
    ["/w", "a/./b//c/", "/w/a/b/c"],
    ["/w", "../x", "/x"],
    ["/w", "/etc/../usr", "/usr"],
    ["/w", "../../..", "/"],
    ["/w", "", "/w"],
  ];
  for (const [folder, path, expected] of cases) assert.equal(resolved(folder, path), expected);
  assert.equal(expanded("~/.ssh/../x", "/home/u"), "/home/u/x");
  assert.equal(expanded("~", "/home/u/"), "/home/u");
  assert.equal(expanded("~", ""), null);
  assert.equal(expanded("~u/x", "/h"), `${Deno.cwd()}/~u/x`);
  assert.equal(expanded("a/..", "/h"), Deno.cwd());
});

Deno.test("look() takes a link for itself, follow() for what it leads to; what is not there is nothing", () => {
  const root = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${root}/file`, "text");
    Deno.symlinkSync(`${root}/file`, `${root}/link`);
    Deno.symlinkSync(`${root}/none`, `${root}/dangling`);
    assert.equal(lstat_or_null(`${root}/link`)?.isSymlink, true);
    assert.equal(stat_or_null(`${root}/link`)?.size, 4);
    assert.deepEqual([exists(`${root}/dangling`), stat_or_null(`${root}/dangling`)], [true, null]);
    assert.deepEqual([exists(`${root}/none`), lstat_or_null(`${root}/none`)], [false, null]);
    assert.deepEqual(names_in(root).sort(), ["dangling", "file", "link"]);
    assert.deepEqual([names_in(`${root}/none`), entries_in(`${root}/file`)], [[], []]);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test({
  name: "where the kernel is asked first, a path is found as Deno finds it",
  ignore: Deno.build.os !== "linux",
  fn() {
    const root = Deno.realPathSync(Deno.makeTempDirSync());
    try {
      open_libc();
      Deno.mkdirSync(`${root}/folder`);
      Deno.writeTextFileSync(`${root}/f\u00fcnf`, "text");
      Deno.symlinkSync("folder", `${root}/link`);
      Deno.symlinkSync("nowhere", `${root}/dangling`);
      Deno.symlinkSync("loop", `${root}/loop`);
      const or_null = <T>(ask: () => T) => {
        try {
          return ask();
        } catch {
          return null;
        }
      };
      const names = ["folder", "f\u00fcnf", "link", "dangling", "loop", "none", "none/below", "."]
        .concat(["f\u00fcnf/below", "link/", "dangling/", "link/../folder", "no\0ne", "folder\0"])
        .concat(["x".repeat(300), "x/".repeat(3000)]);
      for (const path of ["", ...names.map((name) => `${root}/${name}`)]) {
        const own = or_null(() => Deno.lstatSync(path)), led = or_null(() => Deno.statSync(path));
        assert.equal(lstat_or_null(path)?.ino, own?.ino, path);
        assert.equal(stat_or_null(path)?.ino, led?.ino, path);
        assert.equal(real_of(path), or_null(() => Deno.realPathSync(path)), path);
        assert.deepEqual(
          names_in(path),
          or_null(() => [...Deno.readDirSync(path)])?.map((one) => one.name) ?? [],
          path,
        );
        assert.ok(own === null || !is_missing(path, { follow: false }), path);
      }
      assert.ok(is_missing(`${root}/none`, { follow: false }));
      assert.ok(is_missing(`${root}/dangling`, { follow: true }));
      assert.ok(!is_missing(`${root}/dangling`, { follow: false }));
    } finally {
      Deno.removeSync(root, { recursive: true });
    }
  },
});

Deno.test(
  "a pipe that comes in the place of a file is neither read nor waited for, however the race ends",
  {
    ignore: Deno.build.os === "windows",
  },
  async () => {
    const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hamr_pipe_" }));
    Deno.writeTextFileSync(`${root}/a`, "fine\n");
    // With a writer, so that who takes it for the file reads from it and does not wait without end.
    const flip =
      "while :; do mkfifo p; exec 4<>p; echo piped >&4; mv p a; echo fine > o; mv o a; exec 4>&-; done";
    const child = new Deno.Command("sh", { args: ["-c", flip], cwd: root, stderr: "null" }).spawn();
    try {
      const seen = new Set<string>();
      // Looking and opening by name read the pipe in one of some 300 times.
      for (let n = 0; n < 4000 || seen.size < 2; n++) seen.add(file_text(`${root}/a`));
      assert.deepEqual([...seen].sort(), ["", "fine\n"]);
    } finally {
      child.kill("SIGKILL");
      await child.status;
      await remove(root);
    }
  },
);
