import assert from "node:assert/strict";
import { remove } from "../../../tests/support/remove.ts";
import { read_inside } from "./read_inside.ts";

Deno.test("what a name leads to is read only where it is in the folder: no link out of it, no pipe, no folder", () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hamr_inside_" }));
  const folder = `${root}/ws`;
  const read = (name: string, most = 100) => {
    const bytes = read_inside(`${folder}/${name}`, { folder, most });
    return bytes === null ? null : new TextDecoder().decode(bytes);
  };
  try {
    Deno.mkdirSync(`${folder}/sub`, { recursive: true });
    Deno.mkdirSync(`${root}/keys`);
    Deno.writeTextFileSync(`${root}/keys/key`, "secret");
    Deno.writeTextFileSync(`${folder}/sub/a`, "a text\n".repeat(20_000));
    Deno.symlinkSync("sub/a", `${folder}/near`);
    Deno.symlinkSync(`${root}/keys/key`, `${folder}/far`);
    Deno.symlinkSync(`${root}/keys`, `${folder}/keys`);
    assert.equal(read("sub/a", 6), "a text");
    assert.equal(read("sub/a", 1_000_000)?.length, 7 * 20_000);
    assert.equal(read("near", 6), "a text");
    for (const name of ["far", "keys/key", "../keys/key", "sub", "none"]) {
      assert.equal(read(name), null, name);
    }
    if (Deno.build.os === "windows") return;
    new Deno.Command("mkfifo", { args: [`${folder}/pipe`] }).outputSync();
    assert.equal(read("pipe"), null);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("a link that comes and goes leads to nothing outside, however the race ends", async () => {
  const root = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "hamr_inside_" }));
  const folder = `${root}/ws`;
  Deno.mkdirSync(folder);
  Deno.writeTextFileSync(`${root}/key`, "secret");
  const flip = "while :; do ln -sf ../key l; mv l a; echo fine > o; mv o a; done";
  const child = new Deno.Command("sh", { args: ["-c", flip], cwd: folder, stderr: "null" }).spawn();
  try {
    const seen = new Set<string>();
    const until = performance.now() + 2000;
    // Each of both was met: refused as a link, and read.
    while (!(seen.has("none") && seen.has("fine\n")) && performance.now() < until) {
      for (let n = 0; n < 50; n++) {
        const bytes = read_inside(`${folder}/a`, { folder, most: 100 });
        seen.add(bytes === null ? "none" : new TextDecoder().decode(bytes));
      }
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    assert.deepEqual([...seen].filter((text) => !["none", "fine\n", ""].includes(text)), []);
    assert.ok(seen.has("fine\n"));
  } finally {
    child.kill("SIGKILL");
    await child.status;
    await remove(root);
  }
});
