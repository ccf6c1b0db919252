import { deepStrictEqual } from "node:assert/strict";
import { those_there } from "./session_start.ts";

Deno.test("of the places that may not be read, those are told that are there, or may be", () => {
  const folder = Deno.makeTempDirSync();
  try {
    Deno.mkdirSync(`${folder}/.config/gh`, { recursive: true });
    Deno.writeTextFileSync(`${folder}/.netrc`, "");
    Deno.symlinkSync("nowhere", `${folder}/.ssh`);
    const there = [".config/gh", ".netrc", ".ssh"], missing = [".aws", ".netrc/a", ".config/op/a"];
    const at = (names: readonly string[]) => names.map((name) => `${folder}/${name}`);
    deepStrictEqual(those_there(at([...missing, ...there])), at(there));
    deepStrictEqual(those_there(["/nowhere", "/nowhere/else", "/tmp"]), ["/tmp"]);
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
});
