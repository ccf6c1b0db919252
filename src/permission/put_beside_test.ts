import assert from "node:assert/strict";
import { clear_halves } from "./unfinished_files.ts";
import { note_halves_in, put_beside } from "./put_beside.ts";

/** A process that is killed while it writes, with its notes in `notes`. */
async function killed(notes: string, full: string): Promise<void> {
  const module = JSON.stringify(new URL("./put_beside.ts", import.meta.url).href);
  const code = `
    import { note_halves_in, put_beside } from ${module};
    note_halves_in(${JSON.stringify(notes)});
    put_beside(${JSON.stringify(full)}, (made) => {
      Deno.writeTextFileSync(made, "half");
      Deno.kill(Deno.pid, "SIGKILL");
      for (;;);
    });`;
  await new Deno.Command(Deno.execPath(), { args: ["eval", code], stderr: "null" }).output();
}

const names = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

Deno.test("clear_halves() takes away what a killed process was writing, and nothing else", async () => {
  const root = Deno.makeTempDirSync({ prefix: "hamr_test_" });
  const [notes, place] = [`${root}/notes`, `${root}/place`];
  for (const folder of [notes, place]) Deno.mkdirSync(folder);
  try {
    Deno.writeTextFileSync(`${place}/f`, "old");
    await killed(notes, `${place}/f`);
    assert.deepEqual([names(place).length, names(notes).length], [2, 1]);
    const other = `${place}/.hamr-${crypto.randomUUID()}`;
    Deno.writeTextFileSync(other, "another's");
    // What a command may have put there.
    Deno.writeTextFileSync(`${notes}/.half-1`, `${place}/f`);
    Deno.writeTextFileSync(`${notes}/.half-2`, "/no/such");
    Deno.symlinkSync(`${place}/f`, `${notes}/.half-4`);
    Deno.mkdirSync(`${notes}/.half-3`);
    clear_halves(notes);
    assert.deepEqual(names(place), [other.slice(place.length + 1), "f"]);
    assert.equal(Deno.readTextFileSync(`${place}/f`), "old");
    clear_halves(`${root}/none`);
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});

Deno.test("put_beside() leaves no note behind, and writes where it can make none", () => {
  const root = Deno.makeTempDirSync({ prefix: "hamr_test_" });
  const write = (made: string) => Deno.writeTextFileSync(made, "new");
  try {
    for (const notes of [root, `${root}/none`]) {
      note_halves_in(notes);
      put_beside(`${root}/f`, write);
      assert.deepEqual(names(root), ["f"]);
      const fails = () => {
        throw new Error("no");
      };
      assert.throws(() => put_beside(`${root}/g`, fails), /no/);
      assert.deepEqual(names(root), ["f"]);
    }
  } finally {
    Deno.removeSync(root, { recursive: true });
  }
});
