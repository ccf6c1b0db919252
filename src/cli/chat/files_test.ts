import assert from "node:assert/strict";
import { files_mentioned, workspace_files } from "./files.ts";
import { is_command } from "./commands.ts";

Deno.test("files_in() finds what is named with @, and what terminals write of a file that is dragged there", () => {
  const top = Deno.makeTempDirSync({ prefix: "hamr_" });
  try {
    for (const name of ["a.png", "b c.png", "ü.JPG", "n.txt"]) {
      Deno.writeTextFileSync(`${top}/${name}`, "");
    }
    const [a, b, u] = [`${top}/a.png`, `${top}/b c.png`, `${top}/ü.JPG`];
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["see @a.png", [a]],
      ["see @a.png, and (@a.png).", [a]],
      ['see @"b c.png" and @a.png', [b, a]],
      ["see @'b c.png'", [b]],
      ["see @b\\ c.png now", [b]],
      [`${a} what`, [a]],
      [`${top}/b\\ c.png what`, [b]],
      [`'${b}' what`, [b]],
      [`"${b}"`, [b]],
      [`file://${top}/b%20c.png\nfile://${top}/%C3%BC.JPG`, [b, u]],
      [`see @${a} and ${a}`, [a]],
      ["see a.png", []],
      ["mail me@a.png", []],
      ["see @n.txt @none.png @", []],
      [`the key is "a.png"`, []],
      [`file:///%zz.png`, []],
    ];
    for (const [text, paths] of cases) {
      assert.deepEqual(files_mentioned(text, top).images, paths, text);
    }
    const missing = (text: string) => files_mentioned(text, top).no_images;
    assert.deepEqual(
      missing('see @none.png and @"no ne.jpg", then @none.png @a.png @n.txt @x.ts'),
      [
        "none.png",
      ],
    );
    assert.deepEqual(missing('see @"no ne.jpg" now'), ["no ne.jpg"]);
    // Only what is to be made, or an address of the web.
    assert.deepEqual(missing("write /assets/logo.png, 'none.png' and me@none.png"), []);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("files_in() knows a file that is missing from a decorator, a package, an alias and a person", () => {
  const top = Deno.makeTempDirSync({ prefix: "hamr_" });
  try {
    for (const folder of ["src", "types"]) Deno.mkdirSync(`${top}/${folder}`);
    for (const name of ["README.md", "src/a.ts", "b.py", "types/x.d.ts"]) {
      Deno.writeTextFileSync(`${top}/${name}`, "");
    }
    const missing = (text: string) => files_mentioned(text, top).no_files;
    for (
      const [text, names] of [
        ["see @nope.md", ["nope.md"]],
        ["see @src/nope.ts, then @src/no/pe.py.", ["src/nope.ts", "src/no/pe.py"]],
        ['see @"src/no pe.ts" and @src/nope.ts?', ["src/no pe.ts", "src/nope.ts"]],
      ] as const
    ) assert.deepEqual(missing(text), names, text);
    for (
      const honest of [
        "see @README.md, @src/a.ts. and @src/ (@src)",
        "mail me@nope.md, or <a@b.py>; @ada, @ada.lovelace and @org/team.md know",
        "@dataclass @app.get @pytest.mark.skip @app.route('/a.md') @Component({a: b.ts}) @x.setter",
        "@types/node @types/node@22.1.0 @scope/pkg.js @babel/core and actions/checkout@v4.md",
        "import a from '@/lib/a.ts'; see @/lib/a.ts and @components/a.ts",
        '@media @import "a.css" @param a.ts @ts-ignore @latest @v1.2.3 @user@host.md',
        "@src/*.ts @src/a.ts:10 @src/b.ts#L3 `@nope.md` @docs:file:///nope.md @HEAD~1 @{u}",
      ]
    ) assert.deepEqual(missing(honest), [], honest);
    Deno.writeTextFileSync(`${top}/a.rb`, "");
    assert.deepEqual(missing("what is in @response.md"), []);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("is_command() takes no path for a command", () => {
  for (const text of ["/help", "/", "/mode ask", "/a:b c/d", "/nope\nmore"]) {
    assert.ok(is_command(text), text);
  }
  for (const text of ["/tmp/a.png what", "//", "/home/me/b\\ c.png", "see /help", ""]) {
    assert.ok(!is_command(text), text);
  }
});

Deno.test("the files of a folder are listed by themselves, without what an ignore rule covers", () => {
  const top = Deno.makeTempDirSync({ prefix: "hamr_" });
  try {
    Deno.mkdirSync(`${top}/a/b`, { recursive: true });
    for (const name of ["x.ts", "a/y.ts", "a/b/z.ts", "a/no.log"]) {
      Deno.writeTextFileSync(`${top}/${name}`, "");
    }
    Deno.writeTextFileSync(`${top}/.gitignore`, "*.log\n");
    const looked = workspace_files(top);
    const files = (below?: string) => looked(below).files;
    assert.deepEqual(files("a/"), ["a/y.ts", "a/b/z.ts"]);
    assert.deepEqual(files(), [".gitignore", "x.ts", "a/y.ts", "a/b/z.ts"]);
    for (const none of ["nope/", "a/y.ts/", "a/b/c/"]) assert.deepEqual(files(none), []);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("many files are looked through a part at each call, and then all are there", () => {
  const top = Deno.makeTempDirSync({ prefix: "hamr_" });
  try {
    for (const name of ["a", "b", "c", "d", "e"]) Deno.writeTextFileSync(`${top}/${name}`, "");
    const files = workspace_files(top, 2);
    assert.deepEqual(files(), { files: ["a", "b"], whole: false });
    assert.deepEqual(files(), { files: ["a", "b", "c", "d"], whole: false });
    const all = { files: ["a", "b", "c", "d", "e"], whole: true };
    assert.deepEqual(files(), all);
    assert.deepEqual(files(), all);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});
