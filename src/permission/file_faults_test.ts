import { deepEqual, equal } from "node:assert/strict";
import { code_of, is_full } from "./file_faults.ts";

Deno.test("system errors that Deno has no names for are known by their numbers", () => {
  const of = (words: string) => new Error(`${words}: writefile '/w/a.txt'`);
  const quota = of("Disk quota exceeded (os error 122)");
  deepEqual([code_of(quota), is_full(quota)], ["EDQUOT", true]);
  equal(code_of(of("File too large (os error 27)")), "EFBIG");
  equal(code_of(Object.assign(of("x (os error 122)"), { code: "EIO" })), "EIO");
  equal(code_of(of("Stale file handle (os error 116)")), "");
});
