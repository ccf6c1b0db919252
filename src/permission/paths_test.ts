import assert from "node:assert/strict";
import {
  absolute,
  entries_in,
  exists,
  follow,
  look,
  names_in,
  passwd_homes,
  resolved,
  text_of,
} from "./paths.ts";

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
  assert.equal(absolute("~/.ssh/../x", "/home/u"), "/home/u/x");
  assert.equal(absolute("~", "/home/u/"), "/home/u");
  assert.equal(absolute("~", ""), null);
  assert.equal(absolute("~u/x", "/h"), `${Deno.cwd()}/~u/x`);
  assert.equal(absolute("a/..", "/h"), Deno.cwd());
});

Deno.test("look() takes a link for itself, follow() for what it leads to; what is not there is nothing", () => {
  const root = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${root}/file`, "text");
    Deno.symlinkSync(`${root}/file`, `${root}/link`);
    Deno.symlinkSync(`${root}/none`, `${root}/dangling`);
    assert.equal(look(`${root}/link`)?.isSymlink, true);
    assert.equal(follow(`${root}/link`)?.size, 4);
    assert.deepEqual([exists(`${root}/dangling`), follow(`${root}/dangling`)], [true, null]);
    assert.deepEqual([exists(`${root}/none`), look(`${root}/none`)], [false, null]);
    assert.deepEqual(names_in(root).sort(), ["dangling", "file", "link"]);
    assert.deepEqual([names_in(`${root}/none`), entries_in(`${root}/file`)], [[], []]);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
