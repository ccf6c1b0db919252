import assert from "node:assert/strict";
import { linux_libc } from "../kernel/libc.ts";
import { Listings } from "./listings.ts";
import { real_of_missing } from "./read_scope.ts";

const libc = linux_libc();

Deno.test({
  name: "a folder's listing says what the kernel would, and nothing where it can't know",
  ignore: libc === null,
  fn() {
    const root = Deno.realPathSync(Deno.makeTempDirSync());
    for (const folder of ["home/.config/app", "home/docs", "odd/é", "empty"]) {
      Deno.mkdirSync(`${root}/${folder}`, { recursive: true });
    }
    Deno.writeTextFileSync(`${root}/home/Notes`, "x");
    for (const [to, at] of [["docs", "way"], ["none", "lost"], ["Notes", "other"]]) {
      Deno.symlinkSync(`${root}/home/${to}`, `${root}/home/${at}`);
    }
    const listings = new Listings(libc!);
    const kinds = (folder: string, names: readonly string[]) =>
      names.map((name) => listings.kind_of(`${root}/${folder}`, name));
    assert.deepEqual(
      kinds("home", ["docs", "Notes", "way", "lost", "none", "..", "", "NOTES", "nöne"]),
      ["folder", "file", "unsure", "unsure", "missing", "unsure", "unsure", "unsure", "unsure"],
    );
    // Another spelling of a name may lead to it, and an empty list may be one that can't be read.
    assert.deepEqual(kinds("odd", ["x"]), ["unsure"]);
    assert.deepEqual(kinds("empty", ["x"]), ["unsure"]);
    assert.deepEqual(kinds("home/none/deep", ["x"]), ["missing"]);

    const parts = ["home", "docs", "way", "lost", "other", "Notes", "notes", "none", "..", "é"];
    const known: Parameters<typeof real_of_missing>[1] = new Map();
    for (const one of parts) {
      for (const two of parts) {
        for (const three of ["", ...parts]) {
          const path = [root, one, two, three].filter((part) => part !== "").join("/");
          assert.equal(real_of_missing(path, known, listings), real_of_missing(path), path);
        }
      }
    }
    Deno.removeSync(root, { recursive: true });
  },
});
