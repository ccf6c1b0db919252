import assert from "node:assert/strict";
import { Refs } from "./refs.ts";
import { open_folders } from "./linux_folders.ts";

Deno.test("refs and HEAD are read as git reads them: other blanks belong to a name, an id may have capitals", () => {
  const top = Deno.makeTempDirSync();
  try {
    Deno.mkdirSync(`${top}/refs/heads`, { recursive: true });
    const one = "a".repeat(40), two = "B".repeat(40);
    const write = (head: string, id: string) => {
      Deno.writeTextFileSync(`${top}/HEAD`, `ref: refs/heads/${head}\n`);
      Deno.writeTextFileSync(
        `${top}/packed-refs.new`,
        `# pack-refs with: peeled fully-peeled sorted \n${id} refs/heads/x\u00a0y\n^${id}\n`,
      );
      Deno.renameSync(`${top}/packed-refs.new`, `${top}/packed-refs`);
    };
    const places = new Map([["", { own: top, common: top, below: "" }]]);
    const refs = new Refs(open_folders());
    write("main", one);
    refs.look(places, null);
    assert.deepEqual(refs.look(places, null), []);
    write("main\u00a0", two);
    assert.deepEqual(refs.look(places, null), [
      {
        kind: "ref",
        ref: "HEAD",
        before: "ref: refs/heads/main",
        after: "ref: refs/heads/main\u00a0",
      },
      { kind: "ref", ref: "refs/heads/x\u00a0y", before: one, after: two },
    ]);
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("a new ref is known where what it names was named before", () => {
  const top = Deno.makeTempDirSync();
  try {
    Deno.mkdirSync(`${top}/refs/heads`, { recursive: true });
    const [packed, loose, new_id] = ["a", "b", "c"].map((digit) => digit.repeat(40)) as [
      string,
      string,
      string,
    ];
    const write = (branch: string, id: string) =>
      Deno.writeTextFileSync(`${top}/refs/heads/${branch}`, `${id}\n`);
    Deno.writeTextFileSync(`${top}/HEAD`, "ref: refs/heads/main\n");
    Deno.writeTextFileSync(`${top}/packed-refs`, `${packed} refs/tags/v1\n`);
    write("main", loose);
    const places = new Map([["", { own: top, common: top, below: "" }]]);
    const refs = new Refs(open_folders());
    refs.look(places, null);
    write("at_tag", packed);
    write("at_main", loose);
    write("main", new_id);
    write("ahead", new_id);
    const known = refs.look(places, null).map(({ ref, known }) => [ref, known]);
    assert.deepEqual(Object.fromEntries(known), {
      "refs/heads/at_tag": true,
      "refs/heads/at_main": true,
      "refs/heads/main": undefined,
      "refs/heads/ahead": undefined,
    });
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});

Deno.test("what moves a ref in a reftable is known, though not which: its list of tables is another one", () => {
  const top = Deno.makeTempDirSync();
  try {
    const own = `${top}/worktrees/w`;
    for (const folder of [top, own]) Deno.mkdirSync(`${folder}/reftable`, { recursive: true });
    Deno.mkdirSync(`${top}/refs`);
    const write = (folder: string, table: string) =>
      Deno.writeTextFileSync(`${folder}/reftable/tables.list`, `${table}\n`);
    for (const folder of [top, own]) {
      Deno.writeTextFileSync(`${folder}/HEAD`, "ref: refs/heads/.invalid\n");
      write(folder, "one.ref");
    }
    const refs = new Refs(open_folders());
    const look = () =>
      refs.look(new Map([["", { own, common: top, below: "" }]]), null).map(({ ref }) => ref);
    look();
    assert.deepEqual(look(), []);
    for (const folder of [top, own]) {
      write(folder, "two.ref");
      assert.deepEqual(look(), ["refs/heads/* (reftable)"]);
    }
  } finally {
    Deno.removeSync(top, { recursive: true });
  }
});
