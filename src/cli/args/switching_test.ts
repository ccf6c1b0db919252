/** docs/switching.md: each line of ours is one, and each flag of theirs is answered with ours. */
import assert from "node:assert/strict";
import { parse } from "./args.ts";
import { UsageError } from "../../config/error.ts";

const PAGE = Deno.readTextFileSync(new URL("../../../docs/switching.md", import.meta.url));
const ROWS = PAGE.split("\n").filter((line) => /^\| .*`/.test(line))
  .map((line) => line.replaceAll("\\|", "¦").split("|").map((cell) => cell.trim()));

function words(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");
}

Deno.test("every command of ours in docs/switching.md is understood", () => {
  const ours = ROWS.flatMap(([, , cell = ""]) =>
    [...cell.matchAll(/`(?:cat FILE ¦ )?hamr ?([^`]*)`/g)].map(([, args = ""]) => args)
  );
  assert.ok(ours.length > 40, String(ours.length));
  for (const args of ours.filter((args) => args !== "")) parse(words(args));
});

Deno.test("every flag of theirs in docs/switching.md is ours, too, or is answered with ours", () => {
  const theirs = ROWS.flatMap(([, cell = ""]) =>
    [...cell.matchAll(/--[a-z-]+[a-zA-Z]*/g)].map(([flag]) => flag)
  );
  assert.ok(theirs.length > 15, String(theirs.length));
  for (const flag of theirs) {
    try {
      parse(["run", `${flag}=x`, "task"]);
    } catch (error) {
      assert.ok(error instanceof UsageError);
      // A flag of ours with another kind of value says so itself.
      assert.match(
        error.message,
        /in hamr: |^--json takes no value|^--mode: must be/,
        `${flag}: ${error.message}`,
      );
    }
  }
  for (const word of ["exec", "login", "serve"]) {
    assert.throws(() => parse([word, "x"]), /in hamr: /);
  }
});
