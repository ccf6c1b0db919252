import assert from "node:assert/strict";
import { images_in } from "./files.ts";
import { is_command } from "./commands.ts";

Deno.test("images_in() finds what is named with @, and what terminals write of a file that is dragged there", () => {
  const top = Deno.makeTempDirSync({ prefix: "hamr_" });
  try {
    for (const name of ["a.png", "b c.png", "ü.JPG", "n.txt"]) {
      Deno.writeTextFileSync(`${top}/${name}`, "");
    }
    const [a, b, u] = [`${top}/a.png`, `${top}/b c.png`, `${top}/ü.JPG`];
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ["see @a.png", [a]],
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
    for (const [text, paths] of cases) assert.deepEqual(images_in(text, top).paths, paths, text);
    const missing = (text: string) => images_in(text, top).missing;
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

Deno.test("is_command() takes no path for a command", () => {
  for (const text of ["/help", "/", "/mode ask", "/a:b c/d", "/nope\nmore"]) {
    assert.ok(is_command(text), text);
  }
  for (const text of ["/tmp/a.png what", "//", "/home/me/b\\ c.png", "see /help", ""]) {
    assert.ok(!is_command(text), text);
  }
});
