/** What hamr writes as lines of JSON is one line for every reader. */
import { deepStrictEqual, strictEqual } from "node:assert/strict";
import { json_line } from "./json.ts";

Deno.test("json_line() has no character that any reader takes for the end of a line, and the same value", () => {
  const every = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join("");
  const line = json_line({ [every]: every, emoji: "é 😀 \ud800" });
  strictEqual(/[\p{Cc}\u2028\u2029]/u.test(line.slice(0, -1)), false);
  strictEqual(line.endsWith("}\n"), true);
  deepStrictEqual(JSON.parse(line), { [every]: every, emoji: "é 😀 \ud800" });
});
