import assert from "node:assert/strict";
import { raw } from "./_testing.ts";
import { UncountedPaths } from "./uncounted_paths.ts";
import type { Folders } from "./folders.ts";

Deno.test("of ignored folders those further up are looked at first, and only those are listed that are needed for it", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync());
  try {
    const deps = `${root}/node_modules`;
    for (let folder = 0; folder < 50; folder++) {
      Deno.mkdirSync(`${deps}/p${folder}/lib`, { recursive: true });
      for (let file = 0; file < 40; file++) {
        Deno.writeTextFileSync(`${deps}/p${folder}/f${file}`, "");
      }
    }
    let lists = 0;
    const counted: Folders = {
      tick_ms: raw.tick_ms,
      open: (parent, name) => raw.open(parent, name),
      close: (folder) => raw.close(folder),
      list: (folder) => (lists++, raw.list(folder)),
      stat: (folder, name, into) => raw.stat(folder, name, into),
      born: (folder, name) => raw.born(folder, name),
      read: (folder, name, how) => raw.read(folder, name, how),
      remove: (folder, name) => raw.remove(folder, name),
    };
    const beyond = new UncountedPaths(counted);
    const paths = (tops: readonly string[]) => beyond.look(tops).map(({ path }) => path);
    assert.deepEqual(paths([`${deps}/`]), [`${deps}/`]);
    // 51 folders, and 41 of what is in each of them: the thousandth is in the 24th.
    assert.ok(beyond.is_cut);
    assert.equal(lists, 1 + 24);
    Deno.writeTextFileSync(`${deps}/p0/f0`, "changed");
    Deno.writeTextFileSync(`${deps}/p9/f0`, "deeper than is looked at");
    assert.deepEqual(paths([`${deps}/`]), [`${deps}/p0/f0`]);

    const small = new UncountedPaths(raw);
    small.look([`${deps}/p1/`]);
    assert.ok(!small.is_cut);
    Deno.writeTextFileSync(`${deps}/p1/lib/new`, "");
    assert.deepEqual(small.look([`${deps}/p1/`]).map(({ path, became }) => [path, became]), [
      [`${deps}/p1/lib/new`, "added"],
    ]);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
